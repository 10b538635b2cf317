//! The cells of a table as text, one figure each: what Markdown and LaTeX are written from.

use crate::report::figure::Value;

use super::table::{Cell, Column, Row, Table};

/// A table as text.
pub struct Grid {
    /// What it says.
    pub title: &'static str,
    /// The heads of the columns; the first ones are names.
    pub heads: Vec<String>,
    /// How many columns hold names.
    pub names: usize,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// The totals.
    pub totals: Vec<Vec<String>>,
}

impl Grid {
    /// A table as text.
    pub fn of(table: &Table<'_>) -> Self {
        let mut heads = vec!["bug".to_owned()];
        heads.extend(table.has_sources.then(|| "inputs".to_owned()));
        let names = heads.len();
        for column in &table.columns {
            heads.push(column.shown.label.to_owned());
            if column.is_share {
                heads.extend(["%", "95 %"].map(str::to_owned));
            }
            heads.extend(column.has_paper.then(|| "paper".to_owned()));
        }
        let line = |row: &Row<'_>| line(table, row, heads.len());
        let rows = table.rows.iter().map(line).collect();
        let totals = table.totals.iter().map(line).collect();
        Self { title: table.of.title, heads, names, rows, totals }
    }
}

fn line(table: &Table<'_>, row: &Row<'_>, width: usize) -> Vec<String> {
    let mut cells = vec![row.label.clone()];
    cells.extend(table.has_sources.then(|| row.source.unwrap_or_default().to_owned()));
    let figures = table.columns.iter().zip(&row.cells);
    figures.for_each(|(column, cell)| cells.extend(figure(column, cell)));
    if !row.error.is_empty() && row.cells.iter().all(|cell| !cell.value.is_known()) {
        let first = cells.len() - (width - 1 - usize::from(table.has_sources));
        cells[first] = "–".to_owned();
    }
    cells
}

fn figure(column: &Column, cell: &Cell) -> Vec<String> {
    let mut cells = match cell.value {
        Value::Share(Some(share)) => {
            let percent = share.percent().map(|percent| percent.to_string());
            let interval = share.interval().map(|(low, high)| format!("{low}–{high}"));
            vec![
                format!("{}/{}", share.hits, share.of),
                percent.unwrap_or_default(),
                interval.unwrap_or_default(),
            ]
        }
        Value::Count(Some(count)) => vec![count.to_string()],
        Value::Share(None) | Value::Count(None) => Vec::new(),
    };
    cells.resize(if column.is_share { 3 } else { 1 }, String::new());
    if column.has_paper {
        let percent = cell.paper_percent.map(|percent| percent.to_string());
        cells.push(percent.or(cell.paper_count.map(|count| count.to_string())).unwrap_or_default());
    }
    cells
}
