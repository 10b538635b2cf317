//! Whether programs are deterministic: how often an input that was judged twice came to the same.
//!
//! Figures about a program that says now this and now that of the same input cannot be reproduced. Inputs
//! are judged twice as a campaign goes on, some of each bug; these are no executions. Where too many of
//! them differ, all rows of the bug say so.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::report::compared::{Compared, Comparison, ShareColumns};
use crate::report::csv::{Csv, ShareCells, yes_or_no};
use crate::report::statistics::{Percent, Proportion};

use super::super::results::Results;
use super::{Make, StageTable};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "repeating.csv",
    title: "Whether programs are deterministic",
    make: Make::OfResults(table),
    screen: None,
    figures: None,
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug"],
    given: None,
    columns: &[Compared::Share(ShareColumns {
        name: "repeated",
        hits: "repeated_agreed",
        of: &["repeated_inputs"],
        clustered: None,
    })],
    // The error says so too.
    others: &["flaky"],
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    repeated_inputs: Option<u64>,
    repeated_agreed: Option<u64>,
    repeated_pct: Option<Percent>,
    repeated_low_pct: Option<Percent>,
    repeated_high_pct: Option<Percent>,
    flaky: &'a str,
    version: &'a str,
    reintroduced: &'a str,
    seed: u64,
    error: String,
}

/// A row for each bug of the plan, in its order.
fn table(results: &Results) -> Csv {
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    Csv::of(results.tasks.iter().filter_map(|row| {
        let about = row.task.about();
        if about.bug.is_empty() || !reported.insert(about.bug) {
            return None;
        }
        let repeats = results.repeats.get(about.bug).copied().unwrap_or_default();
        let share = ShareCells::from(Some(Proportion::new(repeats.all - repeats.disagreeing, repeats.all)));
        let flaky = results.flaky(about.bug);
        Some(Row {
            subject: about.subject,
            bug: about.bug,
            repeated_inputs: share.of,
            repeated_agreed: share.hits,
            repeated_pct: share.percent,
            repeated_low_pct: share.low,
            repeated_high_pct: share.high,
            flaky: yes_or_no(flaky.is_some()),
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed: results.seed(),
            error: flaky.unwrap_or_default(),
        })
    }))
}
