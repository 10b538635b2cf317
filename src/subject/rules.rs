//! From the outcome of a run to a verdict.
//!
//! Rules are tried in order and the first whose condition holds decides; what no rule decides is a
//! pass. Before any rule:
//!
//! - a run that was killed after its processor time, or after the wall-clock time that is its last limit, is a timeout;
//! - a run that was killed because of its output or its number of processes is unresolved: nobody knows
//!   what it would have come to, so that it is neither the failure nor its absence.

use crate::oracle::{Judgement, Verdict};

use super::execution::{Ending, RunOutcome};
use super::signal;

/// What an exit code must be. A process that a signal ended counts with the code that a shell reports
/// for it, 128 and the signal's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum ExitTest {
    /// This code.
    Is(i32),
    /// Any other code.
    IsNot(i32),
}

/// What must hold of an outcome: everything that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Condition {
    /// On the exit code.
    pub exit: Option<ExitTest>,
    /// The number of the signal that ended the process itself.
    pub signal: Option<i32>,
    /// Texts that standard output contains.
    pub stdout: Vec<String>,
    /// Texts that standard error contains.
    pub stderr: Vec<String>,
    /// Whether standard output is empty.
    pub stdout_empty: Option<bool>,
}

impl Condition {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it holds.
    pub fn holds(&self, outcome: &RunOutcome) -> bool {
        let code = outcome.ending.shell_code();
        let exit = self.exit.is_none_or(|test| match test {
            ExitTest::Is(wanted) => code == Some(wanted),
            ExitTest::IsNot(other) => code.is_some_and(|code| code != other),
        });
        exit && self.signal.is_none_or(|number| outcome.ending == Ending::Signaled(number))
            && self.stdout.iter().all(|text| contains(&outcome.stdout, text))
            && self.stderr.iter().all(|text| contains(&outcome.stderr, text))
            && self.stdout_empty.is_none_or(|empty| outcome.stdout.is_empty() == empty)
    }

    /// What was seen of an outcome for which it holds, in a few words.
    fn evidence(&self, outcome: &RunOutcome) -> String {
        let mut parts = vec![outcome.ending.to_string()];
        parts.extend(self.stdout.iter().map(|text| format!("stdout has {text:?}")));
        parts.extend(self.stderr.iter().map(|text| format!("stderr has {text:?}")));
        match self.stdout_empty {
            Some(true) => parts.push("stdout is empty".into()),
            Some(false) => parts.push("stdout is not empty".into()),
            None => {}
        }
        parts.join(", ")
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        match self.exit {
            Some(ExitTest::Is(code)) => parts.push(format!("exit {code}")),
            Some(ExitTest::IsNot(code)) => parts.push(format!("exit !={code}")),
            None => {}
        }
        if let Some(number) = self.signal {
            parts.push(match signal::name(number) {
                Some(name) => format!("signal {name}"),
                None => format!("signal {number}"),
            });
        }
        parts.extend(self.stdout.iter().map(|text| format!("stdout {text:?}")));
        parts.extend(self.stderr.iter().map(|text| format!("stderr {text:?}")));
        match self.stdout_empty {
            Some(true) => parts.push("empty stdout".into()),
            Some(false) => parts.push("stdout that is not empty".into()),
            None => {}
        }
        f.write_str(&parts.join(" and "))
    }
}

/// A condition and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct VerdictRule {
    /// When it decides.
    pub condition: Condition,
    /// What it decides.
    pub verdict: Verdict,
}

/// Rules in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Rules(pub Vec<VerdictRule>);

impl Rules {
    /// Rules by which a run fails when one of `conditions` holds.
    pub fn failing_on(conditions: Vec<Condition>) -> Self {
        let rule = |condition| VerdictRule { condition, verdict: Verdict::Fail };
        Self(conditions.into_iter().map(rule).collect())
    }

    /// The verdict on a run.
    pub fn judge(&self, outcome: &RunOutcome) -> Judgement {
        let ending = outcome.ending;
        match ending {
            ending if ending.is_timeout() => {
                return Judgement::new(Verdict::Timeout, ending.to_string());
            }
            Ending::OutputLimit | Ending::ProcessLimit => {
                return Judgement::new(Verdict::Unresolved, ending.to_string());
            }
            _ => {}
        }
        match self.0.iter().find(|rule| rule.condition.holds(outcome)) {
            Some(rule) => Judgement::new(rule.verdict, rule.condition.evidence(outcome)),
            None => Judgement::new(Verdict::Pass, ending.to_string()),
        }
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    text.is_empty() || bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn outcome(ending: Ending, stdout: &str, stderr: &str) -> RunOutcome {
        RunOutcome { ending, stdout: stdout.into(), stderr: stderr.into(), wall: Duration::ZERO }
    }

    fn rules() -> Rules {
        let rule = |condition, verdict| VerdictRule { condition, verdict };
        Rules(vec![
            rule(
                Condition {
                    stderr: vec!["Error".into(), "field".into()],
                    exit: Some(ExitTest::Is(1)),
                    ..Condition::default()
                },
                Verdict::Fail,
            ),
            rule(Condition { stderr: vec!["Error".into()], ..Condition::default() }, Verdict::Unresolved),
            rule(Condition { exit: Some(ExitTest::Is(139)), ..Condition::default() }, Verdict::Fail),
        ])
    }

    #[test]
    fn the_first_rule_that_holds_decides() {
        let judge = |ending, stderr| {
            let judgement = rules().judge(&outcome(ending, "", stderr));
            (judgement.verdict, judgement.evidence.to_string())
        };
        let fail = "exit 1, stderr has \"Error\", stderr has \"field\"";
        assert_eq!(judge(Ending::Exited(1), "Error: no field"), (Verdict::Fail, fail.into()));
        let unresolved = "exit 2, stderr has \"Error\"";
        assert_eq!(judge(Ending::Exited(2), "Error: no field"), (Verdict::Unresolved, unresolved.into()));
        assert_eq!(judge(Ending::Exited(0), ""), (Verdict::Pass, "exit 0".into()));
    }

    #[test]
    fn a_signal_counts_as_the_exit_code_that_a_shell_reports() {
        for ending in [Ending::Signaled(11), Ending::Exited(139)] {
            assert_eq!(rules().judge(&outcome(ending, "", "")).verdict, Verdict::Fail);
        }
        let signal = Condition { signal: Some(11), ..Condition::default() };
        assert!(signal.holds(&outcome(Ending::Signaled(11), "", "")));
        assert!(!signal.holds(&outcome(Ending::Exited(139), "", "")));
        let failed = Condition { exit: Some(ExitTest::IsNot(0)), ..Condition::default() };
        assert!(failed.holds(&outcome(Ending::Signaled(11), "", "")));
        assert!(!failed.holds(&outcome(Ending::TimedOut, "", "")));
    }

    #[test]
    fn runs_that_were_cut_short_are_never_passes_or_failures() {
        let everything = Rules::failing_on(vec![Condition::default()]);
        for (ending, verdict) in [
            (Ending::TimedOut, Verdict::Timeout),
            (Ending::OutOfCpu, Verdict::Timeout),
            (Ending::OutputLimit, Verdict::Unresolved),
            (Ending::ProcessLimit, Verdict::Unresolved),
            (Ending::Exited(0), Verdict::Fail),
        ] {
            assert_eq!(everything.judge(&outcome(ending, "", "")).verdict, verdict);
        }
    }

    #[test]
    fn empty_output_can_be_asked_for() {
        let empty = Condition { stdout_empty: Some(true), ..Condition::default() };
        assert!(empty.holds(&outcome(Ending::Exited(0), "", "x")));
        assert!(!empty.holds(&outcome(Ending::Exited(0), "x", "")));
    }
}
