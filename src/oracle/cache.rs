//! An oracle that never runs the subject twice on the same input.
//!
//! All tasks of a bug share one cache. It can be filled beforehand with what earlier runs saw, and
//! reports each execution that really takes place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
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

/// Called with each execution, from the thread that asked for it. It must not ask the same oracle.
pub type Observer = dyn Fn(&Execution) + Send + Sync;

/// An oracle behind a cache.
pub struct CachedOracle<O> {
    oracle: O,
    known: Mutex<HashMap<Box<[u8]>, Judgement>>,
}

impl<O: Oracle> CachedOracle<O> {
    /// `oracle` behind a cache that holds what is known already.
    pub fn new(oracle: O, known: impl IntoIterator<Item = (Box<[u8]>, Judgement)>) -> Self {
        Self { oracle, known: Mutex::new(known.into_iter().collect()) }
    }

    /// This oracle as one task sees it: the cache is everybody's, the executions that this task causes
    /// are reported to its own `observer`.
    pub fn observed(self: &Arc<Self>, observer: impl Fn(&Execution) + Send + Sync + 'static) -> Observed<O> {
        Observed { cache: Arc::clone(self), observer: Box::new(observer) }
    }
}

/// A cached oracle that reports the executions that really take place.
pub struct Observed<O> {
    cache: Arc<CachedOracle<O>>,
    observer: Box<Observer>,
}

impl<O: Oracle> Oracle for Observed<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let known = || self.cache.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(input) {
            return Ok(known.clone());
        }
        // Not under the lock: two threads may run the same input at once, which costs an execution
        // now and then but never blocks the others.
        let begin = Instant::now();
        let judgement = self.cache.oracle.judge(input)?;
        let execution =
            Execution { input: input.into(), judgement: judgement.clone(), duration: begin.elapsed() };
        // Whoever is first is right, so that all tasks go by the same verdict. The first one is also the
        // first to be reported (under the lock, for that), so that a later run goes by it too.
        let mut known = known();
        match known.entry(execution.input.clone()) {
            Entry::Vacant(place) => {
                place.insert(judgement.clone());
                (self.observer)(&execution);
                Ok(judgement)
            }
            Entry::Occupied(first) => {
                let first = first.get().clone();
                drop(known);
                (self.observer)(&execution);
                Ok(first)
            }
        }
    }
}
