//! An oracle that never runs the subject twice on the same input, except to confirm a verdict.
//!
//! All tasks of a bug share one cache. It can be filled beforehand with what earlier runs saw, and
//! reports each execution that really takes place.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{
    Examination, InputSample, Judgement, JudgementCache, KnownJudgement, Oracle, OracleError, Trouble,
    Verdict,
};

/// One execution of the subject that really took place.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Which of the oracle's it is, counted from 1 over all runs.
    pub number: u64,
    /// The input.
    pub input: Box<[u8]>,
    /// What was seen, and how.
    pub examination: Examination,
    /// Whether it took place only because of a known verdict: to confirm it, or to see
    /// whether it is the same again. What it says takes the place of what was known.
    pub is_confirmation: bool,
    /// What the input came to when it was judged a second time, to see whether that is the same.
    pub repeat: Option<Verdict>,
    /// How long it took.
    pub duration: Duration,
}

/// Called with each execution, from the thread that asked for it and in the order of their numbers. It
/// must not ask the same oracle.
pub type Observer = dyn Fn(&Execution) + Send + Sync;

/// An oracle behind a cache.
pub struct CachedOracle<O> {
    oracle: O,
    repeated: InputSample,
    memory: Mutex<JudgementCache>,
}

impl<O: Oracle> CachedOracle<O> {
    /// `oracle` behind a cache that holds what is known already.
    pub fn new(oracle: O, memory: JudgementCache) -> Self {
        Self { oracle, repeated: InputSample::NONE, memory: Mutex::new(memory) }
    }

    /// Has the inputs of `sample` judged twice, to see whether the verdict is the same.
    #[must_use]
    pub fn repeating(self, sample: InputSample) -> Self {
        Self { repeated: sample, ..self }
    }

    /// This oracle as one task sees it: the cache is everybody's, the executions that this task causes
    /// are reported to its own `observer`. Besides the sample, the first `first_repeated` inputs that the task
    /// asks about are judged twice.
    pub fn observed(
        self: &Arc<Self>,
        first_repeated: u64,
        observer: impl Fn(&Execution) + Send + Sync + 'static,
    ) -> Observed<O> {
        let (cache, asked) = (Arc::clone(self), AtomicU64::new(0));
        Observed { cache, observer: Box::new(observer), first_repeated, asked }
    }

    /// The number of the last execution: it and all before it are over.
    pub fn last(&self) -> u64 {
        self.memory().last()
    }

    fn memory(&self) -> MutexGuard<'_, JudgementCache> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A cached oracle that reports the executions that really take place.
pub struct Observed<O> {
    cache: Arc<CachedOracle<O>>,
    observer: Box<Observer>,
    first_repeated: u64,
    asked: AtomicU64,
}

impl<O: Oracle> Observed<O> {
    /// Whether the input that is asked about now is to be judged twice. A task asks about the same inputs
    /// in the same order at every run, so these are the same for any number of threads.
    fn is_repeated(&self, input: &[u8]) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) < self.first_repeated
            || self.cache.repeated.contains(input)
    }

    /// What `input` comes to when it is judged once more. Not where it ended in a timeout: that is about
    /// time, and may be about the machine. Nor where the verdict is not confirmed: that is checked elsewhere.
    fn second_verdict(
        &self,
        input: &[u8],
        verdict: Verdict,
        is_confirmed: bool,
    ) -> Result<Option<Verdict>, OracleError> {
        if verdict == Verdict::Timeout || !is_confirmed {
            Ok(None)
        } else {
            self.cache.oracle.repeat(input).map(Some)
        }
    }

    /// Remembers that `input`, which is `known`, was judged a second time, and tells of it once.
    fn add_repeat(&self, memory: &mut JudgementCache, input: &[u8], repeat: Verdict, duration: Duration) {
        let Some(known) = memory.get(input).filter(|known| !known.is_repeated) else { return };
        memory.set(input, &KnownJudgement { is_repeated: true, ..known.clone() });
        let KnownJudgement { judgement, is_confirmed, .. } = known;
        let examination = Examination { judgement, is_confirmed, is_judged_again: false, trouble: None };
        (self.observer)(&Execution {
            number: memory.number(),
            input: input.into(),
            examination,
            is_confirmation: true,
            repeat: Some(repeat),
            duration,
        });
    }
}

impl<O: Oracle> Oracle for Observed<O> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let is_repeated = self.is_repeated(input);
        let known = self.cache.memory().get(input);
        let begin = Instant::now();
        if let Some(KnownJudgement { judgement, is_confirmed, is_repeated: was_repeated }) = known {
            if is_repeated
                && !was_repeated
                && let Some(repeat) = self.second_verdict(input, judgement.verdict, is_confirmed)?
            {
                self.add_repeat(&mut self.cache.memory(), input, repeat, begin.elapsed());
            }
            return Ok(judgement);
        }
        // Not under the lock: two threads may run the same input at once, which costs an execution
        // now and then but never blocks the others.
        let examination = self.cache.oracle.examine(input)?;
        let Examination { judgement, is_confirmed, .. } = examination.clone();
        let duration = begin.elapsed();
        let repeat =
            if is_repeated { self.second_verdict(input, judgement.verdict, is_confirmed)? } else { None };
        // Whoever is first is right, so that all tasks go by the same verdict. The first one is also the
        // first to be reported (under the lock, for that), so that a later run goes by it too. What the
        // second judging says is only compared: it is no better than the first.
        let mut memory = self.cache.memory();
        let first = memory.get(input).map(|known| known.judgement);
        if first.is_none() {
            let known =
                KnownJudgement { judgement: judgement.clone(), is_confirmed, is_repeated: repeat.is_some() };
            memory.set(input, &known);
        }
        (self.observer)(&Execution {
            number: memory.number(),
            input: input.into(),
            examination,
            is_confirmation: false,
            repeat: repeat.filter(|_| first.is_none()),
            duration,
        });
        match (first, repeat) {
            (Some(first), Some(repeat)) => {
                self.add_repeat(&mut memory, input, repeat, Duration::ZERO);
                Ok(first)
            }
            (first, _) => Ok(first.unwrap_or(judgement)),
        }
    }

    /// What is known says nothing of that.
    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        self.cache.oracle.repeat(input)
    }

    /// `None` when the verdict that is known is `earlier`, and confirmed by now.
    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        let changed = |judgement: Judgement| (judgement.verdict != earlier).then_some(judgement);
        let known = self.cache.memory().get(input);
        let said = match known {
            Some(KnownJudgement { judgement, is_confirmed: true, .. }) => return Ok(changed(judgement)),
            Some(KnownJudgement { judgement, is_confirmed: false, .. }) => judgement,
            // The caller knows the verdict from elsewhere.
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
            Examination { judgement: judgement.clone(), is_confirmed: true, is_judged_again, trouble };
        let duration = begin.elapsed();
        let mut memory = self.cache.memory();
        // Somebody else may have been quicker; then that counts.
        let now = memory.get(input);
        if let Some(KnownJudgement { judgement: first, is_confirmed: true, .. }) = now {
            return Ok(changed(first));
        }
        let is_repeated = now.is_some_and(|now| now.is_repeated);
        memory.set(input, &KnownJudgement { judgement: judgement.clone(), is_confirmed: true, is_repeated });
        (self.observer)(&Execution {
            number: memory.number(),
            input: input.into(),
            examination,
            is_confirmation: true,
            repeat: None,
            duration,
        });
        Ok(changed(judgement))
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
            Ok(Examination { is_confirmed: false, ..Examination::confirmed(self.judge(input)?) })
        }

        fn judge_again(&self, _: &[u8], _: Verdict) -> Result<Option<Judgement>, OracleError> {
            Ok(Some(Judgement::new(Verdict::Pass, "cold")))
        }
    }

    #[test]
    fn a_verdict_is_confirmed_once_and_the_second_opinion_counts() {
        let cache = Arc::new(CachedOracle::new(Forgetful(Mutex::new(0)), JudgementCache::default()));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let oracle = cache.observed(0, move |execution| log.lock().unwrap().push(execution.clone()));
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

    /// Says something else each time.
    struct Fickle(AtomicU64);

    impl Oracle for Fickle {
        fn judge(&self, _: &[u8]) -> Result<Judgement, OracleError> {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            Ok(Judgement::new(if count.is_multiple_of(2) { Verdict::Fail } else { Verdict::Pass }, ""))
        }
    }

    #[test]
    fn an_input_is_repeated_once_and_the_first_verdict_counts() {
        let cache = Arc::new(CachedOracle::new(Fickle(AtomicU64::new(0)), JudgementCache::default()));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let task = |first_repeated| {
            let log = Arc::clone(&seen);
            cache.observed(first_repeated, move |execution| log.lock().unwrap().push(execution.clone()))
        };
        // Nobody's first input.
        assert_eq!(task(0).judge(b"a").unwrap().verdict, Verdict::Fail);
        let one = task(1);
        assert_eq!(one.judge(b"b").unwrap().verdict, Verdict::Pass);
        assert_eq!(one.judge(b"c").unwrap().verdict, Verdict::Pass);
        // First of another task, and known.
        for input in [b"a", b"a", b"b"] {
            let verdict = if input == b"a" { Verdict::Fail } else { Verdict::Pass };
            assert_eq!(task(1).judge(input).unwrap().verdict, verdict);
        }
        let seen: Vec<_> = seen.lock().unwrap().iter().map(|seen| (seen.number, seen.repeat)).collect();
        assert_eq!(seen, [(1, None), (2, Some(Verdict::Fail)), (3, None), (4, Some(Verdict::Fail))]);
        assert_eq!(cache.last(), 4);
    }
}
