//! How exactly a specialized grammar makes failing inputs, and its negation passing ones: Table I of
//! *Input Algebras*.
//!
//! Inputs are counted when they are distinct and were judged; `*_inputs` and `*_unresolved` together
//! are all that were made, and `*_of_all_pct` is the share of these. `*_timeout` says how many of them ended in a timeout; where those count
//! is a setting.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::oracle::Verdict;
use crate::report::csv::{AccuracyCells, Csv, ShareCells, yes_or_no};
use crate::report::grid::Grid;
use crate::report::paper::{self, Accuracy};
use crate::report::statistics::{Percent, Proportion};

use super::super::generalize::GeneralizeTask;
use super::super::results::{Results, TaskRow};
use super::super::tables::labels::{self, Labels};
use super::super::tables::totals::{self, TOTAL, TOTAL_IN_PRINT};
use super::super::tables::{StageTable, WIDTH};
use super::super::{About, ExpressionKey, PlugIns, Stage};
use super::{Parses, ProduceRecord, ProduceTask, Side};

pub(super) const TABLE: StageTable = StageTable { file: "producing.csv", make: table, screen: Some(screen) };

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
    producer: Option<&'a str>,
    expression: &'a str,
    fail_inputs: Option<u64>,
    fail_failed: Option<u64>,
    fail_pct: Option<Percent>,
    fail_low: Option<Percent>,
    fail_high: Option<Percent>,
    fail_of_all_pct: Option<Percent>,
    fail_of_all_low: Option<Percent>,
    fail_of_all_high: Option<Percent>,
    fail_unresolved: Option<u64>,
    fail_timeout: Option<u64>,
    fail_parses: Option<&'static str>,
    pass_inputs: Option<u64>,
    pass_passed: Option<u64>,
    pass_pct: Option<Percent>,
    pass_low: Option<Percent>,
    pass_high: Option<Percent>,
    pass_of_all_pct: Option<Percent>,
    pass_of_all_low: Option<Percent>,
    pass_of_all_high: Option<Percent>,
    pass_unresolved: Option<u64>,
    pass_timeout: Option<u64>,
    pass_parses: Option<&'static str>,
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
    /// A row about a bug and plug-ins, without figures.
    fn of(bug: &'a str, plug_ins: PlugIns<'a>) -> Self {
        Self {
            bug,
            grammar: plug_ins.grammar,
            reducer: plug_ins.reducer,
            generalizer: plug_ins.generalizer,
            transformer: plug_ins.transformer,
            producer: plug_ins.producer,
            ..Self::default()
        }
    }

    /// This row, with the figures of both sides and of the paper.
    fn with(self, fail: Option<Tally>, pass: Option<Tally>, paper: Option<&'a Accuracy>) -> Self {
        let of_fail = ShareCells::from(fail.map(|tally| tally.share));
        let of_pass = ShareCells::from(pass.map(|tally| tally.share));
        let all_fail = ShareCells::from(fail.map(Tally::of_all));
        let all_pass = ShareCells::from(pass.map(Tally::of_all));
        let paper = AccuracyCells::from(paper);
        Self {
            fail_inputs: of_fail.of,
            fail_failed: of_fail.hits,
            fail_pct: of_fail.percent,
            fail_low: of_fail.low,
            fail_high: of_fail.high,
            fail_of_all_pct: all_fail.percent,
            fail_of_all_low: all_fail.low,
            fail_of_all_high: all_fail.high,
            fail_unresolved: fail.map(|tally| tally.unresolved),
            fail_timeout: fail.map(|tally| tally.timeout),
            pass_inputs: of_pass.of,
            pass_passed: of_pass.hits,
            pass_pct: of_pass.percent,
            pass_low: of_pass.low,
            pass_high: of_pass.high,
            pass_of_all_pct: all_pass.percent,
            pass_of_all_low: all_pass.low,
            pass_of_all_high: all_pass.high,
            pass_unresolved: pass.map(|tally| tally.unresolved),
            pass_timeout: pass.map(|tally| tally.timeout),
            paper_fail_pct: paper.fail_percent,
            paper_fail_inputs: paper.fail_inputs,
            paper_pass_pct: paper.pass_percent,
            paper_pass_inputs: paper.pass_inputs,
            ..self
        }
    }
}

/// How the inputs of one grammar were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Those that did what they should, of those with a verdict.
    share: Proportion,
    /// Those without a verdict.
    unresolved: u64,
    /// Those of both that ended in a timeout.
    timeout: u64,
}

impl Tally {
    fn of(record: &ProduceRecord) -> Self {
        let (fail, pass) = record.resolved();
        let hits = match record.side {
            Side::F => fail,
            Side::NotF => pass,
        };
        Self {
            share: Proportion::new(hits, fail + pass),
            unresolved: record.verdicts.counted(Verdict::Unresolved),
            timeout: record.verdicts.timeout,
        }
    }

    /// Those that did what they should, of all that were judged.
    fn of_all(self) -> Proportion {
        Proportion::new(self.share.hits, self.share.of + self.unresolved)
    }

    fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, next| Self {
            share: sum.share + next.share,
            unresolved: sum.unresolved + next.unresolved,
            timeout: sum.timeout + next.timeout,
        })
    }
}

/// What there is of a bug and a combination of plug-ins.
struct Found<'a> {
    about: About<'a>,
    expression: &'a str,
    /// Inputs of F, and how many failed.
    fail: Option<Tally>,
    /// Inputs of not F, and how many passed.
    pass: Option<Tally>,
    /// Which parses of the inputs of F, and of not F, are of that.
    parses: [Option<Parses>; 2],
    paper: Option<&'static Accuracy>,
    /// Why figures are missing.
    error: String,
}

/// What there is, summed up over one combination of plug-ins.
struct Total<'a> {
    plug_ins: PlugIns<'a>,
    fail: Tally,
    pass: Tally,
    /// What the paper's rows for the same bugs add up to.
    paper: Option<Accuracy>,
    /// How many rows have no figures.
    error: String,
}

/// A task of either side, and how its inputs were judged.
type OfSide<'a> = (&'a ProduceTask, &'a TaskRow, Option<&'a ProduceRecord>);

/// All bugs, in the order of the plan.
fn all(results: &Results) -> Vec<Found<'_>> {
    let mut places: BTreeMap<About<'_>, usize> = BTreeMap::new();
    let mut both: Vec<[Option<OfSide<'_>>; 2]> = Vec::new();
    for (task, row, record) in results.of::<ProduceTask>() {
        let place = *places.entry(task.about()).or_insert_with(|| {
            both.push([None, None]);
            both.len() - 1
        });
        both[place][task.side as usize] = Some((task, row, record));
    }
    both.into_iter().filter_map(|sides| found(results, sides)).collect()
}

fn found<'a>(results: &'a Results, [fail, pass]: [Option<OfSide<'a>>; 2]) -> Option<Found<'a>> {
    let (task, ..) = fail.or(pass)?;
    let about = task.about();
    let error = |side: Option<OfSide<'_>>| side.and_then(|(_, row, _)| results.error(row));
    Some(Found {
        about,
        expression: expression(results, task),
        fail: fail.and_then(|(_, _, record)| record).map(Tally::of),
        pass: pass.and_then(|(_, _, record)| record).map(Tally::of),
        parses: [fail, pass].map(|side| side.and_then(|(_, _, record)| record).map(|record| record.parses)),
        paper: paper::producing().row(about.bug),
        error: match (error(fail), error(pass)) {
            (None, None) => String::new(),
            (Some(fail), Some(pass)) if fail == pass => fail,
            (Some(fail), Some(pass)) => format!("F: {fail}; not F: {pass}"),
            (Some(fail), None) => format!("F: {fail}"),
            (None, Some(pass)) => format!("not F: {pass}"),
        },
    })
}

/// The expression that a task works with. Empty as long as it is not known.
fn expression<'a>(results: &'a Results, task: &ProduceTask) -> &'a str {
    if let Some(record) = results.record(&*task.specialization) {
        return &record.expression;
    }
    match &task.specialization.expression {
        ExpressionKey::Learned(task) => {
            results.record::<GeneralizeTask>(task).map_or("", |record| &record.expression)
        }
        ExpressionKey::OfConfig(_) | ExpressionKey::OfBug(_) => "",
    }
}

/// The totals, one for each combination of plug-ins. None without rows.
fn totals<'a>(all: &[Found<'a>]) -> Vec<Total<'a>> {
    totals::parts(all, |found| found.about.plug_ins)
        .into_iter()
        .map(|(plug_ins, part)| {
            let missing = part.iter().filter(|found| found.fail.is_none() || found.pass.is_none()).count();
            Total {
                plug_ins,
                fail: Tally::sum(part.iter().filter_map(|found| found.fail)),
                pass: Tally::sum(part.iter().filter_map(|found| found.pass)),
                paper: totals::of_the_paper(paper::producing(), part.iter().map(|found| found.about.bug)),
                error: totals::error(missing, part.len()),
            }
        })
        .collect()
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
            grammar: Some(about.grammar),
            repetition: Some(about.repetition),
            expression: found.expression,
            fail_parses: found.parses[0].map(Parses::as_str),
            pass_parses: found.parses[1].map(Parses::as_str),
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed,
            error: &found.error,
            ..Row::of(about.bug, about.plug_ins)
        };
        rows.push(row.with(found.fail, found.pass, found.paper));
    }
    for total in &totals {
        let row = Row { seed, error: &total.error, ..Row::of(TOTAL, total.plug_ins) };
        rows.push(row.with(Some(total.fail), Some(total.pass), total.paper.as_ref()));
    }
    if all.iter().any(|found| found.paper.is_some()) {
        let printed = Some(paper::producing().printed_total());
        rows.push(Row { bug: TOTAL_IN_PRINT, ..Row::default() }.with(None, None, printed));
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
        "F: failed",
        "%",
        "interval",
        "paper",
        "not F: passed",
        "%",
        "interval",
        "paper",
        "unresolved",
    ]);
    let line = |label, fail: Option<Tally>, pass: Option<Tally>, paper: Option<&Accuracy>| {
        let unresolved =
            |tally: Option<Tally>| tally.map_or("?".into(), |tally| tally.unresolved.to_string());
        let mut cells = vec![label];
        cells.extend(labels::share_cells(fail.map(|tally| tally.share)));
        cells.push(paper.map(|row| row.fail.percent.clone()).unwrap_or_default());
        cells.extend(labels::share_cells(pass.map(|tally| tally.share)));
        cells.push(paper.map(|row| row.pass.percent.clone()).unwrap_or_default());
        cells.push(format!("{} + {}", unresolved(fail), unresolved(pass)));
        cells
    };
    for found in &all {
        let label = labels.of_row(&found.about);
        match (found.fail, found.pass) {
            (None, None) => grid.remark(label, &found.error),
            (fail, pass) => grid.push(line(label, fail, pass, found.paper)),
        }
    }
    grid.rule();
    for total in totals(&all) {
        let label = labels.of_total(total.plug_ins);
        grid.push(line(label, Some(total.fail), Some(total.pass), total.paper.as_ref()));
    }
    let mut notes = String::new();
    for (found, place) in all.iter().flat_map(|found| [(found, 0), (found, 1)]) {
        if found.parses[place] == Some(Parses::Some) {
            let side = ["F", "not F"][place];
            notes += &format!(
                "{}: inputs of which some parse, not every, satisfies {side}\n",
                labels.of_row(&found.about)
            );
        }
    }
    if all.iter().any(|found| found.paper.is_some()) {
        grid.push(labels::printed_total(paper::producing(), 1));
        notes += &labels::note_on_totals("I", paper::producing());
    }
    format!(
        "Producing: inputs of F that failed, inputs of not F that passed (Table I of the paper)\n\n{}{notes}",
        grid.to_text(WIDTH)
    )
}
