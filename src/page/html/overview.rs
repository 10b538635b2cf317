//! The totals, a small chart for each share, and how figures are to be read.

use maud::{Markup, html};

use crate::report::figure::Better;

use super::super::report::Report;
use super::super::table::{Row, Table};
use super::super::words::counted;
use super::figures;

/// The number of lines of a chart that are shown.
const LINES: usize = 12;

/// The totals of all tables that have shares.
pub fn content(report: &Report<'_>) -> Markup {
    let mut panels: Vec<(&Table<'_>, usize)> = Vec::new();
    for table in &report.tables {
        let is_told = |column: &usize| {
            let column = table.columns[*column];
            column.is_share && column.shown.better == Better::More
        };
        panels.extend((0..table.columns.len()).filter(is_told).map(|column| (table, column)));
    }
    html! {
        p.lead {
            "Shares of inputs, over all bugs. On the line from 0 to 100 %, the dot is what was measured, with its 95 % Wilson \
             interval; the stroke is what the paper has. A difference from it is coloured when it is beyond chance, that is, when \
             its own 95 % interval does not hold zero: "
            span.better { "▲ better" } ", " span.worse { "▼ worse" } "."
        }
        @if panels.is_empty() { p { "There is nothing to sum up yet." } }
        div.panels {
            @for (table, column) in panels { (panel(table, column)) }
        }
    }
}

fn panel(table: &Table<'_>, column_place: usize) -> Markup {
    let column = &table.columns[column_place];
    let has_inputs = |row: &&Row<'_>| row.cells[column_place].value.share().is_some_and(|share| share.of > 0);
    let mut rows: Vec<&Row<'_>> = table.totals.iter().filter(has_inputs).collect();
    // Those of one source stand together, to be compared.
    let first = |source| table.totals.iter().position(|row| row.source == source);
    rows.sort_by_key(|row| first(row.source));
    let left_out = rows.len().saturating_sub(LINES);
    html! {
        @if !rows.is_empty() {
            div.panel {
                h3 { (column.shown.label) " " span.rest { (word(table.of.title)) } }
                div.scroll tabindex="0" role="group" aria-label={ (column.shown.label) ", totals" } {
                    table.shares {
                        @for (place, row) in rows.iter().take(LINES).enumerate() {
                            tr {
                                th scope="row" { (label(row, place > 0 && rows[place - 1].source == row.source)) }
                                (figures::compact(column, &row.cells[column_place]))
                            }
                        }
                    }
                }
                @if left_out > 0 { p.quiet { (counted(left_out, "more line is", "more lines are")) " in the table." } }
            }
        }
    }
}

/// What a total is of: where the inputs come from, and the plug-ins if there are several.
fn label(row: &Row<'_>, is_known: bool) -> Markup {
    let plug_ins = row.label.strip_prefix("total").unwrap_or(&row.label).trim();
    html! {
        @match (row.source, plug_ins) {
            (None, "") => "all",
            (source, plug_ins) => {
                span.hidden[is_known] { (source.unwrap_or_default()) }
                " " span.quiet { (plug_ins) }
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

fn word(title: &str) -> &str {
    title.split_once(": ").map_or(title, |(word, _)| word)
}
