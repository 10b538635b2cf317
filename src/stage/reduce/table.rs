//! What reducers make of failing inputs, and what it takes: a row for each bug, repetition and reducer.

use serde::Serialize;

use crate::report::compared::{Compared, Comparison};
use crate::report::csv::{Csv, yes_or_no};
use crate::report::figure::{Better, Figure};
use crate::report::statistics::{Percent, Proportion};

use crate::store::Input;

use super::super::Stage;
use super::super::results::Results;
use super::super::tables::{Make, Measured, StageTable};
use super::{ReduceRecord, ReduceTask};

pub(super) const TABLE: StageTable = StageTable {
    file: "reducing.csv",
    title: "Reducing: sizes of failing inputs before and after",
    make: Make::OfResults(table),
    screen: None,
    figures: Some(figures),
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug", "grammar", "reducer"],
    given: None,
    columns: &[
        Compared::Size("output_bytes"),
        Compared::Size("output_tokens"),
        Compared::Size("output_nodes"),
        Compared::Executions("executions"),
        Compared::Count("asked_again"),
        Compared::Count("unresolved"),
        Compared::Answer("one_minimal_bytes"),
        Compared::Answer("one_minimal_tokens"),
        Compared::Answer("one_minimal_subtrees"),
        Compared::Text("same_failure"),
        Compared::Text("stop"),
    ],
    others: &["input_bytes", "input_tokens", "input_nodes", "unresolved_pct", "other_failures"],
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
    repetition: u32,
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
    other_failures: Option<u64>,
    stop: &'a str,
    version: &'a str,
    reintroduced: &'a str,
    seed: u64,
    error: String,
}

impl Row<'_> {
    /// This row with what was found.
    fn with(self, found: Option<&ReduceRecord>) -> Self {
        let Some(found) = found else { return self };
        let answer = |holds: Option<bool>| holds.map_or("", yes_or_no);
        let bytes = |text: &Input| Some(text.bytes().len() as u64);
        Self {
            input_bytes: bytes(&found.input),
            output_bytes: bytes(&found.output),
            input_tokens: found.input_size.tokens,
            output_tokens: found.output_size.tokens,
            input_nodes: found.input_size.nodes,
            output_nodes: found.output_size.nodes,
            executions: Some(found.executions),
            asked_again: Some(found.asked_again),
            unresolved: Some(found.unresolved),
            unresolved_pct: Proportion::new(found.unresolved, found.executions).percent(),
            one_minimal_bytes: answer(found.one_minimal.bytes),
            one_minimal_tokens: answer(found.one_minimal.tokens),
            one_minimal_subtrees: answer(found.one_minimal.subtrees),
            same_failure: yes_or_no(found.same_failure),
            other_failures: Some(found.others.len() as u64),
            stop: found.stop.as_str(),
            ..self
        }
    }
}

/// The table.
fn table(results: &Results) -> Csv {
    Csv::of(results.of::<ReduceTask>().map(|(task, of_task, found)| {
        let about = task.about();
        let row = Row {
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            repetition: about.repetition,
            reducer: about.plug_ins.reducer,
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed: results.seed(),
            error: results.error(of_task).unwrap_or_default(),
            ..Row::default()
        };
        row.with(found)
    }))
}

/// What can be summed up: of bugs that were reduced.
fn figures(results: &Results) -> Vec<Measured<'_>> {
    let measured = results.of::<ReduceTask>().map(|(task, of_task, found)| {
        let row = Row::default().with(found);
        let figures = vec![
            Figure::count("input_bytes", row.input_bytes).called("failing input, bytes", Better::Neither),
            Figure::count("output_bytes", row.output_bytes).called("reduced, bytes", Better::Less),
            Figure::count("input_tokens", row.input_tokens),
            Figure::count("output_tokens", row.output_tokens),
            Figure::count("input_nodes", row.input_nodes),
            Figure::count("output_nodes", row.output_nodes).called("reduced, nodes", Better::Less),
            Figure::count("executions", row.executions).called("executions", Better::Less),
            Figure::count("asked_again", row.asked_again),
            Figure::share(
                "unresolved",
                found.map(|found| Proportion::new(found.unresolved, found.executions)),
            )
            .called("unresolved", Better::Less),
        ];
        let error = results.error(of_task).unwrap_or_default();
        Measured { about: task.about(), source: None, error, figures }
    });
    measured.collect()
}
