//! Runs a campaign: plans, opens the store, works, and leaves everything in the store.
//!
//! What was finished by an earlier run is not done again, and no input is executed twice. A task that
//! was under way when the run ended has left only its executions; it begins anew, and finds them in
//! the cache. So it does not matter when, or how, a run ends.
//!
//! `runner` does one task at a time, `fitness` those that look whether a bug is fit for use; `records` is
//! what the tasks have found, and `runs` how often the program ran for one of them.

mod fitness;
mod records;
mod runner;
mod runs;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Diagnostics;
use crate::store::{Campaign, Event, Listener, Outcome, Record, Recorder, Store, StoreError};
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
    };
    let store = Store::create_or_open(&path, &campaign)?;
    let finished: HashMap<String, Record> = (store.finished_tasks()?.into_iter())
        .filter_map(|task| Some((task.name, task.result.ok()?)))
        .filter(|(_, record)| record.failure().is_none())
        .collect();
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
    pool.tell(Box::new(move |text| {
        let _ = notes.send(Event::Note { text: text.to_owned() });
    }));
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
        records: Records::new(plan, finished),
        events: events.clone(),
        unfit: AtomicU64::new(0),
    };
    let needs: schedule::Needs = (0..plan.tasks.len()).map(|index| plan.needs(index)).collect();
    let done: Vec<Option<Ending>> =
        plan.tasks.iter().map(|task| runner.records.get(&task.name).map(|_| Ending::Done)).collect();
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
        failed: endings.iter().filter(|ending| **ending == Some(Ending::Failed)).count()
            + runner.records.half_done(),
        unfit: runner.unfit.load(Ordering::Relaxed) as usize,
        disagreements: 0,
    };
    let _ = events.send(Event::Ended { outcome: summary.outcome });
    // The pool tells what does not hold of the sandbox, and so can send events too.
    drop((runner, pool));
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
