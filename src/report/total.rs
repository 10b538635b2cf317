//! Which rows a total is the sum of, and what the papers say of the same bugs.
//!
//! A total says what one combination of plug-ins achieves over all bugs. A bug whose expression was
//! given by hand needs no reducer; its row belongs to every combination that agrees with it in what
//! it does have. So a campaign with one plug-in of each kind has one total, whatever its bugs.

use crate::store::Variant;

use super::key::{Key, plug_ins};
use super::paper::{Accuracy, AccuracyTable, PaperShare};

/// The name of the row that sums up.
pub const TOTAL: &str = "total";
/// The name of the row with the total as the paper prints it.
pub const TOTAL_IN_PRINT: &str = "total in print";

/// The combinations that have a total, each with those of `rows` that it sums up. `variant` says which
/// plug-ins a row has.
pub fn parts<'r, 'v, R>(
    rows: &'r [R],
    variant: impl Fn(&R) -> &'v Variant,
) -> Vec<(&'v Variant, Vec<&'r R>)> {
    let part = |combination| rows.iter().filter(|row| belongs(variant(row), combination)).collect();
    let combinations = combinations(rows.iter().map(&variant));
    combinations.into_iter().map(|combination| (combination, part(combination))).collect()
}

/// Whether a row with the plug-ins `row` is part of the total of `combination`.
fn belongs(row: &Variant, combination: &Variant) -> bool {
    plug_ins(row).iter().zip(plug_ins(combination)).all(|(row, all)| row.is_none() || *row == all)
}

/// The combinations that have a total: the variants that are part of no other one, each once, in
/// order of appearance.
fn combinations<'a>(variants: impl IntoIterator<Item = &'a Variant>) -> Vec<&'a Variant> {
    let mut distinct: Vec<&Variant> = Vec::new();
    for variant in variants {
        if !distinct.contains(&variant) {
            distinct.push(variant);
        }
    }
    let is_part =
        |variant: &Variant| distinct.iter().any(|&other| other != variant && belongs(variant, other));
    distinct.iter().copied().filter(|variant| !is_part(variant)).collect()
}

/// What the rows of the paper's `table` for the bugs of `keys` add up to, each bug once; `None` if it
/// has none of them.
pub fn of_the_paper<'a>(
    table: &AccuracyTable,
    keys: impl IntoIterator<Item = &'a Key<'a>>,
) -> Option<Accuracy> {
    let mut bugs: Vec<&str> = keys.into_iter().map(|key| key.bug).collect();
    bugs.sort_unstable();
    bugs.dedup();
    let rows: Vec<&Accuracy> = bugs.into_iter().filter_map(|bug| table.row(bug)).collect();
    Some(Accuracy {
        fail: PaperShare::sum(rows.iter().map(|row| &row.fail))?,
        pass: PaperShare::sum(rows.iter().map(|row| &row.pass))?,
    })
}

/// What the cell `error` of a total says when `missing` of its `all` rows have no figures.
pub fn error(missing: usize, all: usize) -> String {
    if missing == 0 { String::new() } else { format!("{missing} of {all} rows without figures") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(names: [&str; 4]) -> Variant {
        let [reducer, generalizer, transformer, producer] =
            names.map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
        Variant { reducer, generalizer, transformer, producer }
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
        .map(variant);
        assert_eq!(combinations(&all), [&all[1], &all[2], &all[4]]);
        assert!(belongs(&all[0], &all[1]) && belongs(&all[0], &all[2]) && !belongs(&all[0], &all[4]));
    }
}
