//! What went wrong with workers, by the input that shows it.
//!
//! That no worker could be started is not among it: that is about a moment and no input.

use std::collections::HashMap;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::oracle::{Execution, Trouble, Verdict};

use super::checksum::{Seals, put};
use super::error::StoreError;
use super::index::ORACLE_COLUMNS;
use super::input::Input;
use super::store::Store;

/// Something that went wrong with a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TroubleRow {
    /// The bug.
    pub bug: String,
    /// The input that shows it.
    pub input: Input,
    /// The verdict that counts.
    pub verdict: Verdict,
    /// Whether the worker said something else; otherwise it violated the protocol.
    pub is_disagreement: bool,
    /// What, in words.
    pub text: String,
}

impl Store {
    /// All that went wrong with workers, by bug and input, whether the bug is in the present plan or not.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn troubles(&self) -> Result<Vec<TroubleRow>, StoreError> {
        let oracles: HashMap<i64, String> =
            (self.all_rows("oracles", &format!("SELECT {ORACLE_COLUMNS} FROM oracles"), |row| {
                Ok((row.get("id")?, row.get("bug")?))
            })?)
            .into_iter()
            .collect();
        let sql = "SELECT oracle, input, kind, verdict, text, sum FROM troubles ORDER BY oracle, input, kind";
        let rows: Vec<(i64, Vec<u8>, String, String, String)> = self.all_rows("troubles", sql, |row| {
            let input = row.get("input")?;
            Ok((row.get("oracle")?, input, row.get("kind")?, row.get("verdict")?, row.get("text")?))
        })?;
        let mut troubles = Vec::new();
        for (oracle, input, kind, verdict, text) in rows {
            troubles.push(TroubleRow {
                bug: oracles.get(&oracle).cloned().unwrap_or_default(),
                input: input.as_slice().into(),
                verdict: verdict.parse().map_err(|error: String| self.damaged(error))?,
                is_disagreement: kind == "disagreement",
                text,
            });
        }
        let order = |row: &TroubleRow| (row.bug.clone(), row.input.clone(), !row.is_disagreement);
        troubles.sort_by_key(order);
        troubles.dedup();
        Ok(troubles)
    }
}

/// Adds what went wrong in an execution, if something did; the first of a kind is kept.
pub(super) fn add(
    connection: &Connection,
    seals: &mut Seals,
    oracle: i64,
    execution: &Execution,
) -> rusqlite::Result<()> {
    let Some(trouble) = &execution.examination.trouble else { return Ok(()) };
    let kind = match trouble {
        Trouble::Disagreement(_) => "disagreement",
        Trouble::ProtocolViolation(_) => "protocol violation",
        Trouble::NotStarted(_) => return Ok(()),
    };
    let verdict = execution.examination.judgement.verdict;
    let text = trouble.text(verdict);
    let columns = [
        ValueRef::Integer(oracle),
        ValueRef::Blob(&execution.input),
        kind.into(),
        verdict.as_str().into(),
        text.as_str().into(),
    ];
    let sql = "INSERT OR IGNORE INTO troubles VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    if let (1, sum) = put(connection, sql, "troubles", &columns)? {
        seals.change("troubles").add(sum);
    }
    Ok(())
}

/// Removes what went wrong on inputs of an oracle of which nothing is known any more.
pub(super) fn forget(connection: &Connection, seals: &mut Seals, oracle: i64) -> rusqlite::Result<()> {
    let mut gone = connection.prepare_cached(
        "DELETE FROM troubles WHERE oracle = ?1
         AND input NOT IN (SELECT input FROM executions WHERE oracle = ?1) RETURNING sum",
    )?;
    let sums: Vec<i64> = gone.query_map([oracle], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for sum in sums {
        seals.change("troubles").remove(sum);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::super::sample;
    use super::*;
    use crate::oracle::Judgement;

    #[test]
    fn a_confirmed_verdict_takes_the_place_of_a_workers_and_the_trouble_is_reported() {
        let (_folder, mut store) = sample::store();
        for event in sample::begin() {
            store.apply(&event).unwrap();
        }
        let event = |verdict, is_confirmed, trouble: Option<Trouble>| {
            let Event::Executed { oracle, bug, mut execution } =
                sample::execution("find-07b941b1", "find .", verdict)
            else {
                unreachable!()
            };
            execution.is_confirmation = is_confirmed;
            execution.examination.is_confirmed = is_confirmed;
            execution.examination.trouble = trouble;
            Event::Executed { oracle, bug, execution }
        };
        let known =
            |store: &Store| store.known("digest of find-07b941b1", u64::MAX).unwrap().get(b"find .").unwrap();
        store.apply(&event(Verdict::Fail, false, None)).unwrap();
        assert_eq!((known(&store).judgement.verdict, known(&store).is_confirmed), (Verdict::Fail, false));
        store.apply(&event(Verdict::Pass, false, None)).unwrap();
        assert_eq!(known(&store).judgement, Judgement::new(Verdict::Fail, "SIGSEGV"));
        assert_eq!(store.troubles().unwrap(), []);
        let disagreement = Trouble::Disagreement(Verdict::Fail);
        store.apply(&event(Verdict::Pass, true, Some(disagreement))).unwrap();
        assert_eq!((known(&store).judgement.verdict, known(&store).is_confirmed), (Verdict::Pass, true));
        store.commit().unwrap();
        let troubles = store.troubles().unwrap();
        let [trouble] = &troubles[..] else { panic!("{troubles:?}") };
        assert_eq!((trouble.bug.as_str(), trouble.verdict), ("find-07b941b1", Verdict::Pass));
        assert_eq!(trouble.input.bytes(), b"find .");
        let text = "the verdict of a worker is fail; that of a fresh process is pass, which counts";
        assert!(trouble.is_disagreement && trouble.text == text, "{trouble:?}");
        // What cannot be started is about no input.
        store.apply(&event(Verdict::Pass, false, Some(Trouble::NotStarted("x".into())))).unwrap();
        store.apply(&event(Verdict::Pass, false, Some(Trouble::ProtocolViolation("x".into())))).unwrap();
        store.commit().unwrap();
        assert_eq!(store.troubles().unwrap().len(), 2);
    }
}
