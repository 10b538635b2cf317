//! What the tasks of a campaign have found, in this run or an earlier one.
//!
//! A record is in memory only as long as a task that is to come builds upon it; what an earlier run found
//! is read when it is wanted.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::stage::context::Records;
use crate::stage::{Record, StageError, Task};
use crate::store::TaskId;

/// Reads what a task of an earlier run found.
pub(super) type Load = dyn Fn(&Task, TaskId) -> Result<Option<Record>, StageError> + Send + Sync;

/// What the tasks of a plan have found.
pub(super) struct PlanRecords<'a> {
    places: FxHashMap<&'a Task, usize>,
    needs: &'a [Vec<usize>],
    load: Box<Load>,
    entries: Mutex<Vec<Entry>>,
}

#[derive(Default)]
struct Entry {
    record: Option<Record>,
    /// Where it is in the store, if an earlier run found it.
    stored: Option<TaskId>,
    /// How many tasks that are to come build upon it, directly or not.
    users: usize,
}

impl<'a> PlanRecords<'a> {
    /// The records of a plan: where its tasks are, and how they need each other. Those that are `finished` can be read with `load`.
    pub(super) fn new(
        places: FxHashMap<&'a Task, usize>,
        needs: &'a [Vec<usize>],
        finished: &[Option<TaskId>],
        load: Box<Load>,
    ) -> Self {
        let entry = |&stored: &Option<TaskId>| Entry { stored, ..Entry::default() };
        let mut entries: Vec<Entry> = finished.iter().map(entry).collect();
        for task in (0..needs.len()).filter(|&task| finished[task].is_none()) {
            for used in used_by(needs, task) {
                entries[used].users += 1;
            }
        }
        Self { places, needs, load, entries: Mutex::new(entries) }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what the task at `place` found.
    pub(super) fn add(&self, place: usize, record: Record) {
        let entry = &mut self.entries()[place];
        entry.record = (entry.users > 0).then_some(record);
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
}

impl Records for PlanRecords<'_> {
    fn record(&self, task: &Task) -> Result<Option<Record>, StageError> {
        let Some(&place) = self.places.get(task) else { return Ok(None) };
        let stored = match &self.entries()[place] {
            Entry { record: Some(record), .. } => return Ok(Some(record.clone())),
            Entry { stored, .. } => *stored,
        };
        let Some(stored) = stored else { return Ok(None) };
        let record = (self.load)(task, stored)?;
        let entry = &mut self.entries()[place];
        if entry.users > 0 {
            entry.record.clone_from(&record);
        }
        Ok(record)
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
