//! How exactly a specialized grammar tells failing inputs from passing ones: Table II of *Input
//! Algebras*.
//!
//! The papers use the inputs met while reducing and generalizing (`seen`); the expression was made
//! from these very inputs. Beside them stand held-out ones, for which the papers have no figures.

use crate::store::{Recognize, Record, Source, Stage, TaskRow, Variant};

use super::key::Key;
use super::paper::{self, Accuracy};
use super::results::Results;
use super::statistics::Share;
use super::table::{
    PAPER_COLUMNS, Table, cell, paper_cells, plug_in_cells, printed_cells, share_cells, share_columns,
};
use super::total::{self, TOTAL};

/// How inputs were told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Failing inputs, and how many F accepts.
    pub fail: Share,
    /// Passing inputs, and how many F rejects.
    pub pass: Share,
    /// Inputs without a verdict, which count nowhere.
    pub unresolved: u64,
}

impl Tally {
    fn of(recognize: &Recognize) -> Self {
        Self {
            fail: Share::new(recognize.fail_accepted, recognize.fail_total),
            pass: Share::new(recognize.pass_rejected, recognize.pass_total),
            unresolved: recognize.unresolved,
        }
    }

    fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, next| Self {
            fail: sum.fail + next.fail,
            pass: sum.pass + next.pass,
            unresolved: sum.unresolved + next.unresolved,
        })
    }
}

/// A bug's row for one source of inputs.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// What it is about.
    pub key: Key<'a>,
    /// Where the inputs come from.
    pub source: Source,
    /// The expression.
    pub expression: &'a str,
    /// The figures.
    pub tally: Option<Tally>,
    /// What the paper has.
    pub paper: Option<&'static Accuracy>,
    /// Why figures are missing.
    pub error: String,
}

/// A row that sums up the rows of one source and one combination of plug-ins.
#[derive(Clone, Debug)]
pub struct TotalRow<'a> {
    /// The plug-ins.
    pub variant: &'a Variant,
    /// Where the inputs come from.
    pub source: Source,
    /// The figures.
    pub tally: Tally,
    /// What the paper's rows for the same bugs add up to.
    pub paper: Option<Accuracy>,
    /// How many rows have no figures.
    pub error: String,
}

/// The rows of all bugs, in the order of the plan.
pub fn rows(results: &Results) -> Vec<Row<'_>> {
    results
        .tasks
        .iter()
        .filter_map(|task| {
            let Stage::Recognize(source) = task.planned.stage else { return None };
            let key = Key::of(&task.planned);
            Some(Row {
                source,
                expression: results.expression(&task.planned),
                tally: tally(task),
                paper: paper::recognizing().row(key.bug).filter(|_| source == Source::Seen),
                error: results.error(task).unwrap_or_default(),
                key,
            })
        })
        .collect()
}

fn tally(task: &TaskRow) -> Option<Tally> {
    task.record().and_then(Record::as_recognize).map(Tally::of)
}

/// The totals, for each combination of plug-ins one of either source. None without rows.
pub fn totals<'a>(rows: &[Row<'a>]) -> Vec<TotalRow<'a>> {
    let mut totals = Vec::new();
    for (variant, of_both) in total::parts(rows, |row| row.key.variant) {
        for source in [Source::Seen, Source::HeldOut] {
            let part: Vec<&Row<'_>> = of_both.iter().copied().filter(|row| row.source == source).collect();
            if part.is_empty() {
                continue;
            }
            let keys = part.iter().filter(|row| row.paper.is_some()).map(|row| &row.key);
            totals.push(TotalRow {
                variant,
                source,
                tally: Tally::sum(part.iter().filter_map(|row| row.tally)),
                paper: total::of_the_paper(paper::recognizing(), keys),
                error: total::error(part.iter().filter(|row| row.tally.is_none()).count(), part.len()),
            });
        }
    }
    totals
}

/// The table.
pub fn table(results: &Results) -> Table {
    let columns = ["subject", "bug", "repetition", "reducer", "generalizer", "transformer"];
    let mut table = Table::new(
        columns
            .into_iter()
            .chain(["expression", "source"])
            .chain(share_columns!("fail", "accepted"))
            .chain(share_columns!("pass", "rejected"))
            .chain(["unresolved"])
            .chain(PAPER_COLUMNS)
            .chain(["version", "reintroduced", "seed", "error"]),
    );
    let seed = results.campaign.seed.to_string();
    let rows = rows(results);
    for row in &rows {
        let cells = row.key.name_cells().into_iter().chain(plug_ins(row.key.variant));
        table.push(
            cells
                .chain([row.expression.to_owned(), row.source.as_str().to_owned()])
                .chain(tally_cells(row.tally))
                .chain(paper_cells(row.paper))
                .chain(row.key.version_cells())
                .chain([seed.clone(), row.error.clone()])
                .collect(),
        );
    }
    for total in totals(&rows) {
        let cells = ["", TOTAL, ""].map(String::from).into_iter().chain(plug_ins(total.variant));
        table.push(
            cells
                .chain([String::new(), total.source.as_str().to_owned()])
                .chain(tally_cells(Some(total.tally)))
                .chain(paper_cells(total.paper.as_ref()))
                .chain([String::new(), String::new(), seed.clone(), total.error])
                .collect(),
        );
    }
    if rows.iter().any(|row| row.paper.is_some()) {
        let source = [("source", Source::Seen.as_str().to_owned())];
        table.push_only(printed_cells(paper::recognizing()).chain(source));
    }
    table
}

/// Validating takes no producer.
fn plug_ins(variant: &Variant) -> impl Iterator<Item = String> {
    plug_in_cells(variant).into_iter().take(3)
}

fn tally_cells(tally: Option<Tally>) -> impl Iterator<Item = String> {
    share_cells(tally.map(|tally| tally.fail))
        .into_iter()
        .chain(share_cells(tally.map(|tally| tally.pass)))
        .chain([cell(tally.map(|tally| tally.unresolved))])
}
