//! The figures of a table as a reader sees them: a row for each bug and combination of plug-ins, the totals, and beside
//! ours what the papers have.
//!
//! A difference is coloured if it is beyond chance: if the paper's percentage is outside of the 95 % interval of ours. Counts
//! have no interval; there a difference is just a difference.

use std::cmp::Ordering;

use crate::report::figure::{Better, Shown, Value};
use crate::report::statistics::{Percent, Proportion};
use crate::stage::Results;
use crate::stage::tables::labels::Labels;
use crate::stage::tables::{self, Measured, StageTable, totals};

/// A table with figures.
pub struct Table<'a> {
    /// Which table.
    pub of: StageTable,
    /// What its columns are called, in order.
    pub columns: Vec<Column>,
    /// Its rows, in the order of the plan.
    pub rows: Vec<Row<'a>>,
    /// Its totals.
    pub totals: Vec<Row<'a>>,
    /// Whether its inputs come from several sources.
    pub has_sources: bool,
}

/// A column: a figure that is shown.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// How it is shown.
    pub shown: Shown,
    /// Whether it is a share.
    pub is_share: bool,
    /// Whether the paper has figures for some row.
    pub has_paper: bool,
}

/// A row.
pub struct Row<'a> {
    /// What it is about: the bug, and what differs between rows of the same bug.
    pub label: String,
    /// The bug; empty in a total.
    pub bug: &'a str,
    /// The grammar with which it was examined.
    pub grammar: &'a str,
    /// Where the inputs come from.
    pub source: Option<&'static str>,
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// Why figures are missing; empty when they are not.
    pub error: String,
}

impl Row<'_> {
    /// Whether nothing was measured, though nothing went wrong: most subjects have no corpus, for instance.
    fn is_empty(&self) -> bool {
        let is_empty = |cell: &Cell| match cell.value {
            Value::Count(count) => count.is_none_or(|count| count == 0),
            Value::Share(share) => share.is_none_or(|share| share.of == 0),
        };
        self.error.is_empty() && self.cells.iter().all(is_empty)
    }
}

/// A figure, and what the paper has.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Ours.
    pub value: Value,
    /// The paper's count.
    pub paper_count: Option<u64>,
    /// The paper's percentage.
    pub paper_percent: Option<Percent>,
    better: Better,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours is better.
    Better,
    /// Ours is worse.
    Worse,
    /// There is none, none beyond chance, or none that is better or worse.
    Same,
}

/// How ours differs from the paper's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// By how much: points of a percentage, or a count.
    pub text: String,
    /// What it means.
    pub verdict: Verdict,
}

impl Cell {
    /// The figures of a row, given how they are shown.
    fn new(value: Value, paper: Option<Value>, shown: Shown) -> Self {
        Self {
            value,
            paper_count: paper.and_then(|paper| if paper.share().is_some() { None } else { paper.count() }),
            paper_percent: paper.and_then(Value::share).and_then(Proportion::percent).or(shown.print),
            better: shown.better,
        }
    }

    /// The percentage, of a share.
    pub fn percent(&self) -> Option<Percent> {
        self.value.share().and_then(Proportion::percent)
    }

    /// How it differs from what the paper has.
    pub fn difference(&self) -> Option<Difference> {
        let (text, order, is_certain) = match self.value {
            Value::Share(share) => {
                let (share, paper) = (share?, self.paper_percent?);
                let ours = share.percent()?;
                let (low, high) = share.interval()?;
                let tenths = i32::from(ours.tenths()) - i32::from(paper.tenths());
                let sign = if tenths < 0 { '−' } else { '+' };
                let text = format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10);
                (text, ours.cmp(&paper), paper < low || paper > high)
            }
            Value::Count(count) => {
                let (ours, paper) = (count?, self.paper_count?);
                let sign = if ours < paper { '−' } else { '+' };
                (format!("{sign}{}", ours.abs_diff(paper)), ours.cmp(&paper), true)
            }
        };
        let verdict = match (self.better, order) {
            _ if !is_certain => Verdict::Same,
            (Better::Neither, _) | (_, Ordering::Equal) => Verdict::Same,
            (Better::More, Ordering::Greater) | (Better::Less, Ordering::Less) => Verdict::Better,
            (Better::More, Ordering::Less) | (Better::Less, Ordering::Greater) => Verdict::Worse,
        };
        let text = if order == Ordering::Equal { "=".to_owned() } else { text };
        Some(Difference { text, verdict })
    }
}

/// All tables that have figures to show, in their order.
pub fn all(results: &Results) -> Vec<Table<'_>> {
    tables::all().into_iter().filter_map(|table| of(results, table)).collect()
}

/// What a table shows, if it has any rows.
fn of(results: &Results, table: StageTable) -> Option<Table<'_>> {
    let measured = (table.figures?)(results);
    let first = measured.first()?;
    let shown: Vec<(usize, Shown)> =
        first.figures.iter().enumerate().filter_map(|(place, figure)| Some((place, figure.shown?))).collect();
    let labels = Labels::of(measured.iter().map(|row| &row.about));
    let row = |row: &Measured<'_>| {
        let cell = |&(place, _): &(usize, Shown)| {
            let figure = row.figures[place];
            Some(Cell::new(figure.value, figure.paper, figure.shown?))
        };
        shown.iter().filter_map(cell).collect::<Vec<Cell>>()
    };
    let mut rows: Vec<Row<'_>> = Vec::new();
    for of_row in &measured {
        let about = of_row.about;
        rows.push(Row {
            label: labels.of_row(&about),
            bug: about.bug,
            grammar: about.grammar,
            source: of_row.source,
            cells: row(of_row),
            error: of_row.error.clone(),
        });
    }
    rows.retain(|row| !row.is_empty());
    let mut totals: Vec<Row<'_>> = Vec::new();
    for total in totals::of(&measured) {
        let cell = |&(place, shown): &(usize, Shown)| {
            let sum = total.figures[place];
            // What is printed of single bugs is no total.
            Cell::new(sum.value, sum.paper, Shown { print: None, ..shown })
        };
        totals.push(Row {
            label: labels.of_total(total.plug_ins),
            bug: "",
            grammar: "",
            source: total.source,
            cells: shown.iter().map(cell).collect(),
            error: String::new(),
        });
    }
    totals.retain(|row| !row.is_empty());
    let column = |(place, &(_, shown)): (usize, &(usize, Shown))| {
        let cells = || rows.iter().map(|row| row.cells[place]);
        Column {
            shown,
            is_share: cells().any(|cell| matches!(cell.value, Value::Share(_))),
            has_paper: cells().any(|cell| cell.paper_count.is_some() || cell.paper_percent.is_some()),
        }
    };
    let columns: Vec<Column> = shown.iter().enumerate().map(column).collect();
    let has_sources = rows.iter().any(|row| row.source.is_some());
    (!rows.is_empty()).then_some(Table { of: table, columns, rows, totals, has_sources })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(hits: u64, of: u64, paper: u16) -> Cell {
        Cell {
            value: Value::Share(Some(Proportion::new(hits, of))),
            paper_count: None,
            paper_percent: Some(Percent::of_tenths(paper)),
            better: Better::More,
        }
    }

    #[test]
    fn a_difference_of_shares_means_something_when_it_is_beyond_chance() {
        let verdict = |cell: Cell| cell.difference().map(|difference| (difference.text, difference.verdict));
        assert_eq!(verdict(share(100, 100, 930)), Some(("+7.0".into(), Verdict::Better)));
        assert_eq!(verdict(share(96, 100, 930)), Some(("+3.0".into(), Verdict::Same)));
        assert_eq!(verdict(share(50, 100, 930)), Some(("−43.0".into(), Verdict::Worse)));
        assert_eq!(verdict(share(93, 100, 930)), Some(("=".into(), Verdict::Same)));
        assert_eq!(verdict(share(0, 0, 930)), None);
        assert_eq!(verdict(Cell { paper_percent: None, ..share(1, 2, 0) }), None);
    }

    #[test]
    fn fewer_executions_are_better_and_fewer_placeholders_neither() {
        let count = |better, ours, paper| {
            let cell = Cell {
                value: Value::Count(Some(ours)),
                paper_count: Some(paper),
                paper_percent: None,
                better,
            };
            cell.difference().unwrap()
        };
        assert_eq!(count(Better::Less, 7, 10), Difference { text: "−3".into(), verdict: Verdict::Better });
        assert_eq!(count(Better::Less, 11, 10).verdict, Verdict::Worse);
        assert_eq!(count(Better::Neither, 11, 10), Difference { text: "+1".into(), verdict: Verdict::Same });
    }
}
