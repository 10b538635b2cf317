//! An oracle that never runs the subject twice on the same input.
//!
//! All tasks of a bug share one cache. It can be filled beforehand with what earlier runs saw, and
//! reports each execution that really takes place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Judgement, Oracle, OracleError};

/// One execution of the subject that really took place.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The input.
    pub input: Box<[u8]>,
    /// What was seen.
    pub judgement: Judgement,
    /// How long it took.
    pub duration: Duration,
}

/// Called with each execution, from the thread that asked for it.
pub type Observer = dyn Fn(&Execution) + Send + Sync;

/// An oracle behind a cache.
pub struct CachedOracle<O> {
    oracle: O,
    known: Mutex<HashMap<Box<[u8]>, Judgement>>,
    observer: Option<Arc<Observer>>,
}

impl<O: Oracle> CachedOracle<O> {
    /// `oracle` behind an empty cache.
    pub fn new(oracle: O) -> Self {
        Self { oracle, known: Mutex::default(), observer: None }
    }

    /// Reports each execution to `observer`.
    #[must_use]
    pub fn observed(self, observer: Arc<Observer>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Puts what is known already into the cache.
    #[must_use]
    pub fn knowing(self, known: impl IntoIterator<Item = (Box<[u8]>, Judgement)>) -> Self {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(known);
        self
    }
}

impl<O: Oracle> Oracle for CachedOracle<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(input) {
            return Ok(known.clone());
        }
        // Not under the lock: two threads may run the same input at once, which costs an execution
        // now and then but never blocks the others.
        let begin = Instant::now();
        let judgement = self.oracle.judge(input)?;
        let execution =
            Execution { input: input.into(), judgement: judgement.clone(), duration: begin.elapsed() };
        if let Some(observer) = &self.observer {
            observer(&execution);
        }
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(execution.input, execution.judgement);
        Ok(judgement)
    }
}
