//! Where the executions of generalizations go: a row for each phase.
//!
//! What a generalizer came to says little about how to make it better; where it spent what it had does. The phases of
//! one are in the order in which they began, and their executions add up to all of it.

use serde::Serialize;

use crate::report::compared::{Compared, Comparison};
use crate::report::csv::Csv;

use super::super::Stage;
use super::super::generalize::GeneralizeTask;
use super::super::results::Results;
use super::{Make, StageTable};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "phases.csv",
    title: "Where the executions of generalizations go",
    make: Make::OfResults(table),
    screen: None,
    figures: None,
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug", "grammar", "reducer", "generalizer", "phase"],
    given: None,
    // What one phase saves another one may spend: abstracting.csv says whether it costs more.
    columns: &[Compared::Count("executions")],
    others: &[],
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
    repetition: u32,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    phase: Option<&'a str>,
    executions: Option<u64>,
    seed: u64,
    error: String,
}

/// A row for each phase of each generalization, in the order of the plan.
fn table(results: &Results) -> Csv {
    let rows = results.of::<GeneralizeTask>().flat_map(|(key, task, found)| {
        let about = key.about();
        let phases = found.map_or(&[][..], |found| &found.phases);
        let phases = phases.iter().map(|(phase, executions)| (Some(phase.as_str()), Some(*executions)));
        // What was not done is a row that says so.
        let missing = phases.len() == 0;
        let phases = phases.chain(missing.then_some((None, None)));
        let error = results.error(task).unwrap_or_default();
        phases.map(move |(phase, executions)| Row {
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            repetition: about.repetition,
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            phase,
            executions,
            seed: results.seed(),
            error: error.clone(),
        })
    });
    Csv::of(rows)
}
