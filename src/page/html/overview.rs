//! The totals, and how figures are to be read.

use maud::{Markup, html};

use super::super::report::Report;
use super::super::table::Table;
use super::figures;

/// The totals of all tables that have shares.
pub fn content(report: &Report<'_>) -> Markup {
    let is_told = |table: &&Table<'_>| table.columns.iter().any(|column| column.is_share);
    html! {
        p.lead {
            "Each line has a share of inputs: how many of how many, in percent, and on the line from 0 to 100 % the 95 % Wilson \
             interval. A vertical stroke is what the paper printed. A difference from it is coloured when the paper's figure is \
             outside of the interval of ours: "
            span.better { "▲ better" } ", " span.worse { "▼ worse" } "."
        }
        @if report.tables.is_empty() { p { "There is nothing to sum up yet." } }
        div.panels.wide {
            @for table in report.tables.iter().filter(is_told) {
                div.panel {
                    h3 { (heading(table.of.title)) }
                    div.scroll tabindex="0" role="group" aria-label={ "Totals: " (table.of.title) } {
                        table.shares {
                            tbody {
                                (figures::shares(table, table.totals.iter().map(|row| {
                                    (row.label.strip_prefix("total").unwrap_or(&row.label).trim(), row.source, &*row.cells)
                                })))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The title of a table, its first word being what it is about.
pub fn heading(title: &str) -> Markup {
    match title.split_once(": ") {
        Some((word, rest)) => html! { (word) " " span.rest { (rest) } },
        None => html! { (title) },
    }
}
