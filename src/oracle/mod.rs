//! What decides whether an input fails: verdicts, the trait that all oracles implement, and the
//! session in which reducers and generalizers ask them.
//!
//! Knows no processes and no grammars; depends on [`crate::base`] only.

mod cache;
mod confirming;
pub mod evidence;
mod examination;
mod halt;
mod input_sample;
mod judge;
mod judgement_cache;
mod lookahead;
mod other_failure;
mod pass_figures;
mod speculation;
mod verdict;

pub use cache::{CachedOracle, Execution, Observed, Observer};
pub use confirming::Rate;
pub use evidence::Cut;
pub use examination::{Examination, Trouble};
pub use halt::Halt;
pub use input_sample::InputSample;
pub use judge::{Judge, Listener, News};
pub use judgement_cache::{JudgementCache, KnownJudgement};
pub use other_failure::{Failure, OtherFailure};
pub use pass_figures::PassFigures;
pub use speculation::{Ahead, Speculation};
pub use verdict::{Judgement, TimeoutAs, Verdict};

/// Decides the verdict of an input by running the subject.
pub trait Oracle: Send + Sync {
    /// Runs the subject on `input`.
    ///
    /// # Errors
    /// When the subject could not be run at all. What the subject does to itself (crash, hang, flood
    /// its output) is no error but part of the judgement.
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError>;

    /// Runs the subject on `input` as [`Self::judge`] does, and says how.
    ///
    /// # Errors
    /// As there.
    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        self.judge(input).map(Examination::confirmed)
    }

    /// Judges `input` once more in the way in which it was judged before, to see whether the verdict is
    /// the same.
    ///
    /// # Errors
    /// As there.
    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        self.judge(input).map(|judgement| judgement.verdict)
    }

    /// Judges `input` this number of times more, as [`Self::repeat`] does each time.
    ///
    /// # Errors
    /// As there.
    fn repeat_times(&self, input: &[u8], times: u32) -> Result<Vec<Verdict>, OracleError> {
        (0..times).map(|_| self.repeat(input)).collect()
    }

    /// Confirms a verdict that [`Self::judge`] gave: what counts instead of it, if anything does. By
    /// default a judgement is confirmed, and nothing is run.
    ///
    /// # Errors
    /// As there.
    fn judge_again(&self, _input: &[u8], _earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        Ok(None)
    }
}

/// Why an oracle gave no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// It could not do its work.
    #[error("{0}")]
    Broken(String),
}

impl<O: Oracle + ?Sized> Oracle for &O {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        (**self).judge(input)
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        (**self).examine(input)
    }

    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        (**self).repeat(input)
    }

    fn repeat_times(&self, input: &[u8], times: u32) -> Result<Vec<Verdict>, OracleError> {
        (**self).repeat_times(input, times)
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        (**self).judge_again(input, earlier)
    }
}

impl<O: Oracle + ?Sized> Oracle for std::sync::Arc<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        (**self).judge(input)
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        (**self).examine(input)
    }

    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        (**self).repeat(input)
    }

    fn repeat_times(&self, input: &[u8], times: u32) -> Result<Vec<Verdict>, OracleError> {
        (**self).repeat_times(input, times)
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        (**self).judge_again(input, earlier)
    }
}

impl<O: Oracle + ?Sized> Oracle for Box<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        (**self).judge(input)
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        (**self).examine(input)
    }

    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        (**self).repeat(input)
    }

    fn repeat_times(&self, input: &[u8], times: u32) -> Result<Vec<Verdict>, OracleError> {
        (**self).repeat_times(input, times)
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        (**self).judge_again(input, earlier)
    }
}
