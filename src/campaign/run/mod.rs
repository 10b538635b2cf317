//! Runs a campaign: plans, opens the store, works, and leaves everything in the store.
//!
//! What was finished by an earlier run is not done again, and no input is executed twice. A task that
//! was under way when the run ended has left only its executions; it begins anew, and finds them in
//! the cache. So it does not matter when, or how, a run ends.
//!
//! `work` has the threads that work, `runner` does one task at a time; `records` is what the tasks have found,
//! `second_view` what earlier runs have left in the store.

mod records;
mod runner;
mod second_view;
#[cfg(test)]
mod tests;
mod work;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Diagnostics;
use crate::base::program::ThisProgram;
use crate::store::{
    Campaign, CampaignOutcome, Event, Listener, PlannedTask, Recorder, Repeats, Store, StoreError, TaskId,
    TroubleRow,
};
use crate::subject::catalogue::Catalogue;
use crate::subject::confinement::Confinement;
use crate::subject::pool::{Pool, PoolSettings};

use super::config::Config;
use super::identity::identity;
use super::plan::Plan;
use super::provenance::{Called, ProvenanceWriter};
use second_view::SecondView;
use work::Work;

/// What the command line adds to a config.
pub struct Options {
    /// How the run was called, which is written down.
    pub called: Called,
    /// The number of tasks that run at once.
    pub jobs: usize,
    /// Where the store lies.
    pub folder: PathBuf,
    /// Whether the run is a shard, which will be merged with others: then its tables have the whole plan.
    pub is_shard: bool,
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
    pub outcome: CampaignOutcome,
    /// How many tasks failed, or could not run because one that they need failed.
    pub failed: usize,
    /// How many bugs are unfit for use.
    pub unfit: usize,
    /// How many inputs a worker judged differently from a fresh process, in this run or an earlier one.
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
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The config does not fit the subjects.
    #[error("{0}")]
    Subjects(Diagnostics),
}

/// Reads all subjects, if a bug takes part, and makes the plan of a campaign.
///
/// # Errors
/// Everything that is wrong with the subjects, unless the config names all its bugs and they are of others; and bugs
/// that it names and nobody has.
pub fn plan(config: &Config) -> Result<(Catalogue, Plan), Diagnostics> {
    let catalogue = match config.bugs.is_none() {
        true => Catalogue::default(),
        false => {
            let (catalogue, broken) = Catalogue::load_readable(&config.subject_folder)?;
            let bugs = catalogue.subjects().iter().flat_map(|subject| &subject.bugs);
            if !broken.0.is_empty() && !config.bugs.names_only(bugs.map(|bug| bug.name.as_str())) {
                return Err(broken);
            }
            let catalogue = catalogue.with_rule_set(config.settings.oracle.rule_set);
            catalogue.with_inflated(|bug| config.bugs.sizes_of(bug))
        }
    };
    let plan = Plan::new(config, &catalogue)?;
    Ok((catalogue, plan))
}

/// What is to be run. It is shared with the threads that work, which may be left behind when the user asks to stop.
#[derive(Clone)]
pub struct Given {
    /// The config.
    pub config: Arc<Config>,
    /// The subjects.
    pub catalogue: Arc<Catalogue>,
    /// The plan, or the part of it that is to be run.
    pub plan: Arc<Plan>,
    /// The whole plan.
    pub whole: Arc<Plan>,
}

/// Runs the tasks of the plan that are not finished yet. `text` is that of the config.
///
/// When the user asks to stop, this returns soon after, whatever the tasks do: one that does not end is left
/// behind, with a thread that works on until the process ends. Nothing of it is recorded.
///
/// # Errors
/// When the campaign cannot begin, or its store cannot be written.
pub fn run(
    given: &Given,
    text: &str,
    options: &Options,
    mut listeners: Vec<Box<dyn Listener + Send>>,
) -> Result<(Summary, Store), CampaignError> {
    let Given { config, catalogue, plan, whole } = given;
    let path = options.folder.join(Store::FILE_NAME);
    if options.fresh {
        Store::remove(&path)?;
    }
    let identity = identity(config, catalogue, options.confinement).map_err(CampaignError::Subjects)?;
    let campaign = Campaign {
        config: text.to_owned(),
        identity,
        seed: config.settings.seed,
        program: ThisProgram::get().to_string(),
        flaky: config.settings.oracle.flaky,
    };
    let store = Store::create_or_open(&path, &campaign)?;
    let finished = finished(plan, &store);
    let earlier: HashSet<String> = store.planned_tasks();
    let settings =
        PoolSettings { workers: options.jobs, confinement: options.confinement, ..PoolSettings::default() };
    let pool = Arc::new(Pool::new(settings).map_err(CampaignError::Scratch)?);

    listeners.push(Box::new(ProvenanceWriter::new(
        &options.folder,
        &campaign,
        (config, catalogue),
        &options.called,
        (options.jobs, options.fresh),
    )));
    let recorder =
        Recorder::spawn(store, listeners, options.interrupt.clone()).map_err(CampaignError::Thread)?;
    let events = recorder.sender();
    let names = plan.tasks().iter().zip(&finished).filter(|(_, id)| id.is_some());
    // What earlier runs planned stays in the tables when only a part of it is run again.
    let part: HashSet<&str> = plan.tasks().iter().map(|planned| planned.name.as_str()).collect();
    let is_shown = |name: &str| options.is_shard || part.contains(name) || earlier.contains(name);
    let shown = whole.tasks().iter().filter(|planned| is_shown(&planned.name));
    let tasks: Arc<[PlannedTask]> = shown.map(|planned| planned.task.planned(planned.name.clone())).collect();
    let _ = events.send(Event::Planned {
        left_out: tasks.len() - plan.tasks().len(),
        tasks,
        finished: names.map(|(planned, _)| planned.name.clone()).collect(),
    });
    let notes = events.clone();
    pool.set_notice_handler(Box::new(move |text| {
        let _ = notes.send(Event::Note { text: text.to_owned() });
    }));
    let second = Arc::new(SecondView::new(path, options.interrupt.clone()));
    let work = Work {
        given: given.clone(),
        jobs: options.jobs,
        interrupt: options.interrupt.clone(),
        finished,
        pool: Arc::clone(&pool),
        second: Arc::clone(&second),
        events: events.clone(),
    };
    let worked = work.until_interrupted().map_err(CampaignError::Thread)?;
    let outcome = worked.as_ref().map_or(CampaignOutcome::Interrupted, |worked| worked.outcome);
    let _ = events.send(Event::Ended { outcome });
    drop(pool);
    let store = recorder.finish()?;
    // Work that was left behind may be reading just now; then nothing is wrong yet.
    if let Some(error) = worked.as_ref().and_then(|_| second.error()) {
        return Err(error.into());
    }
    let (failed, unfit) = worked.map_or((0, 0), |worked| (worked.failed, worked.unfit));
    let planned: HashSet<&str> = plan.tasks().iter().map(|planned| planned.task.about().bug).collect();
    let disagrees = |trouble: &&TroubleRow| trouble.is_disagreement && planned.contains(&*trouble.bug);
    let is_flaky = |(bug, repeats): &(&String, &Repeats)| {
        planned.contains(bug.as_str()) && repeats.are_flaky(config.settings.oracle.flaky)
    };
    let summary = Summary {
        outcome,
        failed,
        unfit,
        disagreements: store.troubles()?.iter().filter(disagrees).count(),
        flaky: store.repeats()?.iter().filter(is_flaky).count(),
    };
    Ok((summary, store))
}

/// Where the store has what the tasks of the plan have found, if earlier runs have ended them.
fn finished(plan: &Plan, store: &Store) -> Vec<Option<TaskId>> {
    let known: FxHashMap<String, TaskId> = store.finished_tasks().into_iter().collect();
    plan.tasks().iter().map(|planned| known.get(&planned.name).copied()).collect()
}
