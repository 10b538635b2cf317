//! How exactly a specialized grammar tells failing inputs from passing ones: Table II of *Input
//! Algebras*.
//!
//! The papers use the inputs met while reducing and generalizing (`seen`); the expression was made
//! from these very inputs. Beside them stand held-out ones of several sources, for which the papers have no figures.
//! *Recall* is how many failing inputs F accepts, *specificity* how many passing ones it rejects, *precision* how many
//! of those that it accepts fail.

use serde::Serialize;

use crate::report::csv::{AccuracyCells, Csv, ShareCells, yes_or_no};
use crate::report::grid::Grid;
use crate::report::paper::{self, Accuracy};
use crate::report::statistics::{Percent, Proportion};

use super::super::generalize::GeneralizeTask;
use super::super::results::Results;
use super::super::tables::labels::{self, Labels};
use super::super::tables::totals::{self, TOTAL, TOTAL_IN_PRINT};
use super::super::tables::{StageTable, WIDTH};
use super::super::{About, ExpressionKey, PlugIns, Stage};
use super::{InputSource, RecognizeRecord, RecognizeTask};

pub(super) const TABLE: StageTable =
    StageTable { file: "recognizing.csv", make: table, screen: Some(screen) };

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: Option<&'a str>,
    repetition: Option<u32>,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    transformer: Option<&'a str>,
    expression: &'a str,
    source: &'a str,
    fail_inputs: Option<u64>,
    fail_accepted: Option<u64>,
    fail_pct: Option<Percent>,
    fail_low: Option<Percent>,
    fail_high: Option<Percent>,
    pass_inputs: Option<u64>,
    pass_rejected: Option<u64>,
    pass_pct: Option<Percent>,
    pass_low: Option<Percent>,
    pass_high: Option<Percent>,
    accepted_inputs: Option<u64>,
    accepted_failed: Option<u64>,
    accepted_pct: Option<Percent>,
    accepted_low: Option<Percent>,
    accepted_high: Option<Percent>,
    unresolved: Option<u64>,
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
    seed: Option<u64>,
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
            fail_low: fail.low,
            fail_high: fail.high,
            pass_inputs: pass.of,
            pass_rejected: pass.hits,
            pass_pct: pass.percent,
            pass_low: pass.low,
            pass_high: pass.high,
            accepted_inputs: accepted.of,
            accepted_failed: accepted.hits,
            accepted_pct: accepted.percent,
            accepted_low: accepted.low,
            accepted_high: accepted.high,
            unresolved: tally.map(|tally| tally.unresolved),
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

    fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, next| Self {
            fail: sum.fail + next.fail,
            pass: sum.pass + next.pass,
            unresolved: sum.unresolved + next.unresolved,
            unknown: sum.unknown + next.unknown,
            duplicates: sum.duplicates + next.duplicates,
            unparsed: sum.unparsed + next.unparsed,
            executions: sum.executions + next.executions,
        })
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

/// What there is, summed up over one source and one combination of plug-ins.
struct Total<'a> {
    plug_ins: PlugIns<'a>,
    source: InputSource,
    tally: Tally,
    /// What the paper's rows for the same bugs add up to.
    paper: Option<Accuracy>,
    /// How many rows have no figures.
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

/// The totals, for each combination of plug-ins one of each source. None without rows.
fn totals<'a>(all: &[Found<'a>]) -> Vec<Total<'a>> {
    let mut totals = Vec::new();
    for (plug_ins, of_all) in totals::parts(all, |found| found.about.plug_ins) {
        for source in InputSource::ALL {
            let part: Vec<&Found<'_>> =
                of_all.iter().copied().filter(|found| found.source == source).collect();
            if part.is_empty() {
                continue;
            }
            let bugs = part.iter().filter(|found| found.paper.is_some()).map(|found| found.about.bug);
            let missing = part.iter().filter(|found| found.tally.is_none()).count();
            totals.push(Total {
                plug_ins,
                source,
                tally: Tally::sum(part.iter().filter_map(|found| found.tally)),
                paper: totals::of_the_paper(paper::recognizing(), bugs),
                error: totals::error(missing, part.len()),
            });
        }
    }
    totals
}

/// The table.
fn table(results: &Results) -> Csv {
    let (all, seed) = (all(results), Some(results.seed()));
    let totals = totals(&all);
    let mut rows: Vec<Row<'_>> = Vec::new();
    for found in &all {
        let about = &found.about;
        let row = Row {
            subject: about.subject,
            bug: about.bug,
            grammar: Some(about.grammar),
            repetition: Some(about.repetition),
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            transformer: about.plug_ins.transformer,
            expression: found.expression,
            source: found.source.as_str(),
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed,
            error: &found.error,
            ..Row::default()
        };
        rows.push(row.with(found.tally, found.paper));
    }
    for total in &totals {
        let row = Row {
            bug: TOTAL,
            grammar: total.plug_ins.grammar,
            reducer: total.plug_ins.reducer,
            generalizer: total.plug_ins.generalizer,
            transformer: total.plug_ins.transformer,
            source: total.source.as_str(),
            seed,
            error: &total.error,
            ..Row::default()
        };
        rows.push(row.with(Some(total.tally), total.paper.as_ref()));
    }
    if all.iter().any(|found| found.paper.is_some()) {
        let row = Row { bug: TOTAL_IN_PRINT, source: InputSource::Seen.as_str(), ..Row::default() };
        rows.push(row.with(None, Some(paper::recognizing().printed_total())));
    }
    Csv::of(rows)
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
        "recall",
        "interval",
        "precision",
        "rejected",
        "specificity",
    ]);
    let line = |label: String, source: InputSource, tally: Tally| {
        let percent =
            |share: Proportion| share.percent().map(|percent| percent.to_string()).unwrap_or_default();
        let counts = |share: Proportion| format!("{}/{}", share.hits, share.of);
        let mut cells = vec![label, source.as_str().to_owned()];
        cells.extend(labels::share_cells(Some(tally.fail)));
        cells.push(percent(tally.accepted()));
        cells.extend([counts(tally.pass), percent(tally.pass)]);
        cells
    };
    // What the paper has stands below our own figures.
    let of_paper = |label: &str, paper: &Accuracy| {
        let mut cells = [label, "paper"].map(str::to_owned).to_vec();
        cells.resize(8, String::new());
        (cells[3], cells[7]) = (paper.fail.percent.clone(), paper.pass.percent.clone());
        cells
    };
    for found in &all {
        let label = labels.of_row(&found.about);
        match found.tally {
            Some(tally) if tally.is_empty() => {}
            Some(tally) => {
                grid.push(line(label.clone(), found.source, tally));
                if let Some(paper) = found.paper {
                    grid.push(of_paper(&label, paper));
                }
            }
            None => grid.remark(label, &format!("{:<10}  {}", found.source.as_str(), found.error)),
        }
    }
    grid.rule();
    for total in totals(&all).into_iter().filter(|total| !total.tally.is_empty()) {
        let label = labels.of_total(total.plug_ins);
        grid.push(line(label.clone(), total.source, total.tally));
        if let Some(paper) = &total.paper {
            grid.push(of_paper(&label, paper));
        }
    }
    let mut notes = String::new();
    if all.iter().any(|found| found.paper.is_some()) {
        grid.push(of_paper(TOTAL_IN_PRINT, paper::recognizing().printed_total()));
        notes = labels::note_on_totals("II", paper::recognizing());
    }
    format!(
        "Recognizing: failing inputs that F accepts, passing inputs that F rejects (Table II of the paper)\n\n\
         {}{notes}",
        grid.to_text(WIDTH)
    )
}
