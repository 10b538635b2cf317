//! Whether to use workers, and how many of their verdicts to have judged again by a fresh process.

use crate::base::share::Share;
use crate::oracle::InputSample;

/// Whether to use workers, and how far to trust them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether they are used where a manifest has one.
    pub is_used: bool,
    /// Those of their verdicts that a fresh process judges again.
    pub judged_again: InputSample,
}

impl Policy {
    /// The share that is judged again unless something else is said: one of fifty.
    pub const SHARE: Share = Share::of_millionths(20_000);
}

impl Default for Policy {
    fn default() -> Self {
        Self { is_used: true, judged_again: InputSample { share: Self::SHARE, seed: 0 } }
    }
}
