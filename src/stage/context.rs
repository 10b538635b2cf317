//! What a stage gets to work with: one value, made for each task.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crossbeam::channel::Sender;

use crate::base::budget::{Budget, Interrupt};
use crate::base::limits::Limits;
use crate::base::random_stream::RandomStream;
use crate::base::share::Share;
use crate::oracle::{Execution, InputSample, Judge, Judgement, TimeoutAs, Trouble, Verdict};
use crate::store::{Event, Judged};
use crate::subject::dictionary::ProgramDictionary;
use crate::subject::worker::Policy;
use crate::transform::Transformer;

use super::check::CheckTask;
use super::error::StageError;
use super::evocative::Evocative;
use super::inflate::InflateTask;
use super::registry::{Record, Registered, Stage, Task};
use super::resources::{Repeated, Resources};
use super::runs::Runs;
use super::settings::Settings;
use super::stopwatch::Stopwatch;
use super::subject_key::{BugKey, ExpressionKey, Repetition};
use super::target::Target;

/// The number of first inputs of a task that are judged twice, in the first repetition: of a bug with few
/// inputs a share of them would be too few to say anything.
const FIRST_REPEATED: u64 = 10;

/// What tasks have found, in this run or an earlier one.
pub trait Records: Sync {
    /// What `task` found, if it did.
    ///
    /// # Errors
    /// When it cannot be read.
    fn record(&self, task: &Task) -> Result<Option<Record>, StageError>;
}

/// What one task works with.
pub struct Context<'a> {
    /// How the stages work.
    pub settings: &'a Settings,
    /// What tasks share.
    pub resources: &'a Resources<'a>,
    /// The user's switch.
    pub interrupt: &'a Interrupt,
    /// How long the task's own work takes.
    pub stopwatch: &'a Stopwatch,
    /// What other tasks have found.
    pub records: &'a dyn Records,
    /// Where the task tells what happens.
    pub events: &'a Sender<Event>,
    /// How often the program ran for the task.
    pub runs: &'a Arc<Runs>,
    /// The name of the task.
    pub name: &'a str,
}

impl<'a> Context<'a> {
    /// The random stream of the task.
    pub fn stream(&self) -> RandomStream {
        RandomStream::derive(self.settings.seed, self.name)
    }

    /// The limits of what the task makes of an expression: sizes alone, so that a table is the same on any machine.
    pub fn limits(&self) -> Limits {
        Limits { sizes: self.settings.specialize.sizes, time: None, interrupt: self.interrupt.clone() }
    }

    /// Tells what happened. A recorder that has gone has raised the interrupt; its error comes out at the end.
    pub fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// What a task before this one found.
    ///
    /// # Errors
    /// When it has found nothing.
    pub fn record<S: Stage>(&self, task: &S) -> Result<Arc<S::Record>, StageError> {
        let record = self.records.record(&task.clone().into_task())?;
        let found = record.as_ref().and_then(S::of_record).cloned();
        found.ok_or_else(|| StageError::failed(format!("what `{}` found is not there", task.name())))
    }

    /// The expression of `key`.
    ///
    /// # Errors
    /// When it is not there.
    pub fn expression(&self, key: &ExpressionKey) -> Result<Arc<Evocative>, StageError> {
        self.resources.expression(key, |_| {
            let ExpressionKey::Learned(task) = key else {
                return Err(StageError::failed("the bug's manifest gives no expression"));
            };
            Ok(Arc::new(self.record(&**task)?.model.clone()))
        })
    }

    /// The transformer called `name`.
    ///
    /// # Errors
    /// When there is none, or it is a program that is gone.
    pub fn transformer(&self, name: &str) -> Result<Box<dyn Transformer>, StageError> {
        self.resources.transformer(name, &self.limits())
    }

    /// The words of the program that judges the inputs of a bug.
    ///
    /// # Errors
    /// When the program cannot be prepared.
    pub fn dictionary(&self, repetition: &Repetition) -> Result<ProgramDictionary, StageError> {
        let (manifest, bug) = self.resources.manifest(&repetition.bug)?;
        Ok(self.resources.prepared(manifest)?.dictionary(bug)?)
    }

    /// A bug, ready for work; what is executed for this task is reported as its own.
    ///
    /// # Errors
    /// When something that it needs cannot be made, or the program was replaced.
    pub fn target(&self, repetition: &Repetition) -> Result<Target<'a>, StageError> {
        let mut target = self.target_as_given(repetition)?;
        if repetition.bug.inflate.is_some() {
            let bug = Arc::clone(&repetition.bug);
            target.inflated = Some(self.record(&InflateTask { bug })?.input.clone());
        }
        Ok(target)
    }

    /// The same, with the failing input that is given, however large it is to be.
    ///
    /// # Errors
    /// As [`Self::target`].
    pub fn target_as_given(&self, repetition: &Repetition) -> Result<Target<'a>, StageError> {
        let (events, runs) = (self.events.clone(), Arc::clone(self.runs));
        let name: Arc<str> = repetition.bug.name.as_str().into();
        let observer = move |oracle: &Arc<str>, execution: &Execution| {
            runs.add(execution);
            if let Some(trouble @ Trouble::NotStarted(_)) = &execution.examination.trouble {
                let text = format!("{name}: {}", trouble.text(execution.examination.judgement.verdict));
                let _ = events.send(Event::Note { text });
            }
            let _ = events.send(Event::Executed {
                oracle: Arc::clone(oracle),
                bug: Arc::clone(&name),
                execution: execution.clone(),
            });
        };
        let policy = self.policy(&repetition.bug)?;
        let repeated = self.repeated(repetition, policy)?;
        self.resources.target(&repetition.bug, policy, repeated, observer)
    }

    /// The inputs of the bug's subject that people wrote.
    ///
    /// # Errors
    /// When they cannot be read, or the program cannot be prepared.
    pub fn corpus(&self, repetition: &Repetition) -> Result<Vec<Vec<u8>>, StageError> {
        let (manifest, _) = self.resources.manifest(&repetition.bug)?;
        let prepared = self.resources.prepared(manifest)?;
        let unreadable = |(path, error): (PathBuf, io::Error)| {
            StageError::failed(format!("cannot read `{}`: {error}", path.display()))
        };
        prepared.corpus().map_err(unreadable)
    }

    /// Whether workers judge inputs of a bug: not where its check found that they cannot.
    fn policy(&self, bug: &Arc<BugKey>) -> Result<Policy, StageError> {
        let check = self.records.record(&CheckTask { bug: Arc::clone(bug) }.into_task())?;
        let check = check.as_ref().and_then(CheckTask::of_record);
        let is_fit = check.is_none_or(|check| check.findings.iter().all(|finding| finding.holds));
        let workers = &self.settings.workers;
        let judged_again = InputSample { share: workers.judged_again, seed: self.settings.seed };
        Ok(Policy { is_used: workers.are_used && is_fit, judged_again })
    }

    fn repeated(&self, repetition: &Repetition, policy: Policy) -> Result<Repeated, StageError> {
        let (subject, _) = self.resources.manifest(&repetition.bug)?;
        let repeated = self.settings.oracle.repeated;
        // Of what workers judge, those that are confirmed from the beginning, whatever other tasks ask.
        let has_worker = policy.is_used && subject.worker.is_some();
        let share = if has_worker { repeated.min(self.settings.workers.judged_again) } else { repeated };
        let is_first = repetition.number == 1 && !has_worker && share != Share::NONE;
        let sample = InputSample { share, seed: self.settings.seed };
        Ok(Repeated { sample, first: if is_first { FIRST_REPEATED } else { 0 } })
    }

    /// A session in which the task asks an oracle.
    pub fn judge<'t>(&self, target: &'t Target<'_>) -> Judge<'t> {
        let budget = Budget { interrupt: self.interrupt.clone(), ..Budget::default() };
        Judge::new(&*target.oracle).with_timeout_as(self.timeout_as()).with_budget(budget)
    }

    /// How a timeout counts.
    pub fn timeout_as(&self) -> TimeoutAs {
        self.settings.oracle.timeout_as
    }
}

/// Confirms that `input`, which a table is to show as failing, does fail.
///
/// # Errors
/// When it does not.
pub fn confirm_failure(judge: &mut Judge<'_>, input: &[u8]) -> Result<(), StageError> {
    match judge.judge_confirmed(input)? {
        Verdict::Fail => Ok(()),
        verdict => Err(StageError::failed(format!(
            "the reduced input fails in a worker, but the verdict of a fresh process is {verdict}; \
             with `use = false` under `[workers]` all inputs are judged by fresh processes"
        ))),
    }
}

/// What a session judged, as it is kept in a record.
pub fn judged(log: &[(Box<[u8]>, Judgement)]) -> Arc<[Judged]> {
    log.iter().map(|(input, judgement)| Judged::new(input, judgement)).collect()
}

/// What an earlier task judged, for a session that need not ask again.
pub fn known(judged: &[Judged]) -> impl Iterator<Item = (&[u8], Verdict)> {
    judged.iter().map(|judged| (judged.input.bytes(), judged.verdict))
}
