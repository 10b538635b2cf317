//! What went wrong with workers, by the input that shows it.
//!
//! That no worker could be started is not among it: that is about a moment and no input.

use rusqlite::{Connection, params};

use crate::oracle::{Execution, Trouble, Verdict};

use super::error::StoreError;
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
    /// Whether the worker said something else; otherwise it broke the protocol.
    pub is_disagreement: bool,
    /// What, in words.
    pub text: String,
}

impl Store {
    /// All that went wrong with workers, by bug and input.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn troubles(&self) -> Result<Vec<TroubleRow>, StoreError> {
        let rows = self.doing("read", |connection| {
            connection
                .prepare(
                    "SELECT DISTINCT bug, input, verdict, kind = 'disagreement', text
                     FROM troubles JOIN oracles ON oracles.id = troubles.oracle
                     WHERE EXISTS (SELECT * FROM tasks WHERE place IS NOT NULL AND tasks.bug = oracles.bug)
                     ORDER BY bug, input, kind",
                )?
                .query_map([], |row| {
                    let input: Vec<u8> = row.get(1)?;
                    let verdict: String = row.get(2)?;
                    Ok((row.get(0)?, input, verdict, row.get(3)?, row.get(4)?))
                })?
                .collect::<Result<Vec<(String, Vec<u8>, String, bool, String)>, _>>()
        })?;
        rows.into_iter()
            .map(|(bug, input, verdict, is_disagreement, text)| {
                let verdict = verdict.parse().map_err(|error: String| self.damaged(error))?;
                Ok(TroubleRow { bug, input: input.as_slice().into(), verdict, is_disagreement, text })
            })
            .collect()
    }
}

/// Adds what went wrong in an execution, if something did; the first of a kind is kept.
pub(super) fn add(connection: &Connection, oracle: &str, execution: &Execution) -> rusqlite::Result<()> {
    let Some(trouble) = &execution.examination.trouble else { return Ok(()) };
    let kind = match trouble {
        Trouble::Disagreement(_) => "disagreement",
        Trouble::Breach(_) => "breach",
        Trouble::NotStarted(_) => return Ok(()),
    };
    let verdict = execution.examination.judgement.verdict;
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO troubles SELECT id, ?2, ?3, ?4, ?5 FROM oracles WHERE digest = ?1",
        )?
        .execute(params![oracle, execution.input, kind, verdict.as_str(), trouble.text(verdict)])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::super::sample;
    use super::*;
    use crate::oracle::Judgement;

    #[test]
    fn a_confirmed_verdict_takes_the_place_of_a_workers_and_the_trouble_is_told() {
        let (_folder, mut store) = sample::store();
        for event in sample::begin() {
            store.apply(&event).unwrap();
        }
        let event = |verdict, is_sure, trouble: Option<Trouble>| {
            let Event::Executed { oracle, bug, mut execution } =
                sample::execution("find-07b941b1", "find .", verdict)
            else {
                unreachable!()
            };
            execution.is_confirmation = is_sure;
            execution.examination.is_sure = is_sure;
            execution.examination.trouble = trouble;
            Event::Executed { oracle, bug, execution }
        };
        let known = |store: &Store| store.known_verdicts("digest of find-07b941b1").unwrap()[0].1.clone();
        store.apply(&event(Verdict::Fail, false, None)).unwrap();
        assert_eq!((known(&store).judgement.verdict, known(&store).is_sure), (Verdict::Fail, false));
        store.apply(&event(Verdict::Pass, false, None)).unwrap();
        assert_eq!(known(&store).judgement, Judgement::new(Verdict::Fail, "SIGSEGV"));
        assert_eq!(store.troubles().unwrap(), []);
        let disagreement = Trouble::Disagreement(Verdict::Fail);
        store.apply(&event(Verdict::Pass, true, Some(disagreement))).unwrap();
        assert_eq!((known(&store).judgement.verdict, known(&store).is_sure), (Verdict::Pass, true));
        let troubles = store.troubles().unwrap();
        let [trouble] = &troubles[..] else { panic!("{troubles:?}") };
        assert_eq!((trouble.bug.as_str(), trouble.verdict), ("find-07b941b1", Verdict::Pass));
        assert_eq!(trouble.input.bytes(), b"find .");
        let text = "a worker says fail, a process of its own says pass, which counts";
        assert!(trouble.is_disagreement && trouble.text == text, "{trouble:?}");
        // What cannot be started is about no input.
        store.apply(&event(Verdict::Pass, false, Some(Trouble::NotStarted("x".into())))).unwrap();
        store.apply(&event(Verdict::Pass, false, Some(Trouble::Breach("x".into())))).unwrap();
        assert_eq!(store.troubles().unwrap().len(), 2);
    }
}
