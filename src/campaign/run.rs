//! Runs a campaign: plans, opens the store, works, and leaves everything in the store.
//!
//! What was finished by an earlier run is not done again, and no input is executed twice. A task that
//! was under way when the run ended has left only its executions; it begins anew, and finds them in
//! the cache. So it does not matter when, or how, a run ends.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Diagnostics;
use crate::base::stream::Stream;
use crate::oracle::{Execution, OracleError, Trouble};
use crate::pattern::Expression;
use crate::store::{
    self, Campaign, Event, Judged, Listener, Outcome, PlannedTask, Record, Recorder, Reduce, Side, Source,
    Stage, Store, StoreError,
};
use crate::subject::catalogue::Catalogue;
use crate::subject::fitness::Finding;
use crate::subject::manifest::{Bug, Manifest};
use crate::subject::pool::{Pool, Settings as PoolSettings};
use crate::subject::worker::Policy;
use crate::transform::Transformer;

use super::bench::Bench;
use super::config::{Config, Settings};
use super::expressions::GivenExpression;
use super::identity::identity;
use super::plan::Plan;
use super::schedule::{self, Ending};
use super::stage::{self, Done, StageError};
use super::stopwatch::Stopwatch;
use super::workshop::Workshop;

/// How often the user's switch is looked at.
const WATCH: Duration = Duration::from_millis(50);

/// What the command line adds to a config.
pub struct Options {
    /// So many tasks run at once.
    pub jobs: usize,
    /// Where the store lies.
    pub folder: PathBuf,
    /// Whether an earlier run's results are thrown away.
    pub fresh: bool,
    /// Whether programs are confined.
    pub sandbox: bool,
    /// Raised when the user asks to stop.
    pub interrupt: Interrupt,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Whether everything was done.
    pub outcome: Outcome,
    /// How many tasks failed, or could not run because one that they need failed.
    pub failed: usize,
    /// How many bugs are unfit for use.
    pub unfit: usize,
    /// How many inputs a worker judged otherwise than a process of its own, in this run or an earlier one.
    pub disagreements: usize,
}

/// Why a campaign could not run.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Programs cannot be run.
    #[error("cannot make a scratch folder: {0}")]
    Scratch(std::io::Error),
    /// A thread could not be started.
    #[error("cannot start the recorder: {0}")]
    Recorder(std::io::Error),
    /// The config does not fit the subjects.
    #[error("{0}")]
    Subjects(Diagnostics),
}

/// Reads all subjects, if a bug takes part, and makes the plan of a campaign.
///
/// # Errors
/// Everything that is wrong with the subjects, and bugs that the config names and nobody has.
pub fn plan(config: &Config) -> Result<(Catalogue, Plan), Diagnostics> {
    let catalogue = match config.bugs.is_none() {
        true => Catalogue::default(),
        false => Catalogue::load(&config.subject_folder)?.with_reading(config.settings.reading),
    };
    let plan = Plan::new(config, &catalogue)?;
    Ok((catalogue, plan))
}

/// Runs the tasks of `plan` that are not finished yet.
///
/// # Errors
/// When the campaign cannot begin, or its store cannot be written.
pub fn run(
    config: &Config,
    text: &str,
    catalogue: &Catalogue,
    plan: &Plan,
    options: &Options,
    listeners: Vec<Box<dyn Listener + Send>>,
) -> Result<(Summary, Store), CampaignError> {
    let path = options.folder.join(Store::FILE_NAME);
    if options.fresh {
        Store::remove(&path)?;
    }
    // Of the whole plan: a run of a part of it is of the same campaign.
    let whole = Plan::new(config, catalogue).map_err(CampaignError::Subjects)?;
    let identity = identity(config, catalogue, &whole, options.sandbox);
    let campaign = Campaign {
        config: text.to_owned(),
        identity,
        seed: config.seed,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let store = Store::create_or_open(&path, &campaign)?;
    let finished: HashMap<String, Record> = (store.finished_tasks()?.into_iter())
        .filter_map(|task| Some((task.name, task.result.ok()?)))
        .filter(|(_, record)| record.failure().is_none())
        .collect();
    let settings =
        PoolSettings { workers: options.jobs, sandbox: options.sandbox, ..PoolSettings::default() };
    let pool = Arc::new(Pool::new(settings).map_err(CampaignError::Scratch)?);

    let recorder =
        Recorder::spawn(store, listeners, options.interrupt.clone()).map_err(CampaignError::Recorder)?;
    let events = recorder.sender();
    let _ = events.send(Event::CampaignBegun {
        title: config.title.clone(),
        seed: config.seed,
        jobs: options.jobs,
    });
    let _ = events.send(Event::Planned {
        tasks: plan.tasks.clone(),
        finished: plan
            .tasks
            .iter()
            .map(|task| task.name.clone())
            .filter(|name| finished.contains_key(name))
            .collect(),
    });
    let notes = events.clone();
    let workshop = Workshop::new(
        Arc::clone(&pool),
        config.external.clone(),
        options.interrupt.clone(),
        Box::new(move |text| {
            let _ = notes.send(Event::Note { text: text.to_owned() });
        }),
        Box::new(move |digest| {
            // A second view: the store itself is the recorder's now.
            let earlier = Store::read(&path).and_then(|store| store.known_verdicts(digest));
            earlier.map_err(|error| error.to_string())
        }),
    );
    let runner = Runner {
        config,
        catalogue,
        plan,
        workshop,
        interrupt: options.interrupt.clone(),
        records: Mutex::new(finished),
        events: events.clone(),
        unfit: AtomicU64::new(0),
    };
    let needs: schedule::Needs = (0..plan.tasks.len()).map(|index| plan.needs(index)).collect();
    let done: Vec<Option<Ending>> =
        plan.tasks.iter().map(|task| runner.record(&task.name).map(|_| Ending::Done)).collect();
    let endings = thread::scope(|scope| {
        let (working, idle) = bounded::<()>(0);
        scope.spawn(|| stop_on_interrupt(&pool, &options.interrupt, idle));
        let _working = working;
        let work = |index| runner.work(index);
        schedule::run(&needs, &done, options.jobs, &options.interrupt, work, |_, _| {})
    });
    let complete = endings.iter().all(|ending| matches!(ending, Some(Ending::Done | Ending::Failed)));
    let mut summary = Summary {
        outcome: if complete { Outcome::Complete } else { Outcome::Interrupted },
        failed: endings.iter().filter(|ending| **ending == Some(Ending::Failed)).count() + runner.half_done(),
        unfit: runner.unfit.load(Ordering::Relaxed) as usize,
        disagreements: 0,
    };
    let _ = events.send(Event::Ended { outcome: summary.outcome });
    drop(runner);
    drop(events);
    let store = recorder.finish()?;
    summary.disagreements = store.troubles()?.iter().filter(|trouble| trouble.is_disagreement).count();
    Ok((summary, store))
}

/// Ends what runs when the user asks to stop: a program that hangs need not be waited for. Returns when
/// the other end of `idle` is gone.
fn stop_on_interrupt(pool: &Pool, interrupt: &Interrupt, idle: Receiver<()>) {
    while idle.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
        if interrupt.is_raised() {
            return pool.stop();
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

/// How often the program ran for a task.
#[derive(Debug, Default)]
struct Runs {
    /// To judge an input.
    first: AtomicU64,
    /// To judge one again.
    again: AtomicU64,
}

impl Runs {
    fn add(&self, execution: &Execution) {
        self.first.fetch_add(u64::from(!execution.is_confirmation), Ordering::Relaxed);
        self.again.fetch_add(u64::from(execution.examination.is_judged_again), Ordering::Relaxed);
    }
}

struct Runner<'a> {
    config: &'a Config,
    catalogue: &'a Catalogue,
    plan: &'a Plan,
    workshop: Workshop,
    interrupt: Interrupt,
    records: Mutex<HashMap<String, Record>>,
    events: Sender<Event>,
    unfit: AtomicU64,
}

impl Runner<'_> {
    fn record(&self, name: &str) -> Option<Record> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Does one task, and says how it ended.
    fn work(&self, index: usize) -> Ending {
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
                let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
                records.insert(task.name.clone(), record.clone());
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
            runs: runs.first.load(Ordering::Relaxed),
            judged_again: runs.again.load(Ordering::Relaxed),
        });
        ending
    }

    /// A recorder that has gone has raised the interrupt; its error comes out at the end.
    fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    fn subject_of(&self, task: &PlannedTask) -> Result<(&Manifest, &Bug), StageError> {
        let subject = self.catalogue.subject(&task.subject).map_err(StageError::failed)?;
        let bug = task.bug.as_deref().and_then(|name| subject.bug(name));
        Ok((subject, bug.ok_or_else(|| StageError::failed("the task is about no bug"))?))
    }

    /// How many tasks of the plan found only a part of what they should.
    fn half_done(&self) -> usize {
        let records = self.plan.tasks.iter().filter_map(|task| self.record(&task.name));
        records.filter(|record| record.failure().is_some()).count()
    }

    fn transformer(&self, task: &PlannedTask) -> Result<Box<dyn Transformer>, StageError> {
        let name = task.variant.transformer.as_deref().unwrap_or_default();
        self.workshop.transformer(name).map_err(StageError::Failed)
    }

    /// Specializes a grammar to an expression of the config.
    fn specialize_given(&self, task: &PlannedTask, name: &str, stopwatch: &Stopwatch) -> Done {
        let found = self.config.expressions.iter().find(|given| given.name == name);
        let GivenExpression { file, grammar, expression, .. } = found
            .ok_or_else(|| StageError::failed(format!("the config has no expression called `{name}`")))?;
        let transformer = self.transformer(task)?;
        let given = stage::Given { file, grammar, expression };
        stage::specialize(given, &*transformer, self.config.settings.counted, stopwatch)
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
        let bench =
            self.workshop.bench(subject, bug, self.policy(bug), observer).map_err(StageError::failed)?;
        let settings = &self.config.settings;
        let stream = Stream::derive(self.config.seed, &task.name);
        let named = |name: &Option<String>| name.clone().unwrap_or_default();
        let variant = &task.variant;
        match task.stage {
            Stage::Check => unreachable!("checks need no bench"),
            Stage::Reduce => stage::reduce(&bench, &named(&variant.reducer), settings, &self.interrupt),
            Stage::Generalize => {
                let reduced = self.reduced(task)?;
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
                let generalized = self.needed(task).find_map(|record| match record {
                    Record::Generalize(generalize) => Some(generalize),
                    _ => None,
                });
                let generalized = generalized.ok_or_else(|| {
                    StageError::failed("the generalization that the task needs is not there")
                })?;
                stage::instantiate(&bench, &generalized, settings, stream, &self.interrupt)
            }
            Stage::Specialize => {
                let expression = &self.expression(task, &bench)?;
                let file = subject.grammar.strip_prefix(&subject.folder).unwrap_or(&subject.grammar);
                let file = &file.display().to_string();
                let given = stage::Given { file, grammar: &bench.grammar, expression };
                stage::specialize(given, &*self.transformer(task)?, settings.counted, stopwatch)
            }
            Stage::Produce(side) => {
                self.has_grammar(task, side)?;
                let expression = self.expression(task, &bench)?;
                let transformer = self.transformer(task)?;
                let plug_ins = (&*transformer, &*named(&variant.producer));
                stage::produce(&bench, &expression, plug_ins, side, settings, stream, &self.interrupt)
            }
            Stage::Recognize(Source::Seen) => {
                let expression = self.expression(task, &bench)?;
                let earlier: Vec<Vec<Judged>> = self.needed(task).filter_map(judged_by).collect();
                let earlier: Vec<&[Judged]> = earlier.iter().map(Vec::as_slice).collect();
                stage::seen(&bench, &expression, &earlier, settings)
            }
            Stage::Recognize(Source::HeldOut) => {
                let expression = self.expression(task, &bench)?;
                stage::held_out(&bench, &expression, settings, stream, &self.interrupt)
            }
        }
    }

    /// Prepares a subject and looks whether a bug is fit for use.
    fn check(&self, subject: &Manifest, bug: &Bug) -> Done {
        let unfit = |reason: String| {
            if self.interrupt.is_raised() {
                return StageError::Interrupted;
            }
            self.unfit.fetch_add(1, Ordering::Relaxed);
            self.send(Event::SubjectUnfit {
                subject: subject.name.clone(),
                bug: Some(bug.name.clone()),
                reason: reason.clone(),
            });
            StageError::Failed(reason)
        };
        let (prepared, syntax) = self.workshop.subject(subject).map_err(unfit)?;
        syntax.parse(&format!("input of {}", bug.name), &bug.input).map_err(unfit)?;
        let broken = |error: OracleError| unfit(error.to_string());
        let mut findings: Vec<Finding> = prepared.check_version().map_err(broken)?.into_iter().collect();
        findings.extend(prepared.check_bug(bug).map_err(broken)?);
        let of_worker = match self.policy(bug).is_used {
            true => prepared.check_worker(bug).map_err(broken)?,
            false => Vec::new(),
        };
        let complaints: Vec<String> =
            findings.iter().filter(|finding| !finding.is_fit).map(Finding::statement).collect();
        if !complaints.is_empty() {
            return Err(unfit(complaints.join("; ")));
        }
        self.send(Event::SubjectFit {
            subject: subject.name.clone(),
            bug: Some(bug.name.clone()),
            version: subject.version.clone(),
            digest: prepared.digest(bug),
        });
        // Without its worker a bug is as good as ever, only slower.
        let findings = findings.iter().chain(&of_worker).map(|finding| store::Finding {
            bug: finding.bug.clone(),
            text: match finding.is_fit {
                true => finding.to_string(),
                false => format!("no worker is used: {}", finding.statement()),
            },
            holds: finding.is_fit,
        });
        Ok((Record::Check(store::Check { findings: findings.collect() }), 0))
    }

    /// Whether workers judge inputs of a bug: not where its check found that they cannot.
    fn policy(&self, bug: &Bug) -> Policy {
        let Settings { uses_workers, judged_again, .. } = self.config.settings;
        let is_check = |task: &&PlannedTask| {
            task.stage == Stage::Check && task.bug.as_deref() == Some(bug.name.as_str())
        };
        let check = self.plan.tasks.iter().find(is_check).and_then(|task| self.record(&task.name));
        let is_fit = match check {
            Some(Record::Check(check)) => check.findings.iter().all(|finding| finding.holds),
            _ => true,
        };
        Policy { is_used: uses_workers && is_fit, judged_again, seed: self.config.seed }
    }

    /// The records of the tasks that `task` needs.
    fn needed(&self, task: &PlannedTask) -> impl Iterator<Item = Record> {
        task.needs.iter().filter_map(|name| self.record(name))
    }

    fn reduced(&self, task: &PlannedTask) -> Result<Reduce, StageError> {
        let reduced = self.needed(task).find_map(|record| match record {
            Record::Reduce(reduce) => Some(reduce),
            _ => None,
        });
        reduced.ok_or_else(|| StageError::failed("the reduction that the task needs is not there"))
    }

    /// Whether the specialization before a task made the grammar of this side.
    fn has_grammar(&self, task: &PlannedTask, side: Side) -> Result<(), StageError> {
        let failed = self.needed(task).find_map(|record| match record {
            Record::Specialize(specialize) => specialize.side(side).clone().err(),
            _ => None,
        });
        failed.map_or(Ok(()), |reason| Err(StageError::Failed(reason)))
    }

    /// The expression that a task is about: given by hand, or found by the generalization behind it.
    fn expression(&self, task: &PlannedTask, bench: &Bench) -> Result<Arc<Expression>, StageError> {
        if let Some(given) = bench.given_expression() {
            return given.map_err(StageError::Failed);
        }
        let mut names: Vec<&str> = task.needs.iter().map(String::as_str).collect();
        while let Some(name) = names.pop() {
            if let Some(Record::Generalize(found)) = self.record(name) {
                return Ok(bench.expression_of(found.model));
            }
            let behind = self.plan.tasks.iter().find(|task| task.name == name);
            names.extend(behind.into_iter().flat_map(|task| task.needs.iter().map(String::as_str)));
        }
        Err(StageError::failed("the generalization that the task needs is not there"))
    }
}

fn judged_by(record: Record) -> Option<Vec<Judged>> {
    match record {
        Record::Reduce(reduce) => Some(reduce.judged),
        Record::Generalize(generalize) => Some(generalize.judged),
        _ => None,
    }
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
