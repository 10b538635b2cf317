//! What the tables are made from: the plan with what its tasks found, in the order of the plan.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::base::share::Share;

use super::checksum::{Seal, Seals, check, check_part};
use super::error::StoreError;
use super::index::ORACLE_COLUMNS;
use super::store::Store;

/// A task of the plan, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTask {
    /// Its name.
    pub name: String,
    /// All that it is about, as its stage wrote it.
    pub key: String,
    /// What became of it.
    pub state: StoredState,
    /// What it cost; `None` as long as it has not ended.
    pub cost: Option<Cost>,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredState {
    /// It has not ended.
    NotRun,
    /// It ended with this record, as its stage wrote it.
    Done(String),
    /// It ended with this error.
    Failed(String),
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
    /// How many inputs a fresh process judged again.
    pub judged_again: u64,
}

/// A subject, or a bug of it, that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectRow {
    /// The subject.
    pub subject: String,
    /// The bug; `None` for the subject as a whole.
    pub bug: Option<String>,
    /// The name of the grammar; empty for the subject as a whole.
    pub grammar: String,
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
    /// The least number that says anything.
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
    pub fn tasks(&self) -> Result<Vec<StoredTask>, StoreError> {
        let (mut tasks, mut results) = (Seal::default(), Seal::default());
        let rows: Vec<Option<TaskColumns>> = self.doing("read", |connection| {
            let sql = format!(
                "SELECT {TASK_COLUMNS}, {RESULT_COLUMNS} FROM tasks LEFT JOIN results ON results.task = tasks.id
                 ORDER BY place"
            );
            connection
                .prepare(&sql)?
                .query_map([], |row| {
                    tasks.add(check_part("tasks", row, OF_TASK)?);
                    if row.get_ref("state")? != ValueRef::Null {
                        results.add(check_part("results", row, OF_RESULT)?);
                    }
                    let is_planned = row.get_ref("place")? != ValueRef::Null;
                    is_planned.then(|| TaskColumns::read(row)).transpose()
                })?
                .collect()
        })?;
        self.with_seals(|seals| {
            self.check_seal(seals, "tasks", tasks)?;
            self.check_seal(seals, "results", results)
        })?;
        rows.into_iter().flatten().map(|columns| self.task(columns)).collect()
    }

    fn task(&self, columns: TaskColumns) -> Result<StoredTask, StoreError> {
        let TaskColumns { name, key, has_ended, record, error, cost } = columns;
        let state = match has_ended {
            false => StoredState::NotRun,
            true => self.result(&name, record, error)?,
        };
        Ok(StoredTask { name, key, state, cost })
    }

    /// All subjects and bugs that were checked, by name; a subject stands before its bugs.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn subjects(&self) -> Result<Vec<SubjectRow>, StoreError> {
        let sql = "SELECT name, bug, grammar, version, digest, state, reason, sum FROM subjects \
                   ORDER BY name, bug, grammar";
        self.all_rows("subjects", sql, |row| {
            let state: String = row.get("state")?;
            Ok(SubjectRow {
                subject: row.get("name")?,
                bug: some(row.get("bug")?),
                grammar: row.get("grammar")?,
                version: row.get("version")?,
                digest: row.get("digest")?,
                unfit: if state == "unfit" { Some(row.get("reason")?) } else { None },
            })
        })
    }

    /// All warnings, by task and text; those about the campaign come first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn warnings(&self) -> Result<Vec<WarningRow>, StoreError> {
        self.all_rows("warnings", "SELECT task, text, sum FROM warnings ORDER BY task, text", |row| {
            Ok(WarningRow { task: some(row.get("task")?), text: row.get("text")? })
        })
    }

    /// How often inputs of each bug were judged twice, by bug.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn repeats(&self) -> Result<BTreeMap<String, Repeats>, StoreError> {
        let sql = format!("SELECT {ORACLE_COLUMNS} FROM oracles ORDER BY id");
        let rows: Vec<(String, i64, i64)> = self.all_rows("oracles", &sql, |row| {
            Ok((row.get("bug")?, row.get("repeats")?, row.get("disagreeing")?))
        })?;
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

/// The columns of a task in their order, then those of its result: as they are summed up.
pub(super) const TASK_COLUMNS: &str = "tasks.id, name, place, stage, bug, key, tasks.sum AS sum_of_task";
pub(super) const RESULT_COLUMNS: &str =
    "task, state, record, error, executions, runs, again, micros, results.sum AS sum_of_result";
pub(super) const OF_TASK: Range<usize> = 0..7;
pub(super) const OF_RESULT: Range<usize> = 7..16;

/// The columns of a task, as SQLite knows them.
struct TaskColumns {
    name: String,
    key: String,
    has_ended: bool,
    record: Option<String>,
    error: Option<String>,
    cost: Option<Cost>,
}

impl TaskColumns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |column| row.get::<_, Option<i64>>(column).map(|number| number.map(i64::cast_unsigned));
        let cost = match (number("executions")?, number("runs")?, number("again")?, number("micros")?) {
            (Some(executions), Some(runs), Some(judged_again), Some(micros)) => {
                Some(Cost { wall: Duration::from_micros(micros), executions, runs, judged_again })
            }
            _ => None,
        };
        Ok(Self {
            name: row.get("name")?,
            key: row.get("key")?,
            has_ended: row.get::<_, Option<String>>("state")?.is_some(),
            record: row.get("record")?,
            error: row.get("error")?,
            cost,
        })
    }
}
