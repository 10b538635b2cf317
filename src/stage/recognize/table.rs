//! How exactly a specialized grammar tells failing inputs from passing ones: Table II of *Input
//! Algebras*.
//!
//! The papers use the inputs met while reducing and generalizing (`seen`); the expression was made
//! from these very inputs. Beside them stand held-out ones of several sources, for which the papers have no figures.
//! *Recall* is how many failing inputs F accepts, *specificity* how many passing ones it rejects, *precision* how many
//! of those that it accepts fail.

use serde::Serialize;

use crate::report::compared::{Clustered, Compared, Comparison, ShareColumns};
use crate::report::csv::{AccuracyCells, Csv, ShareCells, yes_or_no};
use crate::report::figure::{Better, Figure};
use crate::report::grid::{Grid, wrapped};
use crate::report::paper::{self, Accuracy};
use crate::report::statistics::{Percent, Proportion};

use super::super::generalize::GeneralizeTask;
use super::super::results::Results;
use super::super::tables::labels::{self, Labels};
use super::super::tables::{Make, Measured, StageTable, Total, WIDTH};
use super::super::{About, ExpressionKey, Stage};
use super::{InputSource, RecognizeRecord, RecognizeTask};

pub(super) const TABLE: StageTable = StageTable {
    file: "recognizing.csv",
    title: "Recognizing: failing inputs that F accepts, passing inputs that F rejects (Table II of the paper)",
    make: Make::OfResults(table),
    screen: Some(screen),
    figures: Some(|results| figures(&all(results))),
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug", "grammar", "reducer", "generalizer", "transformer", "source"],
    given: Some("expression"),
    columns: &[
        share("fail", "fail_accepted", &["fail_inputs"]),
        share("pass", "pass_rejected", &["pass_inputs"]),
        share("accepted", "accepted_failed", &["accepted_inputs"]),
        Compared::Count("fail_inputs"),
        Compared::Count("pass_inputs"),
        Compared::Count("unresolved"),
        Compared::Count("timeout"),
        Compared::Count("unknown"),
        Compared::Count("unparsed"),
    ],
    others: &["unresolved_output", "timeout_wall", "duplicates", "executions"],
};

/// Inputs that are drawn independently of each other, but for those that are made from a few failing ones.
const fn share(name: &'static str, hits: &'static str, of: &'static [&'static str]) -> Compared {
    let clustered = Some(Clustered { column: "source", cells: &["planted", "neighbours"] });
    Compared::Share(ShareColumns { name, hits, of, clustered })
}

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
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
    accepted_inputs: Option<u64>,
    accepted_failed: Option<u64>,
    accepted_pct: Option<Percent>,
    accepted_low_pct: Option<Percent>,
    accepted_high_pct: Option<Percent>,
    unresolved: Option<u64>,
    unresolved_output: Option<u64>,
    timeout: Option<u64>,
    timeout_wall: Option<u64>,
    unknown: Option<u64>,
    duplicates: Option<u64>,
    unparsed: Option<u64>,
    executions: Option<u64>,
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
        let accepted = ShareCells::from(tally.map(Tally::accepted));
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
            accepted_inputs: accepted.of,
            accepted_failed: accepted.hits,
            accepted_pct: accepted.percent,
            accepted_low_pct: accepted.low,
            accepted_high_pct: accepted.high,
            unresolved: tally.map(|tally| tally.unresolved),
            unresolved_output: tally.map(|tally| tally.unresolved_output),
            timeout: tally.map(|tally| tally.timeout),
            timeout_wall: tally.map(|tally| tally.timeout_wall),
            unknown: tally.map(|tally| tally.unknown),
            duplicates: tally.map(|tally| tally.duplicates),
            unparsed: tally.map(|tally| tally.unparsed),
            executions: tally.map(|tally| tally.executions),
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
    /// Inputs without an answer, which count nowhere.
    unknown: u64,
    /// Inputs that were drawn and had been met before.
    duplicates: u64,
    /// Inputs of the corpus that are not of the grammar.
    unparsed: u64,
    /// Oracle executions.
    executions: u64,
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
            unknown: record.unknown,
            duplicates: record.duplicates,
            unparsed: record.unparsed,
            executions: record.executions,
        }
    }

    /// Inputs that F accepts, and how many of them fail.
    fn accepted(self) -> Proportion {
        let failed = self.fail.hits;
        Proportion::new(failed, failed + self.pass.of - self.pass.hits)
    }

    /// Whether there were no inputs at all: most subjects have no corpus.
    fn is_empty(self) -> bool {
        self == Self::default()
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
                .beside_share(paper.map(|paper| &paper.fail), &printed.fail)
                .called("recall", Better::More),
            Figure::share("pass", tally.map(|tally| tally.pass))
                .beside_share(paper.map(|paper| &paper.pass), &printed.pass)
                .called("specificity", Better::More),
            Figure::share("accepted", tally.map(Tally::accepted)).called("precision", Better::More),
            Figure::count("unresolved", tally.map(|tally| tally.unresolved)),
            Figure::count("unresolved_output", tally.map(|tally| tally.unresolved_output)),
            Figure::count("timeout", tally.map(|tally| tally.timeout)),
            Figure::count("timeout_wall", tally.map(|tally| tally.timeout_wall)),
            Figure::count("unknown", tally.map(|tally| tally.unknown)),
            Figure::count("duplicates", tally.map(|tally| tally.duplicates)),
            Figure::count("unparsed", tally.map(|tally| tally.unparsed)),
            Figure::count("executions", tally.map(|tally| tally.executions)),
        ];
        let source = Some(found.source.as_str());
        Measured { about: found.about, source, error: found.error.clone(), figures }
    };
    all.iter().map(of).collect()
}

/// The table.
fn table(results: &Results) -> Csv {
    let all = all(results);
    Csv::of(all.iter().map(|found| {
        let About { subject, bug, grammar, repetition, plug_ins, version, reintroduced } = found.about;
        let row = Row {
            subject,
            bug,
            grammar,
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

fn screen(results: &Results, totals: &[Total<'_>]) -> String {
    let all = all(results);
    if all.is_empty() {
        return String::new();
    }
    let labels = Labels::of(all.iter().map(|found| &found.about));
    let mut grid = Grid::new([
        "bug",
        "inputs",
        "accepted",
        "recall",
        "interval",
        "precision",
        "rejected",
        "specificity",
    ])
    .parted_before(6, 2);
    let line = |label: String, source: &str, [fail, accepted, pass]: [Option<Proportion>; 3]| {
        let percent = |share: Option<Proportion>| {
            let percent = share.and_then(Proportion::percent);
            percent.map(|percent| percent.to_string()).unwrap_or_default()
        };
        let counts = pass.map(|share| format!("{}/{}", share.hits, share.of)).unwrap_or_default();
        let mut cells = vec![label, source.to_owned()];
        cells.extend(labels::share_cells(fail));
        cells.push(percent(accepted));
        cells.extend([counts, percent(pass)]);
        cells
    };
    // What the paper has stands below our own figures.
    let of_paper = |label: String, [fail, pass]: [Option<String>; 2]| {
        let mut cells = vec![label, "paper".to_owned()];
        cells.resize(8, String::new());
        (cells[3], cells[7]) = (fail.unwrap_or_default(), pass.unwrap_or_default());
        cells
    };
    for found in &all {
        let (label, source) = (labels.of_row(&found.about), found.source.as_str());
        let papers = [|row: &Accuracy| row.fail.percent.clone(), |row: &Accuracy| row.pass.percent.clone()];
        let papers = papers.map(|percent| found.paper.map(percent));
        match found.tally {
            Some(tally) if tally.is_empty() => {}
            Some(tally) => {
                grid.push(line(label.clone(), source, [tally.fail, tally.accepted(), tally.pass].map(Some)));
                if found.paper.is_some() {
                    grid.push(of_paper(label, papers));
                }
            }
            None => grid.remark(label, &format!("{source:<10}  {}", found.error)),
        }
    }
    grid.rule();
    for total in totals {
        let shares = ["fail", "accepted", "pass"].map(|name| total.share(name));
        if ["executions", "unparsed"].iter().all(|name| total.count(name).unwrap_or_default() == 0)
            && shares.iter().flatten().all(|share| share.of == 0)
        {
            continue;
        }
        let label = labels.of_total(total.plug_ins);
        grid.push(line(label.clone(), total.source.unwrap_or_default(), shares));
        let papers = ["fail", "pass"].map(|name| total.paper(name).map(|percent| percent.to_string()));
        if papers.iter().any(Option::is_some) {
            grid.push(of_paper(label, papers));
        }
    }
    let mut notes = String::new();
    if all.iter().any(|found| found.paper.is_some()) {
        let printed = paper::recognizing().printed_total();
        let percents = [&printed.fail, &printed.pass].map(|share| Some(share.percent.clone()));
        grid.push(of_paper("total in print".to_owned(), percents));
        notes = labels::note_on_totals("II", paper::recognizing());
    }
    format!("{}\n{}{}", wrapped(TABLE.title, WIDTH), grid.to_text(WIDTH), wrapped(&notes, WIDTH))
}
