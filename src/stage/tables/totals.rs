//! Which rows a total is the sum of, and what the papers say of the same bugs.
//!
//! A total says what one combination of plug-ins achieves over all bugs. A bug whose expression was
//! given by hand needs no reducer; its row belongs to every combination that agrees with it in what
//! it does have. So a campaign with one plug-in of each kind has one total, whatever its bugs.

use crate::report::paper::{Accuracy, AccuracyTable, PaperShare};

use super::super::about::PlugIns;

/// The name of the row that sums up.
pub const TOTAL: &str = "total";
/// The name of the row with the total as the paper prints it.
pub const TOTAL_IN_PRINT: &str = "total in print";

/// The combinations that have a total, each with those of `rows` that it sums up. `plug_ins` says which
/// plug-ins a row has.
pub fn parts<'r, 'p, R>(
    rows: &'r [R],
    plug_ins: impl Fn(&R) -> PlugIns<'p>,
) -> Vec<(PlugIns<'p>, Vec<&'r R>)> {
    let part = |combination| rows.iter().filter(|row| belongs(plug_ins(row), combination)).collect();
    let combinations = combinations(rows.iter().map(&plug_ins));
    combinations.into_iter().map(|combination| (combination, part(combination))).collect()
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

/// What the rows of the paper's `table` for `bugs` add up to, each bug once; `None` if it
/// has none of them.
pub fn of_the_paper<'a>(table: &AccuracyTable, bugs: impl IntoIterator<Item = &'a str>) -> Option<Accuracy> {
    let mut bugs: Vec<&str> = bugs.into_iter().collect();
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
}
