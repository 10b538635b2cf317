//! What the process that writes to a store knows of it, in place of indexes in the file: only one process
//! writes, and finds rows by their numbers.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::checksum::{Seal, Seals, check, check_part, put};
use super::error::StoreError;
use super::resume::TaskId;
use super::rows::{self, RESULT_COLUMNS, TASK_COLUMNS};
use super::store::Store;
use crate::base::fingerprint::Fingerprint;

/// What is in a store.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) seals: Seals,
    /// By name.
    pub(super) tasks: FxHashMap<String, TaskEntry>,
    /// The next task gets this number.
    pub(super) next_task: i64,
    /// By digest.
    pub(super) oracles: HashMap<String, OracleEntry>,
    /// The bugs of which something was found out before this process.
    pub(super) measured: HashSet<String>,
    /// The numbers of texts.
    pub(super) evidences: HashMap<String, i64>,
}

/// A task that is in the store.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskEntry {
    pub(super) id: TaskId,
    /// The checksum of what the plan says of it.
    pub(super) sum: i64,
    /// Whether it has ended, and found all that it should.
    pub(super) is_done: bool,
    /// Whether it has ended.
    pub(super) has_ended: bool,
}

/// An oracle that is in the store, or is to be.
#[derive(Debug, Default)]
pub(super) struct OracleEntry {
    pub(super) id: i64,
    pub(super) bug: String,
    pub(super) fingerprint: Fingerprint,
    pub(super) trusted: i64,
    pub(super) repeats: i64,
    pub(super) disagreeing: i64,
    /// The checksum of its row, if there is one.
    sum: Option<i64>,
    /// Whether its row is not as this.
    pub(super) is_changed: bool,
}

/// The columns of an oracle, in their order.
pub(super) const ORACLE_COLUMNS: &str =
    "id, digest, bug, outside, inside, trusted, repeats, disagreeing, sum";

impl Index {
    /// The oracle with this digest, which is added if it is new; it is about to be changed.
    pub(super) fn oracle(&mut self, digest: &str, bug: &str) -> &mut OracleEntry {
        if !self.oracles.contains_key(digest) {
            let id = self.oracles.len() as i64 + 1;
            let entry = OracleEntry { id, bug: bug.to_owned(), ..OracleEntry::default() };
            self.oracles.insert(digest.to_owned(), entry);
        }
        let entry = self.oracles.entry(digest.to_owned()).or_default();
        entry.is_changed = true;
        entry
    }

    /// Writes what has changed and stands for many events: once for each transaction.
    pub(super) fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        for (digest, entry) in self.oracles.iter_mut().filter(|(_, entry)| entry.is_changed) {
            let columns = [
                ValueRef::Integer(entry.id),
                digest.as_str().into(),
                entry.bug.as_str().into(),
                entry.fingerprint.outside.as_str().into(),
                entry.fingerprint.inside.as_str().into(),
                ValueRef::Integer(entry.trusted),
                ValueRef::Integer(entry.repeats),
                ValueRef::Integer(entry.disagreeing),
            ];
            let sql = "INSERT OR REPLACE INTO oracles VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            let (_, sum) = put(connection, sql, "oracles", &columns)?;
            let seal = self.seals.change("oracles");
            if let Some(before) = entry.sum.replace(sum) {
                seal.remove(before);
            }
            seal.add(sum);
            entry.is_changed = false;
        }
        self.seals.write(connection)
    }
}

impl Store {
    /// Reads all that the process must know that writes.
    pub(super) fn read_index(&self) -> Result<Index, StoreError> {
        let mut index = Index { next_task: 1, ..Index::default() };
        let (mut tasks, mut results, mut oracles) = (Seal::default(), Seal::default(), Seal::default());
        self.doing("read", |connection| {
            index.seals = Seals::read(connection)?;
            let sql = format!(
                "SELECT {TASK_COLUMNS}, {RESULT_COLUMNS} FROM tasks LEFT JOIN results ON results.task = tasks.id"
            );
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let sum = check_part("tasks", row, rows::OF_TASK)?;
                tasks.add(sum);
                let id: i64 = row.get("id")?;
                let state: Option<String> = row.get("state")?;
                if state.is_some() {
                    results.add(check_part("results", row, rows::OF_RESULT)?);
                }
                if let Some("done" | "half") = state.as_deref()
                    && let Some(bug) = row.get("bug")?
                {
                    index.measured.insert(bug);
                }
                let entry = TaskEntry {
                    id: TaskId(id),
                    sum,
                    is_done: state.as_deref() == Some("done"),
                    has_ended: state.is_some(),
                };
                index.tasks.insert(row.get("name")?, entry);
                index.next_task = index.next_task.max(id + 1);
            }
            let mut statement = connection.prepare(&format!("SELECT {ORACLE_COLUMNS} FROM oracles"))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let sum = check("oracles", row)?;
                oracles.add(sum);
                let entry = OracleEntry {
                    sum: Some(sum),
                    id: row.get("id")?,
                    bug: row.get("bug")?,
                    fingerprint: Fingerprint { outside: row.get("outside")?, inside: row.get("inside")? },
                    trusted: row.get("trusted")?,
                    repeats: row.get("repeats")?,
                    disagreeing: row.get("disagreeing")?,
                    is_changed: false,
                };
                index.oracles.insert(row.get("digest")?, entry);
            }
            for (number, text) in evidences(connection)? {
                index.evidences.insert(text, number);
            }
            Ok(())
        })?;
        for (table, seal) in [("tasks", tasks), ("results", results), ("oracles", oracles)] {
            self.check_seal(&index.seals, table, seal)?;
        }
        Ok(index)
    }
}

/// What was seen, by number.
pub(super) fn evidences(connection: &Connection) -> rusqlite::Result<HashMap<i64, String>> {
    let mut statement = connection.prepare("SELECT id, text, sum FROM evidences")?;
    let rows = statement.query_map([], |row| {
        check("evidences", row)?;
        Ok((row.get("id")?, row.get("text")?))
    })?;
    rows.collect()
}
