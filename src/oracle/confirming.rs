//! Whether failures can be relied on: of a program that is not deterministic, one verdict says little.
//!
//! How often the given input fails is known beforehand. Another one *holds* if, judged anew as often as the given one would
//! fail about five times, it fails at least half as often as that does. As long as nothing speaks against the program, the smallest input so far is
//! confirmed whenever the executions have doubled, which costs few runs. Once something does, each input is, before it is taken.

use std::collections::HashSet;
use std::fmt;

use super::judgement_cache::{InputDigest, digest};
use super::{Judgement, Oracle, OracleError, TimeoutAs, Verdict};

/// The number of times that the given input would fail while another one is confirmed.
const FAILURES: u32 = 5;
/// An input is judged no more often than this.
const MOST_RUNS: u32 = 50;
/// The number of executions after which an input is confirmed for the first time.
const FIRST: u64 = 32;

/// How often an input failed, of how many runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The number of runs in which it failed.
    pub failed: u32,
    /// The number of runs.
    pub of: u32,
}

impl Rate {
    /// Judges an input several times, and more often if it does not fail or pass each time.
    ///
    /// # Errors
    /// When the oracle gives no verdict.
    pub fn measured(oracle: &dyn Oracle, timeout_as: TimeoutAs, input: &[u8]) -> Result<Self, OracleError> {
        let mut rate = Self::default();
        rate.go_on(FAILURES, oracle, timeout_as, input)?;
        if 0 < rate.failed && rate.failed < rate.of {
            rate.go_on(3 * FAILURES, oracle, timeout_as, input)?;
        }
        Ok(rate)
    }

    fn go_on(
        &mut self,
        runs: u32,
        oracle: &dyn Oracle,
        timeout_as: TimeoutAs,
        input: &[u8],
    ) -> Result<(), OracleError> {
        let verdicts = oracle.repeat_times(input, runs)?;
        let fails = |verdict: &&Verdict| timeout_as.count(**verdict) == Verdict::Fail;
        self.failed += verdicts.iter().filter(fails).count() as u32;
        self.of += runs;
        Ok(())
    }

    /// Whether it failed each time.
    pub fn is_steady(self) -> bool {
        self.failed == self.of
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.failed, self.of)
    }
}

/// What does not hold.
pub(super) struct TakenBack<'l> {
    /// The inputs that are taken back.
    pub(super) inputs: Vec<Box<[u8]>>,
    /// The one before them that holds.
    pub(super) left: Option<&'l [u8]>,
}

/// Confirms what fails.
#[derive(Clone, Debug)]
pub(super) struct Confirming {
    /// How often the given input fails.
    given: Rate,
    /// Whether each input is confirmed before it is taken.
    confirms_each: bool,
    /// The inputs that hold, by their digests.
    held: HashSet<InputDigest>,
    /// The number of executions after which the smallest input is confirmed next.
    next: u64,
    /// How often an input was judged for this.
    pub(super) runs: u64,
    /// How many inputs were taken back.
    pub(super) taken_back: u64,
}

impl Confirming {
    /// Confirms by how often `input` fails: `rate`, which is not 0.
    pub(super) fn new(input: &[u8], rate: Rate) -> Self {
        Self {
            given: rate,
            confirms_each: !rate.is_steady(),
            held: HashSet::from([digest(input)]),
            next: FIRST,
            runs: 0,
            taken_back: 0,
        }
    }

    /// From now on each input is confirmed before it is taken.
    pub(super) fn doubt(&mut self) {
        self.confirms_each = true;
    }

    /// Whether `input` is known to hold.
    pub(super) fn has_held(&self, input: &[u8]) -> bool {
        self.is_held(&digest(input))
    }

    /// Whether the input with this digest is known to hold.
    pub(super) fn is_held(&self, input: &InputDigest) -> bool {
        self.held.contains(input)
    }

    /// Whether an input that was judged so must be confirmed before it is taken for what it seems.
    pub(super) fn is_due(&self, input: &[u8], verdict: Verdict) -> bool {
        self.confirms_each
            && !self.has_held(input)
            // What always fails if it is the failure, and passed, is not the failure.
            && (verdict == Verdict::Fail || !self.given.is_steady())
    }

    /// Whether the smallest input must be confirmed after this number of executions.
    pub(super) fn is_time(&mut self, executions: u64) -> bool {
        let is_time = !self.confirms_each && executions >= self.next;
        if is_time {
            self.next = 2 * executions;
        }
        is_time
    }

    /// How often an input is judged to be confirmed.
    fn most_runs(&self) -> u32 {
        (FAILURES * self.given.of).div_ceil(self.given.failed.max(1)).min(MOST_RUNS)
    }

    /// Whether `input` holds. It is judged as often as needed to say so, or as often as it may be if `completely`; the rate is of these runs.
    pub(super) fn confirm(
        &mut self,
        oracle: &dyn Oracle,
        timeout_as: TimeoutAs,
        input: &[u8],
        completely: bool,
    ) -> Result<(bool, Rate), OracleError> {
        let most = self.most_runs();
        let wanted = (most * self.given.failed).div_ceil(2 * self.given.of.max(1));
        let mut rate = Rate::default();
        if completely {
            rate.go_on(most, oracle, timeout_as, input)?;
        }
        while rate.of < most && rate.failed < wanted && most - rate.of >= wanted - rate.failed {
            // As many as it takes at least to say either: they may run at once.
            let needed = wanted - rate.failed;
            let too_many = most - rate.of - needed + 1;
            rate.go_on(needed.min(too_many), oracle, timeout_as, input)?;
        }
        self.runs += u64::from(rate.of);
        let holds = rate.failed >= wanted;
        if holds {
            self.held.insert(digest(input));
        } else {
            self.held.remove(&digest(input));
        }
        Ok((holds, rate))
    }

    /// The inputs that are taken back because `input` does not hold: it, and those before it in the log that failed, as far back as
    /// one that holds, which is given beside them.
    pub(super) fn take_back<'l>(
        &mut self,
        oracle: &dyn Oracle,
        timeout_as: TimeoutAs,
        log: &'l [(Box<[u8]>, Judgement)],
        input: &[u8],
        is_failing: impl Fn(&[u8]) -> bool,
    ) -> Result<TakenBack<'l>, OracleError> {
        self.doubt();
        let mut back = vec![Box::from(input)];
        let mut left = None;
        let failing = log.iter().rev().map(|(earlier, _)| &**earlier).filter(|earlier| is_failing(earlier));
        for earlier in failing.filter(|earlier| *earlier != input) {
            if self.has_held(earlier) || self.confirm(oracle, timeout_as, earlier, false)?.0 {
                left = Some(earlier);
                break;
            }
            back.push(earlier.into());
        }
        self.taken_back += back.len() as u64;
        Ok(TakenBack { inputs: back, left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Fails in the first `.0` of each ten runs.
    struct Sometimes(u32, AtomicU32);

    impl Oracle for Sometimes {
        fn judge(&self, _: &[u8]) -> Result<Judgement, OracleError> {
            let fails = self.1.fetch_add(1, Ordering::Relaxed) % 10 < self.0;
            Ok(Judgement::new(if fails { Verdict::Fail } else { Verdict::Pass }, ""))
        }
    }

    #[test]
    fn an_input_holds_that_fails_half_as_often_as_the_given_one() {
        let holds = |given: u32, failed_of_ten: u32| {
            let oracle = Sometimes(failed_of_ten, AtomicU32::new(0));
            let mut confirming = Confirming::new(b"given", Rate { failed: given, of: 10 });
            let found = confirming.confirm(&oracle, TimeoutAs::Pass, b"x", false).unwrap();
            assert_eq!((confirming.has_held(b"x"), confirming.has_held(b"given")), (found.0, true));
            (found.0, found.1.of)
        };
        // Five runs of which three must fail, and no more than needed to know.
        assert_eq!(
            [holds(10, 10), holds(10, 3), holds(10, 2), holds(10, 0)],
            [(true, 3), (true, 3), (false, 5), (false, 3)]
        );
        assert_eq!([holds(5, 5), holds(5, 1)], [(true, 3), (false, 9)]);
    }

    #[test]
    fn what_fails_now_and_then_is_judged_more_often() {
        let rate =
            |failed| Rate::measured(&Sometimes(failed, AtomicU32::new(0)), TimeoutAs::Pass, b"").unwrap();
        assert_eq!(
            [rate(10), rate(0), rate(3)].map(|rate| (rate.failed, rate.of)),
            [(5, 5), (0, 5), (6, 20)]
        );
    }
}
