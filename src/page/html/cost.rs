//! What it cost: executions for each stage, which are the same at every run, and times, which are not.

use std::time::Duration;

use maud::{Markup, html};

use crate::stage::results::TaskRow;
use crate::stage::tables::timings;

use super::super::report::Report;
use super::super::svg;
use super::super::words::{duration, number};
use super::tables;

/// The number of tasks that are named of those that took longest.
const LONGEST: usize = 10;

/// What the tasks of one stage cost.
#[derive(Default)]
struct Cost {
    stage: &'static str,
    tasks: u64,
    ended: u64,
    executions: u64,
    runs: u64,
    wall: Duration,
}

/// The costs of the stages, in the order of the plan.
fn costs(report: &Report<'_>) -> Vec<Cost> {
    let mut all: Vec<Cost> = Vec::new();
    for row in &report.results.tasks {
        let stage = row.task.stage();
        let place = all.iter().position(|cost| cost.stage == stage).unwrap_or_else(|| {
            all.push(Cost { stage, ..Cost::default() });
            all.len() - 1
        });
        let cost = &mut all[place];
        cost.tasks += 1;
        if let Some(of_task) = row.cost {
            cost.ended += 1;
            cost.executions += of_task.executions;
            cost.runs += of_task.runs;
            cost.wall += of_task.wall;
        }
    }
    all
}

/// Executions, then times.
pub fn content(report: &Report<'_>) -> Markup {
    let costs = costs(report);
    let most = costs.iter().map(|cost| cost.executions).max().unwrap_or(0);
    html! {
        div.scroll tabindex="0" role="group" aria-label="Executions of each stage" {
            table.figures {
                thead {
                    tr {
                        th scope="col" { "stage" }
                        th.first scope="col" { "tasks" }
                        th.first scope="col" { "ended" }
                        th.first scope="col" { "executions" }
                        th scope="col" { span.hidden { "compared" } }
                    }
                }
                tbody {
                    @for cost in &costs {
                        tr {
                            th scope="row" { (cost.stage) }
                            td.first { (number(cost.tasks)) }
                            td.first { (number(cost.ended)) }
                            td.first { (number(cost.executions)) }
                            td {
                                @let says = format!("{}: {} executions", cost.stage, number(cost.executions));
                                (svg::bar(cost.executions as f64, most as f64, &says))
                            }
                        }
                    }
                }
            }
        }
        div id="times" {
            h3 { "Times " span.rest { "of this run; they differ from run to run" } }
            (times(report, &costs))
            @for (table, text) in report.all.all.iter().filter(|(table, _)| table.file == timings::TABLE.file) {
                (tables::whole(*table, text))
            }
        }
    }
}

fn times(report: &Report<'_>, costs: &[Cost]) -> Markup {
    let most = costs.iter().map(|cost| cost.wall).max().unwrap_or_default();
    let mut longest: Vec<(&TaskRow, Duration)> =
        report.results.tasks.iter().filter_map(|row| Some((row, row.cost?.wall))).collect();
    longest.sort_by_key(|&(_, wall)| std::cmp::Reverse(wall));
    longest.truncate(LONGEST);
    html! {
        div.scroll tabindex="0" role="group" aria-label="Time of each stage" {
            table.figures {
                thead {
                    tr {
                        th scope="col" { "stage" }
                        th.first scope="col" { "programs run" }
                        th.first scope="col" { "time of all tasks" }
                        th scope="col" { span.hidden { "compared" } }
                    }
                }
                tbody {
                    @for cost in costs {
                        tr {
                            th scope="row" { (cost.stage) }
                            td.first { (number(cost.runs)) }
                            td.first { (duration(cost.wall)) }
                            td {
                                @let says = format!("{}: {}", cost.stage, duration(cost.wall));
                                (svg::bar(cost.wall.as_secs_f64(), most.as_secs_f64(), &says))
                            }
                        }
                    }
                }
            }
        }
        @if !longest.is_empty() {
            details {
                summary { "The tasks that took longest" }
                ol { @for (row, wall) in longest { li { code { (row.name) } ", " (duration(wall)) } } }
            }
        }
    }
}
