//! The oracle that asks workers.
//!
//! What a worker says counts, but for a share of its verdicts, and those that somebody has confirmed:
//! there a fresh process judges again, and is right. A fresh process also judges what no worker
//! could: an input on which it crashed or violated the protocol, and all of them when no worker can be
//! started. A timeout is never judged again: it is about time and not about what a worker remembers.

use super::command::{NoAnswerKind, WorkerCommand, WorkerReply};
use super::policy::Policy;
use crate::oracle::{Examination, Judgement, Oracle, OracleError, Trouble, Verdict};
use crate::subject::command::CommandOracle;
use crate::subject::execution::{Ending, RunOutcome};
use crate::subject::rules::Rules;

/// Judges inputs by asking workers.
#[derive(Clone, Debug)]
pub struct WorkerOracle {
    worker: WorkerCommand,
    rules: Rules,
    cold: CommandOracle,
    policy: Policy,
}

impl WorkerOracle {
    /// An oracle that asks `worker` and judges by `rules`, with `cold` for what is judged by a fresh
    /// process.
    pub fn new(worker: WorkerCommand, rules: Rules, cold: CommandOracle, policy: Policy) -> Self {
        Self { worker, rules, cold, policy }
    }

    /// What a worker says.
    fn ask_worker(&self, input: &[u8]) -> Result<WorkerJudgement, OracleError> {
        Ok(match self.worker.ask(input)? {
            WorkerReply::Answered(outcome) => WorkerJudgement::Judged(self.rules.judge(&outcome)),
            // It may be the worker that stood still, and not the program.
            WorkerReply::TimedOut => WorkerJudgement::None(None),
            WorkerReply::NoAnswer { reason, kind } => WorkerJudgement::None(match kind {
                NoAnswerKind::Expected | NoAnswerKind::GivenUp => None,
                NoAnswerKind::ProtocolViolation => Some(Trouble::ProtocolViolation(reason)),
                NoAnswerKind::NotStarted => Some(Trouble::NotStarted(reason)),
            }),
        })
    }
}

/// What a worker made of an input.
enum WorkerJudgement {
    /// A judgement.
    Judged(Judgement),
    /// None, and what is to be reported of that.
    None(Option<Trouble>),
}

/// What a run comes to that is killed after its time.
pub fn timed_out() -> RunOutcome {
    let nothing = Vec::new();
    RunOutcome {
        ending: Ending::TimedOut,
        stdout: nothing.clone(),
        stderr: nothing,
        wall: std::time::Duration::ZERO,
    }
}

impl Oracle for WorkerOracle {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        Ok(self.examine(input)?.judgement)
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        let said = match self.ask_worker(input)? {
            WorkerJudgement::Judged(said) => said,
            WorkerJudgement::None(trouble) => {
                let judgement = self.cold.judge(input)?;
                return Ok(Examination { trouble, ..Examination::confirmed(judgement) });
            }
        };
        if !self.policy.judged_again.contains(input) {
            return Ok(Examination { is_confirmed: false, ..Examination::confirmed(said) });
        }
        match self.judge_again(input, said.verdict)? {
            None => Ok(Examination::confirmed(said)),
            Some(judgement) => {
                let trouble =
                    (judgement.verdict != said.verdict).then_some(Trouble::Disagreement(said.verdict));
                // The worker's words where both agree, as for all other inputs.
                let judgement = if trouble.is_some() { judgement } else { said };
                Ok(Examination { is_judged_again: true, trouble, ..Examination::confirmed(judgement) })
            }
        }
    }

    /// By a fresh process: of a worker it would not be known whether the program is to blame.
    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        self.cold.repeat(input)
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        match earlier {
            // It was judged by a fresh process.
            Verdict::Timeout => Ok(None),
            _ => self.cold.judge(input).map(Some),
        }
    }
}
