//! How events are written to a store.
//!
//! Events are applied inside a transaction that [`Store::commit`] ends; the end of a task commits by
//! itself, so that a task is never remembered without the executions before it. In WAL mode with
//! `synchronous = NORMAL` a committed transaction survives the death of the process at any moment;
//! the loss of power may cost the last of them, which a later run does again.

use std::time::Duration;

use rusqlite::{Connection, params};

use crate::oracle::{Examination, Execution};

use super::error::StoreError;
use super::event::Event;
use super::record::Record;
use super::store::Store;
use super::task::PlannedTask;
use super::trouble;

impl Store {
    /// Writes what `event` says, inside a transaction that [`Self::commit`] ends. The end of a task
    /// is committed before this returns, and everything before it.
    ///
    /// # Errors
    /// When the file cannot be written. The store must not be used any more then.
    ///
    /// # Panics
    /// When a task ends that was not planned, or with a record of another stage.
    pub fn apply(&mut self, event: &Event) -> Result<(), StoreError> {
        match event {
            Event::Planned { tasks, .. } => {
                self.write(|connection| plan(connection, tasks))?;
                self.commit()
            }
            Event::SubjectFit { subject, bug, version, digest } => self.write(|connection| {
                set_subject(connection, [subject, bug.as_deref().unwrap_or(""), version, digest, "fit", ""])
            }),
            Event::SubjectUnfit { subject, bug, reason } => self.write(|connection| {
                set_subject(connection, [subject, bug.as_deref().unwrap_or(""), "", "", "unfit", reason])
            }),
            Event::Executed { oracle, bug, execution } => {
                self.write(|connection| add_execution(connection, oracle, bug, execution))
            }
            Event::TaskEnded { name, result, wall, executions, runs, judged_again } => {
                let numbers = [*executions, *runs, *judged_again, micros(*wall)].map(number);
                let changed = self.write(|connection| end_task(connection, name, result, numbers))?;
                assert_eq!(changed, 1, "the task `{name}` is not in the plan, or is of another stage");
                self.commit()
            }
            Event::Warning { task, text } => self.write(|connection| {
                connection
                    .prepare_cached("INSERT OR IGNORE INTO warnings VALUES (?1, ?2)")?
                    .execute([task.as_deref().unwrap_or(""), text])
                    .map(drop)
            }),
            Event::CampaignBegun { .. }
            | Event::TaskBegun { .. }
            | Event::Note { .. }
            | Event::Ended { .. } => Ok(()),
        }
    }

    /// Makes all that was applied permanent.
    ///
    /// # Errors
    /// When the file cannot be written. The store must not be used any more then.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.doing("write", |connection| connection.prepare_cached("COMMIT")?.execute([]).map(drop))
    }

    /// Whether something was applied that is not permanent yet.
    pub fn is_pending(&self) -> bool {
        !self.connection.is_autocommit()
    }

    fn write<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.doing("write", |connection| {
            if connection.is_autocommit() {
                connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            }
            work(connection)
        })
    }
}

fn set_subject(connection: &Connection, columns: [&str; 6]) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO subjects VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(columns)
        .map(drop)
}

/// The plan is what is in `tasks`; what other tasks found is kept, in case they are planned again.
fn plan(connection: &Connection, tasks: &[PlannedTask]) -> rusqlite::Result<()> {
    connection.execute("UPDATE tasks SET place = NULL", [])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO tasks (name, place, stage, subject, bug, repetition, reducer, generalizer, transformer,
                            producer, version, reintroduced, needs, expression)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (name) DO UPDATE SET
            place = ?2, stage = ?3, subject = ?4, bug = ?5, repetition = ?6, reducer = ?7, generalizer = ?8,
            transformer = ?9, producer = ?10, version = ?11, reintroduced = ?12, needs = ?13,
            expression = ?14",
    )?;
    for (place, task) in tasks.iter().enumerate() {
        insert.execute(params![
            task.name,
            place as i64,
            task.stage.as_str(),
            task.subject,
            task.bug,
            task.repetition,
            task.variant.reducer,
            task.variant.generalizer,
            task.variant.transformer,
            task.variant.producer,
            task.version,
            task.reintroduced,
            to_json(&task.needs),
            task.expression,
        ])?;
    }
    connection.execute("DELETE FROM tasks WHERE place IS NULL AND state = 'planned'", []).map(drop)
}

fn add_execution(
    connection: &Connection,
    oracle: &str,
    bug: &str,
    execution: &Execution,
) -> rusqlite::Result<()> {
    let Examination { judgement, is_sure, .. } = &execution.examination;
    let arguments = params![
        oracle,
        execution.input,
        judgement.verdict.as_str(),
        judgement.evidence,
        is_sure,
        number(micros(execution.duration)),
    ];
    if execution.is_confirmation {
        connection
            .prepare_cached(
                "UPDATE executions SET verdict = ?3, evidence = ?4, sure = 1
                 WHERE oracle = (SELECT id FROM oracles WHERE digest = ?1) AND input = ?2",
            )?
            .execute(&arguments[..4])?;
        return trouble::add(connection, oracle, execution);
    }
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO executions
         SELECT id, ?2, ?3, ?4, ?5, ?6 FROM oracles WHERE digest = ?1",
    )?;
    // Nothing changes when the input is known already, or when the oracle is new.
    if insert.execute(arguments)? == 0
        && connection
            .prepare_cached("INSERT OR IGNORE INTO oracles (digest, bug) VALUES (?1, ?2)")?
            .execute([oracle, bug])?
            == 1
    {
        insert.execute(arguments)?;
    }
    trouble::add(connection, oracle, execution)
}

/// Says how many tasks were changed. A task that failed and was tried again may end twice.
fn end_task(
    connection: &Connection,
    name: &str,
    result: &Result<Box<Record>, String>,
    [executions, runs, again, micros]: [i64; 4],
) -> rusqlite::Result<usize> {
    let (state, stage, record, error) = match result {
        Ok(record) => ("done", Some(record.stage().as_str()), Some(to_json(record)), None),
        Err(error) => ("failed", None, None, Some(error)),
    };
    connection
        .prepare_cached(
            "UPDATE tasks SET state = ?2, record = ?4, error = ?5, executions = ?6, runs = ?7, micros = ?8,
                              again = ?9
             WHERE name = ?1 AND stage = coalesce(?3, stage)",
        )?
        .execute(params![name, state, stage, record, error, executions, runs, micros, again])
}

fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("records and lists of names have string keys only")
}

/// SQLite has no unsigned numbers; ours never come near the limit.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let (_folder, mut store) = sample::store();
        store.connection.pragma_update(None, "max_page_count", 20).unwrap();
        let error = (0..10_000)
            .find_map(|index| {
                let event = sample::execution("bug", &format!("{index:0>200}"), crate::oracle::Verdict::Pass);
                store.apply(&event).and_then(|()| store.commit()).err()
            })
            .unwrap()
            .to_string();
        assert!(error.contains(Store::FILE_NAME) && error.contains("make room"), "{error}");
    }

    #[test]
    #[should_panic(expected = "`nobody` is not in the plan")]
    fn a_task_that_was_not_planned_cannot_end() {
        let (_folder, mut store) = sample::store();
        let (result, wall) = (Err(String::new()), Duration::ZERO);
        let _ = store.apply(&Event::TaskEnded {
            name: "nobody".into(),
            result,
            wall,
            executions: 0,
            runs: 0,
            judged_again: 0,
        });
    }
}
