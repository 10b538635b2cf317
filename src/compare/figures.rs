//! What became of each figure of some rows that are about the same.
//!
//! Where a figure may differ by chance, this makes a test; what that says is decided once all tests are made
//! ([`super::comparison`]). docs/methodology.md has the reasons.

use std::collections::HashSet;

use crate::report::compared::{Compared, Comparison, ShareColumns};
use crate::report::statistics::Proportion;

use super::difference::{Difference, Outcome};
use super::measured::TableRow;
use super::ranks;
use super::rows::Rows;
use super::settings::{CompareSettings, Patterns};
use super::shares::{dispersion, drop, thinned};
use super::tested::Tested;

/// The least degrees of freedom for repetitions to show how much they differ.
const ENOUGH_TO_TELL: usize = 4;
/// The least number of repetitions on each side for ranks to be tested.
const ENOUGH_FOR_RANKS: usize = 3;

/// What may yet become a finding.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What is known of it; the outcome is that which it has if no test says more.
    pub difference: Difference,
    /// The tests for the worse and for the better.
    pub tests: Option<[Tested; 2]>,
    /// The shares that were tested, by which to tell what would have been found.
    pub shares: Option<[Proportion; 2]>,
    /// What a test must be accompanied by: a change by this factor.
    pub limit: f64,
}

impl From<Difference> for Candidate {
    fn from(difference: Difference) -> Self {
        Self { difference, tests: None, shares: None, limit: 1.0 }
    }
}

/// What figures are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// What counts as a regression.
    pub settings: &'a CompareSettings,
    /// The table, without `.csv`.
    pub table: &'static str,
    /// What it says of its columns.
    pub comparison: &'a Comparison,
    /// Whether both sides are one run with the same seed: then what differs does not do so by chance.
    pub is_same_seed: bool,
}

impl Judge<'_> {
    /// All that is to be said of the rows about one thing.
    pub fn judge(&self, rows: &Rows<'_>) -> Vec<Candidate> {
        let new = |outcome, figure| Difference::new(outcome, self.table, &rows.label, figure);
        if rows.before.is_empty() || rows.after.is_empty() {
            let outcome = if rows.before.is_empty() { Outcome::New } else { Outcome::Missing };
            return vec![new(outcome, "row").into()];
        }
        let mut found: Vec<Candidate> = Vec::new();
        let [earlier, later] = [&rows.before, &rows.after].map(|rows| first(rows, "error"));
        match (earlier, later) {
            (None, Some(error)) => found.push(new(Outcome::Worse, "error").from_to("", error).into()),
            (Some(error), None) => found.push(new(Outcome::Better, "error").from_to(error, "").into()),
            (Some(_), Some(_)) | (None, None) => {}
        }
        let mut shares: Vec<(&str, [Vec<Proportion>; 2])> = Vec::new();
        for compared in self.comparison.columns {
            let name = compared.name();
            match compared {
                Compared::Share(columns) => {
                    let sides = [&rows.before, &rows.after].map(|rows| shares_of(rows, columns));
                    // The same hits of the same inputs under another name are no test of their own.
                    let known = (columns.hits, sides);
                    if !shares.contains(&known) {
                        found.extend(self.share(new(Outcome::Same, name), rows, columns, &known.1));
                        shares.push(known);
                    }
                }
                Compared::Executions(column) => {
                    found.extend(self.amount(
                        new(Outcome::Same, name),
                        rows,
                        column,
                        self.settings.executions,
                    ));
                }
                Compared::Size(column) => {
                    found.extend(self.amount(new(Outcome::Same, name), rows, column, self.settings.sizes));
                }
                // Other seeds draw other inputs; that their counts differ says nothing.
                Compared::Count(_) if !self.is_same_seed => {}
                Compared::Count(column) | Compared::Text(column) => {
                    found.extend(texts(new(Outcome::Changed, name), rows, column).map(Candidate::from));
                }
                Compared::Expression(column) => {
                    let outcome = match self.settings.patterns {
                        Patterns::Shown => Outcome::Changed,
                        Patterns::Regression => Outcome::Worse,
                    };
                    found.extend(texts(new(outcome, name), rows, column).map(Candidate::from));
                }
                Compared::Answer(column) => {
                    found.extend(answer(new(Outcome::Same, name), rows, column).map(Candidate::from));
                }
            }
        }
        found
    }

    fn share(
        &self,
        difference: Difference,
        rows: &Rows<'_>,
        columns: &ShareColumns,
        sides: &[Vec<Proportion>; 2],
    ) -> Option<Candidate> {
        let [before, after] = sides.each_ref().map(|side| side.iter().copied().sum::<Proportion>());
        if before.of == 0 || after.of == 0 {
            return None;
        }
        let text = |share: Proportion| {
            let percent = share.percent().map(|percent| format!(" ({percent} %)")).unwrap_or_default();
            format!("{}/{}{percent}", share.hits, share.of)
        };
        let is_equal = before == after;
        let is_as_large =
            u128::from(before.hits) * u128::from(after.of) == u128::from(after.hits) * u128::from(before.of);
        let mut difference = difference.from_to(text(before), text(after));
        difference.outcome = if is_as_large { Outcome::Same } else { Outcome::Changed };
        let is_clustered = columns.clustered.is_some_and(|clustered| {
            let is_one = |row: &TableRow<'_>| {
                row.cell(clustered.column).is_some_and(|cell| clustered.cells.contains(&cell))
            };
            rows.before.iter().chain(&rows.after).any(is_one)
        });
        let is_other_expression = !self.is_same_seed && self.has_other_expression(rows);
        let (effect, freedom) = dispersion(sides);
        let bounded = |share: Proportion| thinned(share, share.of as f64 / self.settings.clusters as f64);
        let shares = if freedom >= ENOUGH_TO_TELL {
            [before, after].map(|share| thinned(share, effect))
        } else if self.is_same_seed && before.of == after.of {
            // The same inputs: what was drawn did not depend on what the program made.
            [before, after]
        } else if is_clustered || is_other_expression {
            difference = difference.noting(match is_clustered {
                true => format!(
                    "inputs that are made from a few others; they count as {}",
                    self.settings.clusters.min(after.of)
                ),
                false => format!(
                    "of another expression, and of another seed; inputs count as {}",
                    self.settings.clusters.min(after.of)
                ),
            });
            [before, after].map(bounded)
        } else {
            [before, after]
        };
        let tests = match self.is_same_seed && is_equal {
            // The same computation again.
            true => None,
            false => drop(shares[0], shares[1])
                .zip(drop(shares[1], shares[0]))
                .map(|(worse, better)| [worse, better]),
        };
        Some(Candidate { difference, tests, shares: Some(shares), limit: 1.0 })
    }

    fn amount(
        &self,
        difference: Difference,
        rows: &Rows<'_>,
        column: &'static str,
        limit: f64,
    ) -> Option<Candidate> {
        let numbers = |rows: &[TableRow<'_>]| -> Vec<f64> {
            rows.iter().filter_map(|row| row.number(column)).map(|number| number as f64).collect()
        };
        let (before, after) = (numbers(&rows.before), numbers(&rows.after));
        if before.is_empty() || after.is_empty() {
            return None;
        }
        let (earlier, later) = (mean(&before), mean(&after));
        let ratio = later.max(1.0) / earlier.max(1.0);
        let text =
            |number: f64| if number.fract() == 0.0 { number.to_string() } else { format!("{number:.1}") };
        let mut difference = difference.from_to(text(earlier), text(later));
        difference.ratio = Some(ratio);
        let is_steady = |numbers: &[f64]| numbers.iter().all(|number| *number == numbers[0]);
        let is_repeated = before.len().min(after.len()) >= ENOUGH_FOR_RANKS;
        let has_spread = !(is_steady(&before) && is_steady(&after));
        if before != after {
            difference.outcome = Outcome::Changed;
        }
        if self.has_other_expression(rows) {
            // It is the size of something else.
            return Some(difference.noting("of another expression").into());
        }
        if is_repeated && has_spread {
            difference.a12 = Some(ranks::effect(&before, &after));
            let tests = ranks::rise(&before, &after).zip(ranks::rise(&after, &before));
            let tests = tests.filter(|_| before != after).map(|(worse, better)| [worse, better]);
            return Some(Candidate { difference, tests, shares: None, limit });
        }
        let limit =
            if self.is_same_seed || (is_repeated && !has_spread) { limit } else { self.settings.other_seeds };
        difference.outcome = by_limit(ratio, limit).unwrap_or(difference.outcome);
        Some(difference.into())
    }

    /// Whether the rows are of other expressions than those before.
    fn has_other_expression(&self, rows: &Rows<'_>) -> bool {
        self.comparison.given.is_some_and(|given| {
            let known: HashSet<Option<&str>> = rows.before.iter().map(|row| row.cell(given)).collect();
            rows.after.iter().any(|row| !known.contains(&row.cell(given)))
        })
    }

    /// How an amount changed over all rows: the geometric mean of the ratios.
    pub fn overall(&self, candidates: &[Candidate], column: &'static str) -> Option<Difference> {
        /// Of fewer rows it says no more than they do themselves.
        const ROWS: usize = 5;
        let is_it = |candidate: &&Candidate| candidate.difference.figure == column;
        let ratios: Vec<f64> =
            candidates.iter().filter(is_it).filter_map(|candidate| candidate.difference.ratio).collect();
        if ratios.len() < ROWS {
            return None;
        }
        let ratio = mean(&ratios.iter().map(|ratio| ratio.ln()).collect::<Vec<_>>()).exp();
        let row = format!("all {} rows", ratios.len());
        let mut difference =
            Difference::new(Outcome::Same, self.table, &row, column).from_to("1", format!("{ratio:.3}"));
        difference.outcome = by_limit(ratio, self.settings.executions)
            .unwrap_or(if (ratio - 1.0).abs() < 1e-9 { Outcome::Same } else { Outcome::Changed });
        difference.ratio = Some(ratio);
        Some(difference)
    }
}

/// Whether an amount changed by more than the factor `limit`.
fn by_limit(ratio: f64, limit: f64) -> Option<Outcome> {
    if ratio > limit {
        Some(Outcome::Worse)
    } else if ratio < 1.0 / limit {
        Some(Outcome::Better)
    } else {
        None
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// The first cell of a column in which something stands.
fn first<'a>(rows: &[TableRow<'a>], column: &str) -> Option<&'a str> {
    rows.iter().find_map(|row| row.cell(column))
}

/// The shares of rows that have them.
fn shares_of(rows: &[TableRow<'_>], columns: &ShareColumns) -> Vec<Proportion> {
    let share = |row: &TableRow<'_>| {
        let of: Option<u64> = columns.of.iter().map(|column| row.number(column)).sum();
        let hits = row.number(columns.hits)?;
        of.filter(|of| hits <= *of).map(|of| Proportion::new(hits, of))
    };
    rows.iter().filter_map(share).collect()
}

/// That a column has texts that it had not.
fn texts(difference: Difference, rows: &Rows<'_>, column: &str) -> Option<Difference> {
    let known: HashSet<&str> = rows.before.iter().filter_map(|row| row.cell(column)).collect();
    let other = rows.after.iter().filter_map(|row| row.cell(column)).find(|cell| !known.contains(cell))?;
    // What there was not before is no change: an error says so.
    let earlier = first(&rows.before, column)?;
    Some(difference.from_to(earlier, other))
}

/// That an answer is another one.
fn answer(mut difference: Difference, rows: &Rows<'_>, column: &str) -> Option<Difference> {
    let has = |rows: &[TableRow<'_>], wanted: &str| rows.iter().any(|row| row.cell(column) == Some(wanted));
    let (earlier, later) = (has(&rows.before, "no"), has(&rows.after, "no"));
    let (known, known_now) = (has(&rows.before, "yes"), has(&rows.after, "yes"));
    difference.outcome = match (earlier, later) {
        (false, true) if known => Outcome::Worse,
        (true, false) if known_now => Outcome::Better,
        _ => return None,
    };
    let word = |is_no: bool| if is_no { "no" } else { "yes" };
    Some(difference.from_to(word(earlier), word(later)))
}
