//! An oracle that never runs the subject twice on the same input, but to be sure of a verdict.
//!
//! All tasks of a bug share one cache. It can be filled beforehand with what earlier runs saw, and
//! reports each execution that really takes place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Examination, Judgement, Oracle, OracleError, Trouble, Verdict};

/// One execution of the subject that really took place.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The input.
    pub input: Box<[u8]>,
    /// What was seen, and how.
    pub examination: Examination,
    /// Whether it took place only to be sure of a verdict that was known.
    pub is_confirmation: bool,
    /// How long it took.
    pub duration: Duration,
}

/// A judgement that is known, and whether it is sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The judgement.
    pub judgement: Judgement,
    /// Whether it is sure; see [`Examination`].
    pub is_sure: bool,
}

/// Called with each execution, from the thread that asked for it. It must not ask the same oracle.
pub type Observer = dyn Fn(&Execution) + Send + Sync;

/// An oracle behind a cache.
pub struct CachedOracle<O> {
    oracle: O,
    known: Mutex<HashMap<Box<[u8]>, Known>>,
}

impl<O: Oracle> CachedOracle<O> {
    /// `oracle` behind a cache that holds what is known already.
    pub fn new(oracle: O, known: impl IntoIterator<Item = (Box<[u8]>, Known)>) -> Self {
        Self { oracle, known: Mutex::new(known.into_iter().collect()) }
    }

    /// This oracle as one task sees it: the cache is everybody's, the executions that this task causes
    /// are reported to its own `observer`.
    pub fn observed(self: &Arc<Self>, observer: impl Fn(&Execution) + Send + Sync + 'static) -> Observed<O> {
        Observed { cache: Arc::clone(self), observer: Box::new(observer) }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A cached oracle that reports the executions that really take place.
pub struct Observed<O> {
    cache: Arc<CachedOracle<O>>,
    observer: Box<Observer>,
}

impl<O: Oracle> Oracle for Observed<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        if let Some(known) = self.cache.known().get(input) {
            return Ok(known.judgement.clone());
        }
        // Not under the lock: two threads may run the same input at once, which costs an execution
        // now and then but never blocks the others.
        let begin = Instant::now();
        let examination = self.cache.oracle.examine(input)?;
        let Examination { judgement, is_sure, .. } = examination.clone();
        let duration = begin.elapsed();
        let execution = Execution { input: input.into(), examination, is_confirmation: false, duration };
        // Whoever is first is right, so that all tasks go by the same verdict. The first one is also the
        // first to be reported (under the lock, for that), so that a later run goes by it too.
        let mut known = self.cache.known();
        match known.entry(execution.input.clone()) {
            Entry::Vacant(place) => {
                place.insert(Known { judgement: judgement.clone(), is_sure });
                (self.observer)(&execution);
                Ok(judgement)
            }
            Entry::Occupied(first) => {
                let first = first.get().judgement.clone();
                drop(known);
                (self.observer)(&execution);
                Ok(first)
            }
        }
    }

    /// `None` when the verdict that is known is `earlier`, and sure by now.
    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        let changed = |judgement: Judgement| (judgement.verdict != earlier).then_some(judgement);
        let said = match self.cache.known().get(input).cloned() {
            Some(Known { judgement, is_sure: true }) => return Ok(changed(judgement)),
            Some(Known { judgement, is_sure: false }) => judgement,
            // Whoever asks knows the verdict from elsewhere.
            None => {
                return self.cache.oracle.judge_again(input, earlier).map(|again| again.and_then(changed));
            }
        };
        let begin = Instant::now();
        let again = self.cache.oracle.judge_again(input, said.verdict)?;
        let is_judged_again = again.is_some();
        let (judgement, trouble) = match again {
            Some(again) if again.verdict != said.verdict => {
                (again, Some(Trouble::Disagreement(said.verdict)))
            }
            _ => (said, None),
        };
        let examination =
            Examination { judgement: judgement.clone(), is_sure: true, is_judged_again, trouble };
        let duration = begin.elapsed();
        let execution = Execution { input: input.into(), examination, is_confirmation: true, duration };
        let mut known = self.cache.known();
        // Somebody else may have been quicker; then that counts.
        let first = known.get(input).filter(|known| known.is_sure).map(|known| known.judgement.clone());
        if first.is_none() {
            known.insert(execution.input.clone(), Known { judgement: judgement.clone(), is_sure: true });
            (self.observer)(&execution);
        }
        Ok(changed(first.unwrap_or(judgement)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remembers the inputs that it has judged, and says `fail` from the second one on; a process of its
    /// own never does.
    struct Forgetful(Mutex<u32>);

    impl Oracle for Forgetful {
        fn judge(&self, _: &[u8]) -> Result<Judgement, OracleError> {
            let mut count = self.0.lock().unwrap();
            *count += 1;
            Ok(Judgement::new(if *count > 1 { Verdict::Fail } else { Verdict::Pass }, "warm"))
        }

        fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
            Ok(Examination { is_sure: false, ..Examination::sure(self.judge(input)?) })
        }

        fn judge_again(&self, _: &[u8], _: Verdict) -> Result<Option<Judgement>, OracleError> {
            Ok(Some(Judgement::new(Verdict::Pass, "cold")))
        }
    }

    #[test]
    fn a_verdict_is_confirmed_once_and_the_second_opinion_counts() {
        let cache = Arc::new(CachedOracle::new(Forgetful(Mutex::new(0)), []));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let oracle = cache.observed(move |execution| log.lock().unwrap().push(execution.clone()));
        let (first, second) = (oracle.judge(b"a").unwrap().verdict, oracle.judge(b"b").unwrap().verdict);
        assert_eq!((first, second), (Verdict::Pass, Verdict::Fail));
        for _ in 0..2 {
            assert_eq!(oracle.judge_again(b"a", Verdict::Pass), Ok(None));
            let again = oracle.judge_again(b"b", Verdict::Fail).unwrap().unwrap();
            assert_eq!(again, Judgement::new(Verdict::Pass, "cold"));
            assert_eq!(oracle.judge(b"b").unwrap().verdict, Verdict::Pass);
        }
        assert_eq!(oracle.judge(b"a"), Ok(Judgement::new(Verdict::Pass, "warm")));
        let seen = seen.lock().unwrap();
        let troubles: Vec<_> = seen.iter().map(|execution| execution.examination.trouble.clone()).collect();
        assert_eq!(troubles, [None, None, None, Some(Trouble::Disagreement(Verdict::Fail))]);
        assert_eq!(seen.iter().filter(|execution| execution.is_confirmation).count(), 2);
    }
}
