//! The threads that work on a campaign, and what becomes of them when the user asks to stop.
//!
//! Most work looks at the user's switch often, or waits for a program that is ended then. Not all does: the tables
//! of a parser are made in one go, for instance. So the work has a thread of its own, which is left behind if it does not
//! end in time: what a task did that has not ended is worth nothing anyway, and whoever writes the tables
//! need not wait for it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::super::plan::Plan;
use super::super::schedule::{self, Ending};
use super::super::workshop::Workshop;
use super::Given;
use super::records::Records;
use super::runner::Runner;
use super::second_view::SecondView;
use crate::base::budget::Interrupt;
use crate::store::{Event, Outcome, Stage, TaskId};
use crate::subject::pool::Pool;

/// How often the user's switch is looked at.
const WATCH: Duration = Duration::from_millis(20);
/// So long after the user asked to stop, work may still end by itself.
const GRACE: Duration = Duration::from_millis(400);

/// All that the work needs.
pub(super) struct Work {
    pub(super) given: Given,
    /// So many tasks run at once.
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
    pub(super) outcome: Outcome,
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
        let (tell, told) = bounded(1);
        let thread = thread::Builder::new().name("campaign".into()).spawn(move || {
            let worked = self.work();
            let _ = tell.send(worked);
        })?;
        match wait(&told, &pool, &interrupt) {
            Told::Worked(worked) => Ok(Some(worked)),
            Told::Nothing => Ok(None),
            // A panic goes on here.
            Told::Gone => thread.join().map(|()| None).or_else(|panic| resume_unwind(panic)),
        }
    }

    fn work(self) -> Worked {
        let Self { given, jobs, interrupt, finished, pool, second, events } = self;
        let Given { config, catalogue, plan } = given;
        let (notes, oracle_events) = (events.clone(), events.clone());
        let oracles_view = Arc::clone(&second);
        let measured = measured(&plan, &finished);
        let workshop = Workshop::new(
            pool,
            config.external.clone(),
            interrupt.clone(),
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
        let load = Box::new(move |task| second.record(task));
        let runner = Runner {
            config: &config,
            catalogue: &catalogue,
            plan: &plan,
            workshop,
            interrupt: interrupt.clone(),
            records: Records::new(&plan.tasks, plan.places(), &needs, &finished, load),
            events,
            unfit: AtomicU64::new(0),
            half_done: AtomicU64::new(0),
            open: Mutex::new(open),
        };
        let done: Vec<Option<Ending>> = finished.iter().map(|id| id.map(|_| Ending::Done)).collect();
        let work = |index| runner.work(index);
        let skip = |index, _| runner.close(index);
        let endings = schedule::run(&needs, &done, jobs, &interrupt, work, skip);
        let complete = endings.iter().all(|ending| matches!(ending, Some(Ending::Done | Ending::Failed)));
        Worked {
            outcome: if complete { Outcome::Complete } else { Outcome::Interrupted },
            failed: endings.iter().filter(|ending| **ending == Some(Ending::Failed)).count()
                + runner.half_done.load(Ordering::Relaxed) as usize,
            unfit: runner.unfit.load(Ordering::Relaxed) as usize,
        }
    }
}

/// What is heard from the thread that works.
enum Told {
    /// That it has done its work.
    Worked(Worked),
    /// Nothing in time.
    Nothing,
    /// Nothing, and it has ended.
    Gone,
}

/// Waits for the end of the work. Ends what runs when the user asks to stop, since a program that hangs need not be waited
/// for, and then waits a moment longer.
fn wait(told: &Receiver<Worked>, pool: &Pool, interrupt: &Interrupt) -> Told {
    let mut time = WATCH;
    loop {
        match told.recv_timeout(time) {
            Ok(worked) => return Told::Worked(worked),
            Err(RecvTimeoutError::Disconnected) => return Told::Gone,
            Err(RecvTimeoutError::Timeout) if time == GRACE => return Told::Nothing,
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
    let tasks = plan.tasks.iter().zip(finished);
    let measured = tasks.filter(|(task, id)| id.is_some() && task.stage != Stage::Check);
    measured.filter_map(|(task, _)| task.bug.clone()).collect()
}
