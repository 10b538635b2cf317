//! Why work that asks an oracle ends before it is done.

use crate::base::budget::StopReason;
use crate::base::limits::Exceeded;

use super::OracleError;

/// Why a judge gives no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// The budget is used up: the work ends with what it has.
    #[error("stopped: {0}")]
    Stop(StopReason),
    /// The oracle cannot work: the task fails.
    #[error(transparent)]
    Broken(#[from] OracleError),
    /// What is done beside asking has reached a limit on its size: the task fails.
    #[error(transparent)]
    Exceeded(Exceeded),
}

impl Halt {
    /// Why work ended that goes on with what it has.
    ///
    /// # Errors
    /// When it cannot go on.
    pub fn reason<E: From<OracleError> + From<Exceeded>>(self) -> Result<StopReason, E> {
        match self {
            Self::Stop(reason) => Ok(reason),
            Self::Broken(error) => Err(error.into()),
            Self::Exceeded(exceeded) => Err(exceeded.into()),
        }
    }

    /// The same of work that may also have come to its end.
    ///
    /// # Errors
    /// When it cannot go on.
    pub fn stop_reason<E: From<OracleError> + From<Exceeded>>(
        work: Result<(), Self>,
    ) -> Result<StopReason, E> {
        work.map_or_else(Self::reason, |()| Ok(StopReason::Done))
    }
}

impl From<Exceeded> for Halt {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::Interrupted => Self::Stop(StopReason::Interrupted),
            Exceeded::Time(_) => Self::Stop(StopReason::Time),
            exceeded => Self::Exceeded(exceeded),
        }
    }
}
