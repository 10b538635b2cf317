//! What the tasks of a campaign have found, in this run or an earlier one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::pattern::Expression;
use crate::store::{Generalize, Judged, PlannedTask, Record, Reduce, Side};

use super::super::bench::Bench;
use super::super::plan::Plan;
use super::super::stage::StageError;

/// What the tasks of a plan have found.
pub(super) struct Records<'a> {
    plan: &'a Plan,
    found: Mutex<HashMap<String, Record>>,
}

impl<'a> Records<'a> {
    /// The records of a plan, those that were `found` by the tasks of that name among them.
    pub(super) fn new(plan: &'a Plan, found: HashMap<String, Record>) -> Self {
        Self { plan, found: Mutex::new(found) }
    }

    /// Adds what the task called `name` found.
    pub(super) fn add(&self, name: &str, record: Record) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), record);
    }

    /// What the task called `name` found, if it did.
    pub(super) fn get(&self, name: &str) -> Option<Record> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// How many tasks of the plan found only a part of what they should.
    pub(super) fn half_done(&self) -> usize {
        let records = self.plan.tasks.iter().filter_map(|task| self.get(&task.name));
        records.filter(|record| record.failure().is_some()).count()
    }

    /// The records of the tasks that `task` needs.
    fn needed(&self, task: &PlannedTask) -> impl Iterator<Item = Record> {
        task.needs.iter().filter_map(|name| self.get(name))
    }

    /// The reduction that a task needs.
    pub(super) fn reduced(&self, task: &PlannedTask) -> Result<Reduce, StageError> {
        let reduced = self.needed(task).find_map(|record| match record {
            Record::Reduce(reduce) => Some(reduce),
            _ => None,
        });
        reduced.ok_or_else(|| is_missing("reduction"))
    }

    /// The generalization that a task needs.
    pub(super) fn generalized(&self, task: &PlannedTask) -> Result<Box<Generalize>, StageError> {
        let generalized = self.needed(task).find_map(|record| match record {
            Record::Generalize(generalize) => Some(generalize),
            _ => None,
        });
        generalized.ok_or_else(|| is_missing("generalization"))
    }

    /// What the tasks before a task judged on the way to its expression.
    pub(super) fn judged(&self, task: &PlannedTask) -> Vec<Vec<Judged>> {
        let judged = |record| match record {
            Record::Reduce(reduce) => Some(reduce.judged),
            Record::Generalize(generalize) => Some(generalize.judged),
            _ => None,
        };
        self.needed(task).filter_map(judged).collect()
    }

    /// Whether the specialization before a task made the grammar of this side.
    pub(super) fn has_grammar(&self, task: &PlannedTask, side: Side) -> Result<(), StageError> {
        let failed = self.needed(task).find_map(|record| match record {
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
            if let Some(Record::Generalize(found)) = self.get(name) {
                return Ok(bench.expression_of(found.model));
            }
            let behind = self.plan.tasks.iter().find(|task| task.name == name);
            names.extend(behind.into_iter().flat_map(|task| task.needs.iter().map(String::as_str)));
        }
        Err(is_missing("generalization"))
    }
}

fn is_missing(what: &str) -> StageError {
    StageError::failed(format!("the {what} that the task needs is not there"))
}
