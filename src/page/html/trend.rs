//! The totals of this run beside those of earlier ones.

use maud::{Markup, html};

use super::super::report::Report;
use super::super::svg;
use super::super::words::counted;
use super::overview::heading;

/// The number of charts that are shown.
const PANELS: usize = 60;

/// A chart for each figure, and the runs.
pub fn content(report: &Report<'_>) -> Option<Markup> {
    let runs = &report.surroundings.trend.runs;
    let charts = report.surroundings.trend.charts(report.all);
    let left_out = charts.len().saturating_sub(PANELS);
    let days: Vec<String> = runs.iter().map(|run| run.begin.strftime("%Y-%m-%d").to_string()).collect();
    (!charts.is_empty()).then(|| {
        html! {
            p.lead {
                "Totals of the " (counted(runs.len() - 1, "run", "runs")) " before this one that lie beside it and are of the same \
                 campaign, from left to right; the last dot is this run. Shares have their 95 % intervals. "
                code { "grambench compare" } " says which differences are beyond chance."
            }
            div.panels {
                @for chart in charts.iter().take(PANELS) {
                    div.panel {
                        h3 { (chart.title) " " span.rest { (heading(first(chart.table))) } }
                        (svg::trend(&chart.title, &days, &chart.points))
                    }
                }
            }
            @if left_out > 0 { p.quiet { (counted(left_out, "more figure", "more figures")) "." } }
            details {
                summary { (counted(runs.len(), "run", "runs")) }
                div.scroll tabindex="0" role="group" aria-label="The runs" {
                    table.whole {
                        thead {
                            tr {
                                th scope="col" { "run" } th scope="col" { "begin" } th scope="col" { "seed" }
                                th scope="col" { "revision" }
                            }
                        }
                        tbody {
                            @for run in runs {
                                tr {
                                    td { (run.name) }
                                    td { (run.begin.strftime("%Y-%m-%d %H:%M UTC")) }
                                    td { (run.seed) }
                                    td { (run.revision.as_deref().unwrap_or("unknown")) }
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// What a title says before its colon.
fn first(title: &str) -> &str {
    title.split_once(": ").map_or(title, |(word, _)| word)
}
