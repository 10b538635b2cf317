//! The tables, each as a reader wants it, and with all of its columns.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::report::csv::{Csv, Excerpt};
use crate::report::grid::shorten;
use crate::stage::tables::{StageTable, timings};

use super::super::report::Report;
use super::super::table::{Row, Table};
use super::super::words::{counted, number};
use super::overview::heading;
use super::{bug_id, figures};

/// The number of rows of a table that are shown; the others are in its file.
const ROWS: usize = 400;
/// The number of rows that are shown with all columns.
const WHOLE_ROWS: usize = 200;
/// The number of characters of a cell of these.
const CELL: usize = 160;

/// All tables but the one with times.
pub fn content(report: &Report<'_>) -> Markup {
    let ids: BTreeMap<(&str, &str), String> = report
        .bugs
        .iter()
        .enumerate()
        .map(|(place, bug)| ((bug.about.bug, bug.about.grammar), bug_id(place)))
        .collect();
    let all = report.all.all.iter().filter(|(table, _)| table.file != timings::TABLE.file);
    let (empty, full): (Vec<_>, Vec<_>) = all.partition(|(_, text)| text.is_empty());
    html! {
        @for (table, text) in full {
            @let shown = report.tables.iter().find(|shown| shown.of.file == table.file);
            div.table id={ "table-" (table.name()) } {
                h3 { (heading(table.title)) }
                @if let Some(shown) = shown { (figures_of(shown, &ids)) }
                (whole(*table, text))
            }
        }
        @if !empty.is_empty() {
            p.quiet {
                "Nothing is in "
                @for (place, (table, _)) in empty.iter().enumerate() { @if place > 0 { ", " } code { (table.file) } }
                "."
            }
        }
    }
}

fn figures_of(table: &Table<'_>, ids: &BTreeMap<(&str, &str), String>) -> Markup {
    let left_out = table.rows.len().saturating_sub(ROWS);
    html! {
        div.scroll tabindex="0" role="group" aria-label=(table.of.title) {
            table.figures {
                thead {
                    tr {
                        th rowspan="2" scope="col" { "bug" }
                        @if table.has_sources { th rowspan="2" scope="col" { "inputs" } }
                        @for column in &table.columns { (figures::head(column)) }
                    }
                    tr { @for column in &table.columns { (figures::subheads(column)) } }
                }
                tbody {
                    @for (place, row) in table.rows.iter().take(ROWS).enumerate() {
                        @let is_first = place == 0 || table.rows[place - 1].label != row.label;
                        (line(table, row, is_first, ids))
                    }
                }
                tfoot {
                    @for (place, row) in table.totals.iter().enumerate() {
                        @let is_first = place == 0 || table.totals[place - 1].label != row.label;
                        (line(table, row, is_first, ids))
                    }
                }
            }
        }
        @if table.repetitions > 1 {
            p.quiet {
                "Each row is of all " (table.repetitions) " repetitions: shares of all their inputs, means of counts. "
                code { "repetitions.csv" } " has how they differ."
            }
        }
        @if left_out > 0 { p.quiet { (counted(left_out, "more row is", "more rows are")) " in " code { (table.of.file) } "." } }
    }
}

/// A row; its label stands in the first one of several with the same label.
fn line(table: &Table<'_>, row: &Row<'_>, is_first: bool, ids: &BTreeMap<(&str, &str), String>) -> Markup {
    let is_missing = !row.error.is_empty() && row.cells.iter().all(|cell| !cell.value.is_known());
    let width: usize = table.columns.iter().map(figures::width).sum();
    html! {
        tr.first[is_first] {
            th scope="row" {
                span.hidden[!is_first] {
                    @match ids.get(&(row.bug, row.grammar)) {
                        Some(id) => a href={ "#" (id) } { (row.label) },
                        None => (row.label),
                    }
                }
            }
            @if table.has_sources { td.source { @if let Some(source) = row.source { (source) } } }
            @if is_missing {
                td.remark colspan=(width) { (shorten(&row.error, CELL)) }
            } @else {
                @for (column, cell) in table.columns.iter().zip(&row.cells) { (figures::cells(column, cell)) }
            }
        }
    }
}

/// A table with all of its columns that say anything.
pub fn whole(table: StageTable, text: &Csv) -> Markup {
    let Excerpt { header, rows, all, says } = text.excerpt(WHOLE_ROWS);
    let columns: Vec<usize> = (0..header.len()).filter(|&column| says[column]).collect();
    let left_out = all - rows.len();
    html! {
        details {
            summary {
                "All columns of " code { (table.file) } ", " (counted(all, "row", "rows"))
            }
            p { a href=(table.file) { "The file" } @if left_out > 0 { " has the other " (number(left_out as u64)) " rows as well" } "." }
            div.scroll tabindex="0" role="group" aria-label={ "All columns of " (table.file) } {
                table.whole {
                    thead { tr { @for &column in &columns { th scope="col" { (header[column]) } } } }
                    tbody {
                        @for row in &rows {
                            tr { @for &column in &columns { td { (shorten(&row[column], CELL)) } } }
                        }
                    }
                }
            }
        }
    }
}
