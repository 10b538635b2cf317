//! What the tasks of a campaign have found, in this run or an earlier one.
//!
//! A record is in memory only as long as a task that is to come builds upon it; what an earlier run found
//! is read when it is wanted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::pattern::Expression;
use crate::store::{Generalize, Judged, PlannedTask, Record, Reduce, Side, Stage, TaskId};

use super::super::bench::Bench;
use super::super::plan::Places;
use super::super::stage::StageError;

/// Reads what a task of an earlier run found.
pub(super) type Load = dyn Fn(TaskId) -> Result<Option<Record>, String> + Send + Sync;

/// What the tasks of a plan have found.
pub(super) struct Records<'a> {
    tasks: &'a [PlannedTask],
    places: Places<'a>,
    needs: &'a [Vec<usize>],
    /// Where the check of each bug is.
    checks: HashMap<&'a str, usize>,
    load: Box<Load>,
    entries: Mutex<Vec<Entry>>,
}

#[derive(Default)]
struct Entry {
    record: Option<Arc<Record>>,
    /// Where it is in the store, if an earlier run found it.
    stored: Option<TaskId>,
    /// How many tasks that are to come build upon it, directly or not.
    users: usize,
}

impl<'a> Records<'a> {
    /// The records of tasks that need each other so. Those that are `finished` can be read with `load`.
    pub(super) fn new(
        tasks: &'a [PlannedTask],
        places: Places<'a>,
        needs: &'a [Vec<usize>],
        finished: &[Option<TaskId>],
        load: Box<Load>,
    ) -> Self {
        let entry = |&stored: &Option<TaskId>| Entry { stored, ..Entry::default() };
        let mut entries: Vec<Entry> = finished.iter().map(entry).collect();
        for task in (0..tasks.len()).filter(|&task| finished[task].is_none()) {
            for used in used_by(needs, task) {
                entries[used].users += 1;
            }
        }
        let is_check = |(_, task): &(usize, &PlannedTask)| task.stage == Stage::Check;
        let of_bug = |(place, task): (usize, &'a PlannedTask)| Some((task.bug.as_deref()?, place));
        let checks = tasks.iter().enumerate().filter(is_check).filter_map(of_bug).collect();
        Self { tasks, places, needs, checks, load, entries: Mutex::new(entries) }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what the task at `place` found.
    pub(super) fn add(&self, place: usize, record: Record) {
        let entry = &mut self.entries()[place];
        entry.record = (entry.users > 0).then(|| Arc::new(record));
    }

    /// The task at `place` has ended or will never begin: what only it built upon is not kept.
    pub(super) fn release(&self, place: usize) {
        let mut entries = self.entries();
        for used in used_by(self.needs, place) {
            let entry = &mut entries[used];
            entry.users = entry.users.saturating_sub(1);
            if entry.users == 0 {
                entry.record = None;
            }
        }
    }

    /// What the task at `place` found, if it did.
    fn at(&self, place: usize) -> Result<Option<Arc<Record>>, StageError> {
        let stored = match &self.entries()[place] {
            Entry { record: Some(record), .. } => return Ok(Some(Arc::clone(record))),
            Entry { stored, .. } => *stored,
        };
        let Some(stored) = stored else { return Ok(None) };
        let record = (self.load)(stored).map_err(StageError::Failed)?.map(Arc::new);
        let entry = &mut self.entries()[place];
        if entry.users > 0 {
            entry.record.clone_from(&record);
        }
        Ok(record)
    }

    /// What the task called `name` found, if it did.
    fn get(&self, name: &str) -> Result<Option<Arc<Record>>, StageError> {
        self.places.get(name).map_or(Ok(None), |&place| self.at(place))
    }

    /// What the check of a bug found, if it did.
    pub(super) fn check(&self, bug: &str) -> Result<Option<Arc<Record>>, StageError> {
        self.checks.get(bug).map_or(Ok(None), |&place| self.at(place))
    }

    /// The records of the tasks that `task` needs.
    fn needed(&self, task: &PlannedTask) -> Result<Vec<Arc<Record>>, StageError> {
        let records = task.needs.iter().map(|name| self.get(name));
        Ok(records.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The reduction that a task needs.
    pub(super) fn reduced(&self, task: &PlannedTask) -> Result<Reduce, StageError> {
        let needed = self.needed(task)?;
        let reduced = needed.iter().find_map(|record| record.as_reduce());
        reduced.cloned().ok_or_else(|| is_missing("reduction"))
    }

    /// The generalization that a task needs.
    pub(super) fn generalized(&self, task: &PlannedTask) -> Result<Generalize, StageError> {
        let needed = self.needed(task)?;
        let generalized = needed.iter().find_map(|record| record.as_generalize());
        generalized.cloned().ok_or_else(|| is_missing("generalization"))
    }

    /// What the tasks before a task judged on the way to its expression.
    pub(super) fn judged(&self, task: &PlannedTask) -> Result<Vec<Vec<Judged>>, StageError> {
        Ok(self.needed(task)?.iter().filter_map(|record| record.judged().cloned()).collect())
    }

    /// Whether the specialization before a task made the grammar of this side.
    pub(super) fn has_grammar(&self, task: &PlannedTask, side: Side) -> Result<(), StageError> {
        let failed = self.needed(task)?.iter().find_map(|record| match &**record {
            Record::Specialize(specialize) => specialize.side(side).clone().err(),
            _ => None,
        });
        failed.map_or(Ok(()), |reason| Err(StageError::Failed(reason)))
    }

    /// The expression that a task is about: given by hand, or found by the generalization behind it.
    pub(super) fn expression(
        &self,
        task: &PlannedTask,
        bench: &Bench,
    ) -> Result<Arc<Expression>, StageError> {
        if let Some(given) = bench.given_expression() {
            return given.map_err(StageError::Failed);
        }
        let mut names: Vec<&str> = task.needs.iter().map(String::as_str).collect();
        while let Some(name) = names.pop() {
            let Some(&place) = self.places.get(name) else { continue };
            let behind = &self.tasks[place];
            if behind.stage == Stage::Generalize
                && let Some(record) = self.at(place)?
                && let Some(found) = record.as_generalize()
            {
                return Ok(bench.expression_of(found.model.clone()));
            }
            names.extend(behind.needs.iter().map(String::as_str));
        }
        Err(is_missing("generalization"))
    }
}

/// The tasks that a task builds upon, directly or not, each once.
fn used_by(needs: &[Vec<usize>], task: usize) -> Vec<usize> {
    let mut used: Vec<usize> = needs[task].clone();
    let mut next = 0;
    while let Some(&behind) = used.get(next) {
        for &need in &needs[behind] {
            if !used.contains(&need) {
                used.push(need);
            }
        }
        next += 1;
    }
    used
}

fn is_missing(what: &str) -> StageError {
    StageError::failed(format!("the {what} that the task needs is not there"))
}
