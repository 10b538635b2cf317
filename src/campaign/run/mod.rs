//! Runs a campaign: plans, opens the store, works, and leaves everything in the store.
//!
//! What was finished by an earlier run is not done again, and no input is executed twice. A task that
//! was under way when the run ended has left only its executions; it begins anew, and finds them in
//! the cache. So it does not matter when, or how, a run ends.
//!
//! `runner` does one task at a time; `records` is what the tasks have found, `second_view` what earlier runs
//! have left in the store.

mod records;
mod runner;
mod second_view;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use rustc_hash::FxHashMap;

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Diagnostics;
use crate::stage::resources::{Earlier, Resources};
use crate::stage::{CheckTask, Registered, Task};
use crate::store::{
    Campaign, Event, Listener, Outcome, Recorder, Repeats, Store, StoreError, TaskId, TroubleRow,
};
use crate::subject::catalogue::Catalogue;
use crate::subject::confinement::Confinement;
use crate::subject::pool::{Pool, Settings as PoolSettings};

use super::config::Config;
use super::identity::identity;
use super::plan::Plan;
use super::schedule::{self, Ending};
use records::PlanRecords;
use runner::{Open, Runner};
use second_view::SecondView;

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
    /// How programs are confined.
    pub confinement: Confinement,
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
    /// How many bugs are flaky: the program does not always say the same of the same input.
    pub flaky: usize,
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
        false => Catalogue::load(&config.subject_folder)?.with_reading(config.settings.oracle.reading),
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
    let identity = identity(config, catalogue, &whole, options.confinement);
    let campaign = Campaign {
        config: text.to_owned(),
        identity,
        seed: config.settings.seed,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        flaky: config.settings.oracle.flaky,
    };
    let store = Store::create_or_open(&path, &campaign)?;
    let finished = finished(plan, &store);
    let settings =
        PoolSettings { workers: options.jobs, confinement: options.confinement, ..PoolSettings::default() };
    let pool = Arc::new(Pool::new(settings).map_err(CampaignError::Scratch)?);

    let recorder =
        Recorder::spawn(store, listeners, options.interrupt.clone()).map_err(CampaignError::Recorder)?;
    let events = recorder.sender();
    let _ = events.send(Event::CampaignBegun {
        title: config.title.clone(),
        seed: config.settings.seed,
        jobs: options.jobs,
    });
    let is_finished = finished.iter().map(Option::is_some);
    let names = plan.tasks().iter().zip(is_finished).filter(|(_, is_finished)| *is_finished);
    let _ = events.send(Event::Planned {
        tasks: plan.tasks().iter().map(|planned| planned.task.planned(planned.name.clone())).collect(),
        finished: names.map(|(planned, _)| planned.name.clone()).collect(),
    });
    let note = |events: &Sender<Event>| {
        let events = events.clone();
        Box::new(move |text: &str| {
            let _ = events.send(Event::Note { text: text.to_owned() });
        })
    };
    pool.tell(note(&events));
    let second = Arc::new(SecondView::new(path, options.interrupt.clone()));
    let (records_view, oracles_view, oracle_events) =
        (Arc::clone(&second), Arc::clone(&second), events.clone());
    let measured = measured(plan, &finished);
    let known: Box<Earlier> = Box::new(move |bug, digest, now| {
        oracles_view.known(bug, digest, now, measured.contains(bug), &oracle_events)
    });
    let resources = Resources::new(
        catalogue,
        &config.settings,
        Arc::clone(&pool),
        options.interrupt.clone(),
        note(&events),
        known,
    );
    let needs: schedule::Needs = plan.needs(&plan.places());
    let open =
        || plan.tasks().iter().zip(&finished).filter(|(_, id)| id.is_none()).map(|(task, _)| &task.task);
    let runner = Runner {
        settings: &config.settings,
        plan,
        resources,
        interrupt: options.interrupt.clone(),
        records: PlanRecords::new(
            plan,
            &needs,
            &finished,
            Box::new(move |task, id| records_view.record(task, id)),
        ),
        events: events.clone(),
        unfit: AtomicU64::new(0),
        half_done: AtomicU64::new(0),
        open_bugs: Open::new(open().map(|task| task.about().bug)),
        open_expressions: Open::new(open().filter_map(Task::expression)),
    };
    let done: Vec<Option<Ending>> = finished.iter().map(|id| id.map(|_| Ending::Done)).collect();
    let endings = thread::scope(|scope| {
        let (working, idle) = bounded::<()>(0);
        scope.spawn(|| stop_on_interrupt(&pool, &options.interrupt, idle));
        let _working = working;
        let work = |place| runner.work(place);
        let skip = |place, _| runner.close(place);
        schedule::run(&needs, &done, options.jobs, &options.interrupt, work, skip)
    });
    let complete = endings.iter().all(|ending| matches!(ending, Some(Ending::Done | Ending::Failed)));
    let mut summary = Summary {
        outcome: if complete { Outcome::Complete } else { Outcome::Interrupted },
        failed: endings.iter().filter(|ending| **ending == Some(Ending::Failed)).count()
            + runner.half_done.load(Ordering::Relaxed) as usize,
        unfit: runner.unfit.load(Ordering::Relaxed) as usize,
        disagreements: 0,
        flaky: 0,
    };
    let _ = events.send(Event::Ended { outcome: summary.outcome });
    // The pool tells what does not hold of the sandbox, and so can send events too.
    drop((runner, pool));
    drop(events);
    let store = recorder.finish()?;
    if let Some(error) = second.error() {
        return Err(error.into());
    }
    let planned: HashSet<&str> = plan.tasks().iter().map(|planned| planned.task.about().bug).collect();
    let disagrees = |trouble: &&TroubleRow| trouble.is_disagreement && planned.contains(&*trouble.bug);
    summary.disagreements = store.troubles()?.iter().filter(disagrees).count();
    let is_flaky = |(bug, repeats): &(&String, &Repeats)| {
        planned.contains(bug.as_str()) && repeats.are_flaky(config.settings.oracle.flaky)
    };
    summary.flaky = store.repeats()?.iter().filter(is_flaky).count();
    Ok((summary, store))
}

/// Where the store has what the tasks of the plan have found, if earlier runs have ended them.
fn finished(plan: &Plan, store: &Store) -> Vec<Option<TaskId>> {
    let known: FxHashMap<String, TaskId> = store.finished_tasks().into_iter().collect();
    plan.tasks().iter().map(|planned| known.get(&planned.name).copied()).collect()
}

/// The bugs of which more is known than that they are fit for use.
fn measured(plan: &Plan, finished: &[Option<TaskId>]) -> HashSet<String> {
    let tasks = plan.tasks().iter().zip(finished).filter(|(_, id)| id.is_some());
    let measured = tasks.filter(|(planned, _)| CheckTask::of_task(&planned.task).is_none());
    measured.map(|(planned, _)| planned.task.about().bug.to_owned()).collect()
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
