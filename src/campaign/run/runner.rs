//! Does one task of a campaign, and tells the recorder what came of it.

use std::collections::HashMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::channel::Sender;

use crate::base::budget::Interrupt;
use crate::stage::resources::{Resources, UnchangedProgram};
use crate::stage::runs::Runs;
use crate::stage::stopwatch::Stopwatch;
use crate::stage::{About, Context, ExpressionKey, Record, Settings, StageError, Task};
use crate::store::{Event, Stored};

use super::super::plan::{Plan, Planned};
use super::super::schedule::Ending;
use super::records::PlanRecords;

/// What came of a task: what it found, and how many executions that took.
type Done = Result<(Record, u64), StageError>;

/// What the tasks of a run have in common.
pub(super) struct Runner<'a> {
    pub(super) settings: &'a Settings,
    pub(super) plan: &'a Plan,
    pub(super) resources: Resources<'a>,
    pub(super) interrupt: Interrupt,
    pub(super) records: PlanRecords<'a>,
    pub(super) events: Sender<Event>,
    /// How many bugs were found unfit.
    pub(super) unfit: AtomicU64,
    /// How many tasks found only a part of what they should.
    pub(super) half_done: AtomicU64,
    /// How many tasks of each bug and of each expression have not ended.
    pub(super) open_bugs: Open<&'a str>,
    pub(super) open_expressions: Open<&'a ExpressionKey>,
}

/// How many tasks have not ended, by what they share.
pub(super) struct Open<K>(Mutex<HashMap<K, usize>>);

impl<K: Eq + Hash> Open<K> {
    pub(super) fn new(shared: impl Iterator<Item = K>) -> Self {
        let mut open: HashMap<K, usize> = HashMap::new();
        for key in shared {
            *open.entry(key).or_default() += 1;
        }
        Self(Mutex::new(open))
    }

    /// One more has ended. Whether it was the last.
    fn end(&self, key: &K) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = open.get_mut(key) else { return false };
        *left = left.saturating_sub(1);
        *left == 0
    }
}

impl Runner<'_> {
    /// Does one task, and says how it ended.
    pub(super) fn work(&self, place: usize) -> Ending {
        let Planned { task, name } = &self.plan.tasks()[place];
        let (stopwatch, runs) = (Stopwatch::start(), Arc::new(Runs::default()));
        let context = Context {
            settings: self.settings,
            resources: &self.resources,
            interrupt: &self.interrupt,
            stopwatch: &stopwatch,
            records: &self.records,
            events: &self.events,
            runs: &runs,
            name,
        };
        self.send(Event::TaskBegun { name: name.clone() });
        let done = guarded(|| task.run(&context));
        let done = self.confirm_program(task).and(done);
        // Since the user interrupted it, a limit may have been reached, and something left out, for that reason alone. So nothing of the
        // task is kept but its executions, which are not made again.
        if self.interrupt.is_raised() {
            return Ending::Interrupted;
        }
        let (result, executions) = match done {
            Err(StageError::Interrupted) => return Ending::Interrupted,
            Err(StageError::Failed(reason)) => (Err(reason), 0),
            Err(StageError::Unfit(reason)) => {
                self.unfit.fetch_add(1, Ordering::Relaxed);
                let about = task.about();
                self.send(Event::SubjectUnfit {
                    subject: about.subject.to_owned(),
                    bug: Some(about.bug.to_owned()),
                    grammar: about.grammar.to_owned(),
                    reason: reason.clone(),
                });
                (Err(reason), 0)
            }
            Ok((record, executions)) => {
                let stored = record.stored();
                // Before the end of the task, so that it is never remembered without.
                if let Some(text) = record.warning() {
                    self.send(Event::Warning { task: Some(name.clone()), text });
                }
                self.records.add(place, record);
                self.half_done.fetch_add(u64::from(stored.failure.is_some()), Ordering::Relaxed);
                (Ok(stored), executions)
            }
        };
        let ending = if result.is_ok() { Ending::Done } else { Ending::Failed };
        self.end(name, result, executions, &stopwatch, &runs);
        self.close(place);
        ending
    }

    fn end(
        &self,
        name: &str,
        result: Result<Stored, String>,
        executions: u64,
        stopwatch: &Stopwatch,
        runs: &Runs,
    ) {
        self.send(Event::TaskEnded {
            name: name.to_owned(),
            result,
            wall: stopwatch.elapsed(),
            executions,
            runs: runs.first(),
            judged_again: runs.again(),
        });
    }

    /// Makes sure that the program is still the one that was measured at first: if not, what a task found
    /// that ends now may be of another one.
    fn confirm_program(&self, task: &Task) -> Result<(), StageError> {
        let About { bug, .. } = task.about();
        if let Some(UnchangedProgram { oracle, fingerprint, number }) = self.resources.check_unchanged(bug)? {
            self.send(Event::FingerprintChecked { oracle, bug: bug.into(), fingerprint, number });
        }
        Ok(())
    }

    /// Nothing more is to come of a task: what only it needed is not kept.
    pub(super) fn close(&self, place: usize) {
        self.records.release(place);
        let task = &self.plan.tasks()[place].task;
        let About { bug, .. } = task.about();
        if self.open_bugs.end(&bug) {
            self.resources.release_bug(bug);
        }
        if let Some(expression) = task.expression()
            && self.open_expressions.end(&expression)
        {
            self.resources.release_expression(expression);
        }
    }

    /// A recorder that has gone has raised the interrupt; its error comes out at the end.
    fn send(&self, event: Event) {
        let _ = self.events.send(event);
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
