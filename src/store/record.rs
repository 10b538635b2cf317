//! What a task found, as it is stored: JSON that only its stage can read, and what many stages' records are made of.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::budget::StopReason;
use crate::oracle::{Cut, Judgement, Verdict};

use super::input::Input;

/// What a task found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The record.
    pub json: String,
    /// The inputs that the task met on the way, if others build upon them. They stand apart: few want them.
    pub judged: Option<Arc<[Judged]>>,
    /// What the task could not do, though it found the rest. It counts as failed, and is tried again.
    pub failure: Option<String>,
}

/// An input and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The input.
    pub input: Input,
    /// Its verdict, as it was seen.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
    /// The limit that ended the run, if it is one that is counted apart.
    pub cut: Option<Cut>,
}

impl Judged {
    /// `input`, which was judged so.
    pub fn new(input: impl Into<Input>, judgement: &Judgement) -> Self {
        Self { input: input.into(), verdict: judgement.verdict, cut: judgement.cut() }
    }
}

/// An input that its grammar should not have, were the specialization perfect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Escape {
    /// The input.
    pub input: Input,
    /// Its verdict.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
    /// What was seen.
    pub evidence: String,
}

impl Escape {
    /// `input`, which was judged so.
    pub fn new(input: impl Into<Input>, judgement: &Judgement) -> Self {
        Self { input: input.into(), verdict: judgement.verdict, evidence: judgement.evidence.to_string() }
    }
}

// The lower layers know nothing of serde: these say how their words are written.

/// How a verdict is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Verdict", rename_all = "lowercase")]
pub enum VerdictText {
    /// It fails.
    Fail,
    /// It passes.
    Pass,
    /// There is none.
    Unresolved,
    /// It took too long.
    Timeout,
}

/// How the reason for which work ended is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "StopReason", rename_all = "lowercase")]
pub enum StopReasonText {
    /// There was nothing left to do.
    Done,
    /// The executions were used up.
    Budget,
    /// The time was used up.
    Time,
    /// The program hung too often.
    Hanging,
    /// The user asked to stop.
    Interrupted,
}
