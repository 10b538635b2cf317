//! The figures of a table as a reader sees them: a row for each bug and combination of plug-ins, the totals, and beside
//! ours what the papers have.
//!
//! A difference of shares means something if it is beyond chance: if its 95 % interval does not hold zero; or, where the paper
//! does not say of how many inputs its percentage is, if this is outside of the interval of ours. Counts have no interval;
//! there a difference is just a difference.

use std::cmp::Ordering;

use crate::report::figure::{Better, Shown, Value};
use crate::report::statistics::{Percent, Proportion, difference};
use crate::stage::tables::labels::Labels;
use crate::stage::tables::{Figures, Measured, StageTable, Tables, totals};

use super::words::number;

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
    /// How many repetitions a row is of.
    pub repetitions: u32,
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
    /// The paper's share.
    paper_share: Option<Proportion>,
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
    /// A figure beside the paper's.
    fn new(value: Value, paper: Option<Value>, better: Better) -> Self {
        Self {
            value,
            paper_count: paper.and_then(|paper| if paper.share().is_some() { None } else { paper.count() }),
            paper_share: paper.and_then(Value::share),
            paper_percent: paper.and_then(Value::share).and_then(Proportion::percent),
            better,
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
                let tenths = i32::from(ours.tenths()) - i32::from(paper.tenths());
                let sign = if tenths < 0 { '−' } else { '+' };
                let text = format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10);
                let is_certain = match self.paper_share {
                    Some(paper) => {
                        difference(share, paper).is_some_and(|(low, high)| low > 0.0 || high < 0.0)
                    }
                    None => share.interval().is_some_and(|(low, high)| paper < low || paper > high),
                };
                (text, ours.cmp(&paper), is_certain)
            }
            Value::Count(count) => {
                let (ours, paper) = (count?, self.paper_count?);
                let sign = if ours < paper { '−' } else { '+' };
                (format!("{sign}{}", number(ours.abs_diff(paper))), ours.cmp(&paper), true)
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
pub fn all<'a>(tables: &Tables<'a>) -> Vec<Table<'a>> {
    tables.figures.iter().filter_map(of).collect()
}

/// What a table shows, if it has any rows.
fn of<'a>(figures: &Figures<'a>) -> Option<Table<'a>> {
    let measured = &figures.rows;
    let first = measured.first()?;
    let shown: Vec<(usize, Shown)> =
        first.figures.iter().enumerate().filter_map(|(place, figure)| Some((place, figure.shown?))).collect();
    let repetitions = measured.iter().map(|row| row.about.repetition).max().unwrap_or(1);
    let pooled = totals::pooled(measured);
    let labels = Labels::of(pooled.iter().map(|(about, ..)| about));
    // Of shares, all repetitions count together; of counts there is the mean.
    let mean = |value: Value, of: u64| match value {
        Value::Count(Some(count)) => Value::Count(Some((2 * count + of) / (2 * of))),
        value => value,
    };
    let cells = |total: &totals::Total<'_>| {
        let cell = |&(place, shown): &(usize, Shown)| {
            let sum = total.figures[place];
            let of = if total.rows <= repetitions as usize {
                total.rows - sum.missing
            } else {
                repetitions as usize
            };
            let of = of.max(1) as u64;
            let value = match sum.value {
                // The sum of nothing is no zero.
                Value::Count(_) if sum.missing == total.rows => Value::Count(None),
                Value::Share(_) if sum.missing == total.rows => Value::Share(None),
                value => mean(value, of),
            };
            // A total over more bugs than the papers have is no better or worse than theirs.
            let paper = sum.paper.filter(|_| sum.without_paper == 0);
            Cell::new(value, paper.map(|paper| mean(paper, of)), shown.better)
        };
        shown.iter().map(cell).collect::<Vec<Cell>>()
    };
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (about, source, of_row) in &pooled {
        let first = of_row[0];
        let shown = shown.iter().map(|&(place, _)| first.figures[place].shown);
        let mut cells: Vec<Cell> = totals::of(of_row).iter().flat_map(&cells).collect();
        // What is printed of single bugs is no total, so sums do not have it.
        for (cell, shown) in cells.iter_mut().zip(shown) {
            cell.paper_percent = cell.paper_percent.or(shown.and_then(|shown| shown.print));
        }
        let is_missing = |row: &&&Measured<'_>| !row.error.is_empty();
        rows.push(Row {
            label: labels.of_row(about),
            bug: about.bug,
            grammar: about.grammar,
            source: *source,
            cells,
            error: of_row.iter().find(is_missing).map(|row| row.error.clone()).unwrap_or_default(),
        });
    }
    rows.retain(|row| !row.is_empty());
    let mut totals: Vec<Row<'_>> = Vec::new();
    for total in &figures.totals {
        totals.push(Row {
            label: labels.of_total(total.plug_ins),
            bug: "",
            grammar: "",
            source: total.source,
            cells: cells(total),
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
    (!rows.is_empty()).then_some(Table { of: figures.table, columns, rows, totals, has_sources, repetitions })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(hits: u64, of: u64, paper: u16) -> Cell {
        Cell {
            value: Value::Share(Some(Proportion::new(hits, of))),
            paper_count: None,
            paper_share: None,
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
        // Of few inputs the paper's figure is uncertain as well.
        let beside =
            |of| Cell { paper_share: Some(Proportion::new(of * 93 / 100, of)), ..share(99, 100, 930) };
        assert_eq!(verdict(beside(700)), Some(("+6.0".into(), Verdict::Better)));
        assert_eq!(
            verdict(Cell { paper_share: Some(Proportion::new(13, 14)), ..beside(700) }).unwrap().1,
            Verdict::Same
        );
    }

    #[test]
    fn fewer_executions_are_better_and_fewer_placeholders_neither() {
        let count = |better, ours, paper| {
            let cell = Cell {
                value: Value::Count(Some(ours)),
                paper_count: Some(paper),
                paper_share: None,
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
