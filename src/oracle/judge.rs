//! The session in which one piece of work (a reduction, a generalization) asks an oracle.
//!
//! A judge counts executions, remembers verdicts so that no input is asked twice, and says when the
//! budget is used up. The count is a property of the work, not of the run: an input counts once,
//! when this session asks it first, whether the subject really ran or a cache underneath knew the
//! answer. So the same work has the same count after an interruption and at any number of threads.

use rustc_hash::FxHashMap;

use crate::base::budget::{Budget, StopReason};

use super::confirming::{Confirming, TakenBack};
use super::judgement_cache::{InputDigest, digest};
use super::pass_figures::{self, PassFigures};
use super::{
    Failure, Halt, Judgement, Oracle, OracleError, OtherFailure, Rate, Speculation, TimeoutAs, Verdict,
};

/// Where little is kept, inputs take this number of times the memory of the first one at most.
const MOST_KEPT: usize = 16;
/// The first one counts as if it had this number of bytes at least.
const LEAST_KEPT: usize = 1 << 16;

/// Which failures count.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sought {
    /// All of them.
    Any,
    /// That of the first input that fails.
    First,
    /// This one.
    This(Failure),
}

/// Asks an oracle within a budget.
pub struct Judge<'a> {
    oracle: &'a dyn Oracle,
    timeout_as: TimeoutAs,
    /// The one failure that counts, if not every failure does.
    sought: Sought,
    budget: Budget,
    /// The verdicts, by the digests of the inputs.
    seen: FxHashMap<InputDigest, Verdict>,
    /// The inputs whose verdicts were known before.
    given: Vec<Box<[u8]>>,
    executions: u64,
    /// The number of inputs that failed when they were first asked.
    accepted: u64,
    /// The inputs in the order in which they were first asked, with their verdicts; those that are kept.
    log: Vec<(Box<[u8]>, Judgement)>,
    /// Where not all inputs are kept, what failed otherwise than is sought.
    others: Option<Vec<OtherFailure>>,
    /// The bytes of the inputs that are kept then.
    kept: usize,
    asked_again: u64,
    listener: Option<&'a Listener<'a>>,
    speculation: Option<&'a Speculation>,
    confirming: Option<Confirming>,
    /// The smallest input that failed; of several the last.
    smallest: Option<Box<[u8]>>,
    /// Whether something was taken back that the work built upon.
    took_back: bool,
    passes: Vec<PassFigures>,
}

/// Where a session stood when a turn of a pass began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    executions: u64,
    accepted: u64,
}

/// What a session tells of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News<'n> {
    /// It counts as failing.
    Failed(&'n [u8]),
    /// Smaller ones that failed were taken back: the smallest that is left is this one.
    Left(&'n [u8]),
}

/// Called with what a session has to tell.
pub type Listener<'a> = dyn Fn(News<'_>) -> Result<(), OracleError> + 'a;

impl<'a> Judge<'a> {
    /// A session without limits.
    pub fn new(oracle: &'a dyn Oracle) -> Self {
        Self {
            oracle,
            timeout_as: TimeoutAs::default(),
            sought: Sought::Any,
            budget: Budget::default(),
            seen: FxHashMap::default(),
            given: Vec::new(),
            executions: 0,
            accepted: 0,
            log: Vec::new(),
            others: None,
            kept: 0,
            asked_again: 0,
            listener: None,
            speculation: None,
            confirming: None,
            smallest: None,
            took_back: false,
            passes: Vec::new(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Sets how timeouts count.
    #[must_use]
    pub fn with_timeout_as(self, timeout_as: TimeoutAs) -> Self {
        Self { timeout_as, ..self }
    }

    /// Has `listener` called. Its errors are those of the oracle.
    #[must_use]
    pub fn telling(self, listener: &'a Listener<'a>) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// Has candidates judged ahead of need by `speculation`, which the session's oracle must ask ([`Self::in_steps`]).
    #[must_use]
    pub fn speculating(self, speculation: &'a Speculation) -> Self {
        for (&input, &verdict) in &self.seen {
            speculation.answer(input, None, self.timeout_as.count(verdict));
        }
        Self { speculation: Some(speculation), ..self }
    }

    /// What judges ahead of need, if anything does.
    pub(super) fn speculation(&self) -> Option<&'a Speculation> {
        self.speculation
    }

    /// From now on this is the verdict on the input with this digest, whose length is given if it was asked about now.
    fn remember(&mut self, input: InputDigest, length: Option<usize>, verdict: Verdict) {
        self.seen.insert(input, verdict);
        if let Some(speculation) = self.speculation {
            speculation.answer(input, length, self.timeout_as.count(verdict));
        }
    }

    /// From now on failures are confirmed now and then, by how often the given input fails; those that do not hold are taken back
    /// ([`Self::has_taken_back`]). Where the given input does not always fail, each input is judged as often as needed.
    #[must_use]
    pub fn confirming(self, input: &[u8], rate: Rate) -> Self {
        Self { confirming: Some(Confirming::new(input, rate)), ..self }
    }

    /// How often inputs were judged anew to confirm them, and how many were taken back.
    pub fn confirmations(&self) -> (u64, u64) {
        self.confirming.as_ref().map_or((0, 0), |confirming| (confirming.runs, confirming.taken_back))
    }

    /// Whether the session was halted since this was asked last because something was taken back. The work is to be done again: what else is known
    /// is known, so that it soon comes to the same place, and goes on otherwise.
    pub fn has_taken_back(&mut self) -> bool {
        let took_back = std::mem::take(&mut self.took_back);
        if took_back {
            self.begin_again();
        }
        took_back
    }

    /// How often a result fails if it holds. Otherwise it is taken back, with what it was made of as far as that does not hold
    /// either.
    ///
    /// # Errors
    /// When the oracle cannot work.
    pub fn confirm_result(&mut self, input: &[u8]) -> Result<Option<Rate>, OracleError> {
        let Some(confirming) = &mut self.confirming else { return Ok(Some(Rate::default())) };
        let was_given =
            confirming.has_held(input) && self.log.first().is_none_or(|(first, _)| **first == *input);
        let (holds, rate) = confirming.confirm(self.oracle, self.timeout_as, input, true)?;
        if holds || was_given {
            return Ok(Some(rate));
        }
        self.take_back(input)?;
        self.took_back = false;
        self.begin_again();
        Ok(None)
    }

    /// The work begins again with the whole input.
    fn begin_again(&mut self) {
        self.passes.iter_mut().for_each(|pass| pass.bytes_removed = 0);
    }

    /// Confirms the smallest input if it is time to.
    fn confirm_smallest(&mut self) -> Result<(), Halt> {
        let executions = self.executions();
        let (Some(confirming), Some(smallest)) = (&mut self.confirming, &self.smallest) else {
            return Ok(());
        };
        if !confirming.is_time(executions)
            || confirming.has_held(smallest)
            || confirming.confirm(self.oracle, self.timeout_as, smallest, false)?.0
        {
            return Ok(());
        }
        let smallest = smallest.clone();
        self.take_back(&smallest)?;
        Err(Halt::Stop(StopReason::Budget))
    }

    /// Takes back an input that does not hold, and those before it as far as they do not.
    fn take_back(&mut self, input: &[u8]) -> Result<(), OracleError> {
        let Some(confirming) = &mut self.confirming else { return Ok(()) };
        let (seen, timeout_as) = (&self.seen, self.timeout_as);
        let is_failing = |input: &[u8]| {
            seen.get(&digest(input)).is_some_and(|&verdict| timeout_as.count(verdict) == Verdict::Fail)
        };
        let TakenBack { inputs, left } =
            confirming.take_back(self.oracle, timeout_as, &self.log, input, is_failing)?;
        self.smallest = left.map(Box::from);
        self.took_back = true;
        for input in inputs {
            self.remember(digest(&input), None, Verdict::Pass);
        }
        match (self.listener, &self.smallest) {
            (Some(listener), Some(left)) => listener(News::Left(left)),
            _ => Ok(()),
        }
    }

    /// From now on only one failure counts, that of the first input that fails. What fails otherwise is taken for unresolved, as it says
    /// nothing of that failure; the log has it as it was seen.
    #[must_use]
    pub fn seeking_one_failure(self) -> Self {
        Self { sought: Sought::First, ..self }
    }

    /// From now on only the failure counts that `other` seeks.
    #[must_use]
    pub fn seeking_what(self, other: &Self) -> Self {
        Self { sought: other.sought.clone(), ..self }
    }

    /// From now on only so many inputs are kept that they take no more than some times the memory of the first one: those that failed last. What
    /// is taken back is taken back as far as they go, or to the first one. Nothing else depends on it, but that less can be said of how it went.
    #[must_use]
    pub fn keeping_little(self) -> Self {
        Self { others: Some(Vec::new()), ..self }
    }

    /// Remembers what was seen of an input.
    fn keep(&mut self, input: &[u8], judgement: Judgement, verdict: Verdict) {
        let Some(others) = &mut self.others else { return self.log.push((input.into(), judgement)) };
        if let Sought::This(failure) = &self.sought {
            OtherFailure::add(others, failure, self.timeout_as, input, &judgement);
        }
        if self.log.is_empty() || self.timeout_as.count(verdict) == Verdict::Fail {
            self.log.push((input.into(), judgement));
            self.kept += input.len();
            let most = MOST_KEPT * self.log[0].0.len().max(LEAST_KEPT);
            while self.kept > most && self.log.len() > 2 {
                // The first half of them: so this is seldom done.
                let gone = self.log.drain(1..self.log.len().div_ceil(2).max(2));
                self.kept -= gone.map(|(input, _)| input.len()).sum::<usize>();
            }
        }
    }

    /// What failed otherwise than the failure that is sought, and was kept apart.
    pub fn other_failures(&self) -> Vec<OtherFailure> {
        match &self.sought {
            Sought::This(_) if self.others.is_some() => self.others.clone().unwrap_or_default(),
            Sought::This(failure) => OtherFailure::of_log(failure, self.timeout_as, &self.log),
            Sought::Any | Sought::First => Vec::new(),
        }
    }

    /// Whether something was seen that fails, but not so as is sought.
    pub fn is_other_failure(&self, judgement: &Judgement) -> bool {
        let fails = self.timeout_as.count(judgement.verdict) == Verdict::Fail;
        matches!(&self.sought, Sought::This(failure) if fails && Failure::seen(judgement) != *failure)
    }

    /// What is remembered of an input that was judged so.
    fn verdict_of(&mut self, judgement: &Judgement) -> Verdict {
        if self.sought == Sought::First && self.timeout_as.count(judgement.verdict) == Verdict::Fail {
            self.sought = Sought::This(Failure::seen(judgement));
        }
        if self.is_other_failure(judgement) { Verdict::Unresolved } else { judgement.verdict }
    }

    /// Allows this number of executions more, or fewer if the limits are narrower already. Gives the limits that were set,
    /// for [`Self::set_budget`].
    pub fn allow(&mut self, executions: u64) -> Budget {
        let before = self.budget.clone();
        let all = self.executions().saturating_add(executions);
        self.budget.executions = Some(before.executions.map_or(all, |most| most.min(all)));
        before
    }

    /// The number of executions that are left of the limit; the largest number if there is none.
    pub fn executions_left(&self) -> u64 {
        self.budget.executions.map_or(u64::MAX, |most| most.saturating_sub(self.executions()))
    }

    /// Does work with at most this number of executions more, after which the limits are what they were.
    pub fn within<T>(&mut self, executions: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.allow(executions);
        let done = work(self);
        self.set_budget(before);
        done
    }

    /// Why the session is over although executions may be left: the time is, or the user asked to stop.
    pub fn is_over(&self) -> Option<StopReason> {
        self.budget.exhausted(0).filter(|&reason| reason != StopReason::Budget)
    }

    /// Sets the limits.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Takes over the verdicts of earlier work on the same bug: asking for these inputs again is
    /// free.
    #[must_use]
    pub fn knowing<'k>(mut self, known: impl IntoIterator<Item = (&'k [u8], Verdict)>) -> Self {
        for (input, verdict) in known {
            if self.seen.insert(digest(input), verdict).is_none() {
                self.given.push(input.into());
            }
        }
        self
    }

    /// The verdict on `input`, as it counts.
    ///
    /// # Errors
    /// When the budget is used up, or the oracle cannot work.
    pub fn judge(&mut self, input: &[u8]) -> Result<Verdict, Halt> {
        let key = digest(input);
        if let Some(&verdict) = self.seen.get(&key) {
            self.asked_again += 1;
            return Ok(self.timeout_as.count(verdict));
        }
        if let Some(reason) = self.budget.exhausted(self.executions()) {
            return Err(Halt::Stop(reason));
        }
        if let Some(speculation) = self.speculation {
            speculation.allow(self.budget.executions.map(|most| most - self.executions()));
        }
        let judgement = self.oracle.judge(input)?;
        let mut verdict = self.verdict_of(&judgement);
        self.executions += 1;
        self.keep(input, judgement, verdict);
        if let Some(confirming) = &mut self.confirming {
            let counted = self.timeout_as.count(verdict);
            if confirming.is_held(&key) {
                verdict = Verdict::Fail;
            } else if confirming.is_due(input, counted) {
                let (holds, _) = confirming.confirm(self.oracle, self.timeout_as, input, false)?;
                verdict = match (holds, counted) {
                    (true, _) => Verdict::Fail,
                    (false, Verdict::Fail) => Verdict::Pass,
                    (false, _) => verdict,
                };
            }
        }
        self.remember(key, Some(input.len()), verdict);
        let verdict = self.timeout_as.count(verdict);
        if verdict == Verdict::Fail {
            self.accepted += 1;
            if self.smallest.as_ref().is_none_or(|smallest| input.len() <= smallest.len()) {
                self.smallest = Some(input.into());
            }
            if let Some(listener) = self.listener {
                listener(News::Failed(input))?;
            }
        }
        self.confirm_smallest()?;
        Ok(verdict)
    }

    /// The verdict on `input`, as it counts, for a table to show: a failure is confirmed. That is no
    /// execution.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn judge_confirmed(&mut self, input: &[u8]) -> Result<Verdict, Halt> {
        let verdict = self.judge(input)?;
        if verdict != Verdict::Fail {
            return Ok(verdict);
        }
        let key = digest(input);
        let Some(&earlier) = self.seen.get(&key) else { return Ok(verdict) };
        let Some(judgement) = self.oracle.judge_again(input, earlier)? else { return Ok(verdict) };
        let verdict = self.verdict_of(&judgement);
        self.remember(key, None, verdict);
        if let Some((_, logged)) = self.log.iter_mut().rfind(|(logged, _)| **logged == *input) {
            *logged = judgement;
        }
        Ok(self.timeout_as.count(verdict))
    }

    /// Whether `input` fails.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn fails(&mut self, input: &[u8]) -> Result<bool, Halt> {
        Ok(self.judge(input)? == Verdict::Fail)
    }

    /// Whether `input` was asked before.
    pub fn knows(&self, input: &[u8]) -> bool {
        self.seen.contains_key(&digest(input))
    }

    /// The verdict on `input`, as it counts, if it was asked before.
    pub fn known(&self, input: &[u8]) -> Option<Verdict> {
        self.seen.get(&digest(input)).map(|&verdict| self.timeout_as.count(verdict))
    }

    /// All inputs that are known to pass, in no order.
    pub fn passed(&self) -> Vec<&[u8]> {
        let all = self.given.iter().chain(self.log.iter().map(|(input, _)| input)).map(|input| &**input);
        all.filter(|input| self.known(input) == Some(Verdict::Pass)).collect()
    }

    /// What is to be given to [`Self::end_turn`]: a turn of a pass begins.
    pub(crate) fn begin_turn(&self) -> Turn {
        Turn { executions: self.executions, accepted: self.accepted }
    }

    /// A turn of a pass has ended, and made the input shorter by this number of bytes.
    pub(crate) fn end_turn(&mut self, pass: &'static str, began: &Turn, bytes_removed: usize) {
        let executions = self.executions - began.executions;
        let accepted = self.accepted - began.accepted;
        let bytes_removed = bytes_removed as u64;
        let turn = PassFigures { pass, turns: 1, executions, accepted, bytes_removed };
        pass_figures::add(&mut self.passes, turn);
    }

    /// The figures of the passes that had a turn. Should the work have begun again because something was taken back, the bytes are
    /// those of the last time.
    pub fn passes(&self) -> &[PassFigures] {
        &self.passes
    }

    /// The number of executions so far.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// How often an input was asked about whose verdict was known.
    pub fn asked_again(&self) -> u64 {
        self.asked_again
    }

    /// The inputs that were executed and are kept, in order, with their judgements: all of them, unless it was said otherwise.
    pub fn log(&self) -> &[(Box<[u8]>, Judgement)] {
        &self.log
    }

    /// Ends the session and hands over its log.
    pub fn into_log(self) -> Vec<(Box<[u8]>, Judgement)> {
        self.log
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct EndsInZero;

    impl Oracle for EndsInZero {
        fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
            let verdict = if input.ends_with(b"0") { Verdict::Fail } else { Verdict::Timeout };
            Ok(Judgement::new(verdict, ""))
        }
    }

    #[test]
    fn an_input_counts_once_and_the_budget_ends_the_session() {
        let mut judge = Judge::new(&EndsInZero).with_budget(Budget::of_executions(2));
        assert_eq!(judge.fails(b"10"), Ok(true));
        assert_eq!(judge.fails(b"10"), Ok(true));
        assert_eq!(judge.judge(b"1"), Ok(Verdict::Pass));
        assert_eq!(judge.executions(), 2);
        assert_eq!(judge.judge(b"2"), Err(Halt::Stop(StopReason::Budget)));
        assert_eq!(judge.fails(b"10"), Ok(true), "what is known is free");
        assert_eq!(judge.log()[1].1.verdict, Verdict::Timeout, "the log keeps what was seen");
    }

    struct SaysItsFirstByte;

    impl Oracle for SaysItsFirstByte {
        fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
            Ok(Judgement::new(Verdict::Fail, String::from_utf8_lossy(&input[..1]).as_ref()))
        }
    }

    #[test]
    fn where_little_is_kept_the_first_input_and_the_last_that_failed_are() {
        let inputs: Vec<Vec<u8>> = (0..100).map(|number| vec![b'0'; LEAST_KEPT - number]).collect();
        let mut judge = Judge::new(&EndsInZero).keeping_little();
        for input in &inputs {
            assert_eq!(judge.judge(input), Ok(Verdict::Fail));
            assert_eq!(judge.judge(&[input, &b"1"[..]].concat()), Ok(Verdict::Pass));
        }
        let kept: Vec<&[u8]> = judge.log().iter().map(|(input, _)| &**input).collect();
        assert!(kept.len() <= MOST_KEPT + 1, "{}", kept.len());
        assert_eq!((kept[0], kept[kept.len() - 1]), (&*inputs[0], &*inputs[99]));
        assert_eq!(judge.executions(), 200);
        assert!(inputs.iter().all(|input| judge.knows(input)));
    }

    #[test]
    fn what_fails_otherwise_is_kept_apart() {
        let mut judge = Judge::new(&SaysItsFirstByte).seeking_one_failure();
        let answers = ["abc", "bc", "b", "a"].map(|input| judge.fails(input.as_bytes()).unwrap());
        assert_eq!(answers, [true, false, false, true]);
        let [other] = &judge.other_failures()[..] else { panic!("one other failure") };
        assert_eq!((other.failure.as_str(), other.inputs, &*other.smallest), ("b", 2, &b"b"[..]));
        assert_eq!(judge.log()[1].1.verdict, Verdict::Fail, "the log keeps what was seen");
        let mut next = Judge::new(&SaysItsFirstByte).seeking_what(&judge);
        assert_eq!((next.fails(b"b"), next.fails(b"a")), (Ok(false), Ok(true)));
    }

    #[test]
    fn earlier_verdicts_are_free() {
        let mut judge = Judge::new(&EndsInZero).knowing([(b"7".as_slice(), Verdict::Fail)]);
        assert_eq!(judge.fails(b"7"), Ok(true));
        assert_eq!(judge.executions(), 0);
    }
}
