//! Why a stage gives no record.

use crate::automaton::CountError;
use crate::base::limits::Exceeded;
use crate::base::registry::UnknownPlugIn;
use crate::generalize::GeneralizeError;
use crate::oracle::{Halt, OracleError};
use crate::produce::{ProducerError, Unproductive};
use crate::reduce::ReduceError;
use crate::subject::prepare::PrepareError;
use crate::transform::TransformError;
use crate::validate::Unanswered;

use super::target::with_setting;

/// Why a stage gives no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The bug, or its subject, cannot be used.
    #[error("{0}")]
    Unfit(String),
    /// It cannot do its work.
    #[error("{0}")]
    Failed(String),
}

impl StageError {
    /// A failure, for any reason.
    pub fn failed(reason: impl std::fmt::Display) -> Self {
        Self::Failed(reason.to_string())
    }

    /// The same, as a reason for which a bug is unfit.
    #[must_use]
    pub fn unfit(self) -> Self {
        match self {
            Self::Failed(reason) => Self::Unfit(reason),
            other => other,
        }
    }
}

impl From<OracleError> for StageError {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Interrupted => Self::Interrupted,
            OracleError::Broken(reason) => Self::Failed(reason),
        }
    }
}

impl From<PrepareError> for StageError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Interrupted => Self::Interrupted,
            error => Self::failed(error),
        }
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

impl From<Unanswered> for StageError {
    fn from(reason: Unanswered) -> Self {
        match reason {
            Unanswered::Exceeded(exceeded) => exceeded.into(),
            reason => Self::failed(reason),
        }
    }
}

impl From<TransformError> for StageError {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::Exceeded(exceeded) => exceeded.into(),
            TransformError::Interrupted => Self::Interrupted,
            error => Self::failed(error),
        }
    }
}

impl From<ReduceError> for StageError {
    fn from(error: ReduceError) -> Self {
        match error {
            ReduceError::Oracle(error) => error.into(),
            ReduceError::Exceeded(exceeded) => exceeded.into(),
            error => Self::failed(error),
        }
    }
}

impl From<GeneralizeError> for StageError {
    fn from(error: GeneralizeError) -> Self {
        match error {
            GeneralizeError::Oracle(error) => error.into(),
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

impl From<UnknownPlugIn> for StageError {
    fn from(error: UnknownPlugIn) -> Self {
        Self::failed(error)
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
