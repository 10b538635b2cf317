//! How a judgement came about, for oracles that have more than one way to judge.
//!
//! A process that judges many inputs may remember something of one when it judges the next. A judgement
//! is *confirmed* when it cannot come from that: the process judged nothing else, or its verdict was confirmed
//! by one that did not.

use super::{Judgement, Verdict};

/// A judgement, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// The judgement that counts.
    pub judgement: Judgement,
    /// Whether it is confirmed.
    pub is_confirmed: bool,
    /// Whether the input was judged a second time for that.
    pub is_judged_again: bool,
    /// What went wrong on the way.
    pub trouble: Option<Trouble>,
}

impl Examination {
    /// A judgement that is confirmed from the beginning.
    pub fn confirmed(judgement: Judgement) -> Self {
        Self { judgement, is_confirmed: true, is_judged_again: false, trouble: None }
    }
}

/// What goes wrong with a process that judges many inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Its verdict, this one, is not that of a process that judged nothing else.
    Disagreement(Verdict),
    /// It did not keep to the protocol: what it did.
    ProtocolViolation(String),
    /// It could not be started: why.
    NotStarted(String),
}

impl Trouble {
    /// Says what it is, where the verdict that counts is `verdict`.
    pub fn text(&self, verdict: Verdict) -> String {
        match self {
            Self::Disagreement(said) => {
                format!(
                    "the verdict of a worker is {said}; that of a fresh process is {verdict}, which counts"
                )
            }
            Self::ProtocolViolation(what) => {
                format!("a worker violated the protocol: {what}; the verdict of a fresh process is {verdict}")
            }
            Self::NotStarted(why) => {
                format!("no worker can be started: {why}; inputs are judged by fresh processes")
            }
        }
    }
}
