//! Cells with figures: ours, its interval, and what the paper has.

use maud::{Markup, html};

use crate::report::figure::Value;

use super::super::svg;
use super::super::table::{Cell, Column, Table, Verdict};
use super::super::words::number;

/// The heads of a column's cells, in two lines: the first is the column's.
pub fn head(column: &Column) -> Markup {
    let span = width(column);
    html! { th.group.single[span == 1] scope="colgroup" colspan=(span) { (column.shown.label) } }
}

/// How many cells a column has in a row.
pub fn width(column: &Column) -> usize {
    let ours = if column.is_share { 3 } else { 1 };
    ours + if column.has_paper { 2 } else { 0 }
}

/// The second line of heads.
pub fn subheads(column: &Column) -> Markup {
    html! {
        @if column.is_share {
            th.first scope="col" { "inputs" }
            th scope="col" { "%" }
            th scope="col" { "interval" }
        } @else {
            th.first scope="col" { span.hidden { "number" } }
        }
        @if column.has_paper {
            th scope="col" { "paper" }
            th scope="col" { abbr title="difference from the paper" { "±" } }
        }
    }
}

/// The cells of a row.
pub fn cells(column: &Column, cell: &Cell) -> Markup {
    html! {
        @match cell.value {
            Value::Share(Some(share)) if column.is_share => {
                td.first.quiet { (number(share.hits)) "/" (number(share.of)) }
                td.main { @if let Some(percent) = share.percent() { (percent) } }
                td { (svg::interval(share, cell.paper_percent)) }
            }
            Value::Count(Some(count)) => td.first { (number(count)) },
            _ if column.is_share => { td.first {} td {} td {} }
            _ => td.first {},
        }
        @if column.has_paper { (paper(cell)) }
    }
}

/// What the paper has, and how ours differs.
fn paper(cell: &Cell) -> Markup {
    html! {
        td.quiet {
            @if let Some(percent) = cell.paper_percent { (percent) }
            @if let Some(count) = cell.paper_count { (number(count)) }
        }
        td { (difference(cell)) }
    }
}

/// How ours differs from what the paper has.
fn difference(cell: &Cell) -> Markup {
    html! {
        @if let Some(difference) = cell.difference() {
            @match difference.verdict {
                Verdict::Better => span.better title="better than the paper" { "▲ " (difference.text) },
                Verdict::Worse => span.worse title="worse than the paper" { "▼ " (difference.text) },
                Verdict::Same => span.quiet { (difference.text) },
            }
        }
    }
}

/// The cells of a share in little room.
pub fn compact(column: &Column, cell: &Cell) -> Markup {
    html! {
        @if let Value::Share(Some(share)) = cell.value {
            td { (svg::interval(share, cell.paper_percent)) }
            td.main { @if let Some(percent) = share.percent() { (percent) } }
            @if column.has_paper { td { (difference(cell)) } }
            td.quiet.count { (number(share.hits)) "/" (number(share.of)) }
        }
    }
}

/// The shares of some rows of a table, one below the other: with its name, a line for each.
pub fn shares<'t>(
    table: &'t Table<'_>,
    rows: impl IntoIterator<Item = (&'t str, Option<&'static str>, &'t [Cell])>,
) -> Markup {
    html! {
        @for (label, source, cells) in rows {
            @for (column, cell) in table.columns.iter().zip(cells).filter(|(column, _)| column.is_share) {
                @if cell.value.share().is_some_and(|share| share.of > 0) {
                    tr {
                        th scope="row" {
                            (column.shown.label)
                            @if let Some(source) = source { " " span.tag { (source) } }
                            @if !label.is_empty() { " " span.quiet { (label) } }
                        }
                        (self::cells(&Column { has_paper: true, ..*column }, cell))
                    }
                }
            }
        }
    }
}
