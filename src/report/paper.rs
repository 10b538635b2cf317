//! The papers' own figures, as data: Tables I and II of *Input Algebras* (ICSE 2021) in
//! `producing.csv` and `recognizing.csv`, Tables 1 and 2 of *Abstracting Failure-Inducing Inputs*
//! (ISSTA 2020) in `abstracting.csv` and `instantiating.csv`.
//!
//! A percentage is kept as it is printed, with or without a decimal. The last row of the first two is
//! their printed total. Table I's does not follow from its rows: they give 96.3 % of the 682 passing
//! inputs, where 99 % is printed, and 601 failing inputs, where 701 is printed. Reports show both.

use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::statistics::Proportion;

/// A percentage of this many inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperShare {
    /// The percentage as printed.
    pub percent: String,
    /// Of how many inputs.
    pub inputs: u64,
}

impl PaperShare {
    /// The count that the percentage was made from.
    pub fn share(&self) -> Proportion {
        Proportion::new((self.value() / 100.0 * self.inputs as f64).round() as u64, self.inputs)
    }

    /// What all of `shares` come to; `None` if they are of nothing.
    pub fn sum<'a>(shares: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let sum: Proportion = shares.into_iter().map(Self::share).sum();
        Some(Self { percent: sum.percent()?.to_string(), inputs: sum.of })
    }

    fn value(&self) -> f64 {
        self.percent.parse().expect("the papers' percentages are numbers")
    }

    /// By how much the percentage may be off because it was rounded for print.
    fn rounding(&self) -> f64 {
        if self.percent.contains('.') { 0.05 } else { 0.5 }
    }

    /// Whether this can be the total of `rows`, given that all were rounded for print.
    fn follows_from(&self, rows: &[&Self]) -> bool {
        let inputs: u64 = rows.iter().map(|row| row.inputs).sum();
        let average = |get: fn(&Self) -> f64| {
            rows.iter().map(|row| get(row) * row.inputs as f64).sum::<f64>() / inputs as f64
        };
        let reach = self.rounding() + average(Self::rounding);
        self.inputs == inputs && (self.value() - average(Self::value)).abs() <= reach
    }
}

/// A row of Table I or II of the ICSE paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accuracy {
    /// The failing inputs: those made from F that failed, or those that F accepts.
    pub fail: PaperShare,
    /// The passing inputs: those made from not F that passed, or those that F rejects.
    pub pass: PaperShare,
}

/// A table of the ICSE paper.
#[derive(Debug)]
pub struct AccuracyTable {
    rows: Vec<(String, Accuracy)>,
    total: Accuracy,
}

impl AccuracyTable {
    /// The row of `bug`.
    pub fn row(&self, bug: &str) -> Option<&Accuracy> {
        self.rows.iter().find(|(name, _)| name == bug).map(|(_, row)| row)
    }

    /// All rows, with their bugs, in the papers' order.
    pub fn rows(&self) -> &[(String, Accuracy)] {
        &self.rows
    }

    /// The total as printed.
    pub fn printed_total(&self) -> &Accuracy {
        &self.total
    }

    /// The columns whose printed total does not follow from the rows: the number of the column, what
    /// is printed, and what the rows come to.
    pub fn wrong_totals(&self) -> Vec<(usize, &PaperShare, PaperShare)> {
        let sides: [fn(&Accuracy) -> &PaperShare; 2] = [|row| &row.fail, |row| &row.pass];
        sides
            .into_iter()
            .enumerate()
            .filter_map(|(index, side)| {
                let rows: Vec<&PaperShare> = self.rows.iter().map(|(_, row)| side(row)).collect();
                let printed = side(&self.total);
                let sum = PaperShare::sum(rows.iter().copied())?;
                (!printed.follows_from(&rows)).then_some((index + 1, printed, sum))
            })
            .collect()
    }
}

/// A row of Table 1 of the ISSTA paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abstracting {
    bug: String,
    /// Characters of the minimized input.
    pub min_chars: u64,
    /// Abstract nonterminals that are shown.
    pub visible_nonterminals: u64,
    /// Abstract nonterminals that are not shown.
    pub invisible_nonterminals: u64,
    /// Nodes that vary only together, as printed: `3+2=5`.
    pub shared: String,
    /// Characters that stayed concrete.
    pub remaining_chars: u64,
    /// Oracle executions.
    pub executions: u64,
}

impl Abstracting {
    /// How many nodes vary only together with others: `3+2=5` says 5.
    pub fn shared_nodes(&self) -> u64 {
        self.shared.rsplit('=').next().and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// The groups of nodes that vary only together: `3+2=5` says `3+2`.
    pub fn shared_groups(&self) -> &str {
        match self.shared.split('=').next() {
            Some("0") | None => "",
            Some(groups) => groups,
        }
    }
}

/// A row of Table 2 of the ISSTA paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instantiating {
    bug: String,
    /// The percentage of instances that are valid.
    pub valid_pct: u64,
    /// The percentage of valid ones that fail.
    pub fail_pct: u64,
}

/// Table I of the ICSE paper.
pub fn producing() -> &'static AccuracyTable {
    static TABLE: LazyLock<AccuracyTable> =
        LazyLock::new(|| accuracy(include_str!("../../paper/producing.csv")));
    &TABLE
}

/// Table II of the ICSE paper.
pub fn recognizing() -> &'static AccuracyTable {
    static TABLE: LazyLock<AccuracyTable> =
        LazyLock::new(|| accuracy(include_str!("../../paper/recognizing.csv")));
    &TABLE
}

/// The row of `bug` in Table 1 of the ISSTA paper.
pub fn abstracting(bug: &str) -> Option<&'static Abstracting> {
    static ROWS: LazyLock<Vec<Abstracting>> =
        LazyLock::new(|| rows(include_str!("../../paper/abstracting.csv")));
    ROWS.iter().find(|row| row.bug == bug)
}

/// The row of `bug` in Table 2 of the ISSTA paper.
pub fn instantiating(bug: &str) -> Option<&'static Instantiating> {
    static ROWS: LazyLock<Vec<Instantiating>> =
        LazyLock::new(|| rows(include_str!("../../paper/instantiating.csv")));
    ROWS.iter().find(|row| row.bug == bug)
}

/// A row of the ICSE paper's tables, as it is in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccuracyRow {
    bug: String,
    fail_pct: String,
    fail_inputs: u64,
    pass_pct: String,
    pass_inputs: u64,
}

fn accuracy(text: &str) -> AccuracyTable {
    let mut rows: Vec<(String, Accuracy)> = rows::<AccuracyRow>(text)
        .into_iter()
        .map(|row| {
            let fail = PaperShare { percent: row.fail_pct, inputs: row.fail_inputs };
            let pass = PaperShare { percent: row.pass_pct, inputs: row.pass_inputs };
            (row.bug, Accuracy { fail, pass })
        })
        .collect();
    let (name, total) = rows.pop().expect("the file is part of the program and has rows");
    assert_eq!(name, "total", "the file is part of the program and ends in its total");
    AccuracyTable { rows, total }
}

fn rows<T: DeserializeOwned>(text: &str) -> Vec<T> {
    csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .expect("the file is part of the program and well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_of_the_papers_has_its_figures() {
        let bugs: Vec<&str> = recognizing().rows().iter().map(|(bug, _)| bug.as_str()).collect();
        assert_eq!(bugs.len(), 22);
        for bug in bugs {
            assert_eq!(abstracting(bug).map(|row| &*row.bug), Some(bug));
            assert_eq!(instantiating(bug).map(|row| &*row.bug), Some(bug));
        }
        assert_eq!(producing().rows().len(), 7);
        let row = recognizing().row("find-07b941b1").unwrap();
        assert_eq!((row.fail.percent.as_str(), row.fail.share()), ("89.7", Proportion::new(191, 213)));
        assert_eq!(abstracting("lua-5.3.5-4").unwrap().shared, "3+2=5");
        assert_eq!(recognizing().row("nothing"), None);
        assert!(abstracting("nothing").is_none() && instantiating("nothing").is_none());
    }

    #[test]
    fn the_printed_totals_of_table_one_do_not_follow_from_its_rows_those_of_table_two_do() {
        let share = |percent: &str, inputs| PaperShare { percent: percent.into(), inputs };
        assert_eq!(
            producing().wrong_totals(),
            [(1, &share("100", 701), share("100.0", 601)), (2, &share("99", 682), share("96.3", 682))]
        );
        // Its rows give 73.25 %, and may be off by as much because they were rounded themselves.
        assert_eq!(recognizing().wrong_totals(), []);
    }
}
