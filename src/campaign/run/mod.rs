//! Runs a campaign: plans, opens the store, works, and leaves everything in the store.
//!
//! What was finished by an earlier run is not done again, and no input is executed twice. A task that
//! was under way when the run ended has left only its executions; it begins anew, and finds them in
//! the cache. So it does not matter when, or how, a run ends.
//!
//! `runner` does one task at a time, `fitness` those that look whether a bug is fit for use; `records` is
//! what the tasks have found, `second_view` what earlier runs have left in the store, and `runs` how often
//! the program ran for one of them.

mod fitness;
mod records;
mod runner;
mod runs;
mod second_view;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Diagnostics;
use crate::base::limits::Limits;
use crate::store::{
    Campaign, Event, Listener, Outcome, Recorder, Repeats, Stage, Store, StoreError, TaskId, TroubleRow,
};
use crate::subject::catalogue::Catalogue;
use crate::subject::confinement::Confinement;
use crate::subject::pool::{Pool, Settings as PoolSettings};

use super::config::Config;
use super::identity::identity;
use super::plan::Plan;
use super::schedule::{self, Ending};
use super::workshop::Workshop;
use records::Records;
use runner::Runner;
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
    let identity = identity(config, catalogue, &whole, options.confinement);
    let campaign = Campaign {
        config: text.to_owned(),
        identity,
        seed: config.seed,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        flaky: config.settings.flaky,
    };
    let store = Store::create_or_open(&path, &campaign)?;
    let places = plan.places();
    let mut finished: Vec<Option<TaskId>> = vec![None; plan.tasks.len()];
    for (name, id) in store.finished_tasks() {
        if let Some(&place) = places.get(name.as_str()) {
            finished[place] = Some(id);
        }
    }
    let settings =
        PoolSettings { workers: options.jobs, confinement: options.confinement, ..PoolSettings::default() };
    let pool = Arc::new(Pool::new(settings).map_err(CampaignError::Scratch)?);

    let recorder =
        Recorder::spawn(store, listeners, options.interrupt.clone()).map_err(CampaignError::Recorder)?;
    let events = recorder.sender();
    let _ = events.send(Event::CampaignBegun {
        title: config.title.clone(),
        seed: config.seed,
        jobs: options.jobs,
    });
    let name_of = |place: usize| plan.tasks[place].name.clone();
    let _ = events.send(Event::Planned {
        tasks: plan.tasks.as_slice().into(),
        finished: (0..finished.len()).filter(|&place| finished[place].is_some()).map(name_of).collect(),
    });
    let notes = events.clone();
    pool.tell(Box::new(move |text| {
        let _ = notes.send(Event::Note { text: text.to_owned() });
    }));
    let notes = events.clone();
    let second = Arc::new(SecondView::new(path, options.interrupt.clone()));
    let (records_view, oracles_view, oracle_events) =
        (Arc::clone(&second), Arc::clone(&second), events.clone());
    let measured = measured(plan, &finished);
    let workshop = Workshop::new(
        Arc::clone(&pool),
        config.external.clone(),
        Limits { interrupt: options.interrupt.clone(), ..Limits::of(config.settings.sizes) },
        Box::new(move |text| {
            let _ = notes.send(Event::Note { text: text.to_owned() });
        }),
        Box::new(move |bug, digest, now| {
            oracles_view.known(bug, digest, now, measured.contains(bug), &oracle_events)
        }),
    );
    let needs: schedule::Needs = plan.needs();
    let mut open: HashMap<&str, usize> = HashMap::new();
    for (task, finished) in plan.tasks.iter().zip(&finished) {
        if let (Some(bug), None) = (&task.bug, finished) {
            *open.entry(bug).or_default() += 1;
        }
    }
    let load = Box::new(move |task| records_view.record(task));
    let runner = Runner {
        config,
        catalogue,
        plan,
        workshop,
        interrupt: options.interrupt.clone(),
        records: Records::new(&plan.tasks, places, &needs, &finished, load),
        events: events.clone(),
        unfit: AtomicU64::new(0),
        half_done: AtomicU64::new(0),
        open: Mutex::new(open),
    };
    let done: Vec<Option<Ending>> = finished.iter().map(|id| id.map(|_| Ending::Done)).collect();
    let endings = thread::scope(|scope| {
        let (working, idle) = bounded::<()>(0);
        scope.spawn(|| stop_on_interrupt(&pool, &options.interrupt, idle));
        let _working = working;
        let work = |index| runner.work(index);
        let skip = |index, _| runner.close(index);
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
    let planned: HashSet<&str> = plan.tasks.iter().filter_map(|task| task.bug.as_deref()).collect();
    let disagrees = |trouble: &&TroubleRow| trouble.is_disagreement && planned.contains(&*trouble.bug);
    summary.disagreements = store.troubles()?.iter().filter(disagrees).count();
    let is_flaky = |(bug, repeats): &(&String, &Repeats)| {
        planned.contains(bug.as_str()) && repeats.are_flaky(config.settings.flaky)
    };
    summary.flaky = store.repeats()?.iter().filter(is_flaky).count();
    Ok((summary, store))
}

/// The bugs of which more is known than that they are fit for use.
fn measured(plan: &Plan, finished: &[Option<TaskId>]) -> HashSet<String> {
    let tasks = plan.tasks.iter().zip(finished);
    let measured = tasks.filter(|(task, id)| id.is_some() && task.stage != Stage::Check);
    measured.filter_map(|(task, _)| task.bug.clone()).collect()
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
