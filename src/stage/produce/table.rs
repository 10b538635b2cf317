//! How exactly a specialized grammar makes failing inputs, and its negation passing ones: Table I of
//! *Input Algebras*.
//!
//! Inputs are counted when they are distinct and were judged; `*_inputs` and `*_unresolved` together
//! are all that were made, and `*_of_all_pct` is the share of these. `*_timeout` says how many of them ended in a timeout; where those count
//! is a setting.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::oracle::Verdict;
use crate::report::compared::{Compared, Comparison, ShareColumns};
use crate::report::csv::{AccuracyCells, Csv, ShareCells, yes_or_no};
use crate::report::figure::{Better, Figure};
use crate::report::grid::{Grid, wrapped};
use crate::report::paper::{self, Accuracy};
use crate::report::statistics::{Percent, Proportion};

use super::super::generalize::GeneralizeTask;
use super::super::results::{Results, TaskRow};
use super::super::tables::labels::{self, Labels};
use super::super::tables::{Make, Measured, StageTable, Total, WIDTH};
use super::super::{About, ExpressionKey, Stage};
use super::{Parses, ProduceRecord, ProduceTask, Side};

pub(super) const TABLE: StageTable = StageTable {
    file: "producing.csv",
    title: "Producing: inputs of F that failed, inputs of not F that passed (Table I of the paper)",
    make: Make::OfResults(table),
    screen: Some(screen),
    figures: Some(|results| figures(&all(results))),
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug", "grammar", "reducer", "generalizer", "transformer", "producer"],
    given: Some("expression"),
    columns: &[
        share("fail", "fail_failed", &["fail_inputs"]),
        share("fail_of_all", "fail_failed", &["fail_inputs", "fail_unresolved"]),
        share("pass", "pass_passed", &["pass_inputs"]),
        share("pass_of_all", "pass_passed", &["pass_inputs", "pass_unresolved"]),
        Compared::Count("fail_inputs"),
        Compared::Count("fail_timeout"),
        Compared::Count("pass_inputs"),
        Compared::Count("pass_timeout"),
        Compared::Text("fail_parses"),
        Compared::Text("pass_parses"),
    ],
    others: &["fail_unresolved_output", "fail_timeout_wall", "pass_unresolved_output", "pass_timeout_wall"],
};

/// Inputs that are drawn independently of each other.
const fn share(name: &'static str, hits: &'static str, of: &'static [&'static str]) -> Compared {
    Compared::Share(ShareColumns { name, hits, of, clustered: None })
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
    producer: Option<&'a str>,
    expression: &'a str,
    fail_inputs: Option<u64>,
    fail_failed: Option<u64>,
    fail_pct: Option<Percent>,
    fail_low_pct: Option<Percent>,
    fail_high_pct: Option<Percent>,
    fail_of_all_pct: Option<Percent>,
    fail_of_all_low_pct: Option<Percent>,
    fail_of_all_high_pct: Option<Percent>,
    fail_unresolved: Option<u64>,
    fail_unresolved_output: Option<u64>,
    fail_timeout: Option<u64>,
    fail_timeout_wall: Option<u64>,
    fail_parses: Option<&'static str>,
    pass_inputs: Option<u64>,
    pass_passed: Option<u64>,
    pass_pct: Option<Percent>,
    pass_low_pct: Option<Percent>,
    pass_high_pct: Option<Percent>,
    pass_of_all_pct: Option<Percent>,
    pass_of_all_low_pct: Option<Percent>,
    pass_of_all_high_pct: Option<Percent>,
    pass_unresolved: Option<u64>,
    pass_unresolved_output: Option<u64>,
    pass_timeout: Option<u64>,
    pass_timeout_wall: Option<u64>,
    pass_parses: Option<&'static str>,
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
            fail_low_pct: of_fail.low,
            fail_high_pct: of_fail.high,
            fail_of_all_pct: all_fail.percent,
            fail_of_all_low_pct: all_fail.low,
            fail_of_all_high_pct: all_fail.high,
            fail_unresolved: fail.map(|tally| tally.unresolved),
            fail_unresolved_output: fail.map(|tally| tally.unresolved_output),
            fail_timeout: fail.map(|tally| tally.timeout),
            fail_timeout_wall: fail.map(|tally| tally.timeout_wall),
            pass_inputs: of_pass.of,
            pass_passed: of_pass.hits,
            pass_pct: of_pass.percent,
            pass_low_pct: of_pass.low,
            pass_high_pct: of_pass.high,
            pass_of_all_pct: all_pass.percent,
            pass_of_all_low_pct: all_pass.low,
            pass_of_all_high_pct: all_pass.high,
            pass_unresolved: pass.map(|tally| tally.unresolved),
            pass_unresolved_output: pass.map(|tally| tally.unresolved_output),
            pass_timeout: pass.map(|tally| tally.timeout),
            pass_timeout_wall: pass.map(|tally| tally.timeout_wall),
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
    /// Those of them whose run wrote too much.
    unresolved_output: u64,
    /// Those of both that ended in a timeout.
    timeout: u64,
    /// Those of them that waited too long by the clock.
    timeout_wall: u64,
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
            unresolved_output: record.verdicts.unresolved_output,
            timeout: record.verdicts.timeout,
            timeout_wall: record.verdicts.timeout_wall,
        }
    }

    /// Those that did what they should, of all that were judged.
    fn of_all(self) -> Proportion {
        Proportion::new(self.share.hits, self.share.of + self.unresolved)
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
        error: of_both(error(fail), error(pass)),
    })
}

/// The errors of both sides in one cell.
fn of_both(fail: Option<String>, pass: Option<String>) -> String {
    match (fail, pass) {
        (None, None) => String::new(),
        (Some(fail), Some(pass)) if fail == pass => fail,
        (Some(fail), Some(pass)) => format!("F: {fail}; not F: {pass}"),
        (Some(fail), None) => format!("F: {fail}"),
        (None, Some(pass)) => format!("not F: {pass}"),
    }
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

/// What can be summed up.
fn figures<'a>(all: &[Found<'a>]) -> Vec<Measured<'a>> {
    let printed = paper::producing().printed_total();
    let of = |found: &Found<'a>| {
        let Found { fail, pass, paper, .. } = found;
        let figures = vec![
            Figure::share("fail", fail.map(|tally| tally.share))
                .beside_share(paper.map(|paper| &paper.fail), &printed.fail)
                .called("F: failed", Better::More),
            Figure::share("fail_of_all", fail.map(Tally::of_all)),
            Figure::count("fail_unresolved", fail.map(|tally| tally.unresolved))
                .called("F: unresolved", Better::Less),
            Figure::count("fail_unresolved_output", fail.map(|tally| tally.unresolved_output)),
            Figure::count("fail_timeout", fail.map(|tally| tally.timeout)),
            Figure::count("fail_timeout_wall", fail.map(|tally| tally.timeout_wall)),
            Figure::share("pass", pass.map(|tally| tally.share))
                .beside_share(paper.map(|paper| &paper.pass), &printed.pass)
                .called("not F: passed", Better::More),
            Figure::share("pass_of_all", pass.map(Tally::of_all)),
            Figure::count("pass_unresolved", pass.map(|tally| tally.unresolved))
                .called("not F: unresolved", Better::Less),
            Figure::count("pass_unresolved_output", pass.map(|tally| tally.unresolved_output)),
            Figure::count("pass_timeout", pass.map(|tally| tally.timeout)),
            Figure::count("pass_timeout_wall", pass.map(|tally| tally.timeout_wall)),
        ];
        Measured { about: found.about, source: None, error: found.error.clone(), figures }
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
            producer: plug_ins.producer,
            expression: found.expression,
            fail_parses: found.parses[0].map(Parses::as_str),
            pass_parses: found.parses[1].map(Parses::as_str),
            version,
            reintroduced: yes_or_no(reintroduced),
            seed: results.seed(),
            error: &found.error,
            ..Row::default()
        };
        row.with(found.fail, found.pass, found.paper)
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
        "F: failed",
        "%",
        "interval",
        "paper",
        "not F: passed",
        "%",
        "interval",
        "paper",
        "unresolved",
    ])
    .parted_before(5, 1);
    let line = |label,
                [fail, pass]: [Option<Proportion>; 2],
                papers: [Option<String>; 2],
                unresolved: [Option<u64>; 2]| {
        let [paper_fail, paper_pass] = papers.map(Option::unwrap_or_default);
        let [of_f, of_not_f] = unresolved.map(|count| count.map_or("?".into(), |count| count.to_string()));
        let mut cells = vec![label];
        cells.extend(labels::share_cells(fail));
        cells.push(paper_fail);
        cells.extend(labels::share_cells(pass));
        cells.push(paper_pass);
        cells.push(format!("{of_f} + {of_not_f}"));
        cells
    };
    for found in &all {
        let label = labels.of_row(&found.about);
        let sides = [found.fail, found.pass];
        if sides == [None, None] {
            grid.remark(label, &found.error);
            continue;
        }
        let papers = [|row: &Accuracy| row.fail.percent.clone(), |row: &Accuracy| row.pass.percent.clone()];
        grid.push(line(
            label,
            sides.map(|tally| tally.map(|tally| tally.share)),
            papers.map(|percent| found.paper.map(percent)),
            sides.map(|tally| tally.map(|tally| tally.unresolved)),
        ));
    }
    grid.rule();
    for total in totals {
        grid.push(line(
            labels.of_total(total.plug_ins),
            ["fail", "pass"].map(|name| total.share(name)),
            ["fail", "pass"].map(|name| total.paper(name).map(|percent| percent.to_string())),
            ["fail_unresolved", "pass_unresolved"].map(|name| total.count(name)),
        ));
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
    format!("{}\n{}{}", wrapped(TABLE.title, WIDTH), grid.to_text(WIDTH), wrapped(&notes, WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_one_side_says_of_which_and_one_of_both_is_said_once() {
        let of = |fail: &str, pass: &str| {
            let [fail, pass] = [fail, pass].map(|error| (!error.is_empty()).then(|| error.to_owned()));
            of_both(fail, pass)
        };
        assert_eq!(of("", ""), "");
        assert_eq!(of("late", ""), "F: late");
        assert_eq!(of("", "late"), "not F: late");
        assert_eq!(of("late", "late"), "late");
        assert_eq!(of("late", "large"), "F: late; not F: large");
    }
}
