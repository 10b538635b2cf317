//! What reducing and generalizing came to: Table 1 of *Abstracting Failure-Inducing Inputs*.
//!
//! The papers count as executions those of the generalization; those of the reduction stand apart.

use crate::store::{Generalize, PlannedTask, Record, Reduce, Stage};

use super::key::Key;
use super::paper;
use super::results::Results;
use super::table::{Table, cell, plug_in_cells};

const COLUMNS: [&str; 28] = [
    "subject",
    "bug",
    "repetition",
    "reducer",
    "generalizer",
    "reduced",
    "abstract",
    "pattern",
    "expression",
    "input_chars",
    "min_chars",
    "visible_nonterminals",
    "invisible_nonterminals",
    "remaining_chars",
    "executions",
    "executions_abstraction",
    "executions_isolation",
    "executions_characteristic",
    "executions_reduction",
    "stop",
    "stop_reduction",
    "paper_min_chars",
    "paper_visible_nonterminals",
    "paper_invisible_nonterminals",
    "paper_remaining_chars",
    "paper_executions",
    "seed",
    "error",
];

/// The table: a row for each generalization.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new(COLUMNS);
    for task in results.tasks.iter().filter(|task| task.planned.stage == Stage::Generalize) {
        let key = Key::of(&task.planned);
        let [reducer, generalizer, ..] = plug_in_cells(key.variant);
        let found = match task.record() {
            Some(Record::Generalize(found)) => Some(found),
            _ => None,
        };
        let reduced = reduction(results, &task.planned);
        let paper = paper::abstracting(key.bug);
        let number = |get: fn(&Generalize) -> u64| cell(found.map(get));
        let words = |get: fn(&Generalize) -> &str| cell(found.map(get));
        let of_paper = |get: fn(&paper::Abstracting) -> u64| cell(paper.map(get));
        let [subject, bug, repetition] = key.name_cells();
        table.push(vec![
            subject,
            bug,
            repetition,
            reducer,
            generalizer,
            cell(reduced.map(|reduced| reduced.output.shown())),
            words(|found| &found.abstract_text),
            words(|found| &found.pattern),
            words(|found| &found.expression),
            cell(reduced.map(|reduced| reduced.input.chars())),
            cell(reduced.map(|reduced| reduced.output.chars())),
            number(|found| found.visible_nonterminals),
            number(|found| found.invisible_nonterminals),
            number(|found| found.remaining_chars),
            number(Generalize::executions),
            number(|found| found.executions_abstraction),
            number(|found| found.executions_isolation),
            number(|found| found.executions_characteristic),
            cell(reduced.map(|reduced| reduced.executions)),
            words(|found| found.stop.as_str()),
            cell(reduced.map(|reduced| reduced.stop)),
            of_paper(|paper| paper.min_chars),
            of_paper(|paper| paper.visible_nonterminals),
            of_paper(|paper| paper.invisible_nonterminals),
            of_paper(|paper| paper.remaining_chars),
            of_paper(|paper| paper.executions),
            results.campaign.seed.to_string(),
            results.error(task).unwrap_or_default(),
        ]);
    }
    table
}

/// The reduction that `task` works on.
fn reduction<'a>(results: &'a Results, task: &PlannedTask) -> Option<&'a Reduce> {
    results.needs(task).into_iter().find_map(|need| match need.record() {
        Some(Record::Reduce(reduce)) => Some(reduce),
        _ => None,
    })
}
