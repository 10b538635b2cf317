//! How exactly a specialized grammar tells failing inputs from passing ones: Table II of *Input
//! Algebras*.
//!
//! The papers use the inputs met while reducing and generalizing (`seen`); the expression was made
//! from these very inputs. Beside them stand held-out ones, for which the papers have no figures.

use serde::Serialize;

use crate::report::csv::{AccuracyCells, Csv, ShareCells, yes_or_no};
use crate::report::figure::Figure;
use crate::report::grid::Grid;
use crate::report::paper::{self, Accuracy};
use crate::report::statistics::{Percent, Proportion};

use super::super::generalize::GeneralizeTask;
use super::super::results::Results;
use super::super::tables::labels::{self, Labels};
use super::super::tables::totals::{self, Measured};
use super::super::tables::{StageTable, WIDTH};
use super::super::{About, ExpressionKey, Stage};
use super::{InputSource, RecognizeRecord, RecognizeTask};

pub(super) const TABLE: StageTable = StageTable {
    file: "recognizing.csv",
    make: table,
    screen: Some(screen),
    figures: Some(|results| figures(&all(results))),
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    repetition: u32,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    transformer: Option<&'a str>,
    expression: &'a str,
    source: &'a str,
    fail_inputs: Option<u64>,
    fail_accepted: Option<u64>,
    fail_pct: Option<Percent>,
    fail_low_pct: Option<Percent>,
    fail_high_pct: Option<Percent>,
    pass_inputs: Option<u64>,
    pass_rejected: Option<u64>,
    pass_pct: Option<Percent>,
    pass_low_pct: Option<Percent>,
    pass_high_pct: Option<Percent>,
    unresolved: Option<u64>,
    unresolved_output: Option<u64>,
    timeout: Option<u64>,
    timeout_wall: Option<u64>,
    paper_fail_pct: Option<&'a str>,
    paper_fail_inputs: Option<u64>,
    paper_pass_pct: Option<&'a str>,
    paper_pass_inputs: Option<u64>,
    version: &'a str,
    reintroduced: &'a str,
    seed: u64,
    error: &'a str,
}

impl<'a> Row<'a> {
    /// This row, with our figures and those of the paper.
    fn with(self, tally: Option<Tally>, paper: Option<&'a Accuracy>) -> Self {
        let fail = ShareCells::from(tally.map(|tally| tally.fail));
        let pass = ShareCells::from(tally.map(|tally| tally.pass));
        let paper = AccuracyCells::from(paper);
        Self {
            fail_inputs: fail.of,
            fail_accepted: fail.hits,
            fail_pct: fail.percent,
            fail_low_pct: fail.low,
            fail_high_pct: fail.high,
            pass_inputs: pass.of,
            pass_rejected: pass.hits,
            pass_pct: pass.percent,
            pass_low_pct: pass.low,
            pass_high_pct: pass.high,
            unresolved: tally.map(|tally| tally.unresolved),
            unresolved_output: tally.map(|tally| tally.unresolved_output),
            timeout: tally.map(|tally| tally.timeout),
            timeout_wall: tally.map(|tally| tally.timeout_wall),
            paper_fail_pct: paper.fail_percent,
            paper_fail_inputs: paper.fail_inputs,
            paper_pass_pct: paper.pass_percent,
            paper_pass_inputs: paper.pass_inputs,
            ..self
        }
    }
}

/// How inputs were distinguished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Failing inputs, and how many F accepts.
    fail: Proportion,
    /// Passing inputs, and how many F rejects.
    pass: Proportion,
    /// Inputs without a verdict, which count nowhere.
    unresolved: u64,
    /// Those of them whose run wrote too much.
    unresolved_output: u64,
    /// Inputs that ended in a timeout.
    timeout: u64,
    /// Those of them that waited too long by the clock.
    timeout_wall: u64,
}

impl Tally {
    fn of(record: &RecognizeRecord) -> Self {
        Self {
            fail: Proportion::new(record.fail_accepted, record.fail_total),
            pass: Proportion::new(record.pass_rejected, record.pass_total),
            unresolved: record.unresolved,
            unresolved_output: record.unresolved_output,
            timeout: record.timeout,
            timeout_wall: record.timeout_wall,
        }
    }
}

/// What there is of a bug and one source of inputs.
struct Found<'a> {
    about: About<'a>,
    source: InputSource,
    expression: &'a str,
    tally: Option<Tally>,
    paper: Option<&'static Accuracy>,
    /// Why figures are missing.
    error: String,
}

/// All bugs, in the order of the plan.
fn all(results: &Results) -> Vec<Found<'_>> {
    results
        .of::<RecognizeTask>()
        .map(|(task, row, record)| {
            let about = task.about();
            let learned = match &task.expression {
                ExpressionKey::Learned(task) => results.record::<GeneralizeTask>(task),
                ExpressionKey::OfConfig(_) | ExpressionKey::OfBug(_) => None,
            };
            Found {
                about,
                source: task.source,
                expression: learned.map_or("", |record| &record.expression),
                tally: record.map(Tally::of),
                paper: paper::recognizing().row(about.bug).filter(|_| task.source == InputSource::Seen),
                error: results.error(row).unwrap_or_default(),
            }
        })
        .collect()
}

/// What can be summed up.
fn figures<'a>(all: &[Found<'a>]) -> Vec<Measured<'a>> {
    let printed = paper::recognizing().printed_total();
    let of = |found: &Found<'a>| {
        let Found { tally, paper, .. } = found;
        let figures = vec![
            Figure::share("fail", tally.map(|tally| tally.fail))
                .beside_share(paper.map(|paper| &paper.fail), &printed.fail),
            Figure::share("pass", tally.map(|tally| tally.pass))
                .beside_share(paper.map(|paper| &paper.pass), &printed.pass),
            Figure::count("unresolved", tally.map(|tally| tally.unresolved)),
            Figure::count("unresolved_output", tally.map(|tally| tally.unresolved_output)),
            Figure::count("timeout", tally.map(|tally| tally.timeout)),
            Figure::count("timeout_wall", tally.map(|tally| tally.timeout_wall)),
        ];
        Measured { about: found.about, source: Some(found.source.as_str()), figures }
    };
    all.iter().map(of).collect()
}

/// The table.
fn table(results: &Results) -> Csv {
    let all = all(results);
    Csv::of(all.iter().map(|found| {
        let About { subject, bug, repetition, plug_ins, version, reintroduced } = found.about;
        let row = Row {
            subject,
            bug,
            repetition,
            reducer: plug_ins.reducer,
            generalizer: plug_ins.generalizer,
            transformer: plug_ins.transformer,
            expression: found.expression,
            source: found.source.as_str(),
            version,
            reintroduced: yes_or_no(reintroduced),
            seed: results.seed(),
            error: &found.error,
            ..Row::default()
        };
        row.with(found.tally, found.paper)
    }))
}

fn screen(results: &Results) -> String {
    let all = all(results);
    if all.is_empty() {
        return String::new();
    }
    let labels = Labels::of(all.iter().map(|found| &found.about));
    let mut grid = Grid::new([
        "bug",
        "inputs",
        "accepted",
        "%",
        "interval",
        "paper",
        "rejected",
        "%",
        "interval",
        "paper",
        "unresolved",
    ]);
    let line = |label,
                source: &str,
                [fail, pass]: [Option<Proportion>; 2],
                papers: [Option<String>; 2],
                unresolved: u64| {
        let [paper_fail, paper_pass] = papers.map(Option::unwrap_or_default);
        let mut cells = vec![label, source.to_owned()];
        cells.extend(labels::share_cells(fail));
        cells.push(paper_fail);
        cells.extend(labels::share_cells(pass));
        cells.push(paper_pass);
        cells.push(unresolved.to_string());
        cells
    };
    for found in &all {
        let (label, source) = (labels.of_row(&found.about), found.source.as_str());
        let papers = [|row: &Accuracy| row.fail.percent.clone(), |row: &Accuracy| row.pass.percent.clone()];
        let papers = papers.map(|percent| found.paper.map(percent));
        match found.tally {
            Some(Tally { fail, pass, unresolved, .. }) => {
                grid.push(line(label, source, [fail, pass].map(Some), papers, unresolved));
            }
            None => grid.remark(label, &format!("{source:>8}  {}", found.error)),
        }
    }
    grid.rule();
    for total in totals::of(&figures(&all)) {
        grid.push(line(
            labels.of_total(total.plug_ins),
            total.source.unwrap_or_default(),
            ["fail", "pass"].map(|name| total.share(name)),
            ["fail", "pass"].map(|name| total.paper(name).map(|percent| percent.to_string())),
            total.count("unresolved").unwrap_or_default(),
        ));
    }
    let mut notes = String::new();
    if all.iter().any(|found| found.paper.is_some()) {
        grid.push(labels::printed_total(paper::recognizing(), 2));
        notes = labels::note_on_totals("II", paper::recognizing());
    }
    format!(
        "Recognizing: failing inputs that F accepts, passing inputs that F rejects (Table II of the paper)\n\n\
         {}{notes}",
        grid.to_text(WIDTH)
    )
}
