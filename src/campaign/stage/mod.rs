//! What the tasks do, one module for each stage.
//!
//! A stage takes a [`Bench`] and the records of the tasks before it, and gives a record. It neither
//! knows the store nor the other tasks.

mod generalize;
mod instantiate;
mod produce;
mod recognize;
mod reduce;
mod specialize;

pub use generalize::generalize;
pub use instantiate::instantiate;
pub use produce::produce;
pub use recognize::{held_out, seen};
pub use reduce::reduce;
pub use specialize::{Given, specialize};

use crate::automaton::CountError;
use crate::base::budget::{Budget, Interrupt};
use crate::base::limits::{Exceeded, Limits};
use crate::generalize::GeneralizeError;
use crate::oracle::{Halt, Judge, Judgement, OracleError, TimeoutAs, Verdict};
use crate::produce::{ProducerError, Unproductive};
use crate::reduce::ReduceError;
use crate::store::{Judged, Record, Verdicts};
use crate::transform::TransformError;

use super::bench::{Bench, with_setting};
use super::config::Settings;

/// What a stage gives: what it found, and how many executions that took (as it counts, not as ran).
pub type Done = Result<(Record, u64), StageError>;

/// Why a stage gives no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// It cannot do its work.
    #[error("{0}")]
    Failed(String),
}

impl StageError {
    /// A failure, for any reason.
    pub fn failed(reason: impl std::fmt::Display) -> Self {
        Self::Failed(reason.to_string())
    }
}

impl From<OracleError> for StageError {
    fn from(error: OracleError) -> Self {
        Self::failed(error)
    }
}

impl From<Unproductive> for StageError {
    fn from(reason: Unproductive) -> Self {
        Self::failed(match reason {
            Unproductive::Nothing => "the grammar derives no input at all".to_owned(),
            Unproductive::Length(lengths) => format!("the grammar derives no input of {lengths} bytes"),
        })
    }
}

impl From<Exceeded> for StageError {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::Interrupted => Self::Interrupted,
            exceeded => Self::failed(with_setting(exceeded)),
        }
    }
}

impl From<TransformError> for StageError {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::Exceeded(exceeded) => exceeded.into(),
            error => Self::failed(error),
        }
    }
}

impl From<Halt> for StageError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stop(_) => Self::Interrupted,
            Halt::Broken(error) => error.into(),
            Halt::Exceeded(exceeded) => exceeded.into(),
        }
    }
}

impl From<ReduceError> for StageError {
    fn from(error: ReduceError) -> Self {
        match error {
            ReduceError::Exceeded(exceeded) => exceeded.into(),
            error => Self::failed(error),
        }
    }
}

impl From<GeneralizeError> for StageError {
    fn from(error: GeneralizeError) -> Self {
        match error {
            GeneralizeError::Exceeded(exceeded) => exceeded.into(),
            error => Self::failed(error),
        }
    }
}

impl From<ProducerError> for StageError {
    fn from(error: ProducerError) -> Self {
        match error {
            ProducerError::Uncountable(CountError::Exceeded(exceeded)) => exceeded.into(),
            error => Self::failed(error),
        }
    }
}

/// The limits of what a task makes of an expression: sizes alone, so that a table is the same on any machine.
fn limits(settings: &Settings, interrupt: &Interrupt) -> Limits {
    Limits { sizes: settings.sizes, time: None, interrupt: interrupt.clone() }
}

/// A session in which a task of a campaign asks its oracle.
fn judge<'a>(bench: &'a Bench, timeout_as: TimeoutAs, interrupt: &Interrupt) -> Judge<'a> {
    let budget = Budget { interrupt: interrupt.clone(), ..Budget::default() };
    Judge::new(&*bench.oracle).with_timeout_as(timeout_as).with_budget(budget)
}

/// How many inputs of a log had each verdict.
fn verdicts(log: &[(Box<[u8]>, Judgement)], timeout_as: TimeoutAs) -> Verdicts {
    Verdicts::of(log.iter().map(|(_, judgement)| judgement.verdict), timeout_as)
}

/// Makes sure that `input`, which a table is to show as failing, does fail.
fn make_sure(judge: &mut Judge<'_>, input: &[u8]) -> Result<(), StageError> {
    match judge.judge_surely(input)? {
        Verdict::Fail => Ok(()),
        verdict => Err(StageError::failed(format!(
            "the reduced input fails in a worker, but a process of its own says {verdict}; \
             with `use = false` under `[workers]` all inputs are judged by processes of their own"
        ))),
    }
}

/// What a session judged, as it is kept in a record.
fn judged(log: Vec<(Box<[u8]>, Judgement)>) -> Vec<Judged> {
    log.into_iter()
        .map(|(input, judgement)| Judged { input: input.into(), verdict: judgement.verdict })
        .collect()
}

/// What an earlier task judged, for a session that need not ask again.
fn known(judged: &[Judged]) -> impl Iterator<Item = (&[u8], Verdict)> {
    judged.iter().map(|judged| (judged.input.bytes(), judged.verdict))
}
