//! What a run finds out about the runs before it.
//!
//! A task that was interrupted has left nothing but the executions that it asked for: it is done
//! again from its beginning, on the same random stream, and meets the same inputs, whose verdicts
//! are known by then.

use std::collections::HashSet;

use rusqlite::OptionalExtension;

use crate::base::fingerprint::Fingerprint;
use crate::oracle::{Judgement, JudgementCache, KnownJudgement};

use super::checksum::check;
use super::error::StoreError;
use super::index::{ORACLE_COLUMNS, evidences};
use super::judged;
use super::record::Judged;
use super::review::{EXECUTION_COLUMNS, ExecutionRow};
use super::rows::RESULT_COLUMNS;
use super::rows::StoredState;
use super::store::Store;
use super::write::{CONFIRMED, REPEATED, SUPERSEDES};

/// The number of a task in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(pub(super) i64);

/// What earlier runs have left of an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The fingerprint of the program when it was last checked.
    pub fingerprint: Fingerprint,
    /// Executions up to this one were over by then.
    pub trusted: u64,
    /// The last execution.
    pub last: u64,
}

/// What a task of an earlier run found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierRecord {
    /// The record, which its stage reads.
    pub json: String,
    /// The inputs that it met, if other tasks build upon them.
    pub judged: Option<Vec<Judged>>,
}

impl Store {
    /// All tasks that earlier runs ended and that need not be done again, in no order. Only the process
    /// that writes knows.
    pub fn finished_tasks(&self) -> Vec<(String, TaskId)> {
        let tasks = self.index.iter().flat_map(|index| &index.tasks);
        tasks.filter(|(_, task)| task.is_done).map(|(name, task)| (name.clone(), task.id)).collect()
    }

    /// The names of all tasks that earlier runs planned. Only the process that writes knows.
    pub fn planned_tasks(&self) -> HashSet<String> {
        self.index.iter().flat_map(|index| index.tasks.keys().cloned()).collect()
    }

    /// What a task found that has ended, with the inputs that it met if others build upon them; `None` when it
    /// failed.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn record(&self, task: TaskId) -> Result<Option<EarlierRecord>, StoreError> {
        let (record, error): (Option<String>, Option<String>) = self.doing("read", |connection| {
            let sql = format!("SELECT {RESULT_COLUMNS} FROM results WHERE task = ?1");
            connection.prepare_cached(&sql)?.query_row([task.0], |row| {
                check("results", row)?;
                Ok((row.get("record")?, row.get("error")?))
            })
        })?;
        let StoredState::Done(record) = self.result("", record, error)? else { return Ok(None) };
        let bytes: Option<Vec<u8>> = self.doing("read", |connection| {
            let sql = "SELECT task, inputs, sum FROM judged WHERE task = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([task.0], |row| {
                check("judged", row)?;
                row.get("inputs")
            });
            found.optional()
        })?;
        let decode =
            |bytes: Vec<u8>| judged::decode(&bytes).ok_or_else(|| self.damaged("the inputs that a task met"));
        Ok(Some(EarlierRecord { json: record, judged: bytes.map(decode).transpose()? }))
    }

    /// The inputs that the task called `name` had judged, in order; `None` when it has none, or has not ended.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn judged(&self, name: &str) -> Result<Option<Vec<Judged>>, StoreError> {
        let task: Option<i64> = self.doing("read", |connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM tasks WHERE name = ?1")?;
            statement.query_row([name], |row| row.get(0)).optional()
        })?;
        task.map_or(Ok(None), |task| self.judged_by(task))
    }

    /// The inputs that the task with this number had judged. It is found by its number alone: names have no index.
    pub(super) fn judged_by(&self, task: i64) -> Result<Option<Vec<Judged>>, StoreError> {
        let bytes: Option<Vec<u8>> = self.doing("read", |connection| {
            let mut statement =
                connection.prepare_cached("SELECT task, inputs, sum FROM judged WHERE task = ?1")?;
            let found = statement.query_row([task], |row| {
                check("judged", row)?;
                row.get("inputs")
            });
            found.optional()
        })?;
        let decode =
            |bytes: Vec<u8>| judged::decode(&bytes).ok_or_else(|| self.damaged("the inputs that a task met"));
        bytes.map(decode).transpose()
    }

    /// What earlier runs have left of the oracle with this digest.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn earlier(&self, oracle: &str) -> Result<Option<Earlier>, StoreError> {
        let Some((id, earlier)) = self.oracle(oracle)? else { return Ok(None) };
        let last: Option<i64> = self.doing("read", |connection| {
            let mut last =
                connection.prepare_cached("SELECT max(number) FROM executions WHERE oracle = ?1")?;
            last.query_row([id], |row| row.get(0))
        })?;
        Ok(Some(Earlier { last: last.unwrap_or_default().cast_unsigned(), ..earlier }))
    }

    /// What the oracle with this digest has said of inputs, in its executions up to number `up_to`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn known(&self, oracle: &str, up_to: u64) -> Result<JudgementCache, StoreError> {
        let mut memory = JudgementCache::default();
        let Some((id, _)) = self.oracle(oracle)? else { return Ok(memory) };
        let mut is_whole = true;
        self.doing("read", |connection| {
            let evidences = evidences(connection)?;
            let sql = format!(
                "SELECT {EXECUTION_COLUMNS} FROM executions
                 WHERE oracle = ?1 AND number <= ?2 ORDER BY oracle, number"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([id, i64::try_from(up_to).unwrap_or(i64::MAX)])?;
            while let Some(row) = rows.next()? {
                let Some(found) = ExecutionRow::read(row, &evidences)? else {
                    is_whole = false;
                    continue;
                };
                memory.has_seen(found.number);
                let before = memory.get(found.input);
                if before.is_some() && !found.has(SUPERSEDES) {
                    continue;
                }
                let known = KnownJudgement {
                    judgement: Judgement::new(found.verdict(), found.evidence),
                    is_confirmed: found.has(CONFIRMED),
                    is_repeated: found.has(REPEATED) || before.is_some_and(|before| before.is_repeated),
                };
                memory.set(found.input, &known);
            }
            Ok(())
        })?;
        if is_whole { Ok(memory) } else { Err(self.damaged("what was seen of an input is gone")) }
    }

    /// The number of an oracle, and what is known of it but for its executions.
    fn oracle(&self, digest: &str) -> Result<Option<(i64, Earlier)>, StoreError> {
        // Its row may not be written yet.
        if let Some(index) = &self.index {
            let found = index.oracles.get(digest).map(|entry| {
                let (fingerprint, trusted) = (entry.fingerprint.clone(), entry.trusted.cast_unsigned());
                (entry.id, Earlier { fingerprint, trusted, last: 0 })
            });
            return Ok(found);
        }
        self.doing("read", |connection| {
            let sql = format!("SELECT {ORACLE_COLUMNS} FROM oracles WHERE digest = ?1");
            connection
                .prepare_cached(&sql)?
                .query_row([digest], |row| {
                    check("oracles", row)?;
                    let fingerprint =
                        Fingerprint { outside: row.get("outside")?, inside: row.get("inside")? };
                    let trusted = row.get::<_, i64>("trusted")?.cast_unsigned();
                    Ok((row.get("id")?, Earlier { fingerprint, trusted, last: 0 }))
                })
                .optional()
        })
    }

    /// The state of the task `name`, which has ended, from its columns `record` and `error`.
    pub(super) fn result(
        &self,
        name: &str,
        record: Option<String>,
        error: Option<String>,
    ) -> Result<StoredState, StoreError> {
        match (record, error) {
            (Some(json), None) => Ok(StoredState::Done(json)),
            (None, Some(error)) => Ok(StoredState::Failed(error)),
            _ => Err(self.damaged(format!("the task `{name}` has ended without a result"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::super::record::Stored;
    use super::super::sample;
    use super::*;
    use crate::oracle::Verdict;

    #[test]
    fn a_record_of_every_stage_comes_back_as_it_was() {
        let (_folder, mut store) = sample::store();
        store
            .apply(&Event::Planned { tasks: sample::plan().into(), left_out: 0, finished: Vec::new() })
            .unwrap();
        for stage in sample::STAGES {
            let stored = sample::stored(stage);
            let name = format!("find-07b941b1/{stage}");
            store.apply(&sample::ended(&name, Ok(stored.clone()))).unwrap();
            let id = store.finished_tasks().into_iter().find(|(known, _)| *known == name).unwrap().1;
            let judged = stored.judged.map(|judged| judged.to_vec());
            assert_eq!(store.record(id).unwrap(), Some(EarlierRecord { json: stored.json, judged }));
        }
    }

    #[test]
    fn the_next_run_finds_what_was_finished_and_every_verdict() {
        let (_folder, mut store) = sample::store();
        let ends = sample::ends();
        let interrupted = &ends[1][..2];
        for event in sample::begin().iter().chain(&ends[0]).chain(interrupted).chain(&ends[6]) {
            store.apply(event).unwrap();
        }
        store.commit().unwrap();
        let path = store.path().to_owned();
        drop(store);

        let mut store = Store::create_or_open(&path, &sample::campaign()).unwrap();
        let finished = sample::finished(&store);
        assert_eq!(finished, ["find-07b941b1/recognize seen", "find-07b941b1/reduce"]);
        let known = store.known("digest of find-07b941b1", u64::MAX).unwrap();
        let verdict = |input: &str| known.get(input.as_bytes()).map(|known| known.judgement.verdict);
        assert_eq!(verdict("find ."), Some(Verdict::Pass));
        for name in ["generalize", "recognize seen", "reduce"] {
            assert_eq!(verdict(&format!("find . -{name}")), Some(Verdict::Fail));
        }
        assert_eq!(verdict("find . -produce F"), None);

        // The same plan again changes nothing; a smaller one hides what it does not have.
        let before = store.tasks().unwrap();
        let names: Vec<&str> = before.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, sample::plan().iter().map(|task| task.name.as_str()).collect::<Vec<_>>());
        let plan = |store: &mut Store, from| {
            let tasks = sample::plan().split_off(from).into();
            store.apply(&Event::Planned { tasks, left_out: 0, finished: Vec::new() }).unwrap();
            store.tasks().unwrap()
        };
        assert_eq!(plan(&mut store, 0), before);
        assert_eq!(plan(&mut store, 1), before[1..]);
        assert_eq!(sample::finished(&store), finished);
        drop(store);
        let mut store = Store::create_or_open(&path, &sample::campaign()).unwrap();
        assert_eq!(plan(&mut store, 0), before);
    }

    #[test]
    fn a_task_that_failed_may_be_tried_again() {
        let (_folder, mut store) = sample::store();
        for event in sample::begin() {
            store.apply(&event).unwrap();
        }
        let name = "find-07b941b1/reduce";
        store.apply(&sample::ended(name, Err("no such file".into()))).unwrap();
        assert_eq!(store.tasks().unwrap()[0].state, StoredState::Failed("no such file".into()));
        assert_eq!(sample::finished(&store), [""; 0]);
        let stored = sample::stored("reduce");
        store.apply(&sample::ended(name, Ok(stored.clone()))).unwrap();
        assert_eq!(store.tasks().unwrap()[0].state, StoredState::Done(stored.json.clone()));
        assert_eq!(sample::finished(&store), [name]);
        // Half a result is shown, and tried again.
        let half = Stored { failure: Some("no grammar".into()), ..stored };
        store.apply(&sample::ended(name, Ok(half))).unwrap();
        assert!(matches!(store.tasks().unwrap()[0].state, StoredState::Done(_)));
        assert_eq!(sample::finished(&store), [""; 0]);
    }

    #[test]
    fn the_first_verdict_on_an_input_is_kept() {
        let (_folder, mut store) = sample::store();
        for verdict in [Verdict::Timeout, Verdict::Pass] {
            store.apply(&sample::execution("bug", "x", verdict)).unwrap();
        }
        let known = store.known("digest of bug", u64::MAX).unwrap().get(b"x").unwrap();
        assert_eq!(known.judgement, Judgement::new(Verdict::Timeout, "SIGSEGV"));
        assert!(known.is_confirmed && !known.is_repeated);
        assert_eq!(store.known("digest of another", u64::MAX).unwrap().get(b"x"), None);
    }

    #[test]
    fn repeats_are_counted_and_what_is_forgotten_is_not() {
        let (_folder, mut store) = sample::store();
        let mut numbers = Vec::new();
        for (input, repeat, is_confirmation) in [
            ("a", Some(Verdict::Pass), false),
            ("b", None, false),
            ("b", Some(Verdict::Fail), true),
            ("c", Some(Verdict::Fail), false),
        ] {
            let Event::Executed { oracle, bug, mut execution } =
                sample::execution("bug", input, Verdict::Pass)
            else {
                unreachable!()
            };
            (execution.repeat, execution.is_confirmation) = (repeat, is_confirmation);
            numbers.push(execution.number);
            store.apply(&Event::Executed { oracle, bug, execution }).unwrap();
        }
        let repeats = |store: &mut Store| {
            store.commit().unwrap();
            let of_bug = store.repeats().unwrap()["bug"];
            (of_bug.all, of_bug.disagreeing)
        };
        assert_eq!(repeats(&mut store), (3, 2));
        let known = store.known("digest of bug", u64::MAX).unwrap();
        assert!(known.get(b"b").unwrap().is_repeated);
        let fingerprint = Fingerprint { outside: "1".into(), inside: "2".into() };
        let checked = Event::FingerprintChecked {
            oracle: "digest of bug".into(),
            bug: "bug".into(),
            fingerprint: fingerprint.clone(),
            number: numbers[2],
        };
        store.apply(&checked).unwrap();
        store.commit().unwrap();
        let earlier = store.earlier("digest of bug").unwrap();
        assert_eq!(earlier, Some(Earlier { fingerprint, trusted: numbers[2], last: numbers[3] }));
        store.apply(&Event::Forgotten { oracle: "digest of bug".into(), after: numbers[2] }).unwrap();
        assert_eq!(repeats(&mut store), (2, 1));
        assert_eq!(store.known("digest of bug", u64::MAX).unwrap().get(b"c"), None);
    }
}
