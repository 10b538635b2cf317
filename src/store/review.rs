//! All inputs once more, task by task and execution by execution: for who shows them, not for who goes on with a
//! campaign.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::oracle::Verdict;

use super::checksum::{check, check_part};
use super::error::StoreError;
use super::index::{ORACLE_COLUMNS, evidences};
use super::judged::{decode, verdict_of};
use super::record::Judged;
use super::store::Store;
use super::write::SUPERSEDES;

/// What was seen of an input when it was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The bug.
    pub bug: &'a str,
    /// The input.
    pub input: &'a [u8],
    /// The verdict.
    pub verdict: Verdict,
    /// In words.
    pub evidence: &'a str,
    /// Whether it takes the place of what was said of the input before.
    pub supersedes: bool,
}

/// The columns of what a task had judged, in their order.
const OF_JUDGED: Range<usize> = 0..3;

/// The columns of an execution, in their order.
pub(super) const EXECUTION_COLUMNS: &str = "oracle, number, input, flags, evidence, micros, sum";

/// A row of `executions`.
pub(super) struct ExecutionRow<'r> {
    pub(super) number: u64,
    pub(super) input: &'r [u8],
    /// See the schema.
    pub(super) flags: i64,
    pub(super) evidence: &'r str,
}

impl<'r> ExecutionRow<'r> {
    /// Reads a row with all columns; `None` if what was seen is gone.
    pub(super) fn read(
        row: &'r Row<'_>,
        evidences: &'r HashMap<i64, String>,
    ) -> rusqlite::Result<Option<Self>> {
        check("executions", row)?;
        let evidence = match row.get_ref("evidence")? {
            ValueRef::Integer(number) => evidences.get(&number).map(String::as_str),
            text => Some(text.as_str()?),
        };
        let Some(evidence) = evidence else { return Ok(None) };
        Ok(Some(Self {
            number: row.get::<_, i64>("number")?.cast_unsigned(),
            input: row.get_ref("input")?.as_blob()?,
            flags: row.get("flags")?,
            evidence,
        }))
    }

    /// The verdict.
    pub(super) fn verdict(&self) -> Verdict {
        verdict_of(self.flags.cast_unsigned())
    }

    /// Whether the row has a flag.
    pub(super) fn has(&self, flag: i64) -> bool {
        self.flags & flag != 0
    }
}

impl Store {
    /// Hands to `take` the inputs of each task that had some judged, with its name; in no order of the tasks.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn each_judged(&self, mut take: impl FnMut(&str, Vec<Judged>)) -> Result<(), StoreError> {
        let mut is_whole = true;
        self.doing("read", |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT judged.task, inputs, judged.sum, tasks.name FROM judged JOIN tasks ON tasks.id = judged.task
                 WHERE tasks.place IS NOT NULL",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                check_part("judged", row, OF_JUDGED)?;
                match decode(row.get_ref("inputs")?.as_blob()?) {
                    Some(judged) => take(row.get_ref("name")?.as_str()?, judged),
                    None => is_whole = false,
                }
            }
            Ok(())
        })?;
        if is_whole { Ok(()) } else { Err(self.damaged("the inputs that a task met")) }
    }

    /// Hands to `take` what was seen in each execution, in the order in which the inputs of a bug were executed.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn each_execution(&self, mut take: impl FnMut(Seen<'_>)) -> Result<(), StoreError> {
        let sql = format!("SELECT {ORACLE_COLUMNS} FROM oracles ORDER BY id");
        let oracles: Vec<(i64, String)> =
            self.all_rows("oracles", &sql, |row| Ok((row.get("id")?, row.get("bug")?)))?;
        let mut is_whole = true;
        self.doing("read", |connection| {
            let evidences = evidences(connection)?;
            let sql = format!(
                "SELECT {EXECUTION_COLUMNS} FROM executions WHERE oracle = ?1 ORDER BY oracle, number"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            for (id, bug) in &oracles {
                let mut rows = statement.query([id])?;
                while let Some(row) = rows.next()? {
                    match ExecutionRow::read(row, &evidences)? {
                        None => is_whole = false,
                        Some(found) => take(Seen {
                            bug,
                            input: found.input,
                            verdict: found.verdict(),
                            evidence: found.evidence,
                            supersedes: found.has(SUPERSEDES),
                        }),
                    }
                }
            }
            Ok(())
        })?;
        if is_whole { Ok(()) } else { Err(self.damaged("what was seen of an input is gone")) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::super::{Event, Stored};
    use super::*;
    use crate::oracle::Verdict;

    #[test]
    fn all_inputs_come_back_and_damage_is_told() {
        let (_folder, mut store) = sample::store();
        let tasks = Event::Planned { tasks: sample::plan().into(), left_out: 0, finished: Vec::new() };
        store.apply(&tasks).unwrap();
        store.apply(&sample::execution("find-07b941b1", "find .", Verdict::Pass)).unwrap();
        store.apply(&sample::execution("find-c8491c11", "find -x", Verdict::Fail)).unwrap();
        let stored = Stored { judged: Some(sample::judged()), ..sample::stored("reduce") };
        store.apply(&sample::ended("find-07b941b1/reduce", Ok(stored))).unwrap();
        let mut seen: Vec<String> = Vec::new();
        let say =
            |seen: Seen<'_>| format!("{} {:?} {} {}", seen.bug, seen.input, seen.verdict, seen.evidence);
        store.each_execution(|found| seen.push(say(found))).unwrap();
        assert_eq!(
            seen,
            [
                format!("find-07b941b1 {:?} pass SIGSEGV", b"find ."),
                format!("find-c8491c11 {:?} fail SIGSEGV", b"find -x"),
            ]
        );
        let mut judged = Vec::new();
        store.each_judged(|task, inputs| judged.push((task.to_owned(), inputs))).unwrap();
        assert_eq!(judged, [("find-07b941b1/reduce".to_owned(), sample::judged().to_vec())]);
        store
            .connection
            .execute_batch("UPDATE judged SET inputs = x'00'; UPDATE executions SET flags = 1")
            .unwrap();
        assert!(store.each_judged(|_, _| {}).is_err());
        assert!(store.each_execution(|_| {}).is_err());
    }
}
