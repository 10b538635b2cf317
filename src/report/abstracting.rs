//! What reducing and generalizing came to: Table 1 of *Abstracting Failure-Inducing Inputs*.
//!
//! The papers count as executions those of the generalization; those of the reduction stand apart.
//! Shared nodes vary only together with others: `3+2=5` are a group of three and one of two. The
//! last rows sum up, and have beside our figures those that the paper has for the same bugs.

use crate::store::{Generalize, Record, Reduce, Stage, TaskRow, Variant};

use super::key::Key;
use super::paper;
use super::results::Results;
use super::table::{Table, cell, plug_in_cells};
use super::total::{self, TOTAL};

const COLUMNS: [&str; 31] = [
    "subject",
    "bug",
    "repetition",
    "reducer",
    "generalizer",
    "reduced",
    "compact",
    "abstract",
    "pattern",
    "expression",
    "input_chars",
    "min_chars",
    "visible_nonterminals",
    "invisible_nonterminals",
    "shared",
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
    "paper_shared",
    "paper_remaining_chars",
    "paper_executions",
    "seed",
    "error",
];

/// A bug's row.
struct Row<'a> {
    task: &'a TaskRow,
    key: Key<'a>,
    found: Option<&'a Generalize>,
    reduced: Option<&'a Reduce>,
    paper: Option<&'static paper::Abstracting>,
}

/// What is summed up, of us and of the papers.
const FIGURES: [fn(&Generalize) -> u64; 7] = [
    |found| found.visible_nonterminals,
    |found| found.invisible_nonterminals,
    |found| found.remaining_chars,
    Generalize::executions,
    |found| found.executions_abstraction,
    |found| found.executions_isolation,
    |found| found.executions_characteristic,
];
const OF_PAPER: [fn(&paper::Abstracting) -> u64; 6] = [
    |paper| paper.min_chars,
    |paper| paper.visible_nonterminals,
    |paper| paper.invisible_nonterminals,
    paper::Abstracting::shared_nodes,
    |paper| paper.remaining_chars,
    |paper| paper.executions,
];

/// The table: a row for each generalization, and the totals.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new(COLUMNS);
    let rows: Vec<Row<'_>> = results
        .tasks
        .iter()
        .filter(|task| task.planned.stage == Stage::Generalize)
        .map(|task| {
            let key = Key::of(&task.planned);
            let found = task.record().and_then(Record::as_generalize);
            let reduced = results.needed(&task.planned, Record::as_reduce);
            Row { task, found, reduced, paper: paper::abstracting(key.bug), key }
        })
        .collect();
    let seed = results.campaign.seed.to_string();
    for row in &rows {
        let Row { task, key, found, reduced, paper } = row;
        let [reducer, generalizer, ..] = plug_in_cells(key.variant);
        let [visible, invisible, remaining, of_executions @ ..] = FIGURES.map(|get| cell(found.map(get)));
        let [paper_min, paper_visible, paper_invisible, _, paper_remaining, paper_executions] =
            OF_PAPER.map(|get| cell(paper.map(get)));
        let words = |get: fn(&Generalize) -> &str| cell(found.map(get));
        let head = key.name_cells().into_iter().chain([
            reducer,
            generalizer,
            cell(reduced.map(|reduced| reduced.output.shown())),
            words(|found| &found.compact),
            words(|found| &found.abstract_text),
            words(|found| &found.pattern),
            words(|found| &found.expression),
            cell(reduced.map(|reduced| reduced.input.chars())),
            cell(reduced.map(|reduced| reduced.output.chars())),
            visible,
            invisible,
            cell(found.map(|found| shared(&found.shared))),
            remaining,
        ]);
        table.push(
            head.chain(of_executions)
                .chain([
                    cell(reduced.map(|reduced| reduced.executions)),
                    words(|found| found.stop.as_str()),
                    cell(reduced.map(|reduced| reduced.stop)),
                    paper_min,
                    paper_visible,
                    paper_invisible,
                    cell(paper.map(|paper| &paper.shared)),
                    paper_remaining,
                    paper_executions,
                    seed.clone(),
                    results.error(task).unwrap_or_default(),
                ])
                .collect(),
        );
    }
    for (variant, part) in total::parts(&rows, |row| row.key.variant) {
        table.push(total_cells(&part, variant, &seed));
    }
    table
}

/// The sum of the rows of one combination of plug-ins. The papers' figures are summed up over the rows
/// that have ours, so that both are about the same.
fn total_cells(rows: &[&Row<'_>], variant: &Variant, seed: &str) -> Vec<String> {
    let found: Vec<&Generalize> = rows.iter().filter_map(|row| row.found).collect();
    let reduced: Vec<&Reduce> =
        rows.iter().filter(|row| row.found.is_some()).filter_map(|row| row.reduced).collect();
    let paper: Vec<&paper::Abstracting> =
        rows.iter().filter(|row| row.found.is_some()).filter_map(|row| row.paper).collect();
    let [reducer, generalizer, ..] = plug_in_cells(variant);
    let of_reduced = |get: fn(&Reduce) -> u64| reduced.iter().map(|reduced| get(reduced)).sum::<u64>();
    let [visible, invisible, remaining, of_executions @ ..] =
        FIGURES.map(|get| found.iter().map(|found| get(found)).sum::<u64>().to_string());
    let of_paper =
        OF_PAPER.map(|get| cell((!paper.is_empty()).then(|| paper.iter().map(|row| get(row)).sum::<u64>())));
    let empty = || String::new();
    [empty(), TOTAL.to_owned(), empty(), reducer, generalizer]
        .into_iter()
        .chain([empty(), empty(), empty(), empty(), empty()])
        .chain([
            of_reduced(|reduced| reduced.input.chars() as u64).to_string(),
            of_reduced(|reduced| reduced.output.chars() as u64).to_string(),
            visible,
            invisible,
            found.iter().flat_map(|found| &found.shared).sum::<u64>().to_string(),
            remaining,
        ])
        .chain(of_executions)
        .chain([of_reduced(|reduced| reduced.executions).to_string(), empty(), empty()])
        .chain(of_paper)
        .chain([seed.to_owned(), total::error(rows.len() - found.len(), rows.len())])
        .collect()
}

/// Groups as the papers print them: `3+2=5`, and `0` when there are none.
fn shared(groups: &[u64]) -> String {
    let sum: u64 = groups.iter().sum();
    if groups.is_empty() {
        return sum.to_string();
    }
    let mut groups = groups.to_vec();
    groups.sort_unstable_by(|one, other| other.cmp(one));
    let parts: Vec<String> = groups.iter().map(u64::to_string).collect();
    format!("{}={sum}", parts.join("+"))
}
