//! The figures of all tables, summed up: over all bugs and repetitions, for each combination of plug-ins and source of
//! inputs.
//!
//! A total says what one combination of plug-ins achieves over all bugs. A bug whose expression was
//! given by hand needs no reducer; its row belongs to every combination that agrees with it in what
//! it does have. So a campaign with one plug-in of each kind has one total, whatever its bugs.
//!
//! The papers' figures are those of the rows that have ours, so that both are about the same: counts of each row, shares of
//! each bug once, since a percentage of the same inputs is not another one for being repeated. Beside them stands what the
//! papers print as their totals, which is not always what their rows add up to.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::csv::{Csv, ShareCells};
use crate::report::figure::{Figure, Value};
use crate::report::paper::PaperShare;
use crate::report::statistics::{Percent, Proportion};

use super::super::about::{About, PlugIns};
use super::super::results::Results;
use super::{Figures, Make, StageTable};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "totals.csv",
    title: "Totals of each combination of plug-ins",
    make: Make::OfFigures(table),
    screen: None,
    figures: None,
    compared: None,
};

/// The figures of a row.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    /// What the row is about.
    pub about: About<'a>,
    /// Where its inputs come from, in a table that has several such rows.
    pub source: Option<&'static str>,
    /// Why figures are missing; empty when they are not.
    pub error: String,
    /// Its figures: in all rows of a table the same ones, in the same order.
    pub figures: Vec<Figure>,
}

/// The sum of the rows of one combination of plug-ins.
#[derive(Clone, Debug)]
pub struct Total<'a> {
    /// The combination.
    pub plug_ins: PlugIns<'a>,
    /// Where the inputs come from.
    pub source: Option<&'static str>,
    /// How many rows there are.
    pub rows: usize,
    /// The sums.
    pub figures: Vec<Sum>,
}

/// The sum of a figure of several rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The figure.
    pub name: &'static str,
    /// What was measured.
    pub value: Value,
    /// How many rows have no such figure.
    pub missing: usize,
    /// What the papers' rows come to.
    pub paper: Option<Value>,
    /// How many rows have such a figure and none of the papers beside it.
    pub without_paper: usize,
    /// What the paper prints.
    pub printed: Option<&'static PaperShare>,
}

impl Total<'_> {
    fn sum(&self, name: &str) -> Option<&Sum> {
        self.figures.iter().find(|sum| sum.name == name)
    }

    /// A share.
    pub fn share(&self, name: &str) -> Option<Proportion> {
        self.sum(name).and_then(|sum| sum.value.share())
    }

    /// A count.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.sum(name).and_then(|sum| sum.value.count())
    }

    /// The percentage of the papers.
    pub fn paper(&self, name: &str) -> Option<Percent> {
        self.sum(name)?.paper?.share()?.percent()
    }
}

/// Rows that differ in nothing but their repetition: what they are about, where their inputs come from, and the rows.
pub type Pool<'a, 'm> = (About<'a>, Option<&'static str>, Vec<&'m Measured<'a>>);

/// The rows of a table, those together that differ in nothing but their repetition; in order of appearance.
pub fn pooled<'a, 'm>(rows: &'m [Measured<'a>]) -> Vec<Pool<'a, 'm>> {
    let mut pools: Vec<Pool<'a, 'm>> = Vec::new();
    let mut places: BTreeMap<(About<'a>, Option<&'static str>), usize> = BTreeMap::new();
    for row in rows {
        let about = About { repetition: 1, ..row.about };
        let place = *places.entry((about, row.source)).or_insert_with(|| {
            pools.push((about, row.source, Vec::new()));
            pools.len() - 1
        });
        pools[place].2.push(row);
    }
    pools
}

/// The totals of the rows of a table, in order of appearance.
pub fn of<'a, M: Borrow<Measured<'a>>>(rows: &[M]) -> Vec<Total<'a>> {
    let rows: Vec<&Measured<'a>> = rows.iter().map(Borrow::borrow).collect();
    let mut sources: Vec<Option<&'static str>> = Vec::new();
    for row in &rows {
        if !sources.contains(&row.source) {
            sources.push(row.source);
        }
    }
    let mut totals = Vec::new();
    for plug_ins in combinations(rows.iter().map(|row| row.about.plug_ins)) {
        for &source in &sources {
            let is_part =
                |row: &&&Measured<'_>| row.source == source && belongs(row.about.plug_ins, plug_ins);
            let part: Vec<&Measured<'a>> = rows.iter().filter(is_part).copied().collect();
            if !part.is_empty() {
                totals.push(Total { plug_ins, source, rows: part.len(), figures: sums(&part) });
            }
        }
    }
    totals
}

fn sums(part: &[&Measured<'_>]) -> Vec<Sum> {
    let columns = part.first().map_or(0, |row| row.figures.len());
    (0..columns).map(|column| sum(part, column)).collect()
}

fn sum(part: &[&Measured<'_>], column: usize) -> Sum {
    let all: Vec<(&str, Figure)> = part.iter().map(|row| (row.about.bug, row.figures[column])).collect();
    let Figure { name, value, .. } = all[0].1;
    let mut bugs: Vec<&str> = Vec::new();
    let mut paper: Vec<Value> = Vec::new();
    for &(bug, figure) in all.iter().filter(|(_, figure)| figure.value.is_known()) {
        let Some(of_bug) = figure.paper else { continue };
        if of_bug.share().is_none() || !bugs.contains(&bug) {
            bugs.push(bug);
            paper.push(of_bug);
        }
    }
    Sum {
        name,
        value: value.sum(all.iter().map(|(_, figure)| figure.value)),
        missing: all.iter().filter(|(_, figure)| !figure.value.is_known()).count(),
        paper: paper.first().map(|first| first.sum(paper.iter().copied())),
        without_paper: all
            .iter()
            .filter(|(_, figure)| figure.value.is_known() && figure.paper.is_none())
            .count(),
        printed: all.iter().find_map(|(_, figure)| figure.printed),
    }
}

/// Whether a row with the plug-ins `row` is part of the total of `combination`.
fn belongs(row: PlugIns<'_>, combination: PlugIns<'_>) -> bool {
    row.all().iter().zip(combination.all()).all(|(row, all)| row.is_none() || *row == all)
}

/// The combinations that have a total: those of rows that are part of no other one, each once, in
/// order of appearance.
fn combinations<'a>(all: impl IntoIterator<Item = PlugIns<'a>>) -> Vec<PlugIns<'a>> {
    let mut distinct: Vec<PlugIns<'_>> = Vec::new();
    for plug_ins in all {
        if !distinct.contains(&plug_ins) {
            distinct.push(plug_ins);
        }
    }
    let is_part = |one: &PlugIns<'_>| distinct.iter().any(|other| other != one && belongs(*one, *other));
    distinct.iter().copied().filter(|plug_ins| !is_part(plug_ins)).collect()
}

/// A row of the table: a figure of a total.
#[derive(Default, Serialize)]
struct Row<'a> {
    table: &'a str,
    source: Option<&'a str>,
    grammar: Option<&'a str>,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    transformer: Option<&'a str>,
    producer: Option<&'a str>,
    figure: &'a str,
    rows: usize,
    rows_missing: usize,
    rows_without_paper: usize,
    count: Option<u64>,
    of: Option<u64>,
    pct: Option<Percent>,
    low_pct: Option<Percent>,
    high_pct: Option<Percent>,
    paper_count: Option<u64>,
    paper_of: Option<u64>,
    paper_pct: Option<Percent>,
    printed_of: Option<u64>,
    printed_pct: Option<&'a str>,
    seed: u64,
}

/// The table: a row for each figure of each total of each table.
fn table(results: &Results, figures: &[Figures<'_>]) -> Csv {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for Figures { table, totals, .. } in figures {
        for total in totals {
            rows.extend(total.figures.iter().map(|sum| {
                let ours = ShareCells::from(sum.value.share());
                let paper = sum.paper.and_then(Value::share);
                Row {
                    table: table.name(),
                    source: total.source,
                    grammar: total.plug_ins.grammar,
                    reducer: total.plug_ins.reducer,
                    generalizer: total.plug_ins.generalizer,
                    transformer: total.plug_ins.transformer,
                    producer: total.plug_ins.producer,
                    figure: sum.name,
                    rows: total.rows,
                    rows_missing: sum.missing,
                    rows_without_paper: sum.without_paper,
                    count: sum.value.count(),
                    of: ours.of,
                    pct: ours.percent,
                    low_pct: ours.low,
                    high_pct: ours.high,
                    paper_count: sum.paper.and_then(Value::count),
                    paper_of: paper.map(|share| share.of),
                    paper_pct: paper.and_then(Proportion::percent),
                    printed_of: sum.printed.map(|printed| printed.inputs),
                    printed_pct: sum.printed.map(|printed| printed.percent.as_str()),
                    seed: results.seed(),
                }
            }));
        }
    }
    Csv::of(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plug_ins(names: [&'static str; 4]) -> PlugIns<'static> {
        let [reducer, generalizer, transformer, producer] =
            names.map(|name| Some(name).filter(|name| !name.is_empty()));
        PlugIns { grammar: Some("default"), reducer, generalizer, transformer, producer }
    }

    #[test]
    fn a_row_without_reducer_is_part_of_every_combination_that_agrees() {
        let all = [
            ["", "", "automaton", "limit"],
            ["perses", "ddset", "automaton", "limit"],
            ["ddmin", "ddset", "automaton", "limit"],
            ["perses", "ddset", "automaton", "limit"],
            ["", "", "symbolic", "limit"],
        ]
        .map(plug_ins);
        assert_eq!(combinations(all), [all[1], all[2], all[4]]);
        assert!(belongs(all[0], all[1]) && belongs(all[0], all[2]) && !belongs(all[0], all[4]));
    }

    #[test]
    fn the_papers_figures_are_of_the_rows_that_have_ours_and_shares_of_each_bug_once() {
        let paper: &'static PaperShare = Box::leak(Box::new(PaperShare { percent: "50".into(), inputs: 4 }));
        let row = |bug, ours: Option<u64>| Measured {
            about: About { bug, ..About::default() },
            source: None,
            error: String::new(),
            figures: vec![
                Figure::count("executions", ours).beside_count(Some(7)),
                Figure::share("fail", ours.map(|hits| Proportion::new(hits, 10)))
                    .beside_share(Some(paper), paper),
            ],
        };
        let rows = [row("a", Some(1)), row("a", Some(2)), row("b", None), row("c", Some(3))];
        let totals = of(&rows);
        let [total] = &totals[..] else { panic!("{totals:?}") };
        let [executions, fail] = &total.figures[..] else { panic!("{total:?}") };
        assert_eq!((total.rows, executions.missing, fail.missing), (4, 1, 1));
        assert_eq!(
            (executions.value, executions.paper),
            (Value::Count(Some(6)), Some(Value::Count(Some(21))))
        );
        assert_eq!(total.share("fail"), Some(Proportion::new(6, 30)));
        assert_eq!(fail.paper.and_then(Value::share), Some(Proportion::new(4, 8)), "of a and c");
        assert_eq!(
            (executions.without_paper, fail.without_paper),
            (0, 0),
            "of b there is none of ours either"
        );

        // Bugs of which the papers have nothing.
        let alone = |bug, ours: Option<u64>| Measured {
            about: About { bug, ..About::default() },
            source: None,
            error: String::new(),
            figures: vec![Figure::count("executions", ours), Figure::share("fail", None)],
        };
        let totals = of(&[&rows[0], &alone("d", Some(1)), &alone("e", Some(1)), &alone("f", None)]);
        let without: Vec<usize> = totals[0].figures.iter().map(|sum| sum.without_paper).collect();
        assert_eq!(without, [2, 0]);
    }
}
