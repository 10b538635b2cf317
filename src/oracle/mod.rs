//! What decides whether an input fails: verdicts, the trait that all oracles implement, and the
//! session in which reducers and generalizers ask them.
//!
//! Knows no processes and no grammars; depends on [`crate::base`] only.

mod cache;
mod judge;
mod verdict;

pub use cache::{CachedOracle, Execution, Observed, Observer};
pub use judge::{Halt, Judge};
pub use verdict::{Judgement, TimeoutAs, Verdict};

/// Decides the verdict of an input by running the subject.
pub trait Oracle: Send + Sync {
    /// Runs the subject on `input`.
    ///
    /// # Errors
    /// When the subject could not be run at all. What the subject does to itself (crash, hang, flood
    /// its output) is no error but part of the judgement.
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError>;
}

/// The oracle could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OracleError(pub String);

impl<O: Oracle + ?Sized> Oracle for &O {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        (**self).judge(input)
    }
}

impl<O: Oracle + ?Sized> Oracle for std::sync::Arc<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        (**self).judge(input)
    }
}

impl<O: Oracle + ?Sized> Oracle for Box<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        (**self).judge(input)
    }
}
