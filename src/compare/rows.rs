//! The rows of runs that are about the same, in all repetitions of all of them.

use std::collections::HashMap;

use crate::report::compared::Comparison;

use super::measured::{Measured, TableRow};

/// The rows about one thing.
#[derive(Debug, Default)]
pub struct Rows<'a> {
    /// What they are about, in words.
    pub label: String,
    /// Those of the runs before.
    pub before: Vec<TableRow<'a>>,
    /// Those of the run after.
    pub after: Vec<TableRow<'a>>,
}

/// The rows of a table, in the order of the runs.
pub fn rows<'a>(
    file: &str,
    comparison: &Comparison,
    before: &[&'a Measured],
    after: &'a Measured,
) -> Vec<Rows<'a>> {
    let mut all: Vec<Rows<'a>> = Vec::new();
    let mut keys: Vec<Vec<&'a str>> = Vec::new();
    let mut places: HashMap<Vec<&'a str>, usize> = HashMap::new();
    let runs = before.iter().map(|run| (*run, true)).chain([(after, false)]);
    for (run, is_before) in runs {
        for row in run.tables.get(file).into_iter().flat_map(|table| table.rows()) {
            let key: Vec<&str> =
                comparison.key.iter().map(|column| row.cell(column).unwrap_or_default()).collect();
            let place = *places.entry(key).or_insert_with_key(|key| {
                all.push(Rows::default());
                keys.push(key.clone());
                all.len() - 1
            });
            let side = if is_before { &mut all[place].before } else { &mut all[place].after };
            side.push(row);
        }
    }
    for (rows, label) in all.iter_mut().zip(labels(comparison, &keys)) {
        rows.label = label;
    }
    all
}

/// What each of the keys is called: after the bug or the expression, and whatever else is not the same in all of them.
fn labels(comparison: &Comparison, keys: &[Vec<&str>]) -> Vec<String> {
    let varies = |place: usize| keys.iter().any(|key| key[place] != keys[0][place]);
    let is_name = |place: usize| matches!(comparison.key[place], "bug" | "name");
    let is_told = |place: usize| comparison.key[place] != "subject" && (is_name(place) || varies(place));
    let told: Vec<usize> = (0..comparison.key.len()).filter(|&place| is_told(place)).collect();
    let label = |key: &Vec<&str>| {
        let mut words: Vec<&str> = Vec::new();
        for &place in &told {
            // The expression of a bug has the bug's name.
            if !key[place].is_empty() && !words.contains(&key[place]) {
                words.push(key[place]);
            }
        }
        words.join(" ")
    };
    keys.iter().map(label).collect()
}
