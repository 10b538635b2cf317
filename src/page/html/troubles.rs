//! What went wrong: in words what concerns a task or more; of inputs that are not as they should be, how many.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::report::grid::shorten;
use crate::stage::tables::errors::{self, ErrorEntry};

use super::super::report::Report;
use super::super::words::{counted, number};
use super::bug_id;

/// The number of troubles that are named.
const TOLD: usize = 200;
/// The number of characters that are shown of each.
const DETAIL: usize = 300;

/// What went wrong, if anything did.
pub fn content(report: &Report<'_>) -> Option<Markup> {
    let all = errors::all(report.results);
    let is_told = |entry: &&ErrorEntry<'_>| !matches!(entry.kind, "escape" | "mistake");
    let told: Vec<&ErrorEntry<'_>> = all.iter().filter(is_told).collect();
    let mut inputs: BTreeMap<(&str, &str), [u64; 2]> = BTreeMap::new();
    for entry in all.iter().filter(|entry| !is_told(entry)) {
        let counts = inputs.entry((entry.bug, entry.grammar)).or_default();
        counts[usize::from(entry.kind == "mistake")] += 1;
    }
    // What is said of many tasks in the same words is said once.
    let mut places: BTreeMap<(&str, &str, &str, &str), usize> = BTreeMap::new();
    let mut said: Vec<(&ErrorEntry<'_>, usize)> = Vec::new();
    for entry in told {
        let place =
            *places.entry((entry.kind, entry.subject, entry.bug, &*entry.detail)).or_insert_with(|| {
                said.push((entry, 0));
                said.len() - 1
            });
        said[place].1 += 1;
    }
    let left_out = said.len().saturating_sub(TOLD);
    (!all.is_empty()).then(|| {
        html! {
            @if !inputs.is_empty() {
                p.lead {
                    "Escapes are inputs of F that did not fail, or of not F that failed. Mistakes are failing inputs that F \
                     rejects, or passing ones that it accepts. They stand with their bugs."
                }
                div.scroll tabindex="0" role="group" aria-label="Inputs that are not as they should be" {
                    table.figures {
                        thead { tr { th scope="col" { "bug" } th.first scope="col" { "escapes" } th.first scope="col" { "mistakes" } } }
                        tbody {
                            @for (place, bug) in report.bugs.iter().enumerate() {
                                @if let Some(counts) = inputs.get(&(bug.about.bug, bug.about.grammar)) {
                                    tr {
                                        th scope="row" { a href={ "#" (bug_id(place)) } { (bug.name) } }
                                        @for &count in counts { td.first { (number(count)) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if !said.is_empty() {
                ul.told {
                    @for &(entry, count) in said.iter().take(TOLD) {
                        li {
                            span class={ "kind " (entry.kind) } { (entry.kind) } " "
                            @match (entry.task, entry.subject) {
                                ("", "") => "of the campaign",
                                ("", subject) => { (subject) " " (entry.bug) },
                                (task, _) => code { (task) },
                            }
                            ": " (shorten(&entry.detail, DETAIL))
                            @if let Some(input) = entry.input { " " code { (shorten(&input.to_escaped(), DETAIL)) } }
                            @if count > 1 { " " span.quiet { "and " (counted(count - 1, "other task", "other tasks")) } }
                        }
                    }
                }
            }
            @if left_out > 0 { p.quiet { (number(left_out as u64)) " more are in " code { "errors.csv" } "." } }
        }
    })
}
