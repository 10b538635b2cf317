//! Does one task of a campaign: with what it needs, in its stage, and with what came of it told to the
//! recorder.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::channel::Sender;

use crate::base::budget::Interrupt;
use crate::base::limits::Limits;
use crate::base::share::Share;
use crate::base::stream::Stream;
use crate::oracle::{Execution, Sample, Trouble};
use crate::store::{Event, Judged, PlannedTask, Source, Stage};
use crate::subject::catalogue::Catalogue;
use crate::subject::manifest::{Bug, Manifest};
use crate::transform::Transformer;

use super::super::config::{Config, Settings};
use super::super::expressions::GivenExpression;
use super::super::plan::Plan;
use super::super::schedule::Ending;
use super::super::stage::{self, Done, StageError};
use super::super::stopwatch::Stopwatch;
use super::super::workshop::{Look, Workshop};
use super::records::Records;
use super::runs::Runs;

/// What the tasks of a run have in common.
pub(super) struct Runner<'a> {
    pub(super) config: &'a Config,
    pub(super) catalogue: &'a Catalogue,
    pub(super) plan: &'a Plan,
    pub(super) workshop: Workshop,
    pub(super) interrupt: Interrupt,
    pub(super) records: Records<'a>,
    pub(super) events: Sender<Event>,
    /// How many bugs were found unfit.
    pub(super) unfit: AtomicU64,
    /// How many tasks found only a part of what they should.
    pub(super) half_done: AtomicU64,
    /// How many tasks of each bug have not ended.
    pub(super) open: Mutex<HashMap<&'a str, usize>>,
}

/// So many of the first inputs of a task are judged twice, in the first repetition: of a bug with few
/// inputs a share of them would be too few to say anything.
const FIRST_REPEATED: u64 = 10;

impl Runner<'_> {
    /// Does one task, and says how it ended.
    pub(super) fn work(&self, index: usize) -> Ending {
        let task = &self.plan.tasks[index];
        let stopwatch = Stopwatch::start();
        let runs = Arc::new(Runs::default());
        self.send(Event::TaskBegun { name: task.name.clone() });
        let done = guarded(|| match &task.expression {
            Some(name) => self.specialize_given(task, name, &stopwatch),
            None => {
                let (subject, bug) = self.subject_of(task)?;
                self.stage(task, subject, bug, &runs, &stopwatch)
            }
        });
        let done = self.look(task).and(done);
        let failed = match &done {
            Ok((record, _)) => record.failure().is_some(),
            Err(_) => true,
        };
        let (result, executions) = match done {
            // Whatever a task says after the user asked to stop may be for that very reason.
            _ if failed && self.interrupt.is_raised() => return Ending::Interrupted,
            Err(StageError::Interrupted) => return Ending::Interrupted,
            Err(StageError::Failed(reason)) => (Err(reason), 0),
            Ok((record, executions)) => {
                self.records.add(index, record.clone());
                self.half_done.fetch_add(u64::from(failed), Ordering::Relaxed);
                (Ok(Box::new(record)), executions)
            }
        };
        let ending = if result.is_ok() { Ending::Done } else { Ending::Failed };
        // Before the end of the task, so that it is never remembered without.
        if let Some(text) = result.as_ref().ok().and_then(|record| record.warning()) {
            self.send(Event::Warning { task: Some(task.name.clone()), text });
        }
        self.send(Event::TaskEnded {
            name: task.name.clone(),
            result,
            wall: stopwatch.elapsed(),
            executions,
            runs: runs.first(),
            judged_again: runs.again(),
        });
        self.close(index);
        ending
    }

    /// Looks whether the program is still the one that was measured at first: if not, what a task found
    /// that ends now may be of another one.
    fn look(&self, task: &PlannedTask) -> Result<(), StageError> {
        let Some(bug) = &task.bug else { return Ok(()) };
        if let Some(Look { oracle, fingerprint, number }) =
            self.workshop.look(bug).map_err(StageError::Failed)?
        {
            self.send(Event::Looked { oracle, bug: bug.as_str().into(), fingerprint, number });
        }
        Ok(())
    }

    /// Nothing more is to come of a task: what only it needed is not kept.
    pub(super) fn close(&self, index: usize) {
        self.records.release(index);
        let Some(bug) = self.plan.tasks[index].bug.as_deref() else { return };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = open.get_mut(bug) {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.workshop.release(bug);
            }
        }
    }

    /// A recorder that has gone has raised the interrupt; its error comes out at the end.
    pub(super) fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    fn subject_of(&self, task: &PlannedTask) -> Result<(&Manifest, &Bug), StageError> {
        let subject = self.catalogue.subject(&task.subject).map_err(StageError::failed)?;
        let bug = task.bug.as_deref().and_then(|name| subject.bug(name));
        Ok((subject, bug.ok_or_else(|| StageError::failed("the task is about no bug"))?))
    }

    fn transformer(&self, task: &PlannedTask) -> Result<Box<dyn Transformer>, StageError> {
        let name = task.variant.transformer.as_deref().unwrap_or_default();
        let sizes = self.config.settings.sizes;
        let limits = Limits { sizes, time: None, interrupt: self.interrupt.clone() };
        self.workshop.transformer(name, &limits).map_err(StageError::Failed)
    }

    /// Specializes a grammar to an expression of the config.
    fn specialize_given(&self, task: &PlannedTask, name: &str, stopwatch: &Stopwatch) -> Done {
        let found = self.config.expressions.iter().find(|given| given.name == name);
        let GivenExpression { file, grammar, expression, .. } = found
            .ok_or_else(|| StageError::failed(format!("the config has no expression called `{name}`")))?;
        let transformer = self.transformer(task)?;
        let given = stage::Given { file, grammar, expression };
        stage::specialize(given, &*transformer, &self.config.settings, &self.interrupt, stopwatch)
    }

    fn stage(
        &self,
        task: &PlannedTask,
        subject: &Manifest,
        bug: &Bug,
        runs: &Arc<Runs>,
        stopwatch: &Stopwatch,
    ) -> Done {
        if task.stage == Stage::Check {
            return self.check(subject, bug);
        }
        let (events, runs, name) =
            (self.events.clone(), Arc::clone(runs), Arc::<str>::from(bug.name.as_str()));
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
        let policy = self.policy(bug)?;
        let Settings { repeated, judged_again, .. } = self.config.settings;
        // Of what workers judge, those that are sure from the beginning, whatever other tasks ask.
        let has_worker = policy.is_used && subject.worker.is_some();
        let share = if has_worker { repeated.min(judged_again) } else { repeated };
        let is_first = task.repetition == 1 && !has_worker && share != Share::NONE;
        let first_repeated = if is_first { FIRST_REPEATED } else { 0 };
        let repeated = (Sample { share, seed: self.config.seed }, first_repeated);
        let bench =
            self.workshop.bench(subject, bug, policy, repeated, observer).map_err(StageError::failed)?;
        let settings = &self.config.settings;
        let stream = Stream::derive(self.config.seed, &task.name);
        let named = |name: &Option<String>| name.clone().unwrap_or_default();
        let variant = &task.variant;
        match task.stage {
            Stage::Check => unreachable!("checks need no bench"),
            Stage::Reduce => stage::reduce(&bench, &named(&variant.reducer), settings, &self.interrupt),
            Stage::Generalize => {
                let reduced = self.records.reduced(task)?;
                stage::generalize(
                    &bench,
                    &reduced,
                    &named(&variant.generalizer),
                    settings,
                    stream,
                    &self.interrupt,
                )
            }
            Stage::Instantiate => {
                let generalized = self.records.generalized(task)?;
                stage::instantiate(&bench, &generalized, settings, stream, &self.interrupt)
            }
            Stage::Specialize => {
                let expression = &self.records.expression(task, &bench)?;
                let file = subject.grammar.strip_prefix(&subject.folder).unwrap_or(&subject.grammar);
                let file = &file.display().to_string();
                let given = stage::Given { file, grammar: &bench.grammar, expression };
                stage::specialize(given, &*self.transformer(task)?, settings, &self.interrupt, stopwatch)
            }
            Stage::Produce(side) => {
                self.records.has_grammar(task, side)?;
                let expression = self.records.expression(task, &bench)?;
                let transformer = self.transformer(task)?;
                let plug_ins = (&*transformer, &*named(&variant.producer));
                stage::produce(&bench, &expression, plug_ins, side, settings, stream, &self.interrupt)
            }
            Stage::Recognize(Source::Seen) => {
                let expression = self.records.expression(task, &bench)?;
                let earlier = self.records.judged(task)?;
                let earlier: Vec<&[Judged]> = earlier.iter().map(Vec::as_slice).collect();
                stage::seen(&bench, &expression, &earlier, settings, &self.interrupt)
            }
            Stage::Recognize(Source::HeldOut) => {
                let expression = self.records.expression(task, &bench)?;
                stage::held_out(&bench, &expression, settings, stream, &self.interrupt)
            }
        }
    }
}

/// Does `work`. A panic in it is a mistake of ours, but no reason to lose the other tasks, now and
/// whenever the campaign goes on.
fn guarded(work: impl FnOnce() -> Done) -> Done {
    // What a task shares with others is behind locks, and is whole between any two steps.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        Err(StageError::failed(format!("a mistake in grambench, please report it: {text}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_failure_of_its_task() {
        let text = |work: fn() -> Done| match guarded(work) {
            Err(StageError::Failed(text)) => text,
            other => panic!("{other:?}"),
        };
        assert!(text(|| panic!("on purpose")).ends_with("please report it: on purpose"));
        assert!(
            text(|| panic!("number {}", std::hint::black_box(7))).ends_with("please report it: number 7")
        );
        assert_eq!(text(|| Err(StageError::failed("as it should"))), "as it should");
    }
}
