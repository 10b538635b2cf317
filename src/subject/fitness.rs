//! Is a subject fit for use? It runs, its version is as pinned, its failing inputs fail and its passing
//! ones pass, several times, and the facts that its manifest states hold.
//!
//! Asked before a subject is measured: figures about a program that does not show its bug are worth
//! nothing.

use std::fmt;

use super::command::{Command, Reaction};
use super::execution::RunOutcome;
use super::manifest::{Bug, Check};
use super::prepared::Prepared;
use super::worker::command::NoAnswerKind;
use super::worker::oracle::timed_out;
use super::worker::{Policy, WorkerReply};
use crate::oracle::{Judgement, OracleError, Verdict};

/// How often each input is tried.
pub const TIMES: u32 = 3;
/// How often a worker that ends without an answer is asked anew.
const RETRIES: u32 = 2;

/// Something that was checked, and whether it is as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitnessFinding {
    /// The bug that it is about, if it is about one.
    pub bug: Option<String>,
    /// What was checked.
    pub subject: Aspect,
    /// Whether a worker was asked; otherwise it was a fresh process.
    pub by_worker: bool,
    /// What should have been seen.
    pub expected: String,
    /// What was seen: of several runs, the first that was not as expected.
    pub observed: String,
    /// The judgement on the input, of several the last one; `None` where there is no input, or nothing was seen of it.
    pub judgement: Option<Judgement>,
    /// Whether it is as it should be.
    pub is_fit: bool,
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The version.
    Version,
    /// The failing input.
    Failing(Vec<u8>),
    /// The passing input.
    Passing(Vec<u8>),
    /// A fact, by its input.
    Check(Vec<u8>),
}

impl Aspect {
    /// The input that was tried.
    pub fn input(&self) -> Option<&[u8]> {
        match self {
            Self::Version => None,
            Self::Failing(input) | Self::Passing(input) | Self::Check(input) => Some(input),
        }
    }
}

impl FitnessFinding {
    /// What was checked, expected and seen, without saying whether that is fit.
    pub fn statement(&self) -> String {
        let mut text = self.bug.as_ref().map_or(String::new(), |bug| format!("{bug}: "));
        text.push_str(&match &self.subject {
            Aspect::Version => "version".to_owned(),
            Aspect::Failing(input) => format!("failing input {}", shown(input)),
            Aspect::Passing(input) => format!("passing input {}", shown(input)),
            Aspect::Check(input) => format!("check {}", shown(input)),
        });
        if self.by_worker {
            text.push_str(" in a worker");
        }
        text.push_str(&format!(": expected {}", self.expected));
        if !self.is_fit {
            text.push_str(&format!(", saw {}", self.observed));
        }
        text
    }
}

impl fmt::Display for FitnessFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.is_fit { "fit" } else { "unfit" }, self.statement())
    }
}

impl Prepared {
    /// Checks the version.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn check_version(&self) -> Result<Option<FitnessFinding>, OracleError> {
        let Some(check) = &self.manifest.version_check else { return Ok(None) };
        let command = Command::of_version(&self.pool, &self.manifest, check, self.folder())?;
        let (observed, is_fit) = match ran(command.run(b"")?) {
            Seen::Something(outcome) => {
                let text = String::from_utf8_lossy(&outcome.stdout);
                let first = text.lines().next().unwrap_or_default();
                (format!("{}, {first:?}", outcome.ending), text.contains(&check.output))
            }
            Seen::Nothing(reason) => (reason, false),
        };
        let expected = format!("{:?}", check.output);
        let subject = Aspect::Version;
        let (bug, by_worker, judgement) = (None, false, None);
        Ok(Some(FitnessFinding { bug, subject, by_worker, expected, observed, judgement, is_fit }))
    }

    /// Checks all that is stated of `bug`.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn check_bug(&self, bug: &Bug) -> Result<Vec<FitnessFinding>, OracleError> {
        let oracle = self.cold_oracle(bug)?;
        let judge = |input: &[u8]| Ok(Seen::Something(oracle.judge(input)?));
        let mut findings = vec![
            judged(bug, judge, Aspect::Failing(bug.input.clone()), Verdict::Fail)?,
            judged(bug, judge, Aspect::Passing(bug.passing.clone()), Verdict::Pass)?,
        ];
        if bug.checks.is_empty() {
            return Ok(findings);
        }
        let command = self.command(bug)?;
        for check in &bug.checks {
            findings.push(checked(bug, check, ran(command.run(&check.input)?)));
        }
        Ok(findings)
    }

    /// Checks whether a worker sees the same of `bug` as fresh processes. Nothing where the subject
    /// has no worker.
    ///
    /// # Errors
    /// When no program can be run.
    pub fn check_worker(&self, bug: &Bug) -> Result<Vec<FitnessFinding>, OracleError> {
        let Some(worker) = self.worker(bug)? else { return Ok(Vec::new()) };
        let ask = |input: &[u8]| -> Result<Seen<RunOutcome>, OracleError> {
            let mut reply = worker.ask(input)?;
            // It may have been killed for a reason that is not its own, also while it started.
            let may_answer = |reply: &WorkerReply| {
                matches!(
                    reply,
                    WorkerReply::NoAnswer { kind: NoAnswerKind::Expected | NoAnswerKind::NotStarted, .. }
                )
            };
            for _ in 0..RETRIES {
                if may_answer(&reply) {
                    reply = worker.ask(input)?;
                }
            }
            Ok(match reply {
                WorkerReply::Answered(outcome) => Seen::Something(outcome),
                WorkerReply::TimedOut => Seen::Something(timed_out()),
                WorkerReply::NoAnswer { reason, .. } => Seen::Nothing(reason),
            })
        };
        let judge = |input: &[u8]| {
            Ok(match ask(input)? {
                Seen::Something(outcome) => Seen::Something(bug.rules.judge(&outcome)),
                Seen::Nothing(reason) => Seen::Nothing(reason),
            })
        };
        let mut findings = vec![
            judged(bug, judge, Aspect::Failing(bug.input.clone()), Verdict::Fail)?,
            judged(bug, judge, Aspect::Passing(bug.passing.clone()), Verdict::Pass)?,
        ];
        for check in &bug.checks {
            findings.push(checked(bug, check, ask(&check.input)?));
        }
        for finding in &mut findings {
            finding.by_worker = true;
        }
        Ok(findings)
    }

    /// Checks everything, also with workers if `policy` says so.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn check(&self, policy: &Policy) -> Result<Vec<FitnessFinding>, OracleError> {
        let mut findings: Vec<FitnessFinding> = self.check_version()?.into_iter().collect();
        // A bug with a large input is one with a given input too.
        for bug in self.manifest.bugs.iter().filter(|bug| bug.inflation.is_none()) {
            findings.extend(self.check_bug(bug)?);
            if policy.is_used {
                findings.extend(self.check_worker(bug)?);
            }
        }
        Ok(findings)
    }
}

/// Has the input of `subject` judged several times; `judge` gives no judgement where it cannot, but says why.
fn judged(
    bug: &Bug,
    judge: impl Fn(&[u8]) -> Result<Seen<Judgement>, OracleError>,
    subject: Aspect,
    wanted: Verdict,
) -> Result<FitnessFinding, OracleError> {
    let (Aspect::Failing(input) | Aspect::Passing(input)) = &subject else {
        panic!("only inputs are judged");
    };
    let mut observed = String::new();
    let (mut is_fit, mut last) = (true, None);
    for time in 1..=TIMES {
        let is_wanted = match judge(input)? {
            Seen::Something(judgement) => {
                observed = format!("{} ({})", judgement.verdict, judgement.evidence);
                last.insert(judgement).verdict == wanted
            }
            Seen::Nothing(reason) => {
                observed = reason;
                false
            }
        };
        if !is_wanted {
            is_fit = false;
            if time > 1 {
                observed.push_str(&format!(" in run {time} of {TIMES}"));
            }
            break;
        }
    }
    let (expected, bug, judgement) = (wanted.to_string(), Some(bug.name.clone()), last);
    Ok(FitnessFinding { bug, subject, by_worker: false, expected, observed, judgement, is_fit })
}

/// What a check of `bug` found.
fn checked(bug: &Bug, check: &Check, outcome: Seen<RunOutcome>) -> FitnessFinding {
    let (observed, judgement, is_fit) = match outcome {
        Seen::Something(outcome) => {
            (observed(&outcome), Some(bug.rules.judge(&outcome)), check.expected.holds(&outcome))
        }
        Seen::Nothing(reason) => (reason, None, false),
    };
    FitnessFinding {
        bug: Some(bug.name.clone()),
        subject: Aspect::Check(check.input.clone()),
        by_worker: false,
        expected: check.expected.to_string(),
        observed,
        judgement,
        is_fit,
    }
}

/// What was seen of a program.
enum Seen<T> {
    /// This.
    Something(T),
    /// It showed nothing: why.
    Nothing(String),
}

fn ran(reaction: Reaction) -> Seen<RunOutcome> {
    match reaction {
        Reaction::Ran(outcome) => Seen::Something(outcome),
        Reaction::Refused(reason) => Seen::Nothing(reason),
    }
}

/// An outcome in a line.
fn observed(outcome: &RunOutcome) -> String {
    let mut text = outcome.ending.to_string();
    for (name, bytes) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if !bytes.is_empty() {
            text.push_str(&format!(", {name} {}", shown(bytes)));
        }
    }
    text
}

/// The beginning of some bytes, in quotes.
fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 80;
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
