//! How exactly a specialized grammar makes failing inputs, and its negation passing ones: Table I of
//! *Input Algebras*.
//!
//! Inputs are counted when they are distinct and were judged; `*_inputs` and `*_unresolved` together
//! are all that were made. `*_timeout` says how many of them ended in a timeout; where those count
//! is a setting.

use std::collections::BTreeMap;

use crate::oracle::Verdict;
use crate::store::{Produce, Record, Side, Stage, TaskRow};

use super::key::Key;
use super::paper::{self, Accuracy};
use super::results::Results;
use super::statistics::Share;
use super::table::{
    PAPER_COLUMNS, Table, cell, paper_cells, plug_in_cells, printed_cells, share_cells, share_columns,
};
use super::total::{self, TOTAL};

/// How the inputs of one grammar were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that did what they should, of those with a verdict.
    pub share: Share,
    /// Those without a verdict.
    pub unresolved: u64,
    /// Those of both that ended in a timeout.
    pub timeout: u64,
}

impl Tally {
    fn of(produce: &Produce) -> Self {
        let verdicts = &produce.verdicts;
        let (fail, pass) = (verdicts.counted(Verdict::Fail), verdicts.counted(Verdict::Pass));
        let hits = match produce.side {
            Side::F => fail,
            Side::NotF => pass,
        };
        Self {
            share: Share::new(hits, fail + pass),
            unresolved: verdicts.counted(Verdict::Unresolved),
            timeout: verdicts.timeout,
        }
    }

    fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, next| Self {
            share: sum.share + next.share,
            unresolved: sum.unresolved + next.unresolved,
            timeout: sum.timeout + next.timeout,
        })
    }
}

/// A bug's row.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// What it is about.
    pub key: Key<'a>,
    /// The expression.
    pub expression: &'a str,
    /// Inputs of F, and how many failed.
    pub fail: Option<Tally>,
    /// Inputs of not F, and how many passed.
    pub pass: Option<Tally>,
    /// What the paper has.
    pub paper: Option<&'static Accuracy>,
    /// Why figures are missing.
    pub error: String,
}

/// A row that sums up the rows of one combination of plug-ins.
#[derive(Clone, Debug)]
pub struct TotalRow<'a> {
    /// The plug-ins.
    pub variant: &'a crate::store::Variant,
    /// Inputs of F, and how many failed.
    pub fail: Tally,
    /// Inputs of not F, and how many passed.
    pub pass: Tally,
    /// What the paper's rows for the same bugs add up to.
    pub paper: Option<Accuracy>,
    /// How many rows have no figures.
    pub error: String,
}

/// The rows of all bugs, in the order of the plan.
pub fn rows(results: &Results) -> Vec<Row<'_>> {
    let mut places: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut tasks: Vec<(Key<'_>, [Option<&TaskRow>; 2])> = Vec::new();
    for task in &results.tasks {
        let Stage::Produce(side) = task.planned.stage else { continue };
        let key = Key::of(&task.planned);
        let place = *places.entry(key.clone()).or_insert_with(|| {
            tasks.push((key, [None, None]));
            tasks.len() - 1
        });
        tasks[place].1[side as usize] = Some(task);
    }
    tasks
        .into_iter()
        .map(|(key, [fail, pass])| {
            let expression = fail.or(pass).map_or("", |task| results.expression(&task.planned));
            let paper = paper::producing().row(key.bug);
            Row {
                expression,
                fail: fail.and_then(tally),
                pass: pass.and_then(tally),
                paper,
                error: error(results, fail, pass),
                key,
            }
        })
        .collect()
}

fn tally(task: &TaskRow) -> Option<Tally> {
    task.record().and_then(Record::as_produce).map(Tally::of)
}

fn error(results: &Results, fail: Option<&TaskRow>, pass: Option<&TaskRow>) -> String {
    match (fail.and_then(|task| results.error(task)), pass.and_then(|task| results.error(task))) {
        (None, None) => String::new(),
        (Some(fail), Some(pass)) if fail == pass => fail,
        (Some(fail), Some(pass)) => format!("F: {fail}; not F: {pass}"),
        (Some(fail), None) => format!("F: {fail}"),
        (None, Some(pass)) => format!("not F: {pass}"),
    }
}

/// The totals, one for each combination of plug-ins. None without rows.
pub fn totals<'a>(rows: &[Row<'a>]) -> Vec<TotalRow<'a>> {
    total::parts(rows, |row| row.key.variant)
        .into_iter()
        .map(|(variant, part)| {
            let missing = part.iter().filter(|row| row.fail.is_none() || row.pass.is_none()).count();
            TotalRow {
                variant,
                fail: Tally::sum(part.iter().filter_map(|row| row.fail)),
                pass: Tally::sum(part.iter().filter_map(|row| row.pass)),
                paper: total::of_the_paper(paper::producing(), part.iter().map(|row| &row.key)),
                error: total::error(missing, part.len()),
            }
        })
        .collect()
}

/// The table.
pub fn table(results: &Results) -> Table {
    let columns = ["subject", "bug", "repetition", "reducer", "generalizer", "transformer", "producer"];
    let mut table = Table::new(
        columns
            .into_iter()
            .chain(["expression"])
            .chain(share_columns!("fail", "failed"))
            .chain(["fail_unresolved", "fail_timeout"])
            .chain(share_columns!("pass", "passed"))
            .chain(["pass_unresolved", "pass_timeout"])
            .chain(PAPER_COLUMNS)
            .chain(["version", "reintroduced", "seed", "error"]),
    );
    let seed = results.campaign.seed.to_string();
    let rows = rows(results);
    for row in &rows {
        let cells = row.key.name_cells().into_iter().chain(plug_in_cells(row.key.variant));
        table.push(
            cells
                .chain([row.expression.to_owned()])
                .chain(tally_cells(row.fail))
                .chain(tally_cells(row.pass))
                .chain(paper_cells(row.paper))
                .chain(row.key.version_cells())
                .chain([seed.clone(), row.error.clone()])
                .collect(),
        );
    }
    for total in totals(&rows) {
        let cells = ["", TOTAL, ""].map(String::from).into_iter().chain(plug_in_cells(total.variant));
        table.push(
            cells
                .chain([String::new()])
                .chain(tally_cells(Some(total.fail)))
                .chain(tally_cells(Some(total.pass)))
                .chain(paper_cells(total.paper.as_ref()))
                .chain([String::new(), String::new(), seed.clone(), total.error])
                .collect(),
        );
    }
    if rows.iter().any(|row| row.paper.is_some()) {
        table.push_only(printed_cells(paper::producing()));
    }
    table
}

fn tally_cells(tally: Option<Tally>) -> impl Iterator<Item = String> {
    let others = [tally.map(|tally| tally.unresolved), tally.map(|tally| tally.timeout)];
    share_cells(tally.map(|tally| tally.share)).into_iter().chain(others.map(cell))
}
