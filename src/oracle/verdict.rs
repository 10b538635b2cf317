//! Verdicts.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What an execution of the subject showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub enum Verdict {
    /// The behaviour under study was reproduced.
    Fail,
    /// It was not.
    Pass,
    /// The input was rejected before it could matter.
    Unresolved,
    /// The subject did not end in time.
    Timeout,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Fail, Self::Pass, Self::Unresolved, Self::Timeout];

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Pass => "pass",
            Self::Unresolved => "unresolved",
            Self::Timeout => "timeout",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == word)
            .ok_or_else(|| format!("`{word}` is no verdict; there are fail, pass, unresolved and timeout"))
    }
}

/// How a timeout counts. It is stored as what it is in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeoutAs {
    /// As the papers count it.
    #[default]
    Pass,
    /// As an input that could not be judged.
    Unresolved,
    /// As the failure: for bugs that are endless loops.
    Fail,
}

impl TimeoutAs {
    /// What `verdict` counts as.
    pub fn count(self, verdict: Verdict) -> Verdict {
        match (verdict, self) {
            (Verdict::Timeout, Self::Pass) => Verdict::Pass,
            (Verdict::Timeout, Self::Unresolved) => Verdict::Unresolved,
            (Verdict::Timeout, Self::Fail) => Verdict::Fail,
            (verdict, _) => verdict,
        }
    }
}

/// A verdict, and the observation it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What was seen, in a few words: `SIGSEGV`, `exit 1`. The same at every run.
    pub evidence: Arc<str>,
}

impl Judgement {
    /// A judgement.
    pub fn new(verdict: Verdict, evidence: impl Into<Arc<str>>) -> Self {
        Self { verdict, evidence: evidence.into() }
    }
}
