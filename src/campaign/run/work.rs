//! The threads that work on a campaign, and what becomes of them when the user asks to stop.
//!
//! Most work polls the user's switch often, or waits for a program that is ended then. Not all does: the tables
//! of a parser are made in one go, for instance. So the work has a thread of its own, which is left behind if it does not
//! end in time: what a task did that has not ended is worth nothing anyway, and whoever writes the tables
//! need not wait for it.

use std::collections::HashSet;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::super::plan::Plan;
use super::super::schedule::{self, Ending};
use super::Given;
use super::records::PlanRecords;
use super::runner::{Open, Runner};
use super::second_view::SecondView;
use crate::base::budget::Interrupt;
use crate::stage::resources::{Earlier, Resources};
use crate::stage::{CheckTask, Registered, Task};
use crate::store::{CampaignOutcome, Event, TaskId};
use crate::subject::pool::Pool;

/// How often the user's switch is polled.
const WATCH: Duration = Duration::from_millis(20);
/// How long work may take to end by itself after the user asked to stop.
const GRACE: Duration = Duration::from_millis(400);

/// All that the work needs.
pub(super) struct Work {
    pub(super) given: Given,
    /// The number of tasks that run at once.
    pub(super) jobs: usize,
    pub(super) interrupt: Interrupt,
    /// The tasks that earlier runs have done.
    pub(super) finished: Vec<Option<TaskId>>,
    pub(super) pool: Arc<Pool>,
    pub(super) second: Arc<SecondView>,
    pub(super) events: Sender<Event>,
}

/// What the work came to.
pub(super) struct Worked {
    /// Whether everything was done.
    pub(super) outcome: CampaignOutcome,
    /// How many tasks failed, could not run because one that they need failed, or found only a part.
    pub(super) failed: usize,
    /// How many bugs are unfit for use.
    pub(super) unfit: usize,
}

impl Work {
    /// Does the work; `None` when the user asked to stop and it did not end soon after. What runs is ended then.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn until_interrupted(self) -> io::Result<Option<Worked>> {
        let (pool, interrupt) = (Arc::clone(&self.pool), self.interrupt.clone());
        let (report, reports) = bounded(1);
        let thread = thread::Builder::new().name("campaign".into()).spawn(move || {
            let worked = self.work();
            let _ = report.send(worked);
        })?;
        match wait(&reports, &pool, &interrupt) {
            Waited::Done(worked) => Ok(Some(worked)),
            Waited::TimedOut => Ok(None),
            // A panic goes on here.
            Waited::Panicked => thread.join().map(|()| None).or_else(|panic| resume_unwind(panic)),
        }
    }

    fn work(self) -> Worked {
        let Self { given, jobs, interrupt, finished, pool, second, events } = self;
        let Given { config, catalogue, plan, whole: _ } = given;
        let (notes, oracle_events) = (events.clone(), events.clone());
        let oracles_view = Arc::clone(&second);
        let measured = measured(&plan, &finished);
        let known: Box<Earlier> = Box::new(move |bug, digest, now| {
            oracles_view.known(bug, digest, now, measured.contains(bug), &oracle_events)
        });
        let note = Box::new(move |text: &str| {
            let _ = notes.send(Event::Note { text: text.to_owned() });
        });
        let settings = &config.settings;
        let places = plan.places();
        let needs: schedule::Needs = plan.needs(&places);
        let load = Box::new(move |task: &Task, id| second.record(task, id));
        let unfinished = plan.tasks().iter().zip(&finished).filter(|(_, id)| id.is_none());
        let open = || unfinished.clone().map(|(planned, _)| &planned.task);
        let runner = Runner {
            settings,
            plan: &plan,
            resources: Resources::new(&catalogue, settings, pool, interrupt.clone(), note, known),
            interrupt: interrupt.clone(),
            records: PlanRecords::new(places, &needs, &finished, load),
            events,
            unfit: AtomicU64::new(0),
            half_done: AtomicU64::new(0),
            open_bugs: Open::new(open().map(|task| task.about().bug)),
            open_expressions: Open::new(open().filter_map(Task::expression)),
        };
        let done: Vec<Option<Ending>> = finished.iter().map(|id| id.map(|_| Ending::Done)).collect();
        let work = |place| runner.work(place);
        let skip = |place, _| runner.close(place);
        let endings = schedule::run(&needs, &done, jobs, &interrupt, work, skip);
        let complete = endings.iter().all(|ending| matches!(ending, Some(Ending::Done | Ending::Failed)));
        Worked {
            outcome: if complete { CampaignOutcome::Complete } else { CampaignOutcome::Interrupted },
            failed: endings.iter().filter(|ending| **ending == Some(Ending::Failed)).count()
                + runner.half_done.load(Ordering::Relaxed) as usize,
            unfit: runner.unfit.load(Ordering::Relaxed) as usize,
        }
    }
}

/// How waiting for the working thread ended.
enum Waited {
    /// It has done its work.
    Done(Worked),
    /// It has not ended in time.
    TimedOut,
    /// It has panicked.
    Panicked,
}

/// Waits for the end of the work. Ends what runs when the user asks to stop, since a program that hangs need not be waited
/// for, and then waits a moment longer.
fn wait(reports: &Receiver<Worked>, pool: &Pool, interrupt: &Interrupt) -> Waited {
    let mut time = WATCH;
    loop {
        match reports.recv_timeout(time) {
            Ok(worked) => return Waited::Done(worked),
            Err(RecvTimeoutError::Disconnected) => return Waited::Panicked,
            Err(RecvTimeoutError::Timeout) if time == GRACE => return Waited::TimedOut,
            Err(RecvTimeoutError::Timeout) if interrupt.is_raised() => {
                pool.stop();
                time = GRACE;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The bugs of which more is known than that they are fit for use.
fn measured(plan: &Plan, finished: &[Option<TaskId>]) -> HashSet<String> {
    let tasks = plan.tasks().iter().zip(finished).filter(|(_, id)| id.is_some());
    let measured = tasks.filter(|(planned, _)| CheckTask::of_task(&planned.task).is_none());
    measured.map(|(planned, _)| planned.task.about().bug.to_owned()).collect()
}
