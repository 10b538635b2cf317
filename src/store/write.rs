//! How events are written to a store.
//!
//! Events are applied inside a transaction that [`Store::commit`] ends; the end of a task commits by
//! itself, so that a task is never remembered without the executions before it. In WAL mode with
//! `synchronous = NORMAL` a committed transaction survives the death of the process at any moment;
//! the loss of power may cost the last of them, which a later run does again.

use std::time::Duration;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashSet;

use crate::oracle::{Examination, Execution};

use super::checksum::{check, checksum, optional, put};
use super::error::StoreError;
use super::event::Event;
use super::index::{Index, TaskEntry};
use super::judged;
use super::record::Stored;
use super::resume::TaskId;
use super::rows::{OF_TASK, TASK_COLUMNS};
use super::store::Store;
use super::task::PlannedTask;
use super::trouble;

/// The flags of an execution, above its verdict; see the schema.
pub(super) const CONFIRMED: i64 = 4;
pub(super) const SUPERSEDES: i64 = 8;
pub(super) const REPEATED: i64 = 16;
pub(super) const AGREES: i64 = 32;

impl Store {
    /// Writes what `event` says, inside a transaction that [`Self::commit`] ends. The end of a task
    /// is committed before this returns, and everything before it.
    ///
    /// # Errors
    /// When the file cannot be written. The store must not be used any more then.
    ///
    /// # Panics
    /// When a task ends that was not planned.
    pub fn apply(&mut self, event: &Event) -> Result<(), StoreError> {
        match event {
            Event::Planned { tasks, .. } => {
                self.write(|connection, index| plan(connection, index, tasks))?;
                self.commit()
            }
            Event::SubjectFit { subject, bug, grammar, version, digest } => {
                self.write(|connection, index| {
                    let bug = bug.as_deref().unwrap_or("");
                    set_subject(connection, index, [subject, bug, grammar, version, digest, "fit", ""])
                })
            }
            Event::SubjectUnfit { subject, bug, grammar, reason } => self.write(|connection, index| {
                let bug = bug.as_deref().unwrap_or("");
                set_subject(connection, index, [subject, bug, grammar, "", "", "unfit", reason])
            }),
            Event::Executed { oracle, bug, execution } => {
                self.write(|connection, index| add_execution(connection, index, [oracle, bug], execution))
            }
            Event::FingerprintChecked { oracle, bug, fingerprint, number: up_to } => {
                self.write(|_, index| {
                    let entry = index.oracle(oracle, bug);
                    (entry.fingerprint, entry.trusted) = (fingerprint.clone(), number(*up_to));
                    Ok(())
                })
            }
            Event::Forgotten { oracle, after } => {
                self.write(|connection, index| forget(connection, index, oracle, number(*after)))
            }
            Event::TaskEnded { name, result, wall, executions, runs, judged_again } => {
                let numbers = [*executions, *runs, *judged_again, micros(*wall)].map(number);
                self.write(|connection, index| end_task(connection, index, name, result, numbers))?;
                self.commit()
            }
            Event::Warning { task, text } => self.write(|connection, index| {
                let columns = [task.as_deref().unwrap_or("").into(), text.as_str().into()];
                let sql = "INSERT OR IGNORE INTO warnings VALUES (?1, ?2, ?3)";
                if let (1, sum) = put(connection, sql, "warnings", &columns)? {
                    index.seals.change("warnings").add(sum);
                }
                Ok(())
            }),
            Event::TaskBegun { .. } | Event::Note { .. } | Event::Ended { .. } => Ok(()),
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
        self.write(|connection, index| {
            index.write(connection)?;
            connection.prepare_cached("COMMIT")?.execute([]).map(drop)
        })
    }

    /// Whether something was applied that is not permanent yet.
    pub fn is_pending(&self) -> bool {
        !self.connection.is_autocommit()
    }

    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection, &mut Index) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut index = self.index.take().unwrap_or_default();
        let written = self.doing("write", |connection| {
            if connection.is_autocommit() {
                connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            }
            work(connection, &mut index)
        });
        self.index = Some(index);
        written
    }
}

fn set_subject(connection: &Connection, index: &mut Index, columns: [&str; 7]) -> rusqlite::Result<()> {
    let before: Option<i64> = connection
        .prepare_cached("SELECT sum FROM subjects WHERE name = ?1 AND bug = ?2 AND grammar = ?3")?
        .query_row([columns[0], columns[1], columns[2]], |row| row.get(0))
        .optional()?;
    let sql = "INSERT OR REPLACE INTO subjects VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let (_, sum) = put(connection, sql, "subjects", &columns.map(ValueRef::from))?;
    let seal = index.seals.change("subjects");
    if let Some(before) = before {
        seal.remove(before);
    }
    seal.add(sum);
    Ok(())
}

/// The plan is what is in `tasks`; what other tasks found is kept, in case they are planned again. A task
/// that is there as it is planned is not written again.
fn plan(connection: &Connection, index: &mut Index, tasks: &[PlannedTask]) -> rusqlite::Result<()> {
    let planned: FxHashSet<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    let others: Vec<(String, TaskEntry)> = (index.tasks.iter())
        .filter(|(name, _)| !planned.contains(name.as_str()))
        .map(|(name, entry)| (name.clone(), *entry))
        .collect();
    for (name, entry) in others {
        index.seals.change("tasks").remove(entry.sum);
        if !entry.has_ended {
            connection.prepare_cached("DELETE FROM tasks WHERE id = ?1")?.execute([entry.id.0])?;
            index.tasks.remove(&name);
            continue;
        }
        let sum = unplan(connection, entry.id)?;
        index.seals.change("tasks").add(sum);
        index.tasks.insert(name, TaskEntry { sum, ..entry });
    }
    for (place, task) in tasks.iter().enumerate() {
        let before = index.tasks.get(&task.name).copied();
        let id = before.map_or(index.next_task, |entry| entry.id.0);
        let columns = [
            ValueRef::Integer(id),
            task.name.as_str().into(),
            ValueRef::Integer(place as i64),
            task.stage.into(),
            optional(task.bug.as_deref()),
            task.key.as_str().into(),
        ];
        if before.is_some_and(|entry| entry.sum == checksum("tasks", columns)) {
            continue;
        }
        let (_, sum) = put(connection, PUT_TASK, "tasks", &columns)?;
        let seal = index.seals.change("tasks");
        match before {
            Some(entry) => seal.remove(entry.sum),
            None => index.next_task += 1,
        }
        seal.add(sum);
        let entry =
            before.map_or(TaskEntry { id: TaskId(id), sum, is_done: false, has_ended: false }, |entry| {
                TaskEntry { sum, ..entry }
            });
        index.tasks.insert(task.name.clone(), entry);
    }
    Ok(())
}

const PUT_TASK: &str = "INSERT OR REPLACE INTO tasks
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

/// Takes a task out of the plan, and gives the checksum of its row.
fn unplan(connection: &Connection, id: TaskId) -> rusqlite::Result<i64> {
    let sql = format!("SELECT {TASK_COLUMNS} FROM tasks WHERE id = ?1");
    let columns: Vec<Value> = connection.prepare_cached(&sql)?.query_row([id.0], |row| {
        check("tasks", row)?;
        let place = row.as_ref().column_index("place")?;
        (0..OF_TASK.end - 1)
            .map(|column| if column == place { Ok(Value::Null) } else { row.get(column) })
            .collect()
    })?;
    let columns: Vec<ValueRef<'_>> = columns.iter().map(ValueRef::from).collect();
    Ok(put(connection, PUT_TASK, "tasks", &columns)?.1)
}

fn add_execution(
    connection: &Connection,
    index: &mut Index,
    [oracle, bug]: [&str; 2],
    execution: &Execution,
) -> rusqlite::Result<()> {
    let Examination { judgement, is_confirmed, .. } = &execution.examination;
    let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
    let flags = number(judged::verdict_number(judgement.verdict))
        | flag(*is_confirmed, CONFIRMED)
        | flag(execution.is_confirmation, SUPERSEDES)
        | flag(execution.repeat.is_some(), REPEATED)
        | flag(execution.repeat == Some(judgement.verdict), AGREES);
    let evidence = intern(connection, index, &judgement.evidence)?;
    let id = match index.oracles.get(oracle) {
        Some(entry) => entry.id,
        None => index.oracle(oracle, bug).id,
    };
    let columns = [
        ValueRef::Integer(id),
        ValueRef::Integer(number(execution.number)),
        ValueRef::Blob(&execution.input),
        ValueRef::Integer(flags),
        evidence.map_or((&*judgement.evidence).into(), ValueRef::Integer),
        ValueRef::Integer(number(micros(execution.duration))),
    ];
    let sql = "INSERT OR IGNORE INTO executions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let (count, _) = put(connection, sql, "executions", &columns)?;
    if count == 1 && execution.repeat.is_some() {
        let entry = index.oracle(oracle, bug);
        entry.repeats += 1;
        entry.disagreeing += i64::from(flags & AGREES == 0);
    }
    trouble::add(connection, &mut index.seals, id, execution)
}

/// The number of a text in the store; `None` when there are too many others.
pub(super) fn intern(
    connection: &Connection,
    index: &mut Index,
    text: &str,
) -> rusqlite::Result<Option<i64>> {
    if let Some(&number) = index.evidences.get(text) {
        return Ok(Some(number));
    }
    if index.evidences.len() >= MOST_EVIDENCES {
        return Ok(None);
    }
    let id = index.evidences.len() as i64 + 1;
    let columns = [ValueRef::Integer(id), text.into()];
    put(connection, "INSERT INTO evidences VALUES (?1, ?2, ?3)", "evidences", &columns)?;
    index.evidences.insert(text.to_owned(), id);
    Ok(Some(id))
}

/// The maximum number of texts that are interned; there are few unless programs print something else for each input.
const MOST_EVIDENCES: usize = 10_000;

/// Removes the executions of an oracle after one of them.
pub(super) fn forget(
    connection: &Connection,
    index: &mut Index,
    oracle: &str,
    after: i64,
) -> rusqlite::Result<()> {
    if !index.oracles.contains_key(oracle) {
        return Ok(());
    }
    let entry = index.oracle(oracle, "");
    let id = entry.id;
    connection.execute("DELETE FROM executions WHERE oracle = ?1 AND number > ?2", [id, after])?;
    let sql = "SELECT coalesce(sum(flags & ?2 <> 0), 0), coalesce(sum(flags & ?3 = ?2), 0)
               FROM executions WHERE oracle = ?1";
    (entry.repeats, entry.disagreeing) =
        connection.query_row(sql, [id, REPEATED, REPEATED | AGREES], |row| Ok((row.get(0)?, row.get(1)?)))?;
    trouble::forget(connection, &mut index.seals, id)
}

/// A task that failed and was tried again may end twice.
fn end_task(
    connection: &Connection,
    index: &mut Index,
    name: &str,
    result: &Result<Stored, String>,
    [executions, runs, again, micros]: [i64; 4],
) -> rusqlite::Result<()> {
    let task = index.tasks.get_mut(name);
    let task = task.unwrap_or_else(|| panic!("the task `{name}` is not in the plan"));
    let id = task.id.0;
    let (state, record, error) = match result {
        Ok(stored) if stored.failure.is_some() => ("half", Some(stored.json.as_str()), None),
        Ok(stored) => ("done", Some(stored.json.as_str()), None),
        Err(error) => ("failed", None, Some(error.as_str())),
    };
    let before: Option<i64> = connection
        .prepare_cached("SELECT sum FROM results WHERE task = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let columns = [
        ValueRef::Integer(id),
        state.into(),
        optional(record),
        optional(error),
        ValueRef::Integer(executions),
        ValueRef::Integer(runs),
        ValueRef::Integer(again),
        ValueRef::Integer(micros),
    ];
    let sql = "INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let (_, sum) = put(connection, sql, "results", &columns)?;
    (task.is_done, task.has_ended) = (state == "done", true);
    let seal = index.seals.change("results");
    if let Some(before) = before {
        seal.remove(before);
    }
    seal.add(sum);
    if let Some(met) = result.as_ref().ok().and_then(|stored| stored.judged.as_ref()) {
        let bytes = judged::encode(met);
        let columns = [ValueRef::Integer(id), ValueRef::Blob(&bytes)];
        put(connection, "INSERT OR REPLACE INTO judged VALUES (?1, ?2, ?3)", "judged", &columns)?;
    }
    Ok(())
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
