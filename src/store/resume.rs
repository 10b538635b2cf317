//! What a run finds out about the runs before it.
//!
//! A task that was interrupted has left nothing but the executions that it asked for: it is done
//! again from its beginning, on the same random stream, and meets the same inputs, whose verdicts
//! are known by then.

use crate::oracle::{Judgement, Known, Verdict};

use super::error::StoreError;
use super::record::Record;
use super::store::Store;

/// An input, and how it was judged.
pub type KnownVerdict = (Box<[u8]>, Known);

/// A task that an earlier run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedTask {
    /// Its name.
    pub name: String,
    /// What it found, or why it failed.
    pub result: Result<Record, String>,
}

impl Store {
    /// All tasks that earlier runs ended, by name, whether they are in the present plan or not.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn finished_tasks(&self) -> Result<Vec<FinishedTask>, StoreError> {
        let rows: Vec<(String, Option<String>, Option<String>)> = self.doing("read", |connection| {
            connection
                .prepare("SELECT name, record, error FROM tasks WHERE state <> 'planned' ORDER BY name")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect()
        })?;
        rows.into_iter()
            .map(|(name, record, error)| {
                Ok(FinishedTask { result: self.result(&name, record, error)?, name })
            })
            .collect()
    }

    /// All inputs that the oracle with this digest has judged, in ascending order.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn known_verdicts(&self, oracle: &str) -> Result<Vec<KnownVerdict>, StoreError> {
        let rows: Vec<(Box<[u8]>, String, String, bool)> = self.doing("read", |connection| {
            connection
                .prepare_cached(
                    "SELECT input, verdict, evidence, sure FROM executions
                     WHERE oracle = (SELECT id FROM oracles WHERE digest = ?1) ORDER BY input",
                )?
                .query_map([oracle], |row| {
                    Ok((row.get::<_, Vec<u8>>(0)?.into(), row.get(1)?, row.get(2)?, row.get(3)?))
                })?
                .collect()
        })?;
        rows.into_iter()
            .map(|(input, verdict, evidence, is_sure)| {
                let verdict: Verdict = verdict.parse().map_err(|error: String| self.damaged(error))?;
                Ok((input, Known { judgement: Judgement::new(verdict, evidence), is_sure }))
            })
            .collect()
    }

    /// What the columns `record` and `error` of the task `name` say.
    pub(super) fn result(
        &self,
        name: &str,
        record: Option<String>,
        error: Option<String>,
    ) -> Result<Result<Record, String>, StoreError> {
        match (record, error) {
            (Some(json), None) => serde_json::from_str(&json)
                .map(Ok)
                .map_err(|error| self.damaged(format!("what the task `{name}` found: {error}"))),
            (None, Some(error)) => Ok(Err(error)),
            _ => Err(self.damaged(format!("the task `{name}` has ended without a result"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::super::rows::TaskState;
    use super::super::sample;
    use super::super::task::Stage;
    use super::*;

    #[test]
    fn a_record_of_every_stage_comes_back_as_it_was() {
        for stage in Stage::ALL {
            let record = sample::record(stage);
            assert_eq!(record.stage(), stage);
            let json = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
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
        let finished = store.finished_tasks().unwrap();
        let names: Vec<&str> = finished.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["find-07b941b1/recognize seen", "find-07b941b1/reduce"]);
        assert_eq!(finished[1].result, Ok(sample::record(Stage::Reduce)));
        let inputs: Vec<String> = store
            .known_verdicts("digest of find-07b941b1")
            .unwrap()
            .into_iter()
            .map(|(input, known)| format!("{} {}", String::from_utf8_lossy(&input), known.judgement.verdict))
            .collect();
        assert_eq!(
            inputs,
            ["find . pass", "find . -generalize fail", "find . -recognize seen fail", "find . -reduce fail"]
        );

        // The same plan again changes nothing; a smaller one hides what it does not have.
        let before = store.tasks().unwrap();
        assert_eq!(before.iter().map(|task| task.planned.clone()).collect::<Vec<_>>(), sample::plan());
        store.apply(&Event::Planned { tasks: sample::plan(), finished: names_of(&finished) }).unwrap();
        assert_eq!(store.tasks().unwrap(), before);
        store.apply(&Event::Planned { tasks: sample::plan().split_off(1), finished: Vec::new() }).unwrap();
        assert_eq!(store.tasks().unwrap(), before[1..]);
        assert_eq!(store.finished_tasks().unwrap(), finished);
        store.apply(&Event::Planned { tasks: sample::plan(), finished: Vec::new() }).unwrap();
        assert_eq!(store.tasks().unwrap(), before);
    }

    fn names_of(finished: &[FinishedTask]) -> Vec<String> {
        finished.iter().map(|task| task.name.clone()).collect()
    }

    #[test]
    fn a_task_that_failed_may_be_tried_again() {
        let (_folder, mut store) = sample::store();
        let end = |result| Event::TaskEnded {
            name: "find-07b941b1/reduce".into(),
            result,
            wall: std::time::Duration::ZERO,
            executions: 1,
            runs: 1,
            judged_again: 0,
        };
        for event in sample::begin() {
            store.apply(&event).unwrap();
        }
        store.apply(&end(Err("no such file".into()))).unwrap();
        assert_eq!(store.finished_tasks().unwrap()[0].result, Err("no such file".into()));
        let record = sample::record(Stage::Reduce);
        store.apply(&end(Ok(Box::new(record.clone())))).unwrap();
        assert_eq!(store.tasks().unwrap()[0].state, TaskState::Done(record));
    }

    #[test]
    fn the_first_verdict_on_an_input_is_kept() {
        let (_folder, mut store) = sample::store();
        for verdict in [Verdict::Timeout, Verdict::Pass] {
            store.apply(&sample::execution("bug", "x", verdict)).unwrap();
        }
        let known = store.known_verdicts("digest of bug").unwrap();
        let first = Known { judgement: Judgement::new(Verdict::Timeout, "SIGSEGV"), is_sure: true };
        assert_eq!(known, [(Box::from(*b"x"), first)]);
        assert_eq!(store.known_verdicts("digest of another").unwrap(), []);
    }
}
