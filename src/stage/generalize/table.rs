//! What reducing and generalizing came to: Table 1 of *Abstracting Failure-Inducing Inputs*.
//!
//! `executions` are those of the reduction and of the generalization together, as the papers count them.
//! Shared nodes vary only together with others: `3+2` are a group of three and one of two.

use serde::Serialize;

use crate::report::compared::{Compared, Comparison};
use crate::report::csv::{Csv, yes_or_no};
use crate::report::figure::{Better, Figure};
use crate::report::paper;

use super::super::reduce::ReduceRecord;
use super::super::results::{Results, TaskRow};
use super::super::tables::{Make, Measured, StageTable};
use super::super::{About, Stage};
use super::{GeneralizeRecord, GeneralizeTask};

pub(super) const TABLE: StageTable = StageTable {
    file: "abstracting.csv",
    title: "Abstracting: what became of the failing input (Table 1 of the DDSET paper)",
    make: Make::OfResults(table),
    screen: None,
    figures: Some(figures),
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug", "grammar", "reducer", "generalizer"],
    given: None,
    columns: &[
        Compared::Expression("expression"),
        Compared::Text("compact"),
        Compared::Text("reduced"),
        Compared::Text("holds_for_input"),
        Compared::Executions("executions"),
        Compared::Count("executions_abstraction"),
        Compared::Count("executions_isolation"),
        Compared::Count("executions_characteristic"),
        Compared::Count("executions_reduction"),
        Compared::Count("visible_nonterminals"),
        Compared::Count("invisible_nonterminals"),
        Compared::Text("shared_groups"),
        Compared::Count("remaining_chars"),
        Compared::Text("stop"),
        Compared::Text("stop_reduction"),
    ],
    others: &["abstract", "pattern", "input_chars", "min_chars", "shared_nodes"],
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
    reduced: Option<String>,
    compact: Option<&'a str>,
    r#abstract: Option<&'a str>,
    pattern: Option<&'a str>,
    expression: Option<&'a str>,
    holds_for_input: Option<&'static str>,
    input_chars: Option<u64>,
    min_chars: Option<u64>,
    visible_nonterminals: Option<u64>,
    invisible_nonterminals: Option<u64>,
    shared_nodes: Option<u64>,
    shared_groups: Option<String>,
    remaining_chars: Option<u64>,
    executions: Option<u64>,
    executions_abstraction: Option<u64>,
    executions_isolation: Option<u64>,
    executions_characteristic: Option<u64>,
    executions_reduction: Option<u64>,
    stop: Option<&'a str>,
    stop_reduction: Option<&'a str>,
    paper_min_chars: Option<u64>,
    paper_visible_nonterminals: Option<u64>,
    paper_invisible_nonterminals: Option<u64>,
    paper_shared_nodes: Option<u64>,
    paper_shared_groups: Option<&'a str>,
    paper_remaining_chars: Option<u64>,
    paper_executions: Option<u64>,
    seed: u64,
    error: String,
}

/// What there is of a bug.
struct Found<'a> {
    task: &'a TaskRow,
    about: About<'a>,
    found: Option<&'a GeneralizeRecord>,
    reduced: Option<&'a ReduceRecord>,
    paper: Option<&'static paper::Abstracting>,
}

impl<'a> Found<'a> {
    fn row(&self, results: &Results) -> Row<'a> {
        let Self { task, about, found, reduced, paper } = *self;
        let text = found.and_then(|found| found.abstract_input.as_ref());
        Row {
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            repetition: about.repetition,
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            reduced: reduced.map(|reduced| reduced.output.to_escaped()),
            compact: text.map(|text| text.compact.as_str()),
            r#abstract: text.map(|text| text.text.as_str()),
            pattern: found.map(|found| found.pattern_text.as_str()),
            expression: found.map(|found| found.expression.as_str()),
            holds_for_input: found.map(|found| yes_or_no(found.holds_for_input)),
            input_chars: reduced.map(|reduced| reduced.input.chars() as u64),
            min_chars: reduced.map(|reduced| reduced.output.chars() as u64),
            visible_nonterminals: text.map(|text| text.visible_nonterminals),
            invisible_nonterminals: text.map(|text| text.invisible_nonterminals),
            shared_nodes: text.map(|text| text.shared.iter().sum()),
            shared_groups: text.map(|text| groups(&text.shared)),
            remaining_chars: text.map(|text| text.remaining_chars),
            executions: found.zip(reduced).map(|(found, reduced)| found.executions + reduced.executions),
            executions_abstraction: found.and_then(|found| found.executions_of("abstraction")),
            executions_isolation: found.and_then(|found| found.executions_of("isolation")),
            executions_characteristic: found.and_then(|found| found.executions_of("characteristic")),
            executions_reduction: reduced.map(|reduced| reduced.executions),
            stop: found.map(|found| found.stop.as_str()),
            stop_reduction: reduced.map(|reduced| reduced.stop.as_str()),
            paper_min_chars: paper.map(|paper| paper.min_chars),
            paper_visible_nonterminals: paper.map(|paper| paper.visible_nonterminals),
            paper_invisible_nonterminals: paper.map(|paper| paper.invisible_nonterminals),
            paper_shared_nodes: paper.map(paper::Abstracting::shared_nodes),
            paper_shared_groups: paper.map(paper::Abstracting::shared_groups),
            paper_remaining_chars: paper.map(|paper| paper.remaining_chars),
            paper_executions: paper.map(|paper| paper.executions),
            seed: results.seed(),
            error: results.error(task).unwrap_or_default(),
        }
    }
}

/// All generalizations, in the order of the plan.
fn all(results: &Results) -> Vec<Found<'_>> {
    let found = results.of::<GeneralizeTask>().map(|(key, task, found)| {
        let about = key.about();
        let reduced = results.record(&*key.reduction);
        Found { task, about, found, reduced, paper: paper::abstracting(about.bug) }
    });
    found.collect()
}

/// The table: a row for each generalization.
fn table(results: &Results) -> Csv {
    Csv::of(all(results).iter().map(|found| found.row(results)))
}

/// What can be summed up: of bugs that were generalized.
fn figures(results: &Results) -> Vec<Measured<'_>> {
    let measured = all(results).into_iter().map(|all| {
        let row = all.row(results);
        let is_found = all.found.is_some();
        let figure = |name, count: Option<u64>, paper: Option<u64>| {
            Figure::count(name, count.filter(|_| is_found)).beside_count(paper)
        };
        let figures = vec![
            figure("input_chars", row.input_chars, None).called("failing input, characters", Better::Neither),
            figure("min_chars", row.min_chars, row.paper_min_chars).called("reduced", Better::Less),
            figure("visible_nonterminals", row.visible_nonterminals, row.paper_visible_nonterminals)
                .called("placeholders", Better::Neither),
            figure("invisible_nonterminals", row.invisible_nonterminals, row.paper_invisible_nonterminals),
            figure("shared_nodes", row.shared_nodes, row.paper_shared_nodes),
            figure("remaining_chars", row.remaining_chars, row.paper_remaining_chars)
                .called("concrete characters", Better::Less),
            figure("executions", row.executions, row.paper_executions).called("executions", Better::Less),
            figure("executions_abstraction", row.executions_abstraction, None),
            figure("executions_isolation", row.executions_isolation, None),
            figure("executions_characteristic", row.executions_characteristic, None),
            figure("executions_reduction", row.executions_reduction, None),
        ];
        Measured { about: all.about, source: None, error: row.error, figures }
    });
    measured.collect()
}

/// Groups as the papers print them, the largest first: `3+2`.
fn groups(groups: &[u64]) -> String {
    let mut groups = groups.to_vec();
    groups.sort_unstable_by(|one, other| other.cmp(one));
    let parts: Vec<String> = groups.iter().map(u64::to_string).collect();
    parts.join("+")
}
