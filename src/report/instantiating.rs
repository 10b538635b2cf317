//! What instances of the abstract inputs do: Table 2 of *Abstracting Failure-Inducing Inputs*.
//!
//! Valid are the instances with a verdict; of these, so many fail. The papers give percentages of 100
//! instances, rounded to whole ones.

use crate::oracle::Verdict;
use crate::store::{Instantiate, Record, Stage, Variant};

use super::key::Key;
use super::paper;
use super::results::Results;
use super::statistics::Share;
use super::table::{Table, cell, plug_in_cells, share_cells, share_columns};
use super::total::{self, TOTAL};

/// How the instances of one abstract input were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those with a verdict, of all.
    pub valid: Share,
    /// Those that failed, of those with a verdict.
    pub fail: Share,
    /// Those that ended in a timeout.
    pub timeout: u64,
}

impl Tally {
    fn of(found: &Instantiate) -> Self {
        let (fail, pass) = (found.verdicts.counted(Verdict::Fail), found.verdicts.counted(Verdict::Pass));
        Self {
            valid: Share::new(fail + pass, found.instances),
            fail: Share::new(fail, fail + pass),
            timeout: found.verdicts.timeout,
        }
    }

    fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, next| Self {
            valid: sum.valid + next.valid,
            fail: sum.fail + next.fail,
            timeout: sum.timeout + next.timeout,
        })
    }
}

/// The table: a row for each abstract input, and the totals.
pub fn table(results: &Results) -> Table {
    let columns = ["subject", "bug", "repetition", "reducer", "generalizer", "compact"];
    let mut table = Table::new(
        columns
            .into_iter()
            .chain(share_columns!("instances", "valid"))
            .chain(share_columns!("valid", "failed"))
            .chain(["timeout", "paper_valid_pct", "paper_fail_pct"])
            .chain(["version", "reintroduced", "seed", "error"]),
    );
    let seed = results.campaign.seed.to_string();
    let mut rows: Vec<(&Variant, Option<Tally>)> = Vec::new();
    for task in results.tasks.iter().filter(|task| task.planned.stage == Stage::Instantiate) {
        let key = Key::of(&task.planned);
        let [reducer, generalizer, ..] = plug_in_cells(key.variant);
        let tally = task.record().and_then(Record::as_instantiate).map(Tally::of);
        let compact = results.needed(&task.planned, Record::as_generalize).map(|found| &found.compact);
        let paper = paper::instantiating(key.bug);
        rows.push((key.variant, tally));
        table.push(
            key.name_cells()
                .into_iter()
                .chain([reducer, generalizer, cell(compact)])
                .chain(cells(tally))
                .chain([cell(paper.map(|row| row.valid_pct)), cell(paper.map(|row| row.fail_pct))])
                .chain(key.version_cells())
                .chain([seed.clone(), results.error(task).unwrap_or_default()])
                .collect(),
        );
    }
    for (variant, part) in total::parts(&rows, |row| row.0) {
        let sum = Tally::sum(part.iter().filter_map(|(_, tally)| *tally));
        let missing = part.iter().filter(|(_, tally)| tally.is_none()).count();
        let [reducer, generalizer, ..] = plug_in_cells(variant);
        let empty = || String::new();
        table.push(
            [empty(), TOTAL.to_owned(), empty(), reducer, generalizer, empty()]
                .into_iter()
                .chain(cells(Some(sum)))
                .chain([empty(), empty(), empty(), empty()])
                .chain([seed.clone(), total::error(missing, part.len())])
                .collect(),
        );
    }
    table
}

fn cells(tally: Option<Tally>) -> impl Iterator<Item = String> {
    share_cells(tally.map(|tally| tally.valid))
        .into_iter()
        .chain(share_cells(tally.map(|tally| tally.fail)))
        .chain([cell(tally.map(|tally| tally.timeout))])
}
