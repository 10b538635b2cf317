//! How many inputs the program was asked about, and how many it refused.

use crate::oracle::Verdict;

/// After this number of inputs it shows whether the program refuses most of them.
const LEAST: usize = 40;

/// The number of inputs that were asked about, and of those that are unresolved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    all: usize,
    unresolved: usize,
}

impl Asked {
    /// Counts one more.
    pub(super) fn count(&mut self, verdict: Verdict) {
        self.all += 1;
        self.unresolved += usize::from(matches!(verdict, Verdict::Unresolved | Verdict::Timeout));
    }

    /// What was asked about since then.
    pub(super) fn since(self, before: Self) -> Self {
        Self { all: self.all - before.all, unresolved: self.unresolved - before.unresolved }
    }

    /// Whether these are enough to say something.
    pub(super) fn is_enough(self) -> bool {
        self.all >= LEAST
    }

    /// Whether the program refused any of them.
    pub(super) fn are_any_refused(self) -> bool {
        self.unresolved > 0
    }

    /// Whether the program refused most of them.
    pub(super) fn are_most_refused(self) -> bool {
        2 * self.unresolved > self.all
    }
}
