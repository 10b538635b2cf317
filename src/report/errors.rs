//! What went wrong, one thing a row, with the inputs that show it.
//!
//! | kind | what |
//! |---|---|
//! | `unfit` | a subject, or a bug of it, that cannot be used |
//! | `flaky` | a bug whose program does not always say the same of the same input |
//! | `warning` | something to know when reading the results; an input on which a worker broke the protocol |
//! | `error` | a task that failed, or a half of it; a worker that judged otherwise than a process of its own |
//! | `escape` | an input of F that did not fail, or of not F that failed |
//! | `mistake` | a failing input that was rejected, or a passing one that was accepted |
//!
//! Inputs are shown as they are, but for bytes that belong to no character and control characters,
//! which are `\xHH`. That is meant for reading; the exact bytes are in the store.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::Verdict;
use crate::store::{Input, Record, Side, TaskRow, TaskState};

use super::results::Results;
use super::table::{Table, cell};

/// What went wrong with one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row<'a> {
    /// The task; empty when it is about a subject or the campaign.
    pub task: &'a str,
    /// The subject.
    pub subject: &'a str,
    /// The bug.
    pub bug: &'a str,
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
pub fn rows(results: &Results) -> Vec<Row<'_>> {
    let unfit = results.subjects.iter().filter_map(|row| {
        let (subject, bug) = (row.subject.as_str(), row.bug.as_deref().unwrap_or_default());
        let detail = row.unfit.clone()?;
        Some(Row { subject, bug, kind: "unfit", detail, ..Row::default() })
    });
    let of_campaign = results.warnings.iter().filter(|row| row.task.is_none());
    let warnings = of_campaign.map(|row| Row { kind: "warning", detail: row.text.clone(), ..Row::default() });
    let mut rows: Vec<Row<'_>> = unfit.chain(flaky(results)).chain(warnings).collect();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut warned: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &results.warnings {
        warned.entry(row.task.as_deref().unwrap_or_default()).or_default().push(&row.text);
    }
    for task in &results.tasks {
        let name = task.planned.name.as_str();
        let of_task = Row {
            task: name,
            subject: &task.planned.subject,
            bug: task.planned.bug.as_deref().unwrap_or_default(),
            ..Row::default()
        };
        rows.extend(warned.get(name).into_iter().flatten().map(|&text| Row {
            kind: "warning",
            detail: text.to_owned(),
            ..of_task.clone()
        }));
        add(&mut rows, &of_task, task);
        // Any task of the bug may have met it first: it is told once, after the first of them.
        if told.insert(of_task.bug) {
            rows.extend(of_workers(results, &of_task));
        }
    }
    rows
}

/// The bugs whose program is not deterministic, in the order of the plan.
pub fn flaky(results: &Results) -> impl Iterator<Item = Row<'_>> {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    results.tasks.iter().filter_map(move |task| {
        let (subject, bug) = (task.planned.subject.as_str(), task.planned.bug.as_deref()?);
        let detail = told.insert(bug).then(|| results.flaky(bug)).flatten()?;
        Some(Row { subject, bug, kind: "flaky", detail, ..Row::default() })
    })
}

/// What went wrong with workers that judged inputs of the bug that `of_task` is about.
fn of_workers<'a>(results: &'a Results, of_task: &Row<'a>) -> impl Iterator<Item = Row<'a>> {
    let Row { subject, bug, .. } = *of_task;
    results.troubles.iter().filter(move |trouble| trouble.bug == bug).map(move |trouble| Row {
        subject,
        bug,
        kind: if trouble.is_disagreement { "error" } else { "warning" },
        input: Some(&trouble.input),
        verdict: Some(trouble.verdict),
        detail: trouble.text.clone(),
        ..Row::default()
    })
}

/// Adds what the result of `task` says; `of_task` is a row about it.
fn add<'a>(rows: &mut Vec<Row<'a>>, of_task: &Row<'a>, task: &'a TaskRow) {
    let record = match &task.state {
        TaskState::NotRun => return,
        TaskState::Failed(error) => {
            return rows.push(Row { kind: "error", detail: error.clone(), ..of_task.clone() });
        }
        TaskState::Done(record) => record,
    };
    match record {
        Record::Check(check) => {
            rows.extend(check.findings.iter().filter(|finding| !finding.holds).map(|finding| Row {
                kind: "warning",
                bug: finding.bug.as_deref().unwrap_or(of_task.bug),
                detail: finding.text.clone(),
                ..of_task.clone()
            }));
        }
        Record::Produce(produce) => {
            let what = match produce.side {
                Side::F => "made from F, did not fail",
                Side::NotF => "made from not F, failed",
            };
            rows.extend(produce.escapes.iter().map(|escape| Row {
                kind: "escape",
                input: Some(&escape.input),
                verdict: Some(escape.verdict),
                detail: format!("{what}: {}", escape.evidence),
                ..of_task.clone()
            }));
        }
        Record::Instantiate(instantiate) => {
            rows.extend(instantiate.escapes.iter().map(|escape| Row {
                kind: "escape",
                input: Some(&escape.input),
                verdict: Some(escape.verdict),
                detail: format!("an instance of the abstract input, did not fail: {}", escape.evidence),
                ..of_task.clone()
            }));
        }
        Record::Recognize(recognize) => {
            rows.extend(recognize.mistakes.iter().map(|mistake| Row {
                kind: "mistake",
                input: Some(&mistake.input),
                verdict: Some(mistake.verdict),
                detail: format!("{}: {}", recognize.source.as_str(), mistake.answer),
                ..of_task.clone()
            }));
        }
        Record::Specialize(specialize) => {
            let failures = specialize.failures();
            rows.extend(failures.map(|detail| Row { kind: "error", detail, ..of_task.clone() }));
        }
        Record::Reduce(_) | Record::Generalize(_) => {}
    }
}

/// The table.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new(["task", "subject", "bug", "kind", "input", "verdict", "detail"]);
    for row in rows(results) {
        table.push(vec![
            row.task.into(),
            row.subject.into(),
            row.bug.into(),
            row.kind.into(),
            cell(row.input.map(Input::shown)),
            cell(row.verdict),
            row.detail,
        ]);
    }
    table
}
