//! The session in which one piece of work (a reduction, a generalization) asks an oracle.
//!
//! A judge counts executions, remembers verdicts so that no input is asked twice, and says when the
//! budget is used up. The count is a property of the work, not of the run: an input counts once,
//! when this session asks it first, whether the subject really ran or a cache underneath knew the
//! answer. So the same work has the same count after an interruption and at any number of threads.

use std::collections::HashMap;

use crate::base::budget::{Budget, StopReason};
use crate::base::limits::Exceeded;

use super::{Judgement, Oracle, OracleError, TimeoutAs, Verdict};

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

impl From<Exceeded> for Halt {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::Interrupted => Self::Stop(StopReason::Interrupted),
            Exceeded::Time(_) => Self::Stop(StopReason::Time),
            exceeded => Self::Exceeded(exceeded),
        }
    }
}

/// Asks an oracle within a budget.
pub struct Judge<'a> {
    oracle: &'a dyn Oracle,
    timeout_as: TimeoutAs,
    budget: Budget,
    seen: HashMap<Box<[u8]>, Verdict>,
    /// The inputs in the order in which they were first asked, with their verdicts.
    log: Vec<(Box<[u8]>, Judgement)>,
    asked_again: u64,
}

impl<'a> Judge<'a> {
    /// A session without limits.
    pub fn new(oracle: &'a dyn Oracle) -> Self {
        Self {
            oracle,
            timeout_as: TimeoutAs::default(),
            budget: Budget::default(),
            seen: HashMap::new(),
            log: Vec::new(),
            asked_again: 0,
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

    /// Allows this number of executions more, or fewer if the limits are narrower already. Gives the limits that were set,
    /// for [`Self::set_budget`].
    pub fn allow(&mut self, executions: u64) -> Budget {
        let before = self.budget.clone();
        let all = self.executions() + executions;
        self.budget.executions = Some(before.executions.map_or(all, |most| most.min(all)));
        before
    }

    /// Sets the limits.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Takes over the verdicts of earlier work on the same bug: asking for these inputs again is
    /// free.
    #[must_use]
    pub fn knowing<'k>(mut self, known: impl IntoIterator<Item = (&'k [u8], Verdict)>) -> Self {
        self.seen.extend(known.into_iter().map(|(input, verdict)| (input.into(), verdict)));
        self
    }

    /// The verdict on `input`, as it counts.
    ///
    /// # Errors
    /// When the budget is used up, or the oracle cannot work.
    pub fn judge(&mut self, input: &[u8]) -> Result<Verdict, Halt> {
        if let Some(&verdict) = self.seen.get(input) {
            self.asked_again += 1;
            return Ok(self.timeout_as.count(verdict));
        }
        if let Some(reason) = self.budget.exhausted(self.executions()) {
            return Err(Halt::Stop(reason));
        }
        let judgement = self.oracle.judge(input)?;
        let verdict = judgement.verdict;
        self.seen.insert(input.into(), verdict);
        self.log.push((input.into(), judgement));
        Ok(self.timeout_as.count(verdict))
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
        let Some(&earlier) = self.seen.get(input) else { return Ok(verdict) };
        let Some(judgement) = self.oracle.judge_again(input, earlier)? else { return Ok(verdict) };
        let verdict = judgement.verdict;
        self.seen.insert(input.into(), verdict);
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
        self.seen.contains_key(input)
    }

    /// The verdict on `input`, as it counts, if it was asked before.
    pub fn known(&self, input: &[u8]) -> Option<Verdict> {
        self.seen.get(input).map(|&verdict| self.timeout_as.count(verdict))
    }

    /// All inputs that are known to pass, in no order.
    pub fn passed(&self) -> Vec<&[u8]> {
        let passed = |verdict: &Verdict| self.timeout_as.count(*verdict) == Verdict::Pass;
        self.seen.iter().filter(|(_, verdict)| passed(verdict)).map(|(input, _)| &**input).collect()
    }

    /// The number of executions so far.
    pub fn executions(&self) -> u64 {
        self.log.len() as u64
    }

    /// How often an input was asked about whose verdict was known.
    pub fn asked_again(&self) -> u64 {
        self.asked_again
    }

    /// All inputs that were executed, in order, with their judgements.
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

    #[test]
    fn earlier_verdicts_are_free() {
        let mut judge = Judge::new(&EndsInZero).knowing([(b"7".as_slice(), Verdict::Fail)]);
        assert_eq!(judge.fails(b"7"), Ok(true));
        assert_eq!(judge.executions(), 0);
    }
}
