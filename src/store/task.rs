//! What the plan says of each task: typed keys, never read back out of a task's name.

use std::fmt;
use std::str::FromStr;

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Checks that a subject is fit for use.
    Check,
    /// Makes a failing input smaller.
    Reduce,
    /// Abstracts a failing input to a pattern.
    Generalize,
    /// Makes instances of an abstract input and has them judged.
    Instantiate,
    /// Makes a grammar and an expression into a specialized grammar.
    Specialize,
    /// Makes inputs and has them judged.
    Produce(Side),
    /// Validates judged inputs.
    Recognize(Source),
}

impl Stage {
    /// All stages, in the order of the pipeline.
    pub const ALL: [Self; 9] = [
        Self::Check,
        Self::Reduce,
        Self::Generalize,
        Self::Instantiate,
        Self::Specialize,
        Self::Produce(Side::F),
        Self::Produce(Side::NotF),
        Self::Recognize(Source::Seen),
        Self::Recognize(Source::HeldOut),
    ];

    /// The words used in the store and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Reduce => "reduce",
            Self::Generalize => "generalize",
            Self::Instantiate => "instantiate",
            Self::Specialize => "specialize",
            Self::Produce(Side::F) => "produce F",
            Self::Produce(Side::NotF) => "produce not F",
            Self::Recognize(Source::Seen) => "recognize seen",
            Self::Recognize(Source::HeldOut) => "recognize held-out",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Stage {
    type Err = String;
    fn from_str(words: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|stage| stage.as_str() == words)
            .ok_or_else(|| format!("`{words}` is no stage"))
    }
}

/// The grammar from which inputs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The specialized grammar, whose inputs should fail.
    F,
    /// Its negation, whose inputs should pass.
    NotF,
}

impl Side {
    /// The words used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::F => "F",
            Self::NotF => "not F",
        }
    }
}

/// Where the inputs come from that are validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Met while reducing and generalizing, as in the papers.
    Seen,
    /// Made for the purpose: no stage before has met them.
    HeldOut,
}

impl Source {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::HeldOut => "held-out",
        }
    }
}

/// The names of the plug-ins whose work a task does or builds on; `None` where none takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    /// The reducer.
    pub reducer: Option<String>,
    /// The generalizer.
    pub generalizer: Option<String>,
    /// The transformer.
    pub transformer: Option<String>,
    /// The producer.
    pub producer: Option<String>,
}

/// One task of the plan. Its place is its position in the list of all tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTask {
    /// The name: unique in the plan, and the same at every run of the same configuration.
    pub name: String,
    /// What it does.
    pub stage: Stage,
    /// The subject; empty for a task that is about an expression of the config.
    pub subject: String,
    /// The bug; `None` for a task that is about a whole subject, or an expression.
    pub bug: Option<String>,
    /// The name of the expression of the config that the task is about; `None` when it is about a subject.
    pub expression: Option<String>,
    /// Which of the repetitions, counted from 1.
    pub repetition: u32,
    /// The plug-ins.
    pub variant: Variant,
    /// The subject's version.
    pub version: String,
    /// Whether the bug was put back into a later release.
    pub reintroduced: bool,
    /// The names of the tasks whose results this one takes.
    pub needs: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_read_as_it_is_written() {
        for stage in Stage::ALL {
            assert_eq!(stage.as_str().parse(), Ok(stage));
        }
        assert!("produce".parse::<Stage>().is_err());
    }
}
