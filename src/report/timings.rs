//! What each task cost. The only table with times, and with executions as they really took place:
//! it differs from run to run.

use super::results::Results;
use super::table::{Table, cell};

/// The table: a row for each task of the plan.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new(["task", "wall_seconds", "executions", "runs", "judged_again"]);
    for task in &results.tasks {
        let cost = task.cost.as_ref();
        table.push(vec![
            task.planned.name.clone(),
            cell(cost.map(|cost| format!("{:.6}", cost.wall.as_secs_f64()))),
            cell(cost.map(|cost| cost.executions)),
            cell(cost.map(|cost| cost.runs)),
            cell(cost.map(|cost| cost.judged_again)),
        ]);
    }
    table
}
