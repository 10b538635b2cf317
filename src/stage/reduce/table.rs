//! What reducers make of failing inputs, and what it takes: a row for each bug, repetition and reducer, and a total for each reducer.

use serde::Serialize;

use crate::report::csv::{Csv, yes_or_no};
use crate::report::statistics::{Percent, Proportion};

use super::super::results::Results;
use super::super::tables::StageTable;
use super::super::tables::totals::{self, TOTAL};
use super::super::{PlugIns, Stage};
use super::{ReduceRecord, ReduceTask};

pub(super) const TABLE: StageTable = StageTable { file: "reducing.csv", make: table, screen: None };

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    repetition: Option<u32>,
    reducer: Option<&'a str>,
    input_bytes: Option<u64>,
    output_bytes: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_nodes: Option<u64>,
    output_nodes: Option<u64>,
    executions: Option<u64>,
    asked_again: Option<u64>,
    unresolved: Option<u64>,
    unresolved_pct: Option<Percent>,
    one_minimal_bytes: &'static str,
    one_minimal_tokens: &'static str,
    one_minimal_subtrees: &'static str,
    same_failure: &'static str,
    stop: &'a str,
    version: &'a str,
    reintroduced: &'a str,
    seed: u64,
    error: String,
}

/// What is summed up for a reducer.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    sizes: [u64; 6],
    executions: u64,
    asked_again: u64,
    unresolved: u64,
}

impl Sums {
    fn of(found: &ReduceRecord) -> Self {
        let [input, output] = [&found.input_size, &found.output_size];
        let [tokens, nodes] = [input.tokens, input.nodes].map(|of_input| of_input.unwrap_or_default());
        let bytes = [&found.input, &found.output].map(|text| text.bytes().len() as u64);
        let out = [output.tokens.unwrap_or_default(), output.nodes.unwrap_or_default()];
        Self {
            sizes: [bytes[0], bytes[1], tokens, out[0], nodes, out[1]],
            executions: found.executions,
            asked_again: found.asked_again,
            unresolved: found.unresolved,
        }
    }

    fn add(self, other: Self) -> Self {
        let mut sizes = self.sizes;
        sizes.iter_mut().zip(other.sizes).for_each(|(sum, next)| *sum += next);
        Self {
            sizes,
            executions: self.executions + other.executions,
            asked_again: self.asked_again + other.asked_again,
            unresolved: self.unresolved + other.unresolved,
        }
    }
}

impl Row<'_> {
    /// This row with these figures.
    fn with(self, sums: Option<Sums>) -> Self {
        let Some(Sums { sizes, executions, asked_again, unresolved }) = sums else { return self };
        let [input_bytes, output_bytes, input_tokens, output_tokens, input_nodes, output_nodes] =
            sizes.map(Some);
        Self {
            input_bytes,
            output_bytes,
            input_tokens,
            output_tokens,
            input_nodes,
            output_nodes,
            executions: Some(executions),
            asked_again: Some(asked_again),
            unresolved: Some(unresolved),
            unresolved_pct: Proportion::new(unresolved, executions).percent(),
            ..self
        }
    }
}

/// The table.
fn table(results: &Results) -> Csv {
    let answer = |holds: Option<bool>| holds.map_or("", yes_or_no);
    let mut all: Vec<(PlugIns<'_>, Option<Sums>)> = Vec::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (task, of_task, found) in results.of::<ReduceTask>() {
        let (about, sums) = (task.about(), found.map(Sums::of));
        all.push((about.plug_ins, sums));
        let minimal = found.map(|found| found.one_minimal);
        let row = Row {
            subject: about.subject,
            bug: about.bug,
            repetition: Some(about.repetition),
            reducer: about.plug_ins.reducer,
            one_minimal_bytes: answer(minimal.and_then(|minimal| minimal.bytes)),
            one_minimal_tokens: answer(minimal.and_then(|minimal| minimal.tokens)),
            one_minimal_subtrees: answer(minimal.and_then(|minimal| minimal.subtrees)),
            same_failure: answer(found.map(|found| found.same_failure)),
            stop: found.map_or("", |found| found.stop.as_str()),
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed: results.seed(),
            error: results.error(of_task).unwrap_or_default(),
            ..Row::default()
        };
        let mut row = row.with(sums);
        if found.is_some_and(|found| found.output_size.tokens.is_none()) {
            (row.output_tokens, row.output_nodes) = (None, None);
        }
        rows.push(row);
    }
    for (plug_ins, part) in totals::parts(&all, |row| row.0) {
        let missing = part.iter().filter(|(_, sums)| sums.is_none()).count();
        let row = Row {
            bug: TOTAL,
            reducer: plug_ins.reducer,
            seed: results.seed(),
            error: totals::error(missing, part.len()),
            ..Row::default()
        };
        let sums = part.iter().filter_map(|(_, sums)| *sums);
        rows.push(row.with(Some(sums.fold(Sums::default(), Sums::add))));
    }
    Csv::of(rows)
}
