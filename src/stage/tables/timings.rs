//! What each task cost. The only table with times, and with executions as they really took place:
//! it differs from run to run.

use serde::Serialize;

use crate::report::csv::Csv;

use super::super::results::Results;
use super::{Make, StageTable};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "timings.csv",
    title: "What each task cost",
    make: Make::OfResults(table),
    screen: None,
    figures: None,
    compared: None,
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    task: &'a str,
    stage: &'a str,
    bug: &'a str,
    repetition: u32,
    wall_seconds: Option<String>,
    executions: Option<u64>,
    runs: Option<u64>,
    judged_again: Option<u64>,
}

/// A row for each task of the plan.
fn table(results: &Results) -> Csv {
    Csv::of(results.tasks.iter().map(|row| Row {
        task: &row.name,
        stage: row.task.stage(),
        bug: row.task.about().bug,
        repetition: row.task.about().repetition,
        wall_seconds: row.cost.map(|cost| format!("{:.6}", cost.wall.as_secs_f64())),
        executions: row.cost.map(|cost| cost.executions),
        runs: row.cost.map(|cost| cost.runs),
        judged_again: row.cost.map(|cost| cost.judged_again),
    }))
}
