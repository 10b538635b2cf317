//! A table as a CSV file.

use std::fs;
use std::io;
use std::path::Path;

use crate::store::Variant;

use super::key::plug_ins;
use super::paper::{Accuracy, AccuracyTable};
use super::statistics::Share;
use super::total::TOTAL_IN_PRINT;

/// A table: named columns, and rows of as many cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub fn new(columns: impl IntoIterator<Item = &'static str>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When it has not one cell for each column.
    pub fn push(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.columns.len(), "a row has a cell for each of {:?}", self.columns);
        self.rows.push(row);
    }

    /// Adds a row that is empty but for these columns.
    ///
    /// # Panics
    /// When there is no column of a name.
    pub fn push_only(&mut self, cells: impl IntoIterator<Item = (&'static str, String)>) {
        let mut row = vec![String::new(); self.columns.len()];
        for (column, cell) in cells {
            let place = self.columns.iter().position(|&own| own == column);
            row[place.expect("the table has such a column")] = cell;
        }
        self.rows.push(row);
    }

    /// The text of the CSV file: commas, line feeds, quotes where they are needed (RFC 4180).
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns).expect("memory can be written to");
        for row in &self.rows {
            writer.write_record(row).expect("memory can be written to, and rows have equal lengths");
        }
        let bytes = writer.into_inner().expect("memory can be written to");
        String::from_utf8(bytes).expect("cells are text")
    }

    /// Writes the table to `path`: first beside it, then in its place, so that a reader never sees
    /// half a table.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        let written = fs::write(&beside, self.to_csv()).and_then(|()| fs::rename(&beside, path));
        if written.is_err() {
            // Half a table takes room on a disk that may be full.
            let _ = fs::remove_file(&beside);
        }
        written
    }
}

/// The text of a cell for something that may be missing.
pub fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The columns that [`share_cells`] fills, for inputs of one kind and their name when they hit.
macro_rules! share_columns {
    ($kind:literal, $hits:literal) => {
        [
            concat!($kind, "_inputs"),
            concat!($kind, "_", $hits),
            concat!($kind, "_pct"),
            concat!($kind, "_low"),
            concat!($kind, "_high"),
        ]
    };
}
pub(super) use share_columns;

/// The cells for a share: inputs, hits, percentage, and the ends of its interval.
pub fn share_cells(share: Option<Share>) -> [String; 5] {
    let interval = share.and_then(Share::interval);
    [
        cell(share.map(|share| share.of)),
        cell(share.map(|share| share.hits)),
        cell(share.and_then(Share::percent)),
        cell(interval.map(|(low, _)| low)),
        cell(interval.map(|(_, high)| high)),
    ]
}

/// The columns that [`paper_cells`] fills.
pub const PAPER_COLUMNS: [&str; 4] =
    ["paper_fail_pct", "paper_fail_inputs", "paper_pass_pct", "paper_pass_inputs"];

/// The columns and cells of a total as the paper prints it.
pub fn printed_cells(table: &AccuracyTable) -> impl Iterator<Item = (&'static str, String)> {
    let figures = PAPER_COLUMNS.into_iter().zip(paper_cells(Some(table.printed_total())));
    [("bug", TOTAL_IN_PRINT.to_owned())].into_iter().chain(figures)
}

/// The cells for what the paper says.
pub fn paper_cells(row: Option<&Accuracy>) -> [String; 4] {
    [
        cell(row.map(|row| &row.fail.percent)),
        cell(row.map(|row| row.fail.inputs)),
        cell(row.map(|row| &row.pass.percent)),
        cell(row.map(|row| row.pass.inputs)),
    ]
}

/// The cells for plug-ins.
pub fn plug_in_cells(variant: &Variant) -> [String; 4] {
    plug_ins(variant).map(cell)
}
