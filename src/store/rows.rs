//! What the reports read: the plan with what its tasks found, in the order of the plan.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::base::share::Share;

use super::checksum::{Seal, Seals, check, check_part};
use super::error::StoreError;
use super::index::ORACLE_COLUMNS;
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

/// How often the inputs of a bug were judged twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// How many inputs.
    pub all: u64,
    /// Those of them whose two verdicts differ.
    pub disagreeing: u64,
}

impl Repeats {
    /// Fewer than so many say nothing.
    const LEAST: u64 = 20;

    /// Whether more than the share `limit` of them differ.
    pub fn are_flaky(&self, limit: Share) -> bool {
        self.all >= Self::LEAST && limit.is_exceeded_by(self.disagreeing, self.all)
    }
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

    /// The seals as they are now.
    fn with_seals<T>(&self, work: impl FnOnce(&Seals) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match &self.index {
            Some(index) => work(&index.seals),
            None => work(&self.doing("read", Seals::read)?),
        }
    }

    /// Whether `found`, which is that of the rows of `table` that were read, is its seal.
    pub(super) fn check_seal(&self, seals: &Seals, table: &str, found: Seal) -> Result<(), StoreError> {
        if found == seals.of(table) {
            return Ok(());
        }
        Err(self.damaged(format!("its table `{table}` has not the rows that were written")))
    }

    /// Reads all rows of `table`, with their checksums as the last column.
    pub(super) fn all_rows<T>(
        &self,
        table: &'static str,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut seal = Seal::default();
        let rows = self.doing("read", |connection| {
            connection
                .prepare(sql)?
                .query_map([], |row| {
                    seal.add(check(table, row)?);
                    read(row)
                })?
                .collect()
        })?;
        self.with_seals(|seals| self.check_seal(seals, table, seal))?;
        Ok(rows)
    }

    /// All tasks of the plan, in its order.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn tasks(&self) -> Result<Vec<TaskRow>, StoreError> {
        let (mut tasks, mut results) = (Seal::default(), Seal::default());
        let columns: Vec<Option<Columns>> = self.doing("read", |connection| {
            let sql = format!(
                "SELECT {TASK_COLUMNS}, {RESULT_COLUMNS} FROM tasks LEFT JOIN results ON results.task = tasks.id
                 ORDER BY place"
            );
            connection
                .prepare(&sql)?
                .query_map([], |row| {
                    tasks.add(check_part("tasks", row, OF_TASK)?);
                    if row.get_ref(STATE)? != ValueRef::Null {
                        results.add(check_part("results", row, OF_RESULT)?);
                    }
                    let is_planned = row.get_ref(PLACE)? != ValueRef::Null;
                    is_planned.then(|| Columns::read(row)).transpose()
                })?
                .collect()
        })?;
        self.with_seals(|seals| {
            self.check_seal(seals, "tasks", tasks)?;
            self.check_seal(seals, "results", results)
        })?;
        columns.into_iter().flatten().map(|columns| self.task(columns)).collect()
    }

    fn task(&self, columns: Columns) -> Result<TaskRow, StoreError> {
        let Columns { name, stage, needs, has_ended, record, error, .. } = columns;
        let state = match has_ended {
            false => TaskState::NotRun,
            true => match self.result(&name, record, error)? {
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

    /// All subjects and bugs that were checked, by name; a subject stands before its bugs.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn subjects(&self) -> Result<Vec<SubjectRow>, StoreError> {
        let sql = "SELECT name, bug, version, digest, state, reason, sum FROM subjects ORDER BY name, bug";
        self.all_rows("subjects", sql, |row| {
            let state: String = row.get(4)?;
            Ok(SubjectRow {
                subject: row.get(0)?,
                bug: some(row.get(1)?),
                version: row.get(2)?,
                digest: row.get(3)?,
                unfit: if state == "unfit" { Some(row.get(5)?) } else { None },
            })
        })
    }

    /// All warnings, by task and text; those about the campaign come first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn warnings(&self) -> Result<Vec<WarningRow>, StoreError> {
        self.all_rows("warnings", "SELECT task, text, sum FROM warnings ORDER BY task, text", |row| {
            Ok(WarningRow { task: some(row.get(0)?), text: row.get(1)? })
        })
    }

    /// How often inputs of each bug were judged twice, by bug.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn repeats(&self) -> Result<BTreeMap<String, Repeats>, StoreError> {
        let sql = format!("SELECT {ORACLE_COLUMNS} FROM oracles ORDER BY id");
        let rows: Vec<(String, i64, i64)> =
            self.all_rows("oracles", &sql, |row| Ok((row.get(2)?, row.get(6)?, row.get(7)?)))?;
        let mut repeats: BTreeMap<String, Repeats> = BTreeMap::new();
        for (bug, all, disagreeing) in rows {
            let of_bug = repeats.entry(bug).or_default();
            of_bug.all += all.cast_unsigned();
            of_bug.disagreeing += disagreeing.cast_unsigned();
        }
        Ok(repeats)
    }
}

/// In the store, "none" is the empty text where a column is part of a key.
fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// The columns of a task in their order, then those of its result.
pub(super) const TASK_COLUMNS: &str = "tasks.id, name, place, stage, subject, bug, expression, repetition, \
    reducer, generalizer, transformer, producer, version, reintroduced, needs, tasks.sum";
pub(super) const RESULT_COLUMNS: &str =
    "task, state, record, error, executions, runs, again, micros, results.sum";
/// Where they are, and where some of them are.
pub(super) const OF_TASK: Range<usize> = 0..16;
pub(super) const OF_RESULT: Range<usize> = 16..25;
pub(super) const PLACE: usize = 2;
pub(super) const BUG: usize = 5;
pub(super) const STATE: usize = 17;

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
    has_ended: bool,
    record: Option<String>,
    error: Option<String>,
    cost: Option<Cost>,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |index| row.get::<_, Option<i64>>(index).map(|number| number.map(i64::cast_unsigned));
        let cost = match (number(20)?, number(21)?, number(22)?, number(23)?) {
            (Some(executions), Some(runs), Some(judged_again), Some(micros)) => {
                Some(Cost { wall: Duration::from_micros(micros), executions, runs, judged_again })
            }
            _ => None,
        };
        Ok(Self {
            name: row.get(1)?,
            stage: row.get(3)?,
            subject: row.get(4)?,
            bug: row.get(5)?,
            expression: row.get(6)?,
            repetition: row.get(7)?,
            variant: Variant {
                reducer: row.get(8)?,
                generalizer: row.get(9)?,
                transformer: row.get(10)?,
                producer: row.get(11)?,
            },
            version: row.get(12)?,
            reintroduced: row.get(13)?,
            needs: row.get(14)?,
            has_ended: row.get::<_, Option<String>>(STATE)?.is_some(),
            record: row.get(18)?,
            error: row.get(19)?,
            cost,
        })
    }
}
