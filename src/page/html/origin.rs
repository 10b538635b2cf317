//! What the results come from: the config, what they depend on, the programs under test, and where and when it was run.

use maud::{Markup, html};

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
        @if !report.provenance.facts.is_empty() {
            div id="provenance" {
                h3 { "Where and when" }
                dl.parts {
                    @for (name, text) in &report.provenance.facts { dt { (name) } dd { (text) } }
                }
            }
        }
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
