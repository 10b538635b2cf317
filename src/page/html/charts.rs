//! What is seen better than read: the course of reductions, the sizes of grammars, what more checks are good for.

use maud::{Markup, html};

use super::super::checks;
use super::super::report::{Bug, Descent, Report, Rules};
use super::super::svg::{self, Log, Series};
use super::super::words::{counted, number};
use super::bug_id;

/// The number of charts, or of lines, that are shown.
const PANELS: usize = 60;
/// The number of reductions that share a chart.
const LINES: usize = 6;

/// The courses of the reductions, a chart for each bug.
pub fn reductions(report: &Report<'_>) -> Option<Markup> {
    let has_course =
        |(_, bug): &(usize, &Bug<'_>)| bug.descents.iter().any(|descent| descent.steps.len() > 1);
    let bugs: Vec<(usize, &Bug<'_>)> = report.bugs.iter().enumerate().filter(has_course).collect();
    let left_out = bugs.len().saturating_sub(PANELS);
    (!bugs.is_empty()).then(|| {
        html! {
            p.lead { "The size of the smallest failing input that a reduction had met, against its executions." }
            div.panels {
                @for (place, bug) in bugs.into_iter().take(PANELS) {
                    div.panel {
                        h3 { a href={ "#" (bug_id(place)) } { (bug.name) } }
                        (reduction(bug))
                    }
                }
            }
            @if left_out > 0 { p.quiet { (counted(left_out, "more bug", "more bugs")) "." } }
        }
    })
}

fn reduction(bug: &Bug<'_>) -> Markup {
    let shown: Vec<&Descent> =
        bug.descents.iter().filter(|descent| !descent.steps.is_empty()).take(LINES).collect();
    let series: Vec<Series<'_>> = shown
        .iter()
        .map(|descent| Series {
            name: &descent.label,
            points: descent.steps.clone(),
            end: descent.executions,
        })
        .collect();
    let left_out = bug.descents.len() - shown.len();
    html! {
        (svg::steps(&format!("Reduction of {}", bug.name), &series))
        @if series.len() > 1 {
            p.key {
                @for (place, series) in series.iter().enumerate() {
                    span {
                        svg viewBox="0 0 20 8" width="20" height="8" aria-hidden="true" {
                            path class={ "line series-" (place) } d="M0 4H20" {}
                        }
                        " " (series.name)
                    }
                }
            }
        }
        @if left_out > 0 { p.quiet { (counted(left_out, "more reduction", "more reductions")) } }
    }
}

/// The sizes of grammars, a line for each that was specialized.
pub fn grammars(report: &Report<'_>) -> Option<Markup> {
    let all = &report.rules;
    let longest = all.iter().max_by_key(|rules| rules.sizes.len())?;
    let names: Vec<&str> = longest.sizes.iter().map(|&(name, _)| name).collect();
    let scale = Log::around(all.iter().flat_map(|rules| rules.sizes.iter().map(|&(_, size)| size)));
    let left_out = all.len().saturating_sub(PANELS);
    Some(html! {
        p.lead { "How many rules the grammars have that were made, on a scale of factors." }
        (svg::key(&names))
        div.scroll tabindex="0" role="group" aria-label="Rules of grammars" {
            table.figures {
                thead {
                    tr {
                        th scope="col" { "expression" }
                        @for name in &names { th.first scope="col" { (name) } }
                        th scope="col" { "rules" }
                    }
                }
                tbody {
                    @for Rules { label, sizes } in all.iter().take(PANELS) {
                        tr {
                            th scope="row" { (label) }
                            @for name in &names {
                                td.first {
                                    @if let Some((_, size)) = sizes.iter().find(|(known, _)| known == name) { (number(*size)) }
                                }
                            }
                            td { (svg::dots(sizes, scale)) }
                        }
                    }
                }
            }
        }
        @if left_out > 0 { p.quiet { "All of them are in " code { "transformers.csv" } "." } }
    })
}

/// Accuracy against the number of checks, where a campaign compares several.
pub fn checks(report: &Report<'_>) -> Option<Markup> {
    let charts = checks::charts(report.all);
    (!charts.is_empty()).then(|| {
        html! {
            p.lead { "The same figure for generalizers that differ in the number of checks, over all bugs." }
            div.panels {
                @for chart in &charts {
                    div.panel {
                        h3 { (chart.title) }
                        (svg::shares_over(&chart.title, "checks", &chart.points))
                    }
                }
            }
        }
    })
}
