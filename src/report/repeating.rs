//! Whether programs are deterministic: how often an input that was judged twice came to the same.
//!
//! Figures about a program that says now this and now that of the same input cannot be reproduced. Inputs
//! are judged twice as a campaign goes on, some of each bug; these are no executions. Where too many of
//! them differ, all rows of the bug say so.

use std::collections::BTreeSet;

use super::results::Results;
use super::statistics::Share;
use super::table::{Table, share_cells, share_columns};

/// The table: a row for each bug of the plan, in its order.
pub fn table(results: &Results) -> Table {
    let mut table =
        Table::new(["subject", "bug"].into_iter().chain(share_columns!("repeated", "agreed")).chain([
            "flaky",
            "version",
            "reintroduced",
            "seed",
            "error",
        ]));
    let seed = results.campaign.seed.to_string();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for task in &results.tasks {
        let planned = &task.planned;
        let Some(bug) = planned.bug.as_deref().filter(|bug| told.insert(bug)) else { continue };
        let repeats = results.repeats.get(bug).copied().unwrap_or_default();
        let flaky = results.flaky(bug);
        let cells = [planned.subject.clone(), bug.to_owned()].into_iter();
        table.push(
            cells
                .chain(share_cells(Some(Share::new(repeats.all - repeats.disagreeing, repeats.all))))
                .chain([if flaky.is_some() { "yes" } else { "no" }.to_owned()])
                .chain([planned.version.clone(), if planned.reintroduced { "yes" } else { "no" }.into()])
                .chain([seed.clone(), flaky.unwrap_or_default()])
                .collect(),
        );
    }
    table
}
