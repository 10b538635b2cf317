//! Puts together what stores of one campaign know, such as those of the shards of a run.
//!
//! Of each bug, what was executed is taken from one of the stores, that which got furthest: executions are numbered in the
//! order in which they took place, which is another one in each store. What tasks found is the same in all of them, so
//! it is taken from wherever it is. So it does not matter how often a store is merged, or what else holds the same.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rusqlite::params_from_iter;
use rusqlite::types::{Value, ValueRef};

use crate::base::fingerprint::Fingerprint;

use super::checksum::{check, put};
use super::error::StoreError;
use super::event::Event;
use super::index::{ORACLE_COLUMNS, evidences};
use super::record::Stored;
use super::rows::{RESULT_COLUMNS, StoredTask, SubjectRow, WarningRow};
use super::store::Store;
use super::write::{forget, intern};

/// The number of executions that are read at once: a store may have more of them than fit into memory.
const ROWS: i64 = 10_000;

/// A task that has ended.
struct Ended {
    id: i64,
    name: String,
    bug: String,
    /// Whether it found all that it should.
    is_done: bool,
}

/// Merges `sources`, which are of the campaign of `into` and planned the same tasks, into it. What it knows already is kept.
///
/// # Errors
/// When a file cannot be read or written.
pub fn merge(into: &mut Store, sources: &[Store]) -> Result<(), StoreError> {
    let planned = into.ended()?;
    let mut known: BTreeSet<String> =
        planned.iter().filter(|task| task.is_done).map(|task| task.name.clone()).collect();
    let mut own: BTreeMap<String, usize> = BTreeMap::new();
    for task in planned {
        *own.entry(task.bug).or_default() += usize::from(task.is_done);
    }
    let ended = sources.iter().map(Store::ended).collect::<Result<Vec<_>, _>>()?;
    // Which store got furthest with a bug; the first of several.
    let mut furthest: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (place, tasks) in ended.iter().enumerate() {
        let mut done: BTreeMap<&str, usize> = BTreeMap::new();
        for task in tasks {
            *done.entry(&task.bug).or_default() += usize::from(task.is_done);
        }
        for (bug, done) in done {
            let best = furthest.entry(bug).or_insert((done, place));
            if done > best.0 {
                *best = (done, place);
            }
        }
    }
    for (place, source) in sources.iter().enumerate() {
        let is_chosen = |bug: &str| {
            let got_here = furthest.get(bug).filter(|(_, best)| *best == place);
            got_here.is_some_and(|(done, _)| own.get(bug).is_none_or(|own| own < done))
        };
        into.take_subjects(source)?;
        for oracle in source.oracle_rows()? {
            if is_chosen(&oracle.bug) {
                into.take_oracle(source, &oracle)?;
            }
        }
    }
    // Those of the campaign are under an empty name.
    let mut warnings: Vec<BTreeMap<String, Vec<String>>> = Vec::new();
    for source in sources {
        let mut of_source: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for WarningRow { task, text } in source.warnings()? {
            of_source.entry(task.unwrap_or_default()).or_default().push(text);
        }
        for text in of_source.remove("").into_iter().flatten() {
            into.apply(&Event::Warning { task: None, text })?;
        }
        warnings.push(of_source);
    }
    for is_first in [true, false] {
        for (place, tasks) in ended.iter().enumerate() {
            for task in tasks {
                let is_chosen = furthest.get(task.bug.as_str()).is_some_and(|(_, best)| *best == place);
                if is_chosen == is_first && (task.is_done || is_first) && !known.contains(&task.name) {
                    // Before its end, which makes them permanent.
                    for text in warnings[place].get(task.name.as_str()).into_iter().flatten() {
                        let text = text.clone();
                        into.apply(&Event::Warning { task: Some(task.name.clone()), text })?;
                    }
                    into.apply(&sources[place].end_of(task)?)?;
                    if task.is_done {
                        known.insert(task.name.clone());
                    }
                }
            }
        }
    }
    into.commit()
}

/// An oracle, as a store has it.
struct OracleRow {
    id: i64,
    digest: String,
    bug: String,
    fingerprint: Fingerprint,
    numbers: [i64; 3],
}

impl Store {
    /// The names and keys of the tasks that are planned, in order: stores can be merged when these are the same.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn plan(&self) -> Result<Vec<(String, String)>, StoreError> {
        Ok(self.tasks()?.into_iter().map(|StoredTask { name, key, .. }| (name, key)).collect())
    }

    /// The tasks of the plan that have ended, in its order.
    fn ended(&self) -> Result<Vec<Ended>, StoreError> {
        self.doing("read", |connection| {
            let sql = "SELECT id, name, bug, state FROM tasks JOIN results ON task = id
                       WHERE place IS NOT NULL ORDER BY place";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(Ended {
                    id: row.get("id")?,
                    name: row.get("name")?,
                    bug: row.get::<_, Option<String>>("bug")?.unwrap_or_default(),
                    is_done: row.get::<_, String>("state")? == "done",
                })
            })?;
            rows.collect()
        })
    }

    /// The end of a task, as the event that it was. Its rows are verified.
    fn end_of(&self, task: &Ended) -> Result<Event, StoreError> {
        let judged = self.judged_by(task.id)?;
        self.doing("read", |connection| {
            let sql = format!("SELECT {RESULT_COLUMNS} FROM results WHERE task = ?1");
            connection.prepare_cached(&sql)?.query_row([task.id], |row| {
                check("results", row)?;
                let number = |column: &str| row.get::<_, i64>(column).map(i64::cast_unsigned);
                let is_half = row.get::<_, String>("state")? == "half";
                let result = match row.get::<_, Option<String>>("record")? {
                    Some(json) => Ok(Stored {
                        json,
                        judged: judged.map(Into::into),
                        failure: is_half.then(String::new),
                    }),
                    None => Err(row.get::<_, Option<String>>("error")?.unwrap_or_default()),
                };
                Ok(Event::TaskEnded {
                    name: task.name.clone(),
                    result,
                    wall: Duration::from_micros(number("micros")?),
                    executions: number("executions")?,
                    runs: number("runs")?,
                    judged_again: number("again")?,
                })
            })
        })
    }

    fn oracle_rows(&self) -> Result<Vec<OracleRow>, StoreError> {
        self.all_rows("oracles", &format!("SELECT {ORACLE_COLUMNS} FROM oracles ORDER BY id"), |row| {
            Ok(OracleRow {
                id: row.get("id")?,
                digest: row.get("digest")?,
                bug: row.get("bug")?,
                fingerprint: Fingerprint { outside: row.get("outside")?, inside: row.get("inside")? },
                numbers: [row.get("trusted")?, row.get("repeats")?, row.get("disagreeing")?],
            })
        })
    }

    /// Takes over which subjects are fit; one that is fit anywhere is.
    fn take_subjects(&mut self, source: &Self) -> Result<(), StoreError> {
        let known = self.subjects()?;
        for row in source.subjects()? {
            let is_it = |known: &&SubjectRow| {
                known.subject == row.subject && known.bug == row.bug && known.grammar == row.grammar
            };
            let known = known.iter().find(is_it);
            let event = match row.unfit {
                Some(reason) if known.is_none() => {
                    Event::SubjectUnfit { subject: row.subject, bug: row.bug, grammar: row.grammar, reason }
                }
                None if known.is_none_or(|known| known.unfit.is_some()) => Event::SubjectFit {
                    subject: row.subject,
                    bug: row.bug,
                    grammar: row.grammar,
                    version: row.version,
                    digest: row.digest,
                },
                _ => continue,
            };
            self.apply(&event)?;
        }
        Ok(())
    }

    /// Takes over what an oracle of `source` said.
    fn take_oracle(&mut self, source: &Self, oracle: &OracleRow) -> Result<(), StoreError> {
        let texts = source.doing("read", evidences)?;
        let id = self.write(|connection, index| {
            // What an earlier merge took from a store that had not got so far.
            forget(connection, index, &oracle.digest, 0)?;
            let entry = index.oracle(&oracle.digest, &oracle.bug);
            entry.fingerprint = oracle.fingerprint.clone();
            [entry.trusted, entry.repeats, entry.disagreeing] = oracle.numbers;
            Ok(entry.id)
        })?;
        let mut after = -1;
        loop {
            let executions = source.part(
                "SELECT oracle, number, input, flags, evidence, micros, sum FROM executions
                 WHERE oracle = ?1 AND number > ?2 ORDER BY oracle, number LIMIT ?3",
                "executions",
                [oracle.id, after, ROWS],
            )?;
            let Some(&[_, Value::Integer(last), ..]) = executions.last().map(Vec::as_slice) else { break };
            after = last;
            self.write(|connection, index| {
                for mut row in executions {
                    row[0] = Value::Integer(id);
                    if let Value::Integer(number) = row[4] {
                        let text = texts.get(&number).ok_or(rusqlite::Error::QueryReturnedNoRows)?;
                        row[4] = match intern(connection, index, text)? {
                            Some(number) => Value::Integer(number),
                            None => Value::Text(text.to_string()),
                        };
                    }
                    let columns: Vec<ValueRef<'_>> = row.iter().map(ValueRef::from).collect();
                    let sql = "INSERT OR REPLACE INTO executions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                    put(connection, sql, "executions", &columns)?;
                }
                Ok(())
            })?;
        }
        // These are few.
        let troubles = source.part(
            "SELECT oracle, input, kind, verdict, text, sum FROM troubles WHERE oracle = ?1
             ORDER BY oracle, input, kind",
            "troubles",
            [oracle.id],
        )?;
        self.write(|connection, index| {
            for mut row in troubles {
                row[0] = Value::Integer(id);
                let columns: Vec<ValueRef<'_>> = row.iter().map(ValueRef::from).collect();
                let sql = "INSERT OR IGNORE INTO troubles VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                if let (1, sum) = put(connection, sql, "troubles", &columns)? {
                    index.seals.change("troubles").add(sum);
                }
            }
            Ok(())
        })
    }

    /// Rows of `table`, verified, without their checksums, which are the last column.
    fn part<const N: usize>(
        &self,
        sql: &str,
        table: &str,
        of: [i64; N],
    ) -> Result<Vec<Vec<Value>>, StoreError> {
        self.doing("read", |connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let count = statement.column_count() - 1;
            let rows = statement.query_map(params_from_iter(of), |row| {
                check(table, row)?;
                (0..count).map(|column| row.get(column)).collect()
            })?;
            rows.collect()
        })
    }
}
