//! What the reports read: the plan with what its tasks found, in the order of the plan.

use std::time::Duration;

use rusqlite::Row;

use super::error::StoreError;
use super::record::Record;
use super::store::Store;
use super::task::{PlannedTask, Variant};

/// A task of the plan, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    /// What the plan says.
    pub planned: PlannedTask,
    /// What became of it.
    pub state: TaskState,
    /// What it cost; `None` as long as it has not ended.
    pub cost: Option<Cost>,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// It has not ended.
    NotRun,
    /// It ended with this record.
    Done(Record),
    /// It ended with this error.
    Failed(String),
}

impl TaskRow {
    /// What the task found, if it did.
    pub fn record(&self) -> Option<&Record> {
        match &self.state {
            TaskState::Done(record) => Some(record),
            TaskState::NotRun | TaskState::Failed(_) => None,
        }
    }
}

/// What a task cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How long it took.
    pub wall: Duration,
    /// Executions as the task counts them.
    pub executions: u64,
    /// Executions that really took place.
    pub runs: u64,
    /// How many inputs a process of its own judged again.
    pub judged_again: u64,
}

/// A subject, or a bug of it, that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectRow {
    /// The subject.
    pub subject: String,
    /// The bug; `None` for the subject as a whole.
    pub bug: Option<String>,
    /// The version that was seen; empty when unfit.
    pub version: String,
    /// The digest of everything that goes into it; empty when unfit.
    pub digest: String,
    /// Why it cannot be used, if so.
    pub unfit: Option<String>,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarningRow {
    /// The task that it is about; `None` for the campaign.
    pub task: Option<String>,
    /// What.
    pub text: String,
}

impl Store {
    /// Lets `work` read this store as it is at one moment, though a run may write to it meanwhile.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn at_one_moment<T>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.is_pending() {
            return work(self);
        }
        let error = |source| StoreError::database(self.path(), "read", source);
        let transaction = self.connection.unchecked_transaction().map_err(error)?;
        let found = work(self)?;
        transaction.finish().map_err(error)?;
        Ok(found)
    }

    /// All tasks of the plan, in its order.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn tasks(&self) -> Result<Vec<TaskRow>, StoreError> {
        let columns = self.doing("read", |connection| {
            connection
                .prepare(
                    "SELECT name, stage, subject, bug, repetition, reducer, generalizer, transformer, producer,
                            version, reintroduced, needs, state, record, error, executions, runs, micros,
                            expression, again
                     FROM tasks WHERE place IS NOT NULL ORDER BY place",
                )?
                .query_map([], Columns::read)?
                .collect::<Result<Vec<_>, _>>()
        })?;
        columns.into_iter().map(|columns| self.task(columns)).collect()
    }

    fn task(&self, columns: Columns) -> Result<TaskRow, StoreError> {
        let Columns { name, stage, needs, state, record, error, .. } = columns;
        let state = match state.as_str() {
            "planned" => TaskState::NotRun,
            _ => match self.result(&name, record, error)? {
                Ok(record) => TaskState::Done(record),
                Err(error) => TaskState::Failed(error),
            },
        };
        let planned = PlannedTask {
            stage: stage.parse().map_err(|error: String| self.damaged(error))?,
            needs: serde_json::from_str(&needs)
                .map_err(|error| self.damaged(format!("what the task `{name}` needs: {error}")))?,
            name,
            subject: columns.subject,
            bug: columns.bug,
            expression: columns.expression,
            repetition: columns.repetition,
            variant: columns.variant,
            version: columns.version,
            reintroduced: columns.reintroduced,
        };
        Ok(TaskRow { planned, state, cost: columns.cost })
    }

    /// All subjects and bugs of the plan that were checked, by name; a subject stands before its bugs.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn subjects(&self) -> Result<Vec<SubjectRow>, StoreError> {
        self.doing("read", |connection| {
            connection
                .prepare(
                    "SELECT name, bug, version, digest, state, reason FROM subjects WHERE EXISTS
                        (SELECT * FROM tasks WHERE place IS NOT NULL AND tasks.subject = subjects.name
                                                   AND subjects.bug IN ('', tasks.bug))
                     ORDER BY name, bug",
                )?
                .query_map([], |row| {
                    let state: String = row.get(4)?;
                    Ok(SubjectRow {
                        subject: row.get(0)?,
                        bug: some(row.get(1)?),
                        version: row.get(2)?,
                        digest: row.get(3)?,
                        unfit: if state == "unfit" { Some(row.get(5)?) } else { None },
                    })
                })?
                .collect()
        })
    }

    /// All warnings, by task and text; those about the campaign come first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn warnings(&self) -> Result<Vec<WarningRow>, StoreError> {
        self.doing("read", |connection| {
            connection
                .prepare("SELECT task, text FROM warnings ORDER BY task, text")?
                .query_map([], |row| Ok(WarningRow { task: some(row.get(0)?), text: row.get(1)? }))?
                .collect()
        })
    }
}

/// In the store, "none" is the empty text where a column is part of a key.
fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// The columns of a task, as SQLite knows them.
struct Columns {
    name: String,
    stage: String,
    subject: String,
    bug: Option<String>,
    expression: Option<String>,
    repetition: u32,
    variant: Variant,
    version: String,
    reintroduced: bool,
    needs: String,
    state: String,
    record: Option<String>,
    error: Option<String>,
    cost: Option<Cost>,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |index| row.get::<_, Option<i64>>(index).map(|number| number.map(i64::cast_unsigned));
        let cost = match (number(15)?, number(16)?, number(17)?, number(19)?) {
            (Some(executions), Some(runs), Some(micros), Some(judged_again)) => {
                Some(Cost { wall: Duration::from_micros(micros), executions, runs, judged_again })
            }
            _ => None,
        };
        Ok(Self {
            name: row.get(0)?,
            stage: row.get(1)?,
            subject: row.get(2)?,
            bug: row.get(3)?,
            expression: row.get(18)?,
            repetition: row.get(4)?,
            variant: Variant {
                reducer: row.get(5)?,
                generalizer: row.get(6)?,
                transformer: row.get(7)?,
                producer: row.get(8)?,
            },
            version: row.get(9)?,
            reintroduced: row.get(10)?,
            needs: row.get(11)?,
            state: row.get(12)?,
            record: row.get(13)?,
            error: row.get(14)?,
            cost,
        })
    }
}
