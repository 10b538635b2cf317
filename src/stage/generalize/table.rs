//! What reducing and generalizing came to: Table 1 of *Abstracting Failure-Inducing Inputs*.
//!
//! `executions` are those of the reduction and of the generalization together, as the papers count them.
//! Shared nodes vary only together with others: `3+2=5` are a group of three and one of two. The
//! last rows sum up, and have beside our figures those that the paper has for the same bugs.

use serde::Serialize;

use crate::report::csv::{Csv, yes_or_no};
use crate::report::paper;

use super::super::reduce::ReduceRecord;
use super::super::results::{Results, TaskRow};
use super::super::tables::StageTable;
use super::super::tables::totals::{self, TOTAL};
use super::super::{About, PlugIns, Stage};
use super::{AbstractText, GeneralizeRecord, GeneralizeTask};

pub(super) const TABLE: StageTable = StageTable { file: "abstracting.csv", make: table, screen: None };

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: Option<&'a str>,
    repetition: Option<u32>,
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
    shared: Option<String>,
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
    paper_shared: Option<String>,
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
            grammar: Some(about.grammar),
            repetition: Some(about.repetition),
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            reduced: reduced.map(|reduced| reduced.output.shown()),
            compact: text.map(|text| text.compact.as_str()),
            r#abstract: text.map(|text| text.text.as_str()),
            pattern: found.map(|found| found.pattern_text.as_str()),
            expression: found.map(|found| found.expression.as_str()),
            holds_for_input: found.map(|found| yes_or_no(found.holds_for_input)),
            input_chars: reduced.map(|reduced| reduced.input.chars() as u64),
            min_chars: reduced.map(|reduced| reduced.output.chars() as u64),
            visible_nonterminals: text.map(|text| text.visible_nonterminals),
            invisible_nonterminals: text.map(|text| text.invisible_nonterminals),
            shared: text.map(|text| shared(&text.shared)),
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
            paper_shared: paper.map(|paper| paper.shared.clone()),
            paper_remaining_chars: paper.map(|paper| paper.remaining_chars),
            paper_executions: paper.map(|paper| paper.executions),
            seed: results.seed(),
            error: results.error(task).unwrap_or_default(),
        }
    }
}

/// The table: a row for each generalization, and the totals.
fn table(results: &Results) -> Csv {
    let found: Vec<Found<'_>> = results
        .of::<GeneralizeTask>()
        .map(|(key, task, found)| {
            let about = key.about();
            let reduced = results.record(&*key.reduction);
            Found { task, about, found, reduced, paper: paper::abstracting(about.bug) }
        })
        .collect();
    let totals = totals::parts(&found, |row| row.about.plug_ins);
    let totals = totals.into_iter().map(|(plug_ins, part)| total(&part, plug_ins, results));
    Csv::of(found.iter().map(|found| found.row(results)).chain(totals))
}

/// The sum of the rows of one combination of plug-ins. The papers' figures are summed up over the rows
/// that have ours, so that both are about the same.
fn total<'a>(rows: &[&Found<'a>], plug_ins: PlugIns<'a>, results: &Results) -> Row<'a> {
    let have_figures: Vec<&&Found<'_>> = rows.iter().filter(|row| row.found.is_some()).collect();
    let of_found = |get: fn(&GeneralizeRecord) -> u64| {
        Some(have_figures.iter().filter_map(|row| row.found).map(get).sum::<u64>())
    };
    let of_phase = |name: &str| {
        let found = have_figures.iter().filter_map(|row| row.found);
        Some(found.filter_map(|found| found.executions_of(name)).sum::<u64>())
    };
    let of_text = |get: fn(&AbstractText) -> u64| {
        let found = have_figures.iter().filter_map(|row| row.found);
        found.filter_map(|found| found.abstract_input.as_ref()).map(get).sum::<u64>()
    };
    let of_reduced = |get: fn(&ReduceRecord) -> u64| {
        Some(have_figures.iter().filter_map(|row| row.reduced).map(get).sum::<u64>())
    };
    let paper: Vec<&paper::Abstracting> = have_figures.iter().filter_map(|row| row.paper).collect();
    let of_paper = |get: fn(&paper::Abstracting) -> u64| {
        (!paper.is_empty()).then(|| paper.iter().map(|row| get(row)).sum::<u64>())
    };
    Row {
        bug: TOTAL,
        grammar: plug_ins.grammar,
        reducer: plug_ins.reducer,
        generalizer: plug_ins.generalizer,
        input_chars: of_reduced(|reduced| reduced.input.chars() as u64),
        min_chars: of_reduced(|reduced| reduced.output.chars() as u64),
        visible_nonterminals: Some(of_text(|text| text.visible_nonterminals)),
        invisible_nonterminals: Some(of_text(|text| text.invisible_nonterminals)),
        shared: Some(of_text(|text| text.shared.iter().sum()).to_string()),
        remaining_chars: Some(of_text(|text| text.remaining_chars)),
        executions: of_found(|found| found.executions)
            .zip(of_reduced(|reduced| reduced.executions))
            .map(|(found, reduced)| found + reduced),
        executions_abstraction: of_phase("abstraction"),
        executions_isolation: of_phase("isolation"),
        executions_characteristic: of_phase("characteristic"),
        executions_reduction: of_reduced(|reduced| reduced.executions),
        paper_min_chars: of_paper(|paper| paper.min_chars),
        paper_visible_nonterminals: of_paper(|paper| paper.visible_nonterminals),
        paper_invisible_nonterminals: of_paper(|paper| paper.invisible_nonterminals),
        paper_shared: of_paper(paper::Abstracting::shared_nodes).map(|nodes| nodes.to_string()),
        paper_remaining_chars: of_paper(|paper| paper.remaining_chars),
        paper_executions: of_paper(|paper| paper.executions),
        seed: results.seed(),
        error: totals::error(rows.len() - have_figures.len(), rows.len()),
        ..Row::default()
    }
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
