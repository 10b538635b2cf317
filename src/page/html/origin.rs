//! What the results come from: the config, what they depend on, the programs under test, and where and when it was run.

use maud::{Markup, html};

use crate::report::provenance::{Provenance, Sitting};

use super::super::report::Report;
use super::super::words::counted;

/// The origin of the results.
pub fn content(report: &Report<'_>) -> Markup {
    let campaign = &report.results.campaign;
    let common: Vec<_> = campaign.identity.0.iter().filter(|part| part.bug.is_none()).collect();
    html! {
        dl.parts {
            dt { "grambench" } dd { (campaign.program) }
            dt { "seed" } dd { (campaign.seed) }
        }
        @if let Some(provenance) = &report.surroundings.provenance { (where_and_when(provenance)) }
        @if let Some(why) = &report.surroundings.unreadable { p.worse { (why) } }
        details {
            summary { "The config" }
            pre tabindex="0" { code { (campaign.config) } }
        }
        @if !report.results.subjects.is_empty() {
            details {
                summary { "The programs under test" }
                div.scroll tabindex="0" role="group" aria-label="The programs under test" {
                    table.whole {
                        thead {
                            tr {
                                th scope="col" { "subject" } th scope="col" { "bug" } th scope="col" { "grammar" }
                                th scope="col" { "version" } th scope="col" { "digest" }
                            }
                        }
                        tbody {
                            @for row in &report.results.subjects {
                                tr {
                                    td { (row.subject) }
                                    td { @if let Some(bug) = &row.bug { (bug) } }
                                    td { (row.grammar) }
                                    td { (row.version) }
                                    td { code { (row.digest) } }
                                }
                            }
                        }
                    }
                }
            }
        }
        details {
            summary { "What the results depend on, " (counted(common.len(), "part", "parts")) " and those of each bug" }
            dl.parts {
                @for part in common { dt { (part.what) } dd { code { (part.digest) } } }
            }
        }
    }
}

/// What `provenance.json` has that the store has not.
fn where_and_when(provenance: &Provenance) -> Markup {
    let Provenance { grambench, config, machine, sittings, .. } = provenance;
    html! {
        div id="provenance" {
            h3 { "Where and when" }
            dl.parts {
                dt { "program" }
                dd {
                    "grambench " (grambench.version) ", revision " (grambench.revision.as_deref().unwrap_or("unknown"))
                    ", executable " code { (grambench.digest) }
                }
                dt { "config" } dd { (config.path) ", " code { (config.digest) } }
                dt { "machine" }
                dd { (machine.host) ", " (counted(machine.cores, "core", "cores")) " of " (machine.processor) }
                dt { "kernel" } dd { (machine.kernel) }
            }
            div.scroll tabindex="0" role="group" aria-label="The sittings" {
                table.whole {
                    thead {
                        tr {
                            th scope="col" { "begin" } th scope="col" { "end" } th scope="col" { "state" }
                            th scope="col" { "tasks done" } th scope="col" { "failed" } th scope="col" { "jobs" }
                            th scope="col" { "load" } th scope="col" { "command" }
                        }
                    }
                    tbody { @for sitting in sittings { (line(sitting)) } }
                }
            }
        }
    }
}

fn line(sitting: &Sitting) -> Markup {
    const TIME: &str = "%Y-%m-%d %H:%M:%S UTC";
    let load = [sitting.load_at_begin, sitting.load_at_end]
        .map(|load| load.map_or("?".into(), |load| format!("{load:.1}")));
    html! {
        tr {
            td { (sitting.begin.strftime(TIME)) }
            td { @if let Some(end) = sitting.end { (end.strftime(TIME)) } }
            td { (sitting.state.as_str()) }
            td { (sitting.tasks.done) " of " (sitting.tasks.planned) }
            td { (sitting.tasks.failed) }
            td { (sitting.jobs) }
            td { (load.join(" to ")) }
            td { code { "grambench " (sitting.arguments.join(" ")) } }
        }
    }
}
