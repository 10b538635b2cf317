//! What a run has measured: its tables as they lie in its folder, and what it was made with.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::report::compared::Comparison;
use crate::report::provenance::{Provenance, ProvenanceError};
use crate::stage::tables;

use super::times::Times;

/// A run that has ended, or not.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its folder.
    pub folder: PathBuf,
    /// What it was made with, if that is known.
    pub provenance: Option<Provenance>,
    /// The tables that can be compared, by the names of their files.
    pub tables: BTreeMap<&'static str, Table>,
    /// How long its tasks took.
    pub times: Times,
}

/// A table as it was written.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableRow<'a> {
    table: &'a Table,
    cells: &'a csv::StringRecord,
}

/// What cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MeasuredError {
    /// There is no such folder.
    #[error("there is no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    /// Nothing in it is of a run.
    #[error("there are no tables of a run in `{}`: expected files such as {example}", folder.display())]
    NoTables {
        /// The folder.
        folder: PathBuf,
        /// Such a file.
        example: &'static str,
    },
    /// A table is not as this version writes it.
    #[error(
        "`{}` has no column `{column}`: another version of grambench wrote it; \
         `grambench report` writes the tables of a run again", path.display()
    )]
    NoColumn {
        /// The table.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
    /// A table is no CSV.
    #[error("cannot read `{}`: {source}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// What is wrong, and where.
        source: csv::Error,
    },
    /// A cell is no number.
    #[error("`{}`, line {line}: `{cell}` in the column `{column}` is no number", path.display())]
    Cell {
        /// The table.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The column.
        column: &'static str,
        /// The cell.
        cell: String,
    },
    /// What it was made with cannot be read.
    #[error(transparent)]
    Provenance(#[from] ProvenanceError),
}

impl Measured {
    /// Reads the run in `folder`.
    ///
    /// # Errors
    /// When it is none, or was written by another version.
    pub fn read(folder: &Path) -> Result<Self, MeasuredError> {
        if !folder.is_dir() {
            return Err(MeasuredError::NoFolder(folder.into()));
        }
        let mut found = BTreeMap::new();
        for table in tables::all() {
            if let Some(comparison) = table.compared
                && let Some(read) = read_table(&folder.join(table.file))?
            {
                check(&folder.join(table.file), &read, comparison)?;
                found.insert(table.file, read);
            }
        }
        if found.is_empty() {
            return Err(MeasuredError::NoTables { folder: folder.into(), example: "producing.csv" });
        }
        let timings = read_table(&folder.join(tables::timings::TABLE.file))?.unwrap_or_default();
        Ok(Self {
            folder: folder.into(),
            provenance: Provenance::read(folder)?,
            tables: found,
            times: Times::of(&timings),
        })
    }

    /// The seed: that of its provenance, or of its tables; `None` where they have no rows.
    pub fn seed(&self) -> Option<u64> {
        let written =
            || self.tables.values().find_map(|table| table.rows().next()?.cell("seed")?.parse().ok());
        self.provenance.as_ref().map(|provenance| provenance.seed).or_else(written)
    }
}

/// A table as it is in a file; `None` when there is no file.
fn read_table(path: &Path) -> Result<Option<Table>, MeasuredError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(MeasuredError::Table { path: path.into(), source: error.into() }),
    };
    let mut reader = csv::Reader::from_reader(io::BufReader::new(file));
    let mut read = || {
        let columns = reader.headers()?.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<Result<Vec<_>, _>>()?;
        Ok(Table { columns, rows })
    };
    read().map(Some).map_err(|source| MeasuredError::Table { path: path.into(), source })
}

/// Checks that a table has all that is compared of it, and numbers where there must be some.
fn check(path: &Path, table: &Table, comparison: &Comparison) -> Result<(), MeasuredError> {
    use crate::report::compared::Compared;

    for column in comparison.needs() {
        if !table.columns.iter().any(|known| known == column) {
            return Err(MeasuredError::NoColumn { path: path.into(), column });
        }
    }
    let is_number = |compared: &&Compared| {
        !matches!(compared, Compared::Answer(_) | Compared::Expression(_) | Compared::Text(_))
    };
    for column in comparison.columns.iter().filter(is_number).flat_map(Compared::columns) {
        for row in table.rows() {
            if let Some(cell) = row.cell(column).filter(|cell| cell.parse::<u64>().is_err()) {
                let line = row.cells.position().map_or(0, csv::Position::line);
                return Err(MeasuredError::Cell { path: path.into(), line, column, cell: cell.to_owned() });
            }
        }
    }
    Ok(())
}

impl Table {
    /// The rows, in their order.
    pub fn rows(&self) -> impl Iterator<Item = TableRow<'_>> {
        self.rows.iter().map(|cells| TableRow { table: self, cells })
    }
}

impl<'a> TableRow<'a> {
    /// What stands in a column; `None` when nothing does, or there is no such column.
    pub fn cell(&self, column: &str) -> Option<&'a str> {
        let place = self.table.columns.iter().position(|known| known == column)?;
        self.cells.get(place).filter(|cell| !cell.is_empty())
    }

    /// The number that stands in a column.
    pub fn number(&self, column: &str) -> Option<u64> {
        self.cell(column)?.parse().ok()
    }
}
