//! The whole of the page.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::stage::results::TaskState;

use super::super::report::Report;
use super::super::words::{counted, number};
use super::{SCRIPT, STYLE, bugs, charts, cost, origin, overview, tables, trend, troubles};

/// The text of the page.
pub fn page(report: &Report<'_>) -> String {
    let title = title(report);
    let sections = sections(report);
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " – grambench" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the results" }
                header {
                    p.kicker { "grambench" }
                    h1 { (title) }
                    (facts(report))
                    nav aria-label="Parts of this page" {
                        @for section in &sections {
                            a href={ "#" (section.id) } { (section.title) }
                        }
                    }
                }
                main id="main" {
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (section.content)
                        }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    text.into_string()
}

/// A part of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    content: Markup,
}

/// The parts that have something to say.
fn sections(report: &Report<'_>) -> Vec<Section> {
    let all = [
        ("overview", "Overview", Some(overview::content(report))),
        ("trend", "Trend", trend::content(report)),
        ("tables", "Tables", Some(tables::content(report))),
        ("reductions", "Reductions", charts::reductions(report)),
        ("grammars", "Grammars", charts::grammars(report)),
        ("checks", "Checks", charts::checks(report)),
        ("bugs", "Bugs", bugs::content(report)),
        ("troubles", "What went wrong", troubles::content(report)),
        ("cost", "Cost", Some(cost::content(report))),
        ("origin", "Origin", Some(origin::content(report))),
    ];
    let parts = all.into_iter();
    parts.filter_map(|(id, title, content)| Some(Section { id, title, content: content? })).collect()
}

/// What the campaign is called: as its config says, or after the programs that it is about.
pub(super) fn title(report: &Report<'_>) -> String {
    let config: Option<toml::Table> = report.results.campaign.config.parse().ok();
    let title = config.as_ref().and_then(|config| config.get("title")?.as_str().map(str::to_owned));
    title.unwrap_or_else(|| {
        let subjects: BTreeSet<&str> = report.bugs.iter().map(|bug| bug.about.subject).collect();
        match subjects.len() {
            0 => "Expressions".to_owned(),
            1..=4 => subjects.into_iter().collect::<Vec<_>>().join(", "),
            count => format!("{count} programs"),
        }
    })
}

/// What was run, in a line or two.
fn facts(report: &Report<'_>) -> Markup {
    let results = report.results;
    let distinct = |of: fn(&super::super::report::Bug<'_>) -> String| {
        report.bugs.iter().map(of).collect::<BTreeSet<String>>().len()
    };
    let bugs = distinct(|bug| bug.about.bug.to_owned());
    let subjects = distinct(|bug| bug.about.subject.to_owned());
    let grammars = distinct(|bug| format!("{} {}", bug.about.subject, bug.about.grammar));
    let count = |is: fn(&TaskState) -> bool| results.tasks.iter().filter(|row| is(&row.state)).count();
    let done = count(|state| matches!(state, TaskState::Done(_)));
    let failed = count(|state| matches!(state, TaskState::Failed(_)));
    let waiting = count(|state| matches!(state, TaskState::NotRun));
    let executions: u64 = results.tasks.iter().filter_map(|row| row.cost).map(|cost| cost.executions).sum();
    html! {
        ul.facts {
            @if bugs > 0 {
                li { (counted(bugs, "bug", "bugs")) " of " (counted(subjects, "program", "programs")) }
                @if grammars > subjects { li { (counted(grammars, "grammar", "grammars")) } }
            }
            li {
                (number(done as u64)) " of " (counted(results.tasks.len(), "task", "tasks")) " done"
                @if failed > 0 { ", " strong.worse { (number(failed as u64)) " failed" } }
                @if waiting > 0 { ", " strong { (number(waiting as u64)) " not run" } }
            }
            li { (counted(usize::try_from(executions).unwrap_or(usize::MAX), "execution", "executions")) }
            li { "seed " (results.seed()) }
            li { "grambench " (results.campaign.program) }
        }
    }
}
