//! The tables as Markdown, as code hosts read it: for a pull request.

use crate::stage::tables::Tables;

use super::grid::Grid;
use super::table;

/// All tables that have figures.
pub fn tables(tables: &Tables<'_>) -> String {
    let tables: Vec<String> = table::all(tables).iter().map(|table| text(&Grid::of(table))).collect();
    tables.join("\n")
}

fn text(grid: &Grid) -> String {
    let line = |cells: &[String], strong: bool| {
        let cells = cells.iter().map(|cell| match escaped(cell) {
            cell if strong && !cell.is_empty() => format!(" **{cell}** |"),
            cell => format!(" {cell} |"),
        });
        format!("|{}\n", cells.collect::<String>())
    };
    let rule = (0..grid.heads.len()).map(|place| if place < grid.names { "---|" } else { "---:|" });
    let mut text =
        format!("### {}\n\n{}|{}\n", escaped(grid.title), line(&grid.heads, false), rule.collect::<String>());
    text.extend(grid.rows.iter().map(|row| line(row, false)));
    text.extend(grid.totals.iter().map(|row| line(row, true)));
    text
}

/// `text` as it is, whatever characters of it mean something in Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '~' => escaped.extend(['\\', c]),
            '&' => escaped.push_str("&amp;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
