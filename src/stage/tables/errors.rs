//! What went wrong, one thing a row, with the inputs that show it.
//!
//! | kind | what |
//! |---|---|
//! | `unfit` | a subject, or a bug of it, that cannot be used |
//! | `flaky` | a bug whose program does not always say the same of the same input |
//! | `warning` | something to know when reading the results; an input on which a worker violated the protocol |
//! | `error` | a task that failed, or a half of it; a worker that judged differently from a fresh process |
//! | `escape` | an input of F that did not fail, or of not F that failed |
//! | `mistake` | a failing input that was rejected, or a passing one that was accepted |
//! | `other` | the smallest input that failed otherwise than the bug's, met while that was reduced |
//!
//! Inputs are [escaped](crate::store::Input::to_escaped), so that the exact bytes can be read again.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::oracle::Verdict;
use crate::report::csv::Csv;
use crate::store::Input;

use super::super::results::{Results, TaskRow, TaskState};
use super::{Make, StageTable};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "errors.csv",
    title: "What went wrong, with the inputs that show it",
    make: Make::OfResults(table),
    screen: None,
    figures: None,
    compared: None,
};

/// What went wrong with one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorEntry<'a> {
    /// The task; empty when it is about a subject or the campaign.
    pub task: &'a str,
    /// The subject.
    pub subject: &'a str,
    /// The bug.
    pub bug: &'a str,
    /// The grammar; empty when it does not matter which.
    pub grammar: &'a str,
    /// The kind.
    pub kind: &'static str,
    /// The input that shows it.
    pub input: Option<&'a Input>,
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// In words.
    pub detail: String,
}

/// All that went wrong: subjects and the campaign first, then tasks in the order of the plan.
pub fn all(results: &Results) -> Vec<ErrorEntry<'_>> {
    let unfit = results.subjects.iter().filter_map(|row| {
        let (subject, bug) = (row.subject.as_str(), row.bug.as_deref().unwrap_or_default());
        let detail = row.unfit.clone()?;
        let grammar = row.grammar.as_str();
        Some(ErrorEntry { subject, bug, grammar, kind: "unfit", detail, ..ErrorEntry::default() })
    });
    let of_campaign = results.warnings.iter().filter(|row| row.task.is_none());
    let warnings = of_campaign.map(|row| ErrorEntry {
        kind: "warning",
        detail: row.text.clone(),
        ..ErrorEntry::default()
    });
    let mut all: Vec<ErrorEntry<'_>> = unfit.chain(flaky(results)).chain(warnings).collect();
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    let mut warned: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &results.warnings {
        warned.entry(row.task.as_deref().unwrap_or_default()).or_default().push(&row.text);
    }
    for row in &results.tasks {
        let about = row.task.about();
        let of_task = ErrorEntry {
            task: &row.name,
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            ..ErrorEntry::default()
        };
        all.extend(warned.get(&*row.name).into_iter().flatten().map(|&text| ErrorEntry {
            kind: "warning",
            detail: text.to_owned(),
            ..of_task.clone()
        }));
        add(&mut all, &of_task, row);
        // Any task of the bug may have met it first: it is reported once, after the first of them.
        if reported.insert(of_task.bug) {
            all.extend(of_workers(results, &of_task));
        }
    }
    all
}

/// The bugs whose program is not deterministic, in the order of the plan.
pub fn flaky(results: &Results) -> impl Iterator<Item = ErrorEntry<'_>> {
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    results.tasks.iter().filter_map(move |row| {
        let about = row.task.about();
        let detail = reported.insert(about.bug).then(|| results.flaky(about.bug)).flatten()?;
        let (subject, bug) = (about.subject, about.bug);
        Some(ErrorEntry { subject, bug, kind: "flaky", detail, ..ErrorEntry::default() })
    })
}

/// What went wrong with workers that judged inputs of the bug that `of_task` is about.
fn of_workers<'a>(results: &'a Results, of_task: &ErrorEntry<'a>) -> impl Iterator<Item = ErrorEntry<'a>> {
    let ErrorEntry { subject, bug, .. } = *of_task;
    results.troubles.iter().filter(move |trouble| trouble.bug == bug).map(move |trouble| ErrorEntry {
        subject,
        bug,
        kind: if trouble.is_disagreement { "error" } else { "warning" },
        input: Some(&trouble.input),
        verdict: Some(trouble.verdict),
        detail: trouble.text.clone(),
        ..ErrorEntry::default()
    })
}

/// Adds what the result of a task says; `of_task` is about it.
fn add<'a>(all: &mut Vec<ErrorEntry<'a>>, of_task: &ErrorEntry<'a>, row: &'a TaskRow) {
    match &row.state {
        TaskState::NotRun => {}
        TaskState::Failed(error) => {
            all.push(ErrorEntry { kind: "error", detail: error.clone(), ..of_task.clone() });
        }
        TaskState::Done(record) => all.extend(record.incidents().into_iter().map(|incident| ErrorEntry {
            kind: incident.kind,
            bug: incident.bug.unwrap_or(of_task.bug),
            input: incident.input,
            verdict: incident.verdict,
            detail: incident.detail,
            ..of_task.clone()
        })),
    }
}

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    task: &'a str,
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
    kind: &'a str,
    input: Option<String>,
    verdict: Option<&'a str>,
    detail: String,
}

/// The table.
fn table(results: &Results) -> Csv {
    Csv::of(all(results).into_iter().map(|trouble| Row {
        task: trouble.task,
        subject: trouble.subject,
        bug: trouble.bug,
        grammar: trouble.grammar,
        kind: trouble.kind,
        input: trouble.input.map(Input::to_escaped),
        verdict: trouble.verdict.map(Verdict::as_str),
        detail: trouble.detail,
    }))
}
