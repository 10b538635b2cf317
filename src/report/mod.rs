//! The reports: the papers' tables with our figures beside theirs, rebuilt from the store at any time.
//!
//! - [`statistics`]: percentages and their intervals;
//! - [`paper`]: the papers' own figures;
//! - [`results`]: what the store says, read at one moment;
//! - [`key`]: what a row is about;
//! - [`total`]: which rows a total is the sum of;
//! - [`producing`], [`recognizing`], [`abstracting`], [`instantiating`], [`transformers`],
//!   [`repeating`], [`timings`], [`errors`]: one table each;
//! - [`table`]: a table as a CSV file;
//! - [`mod@summary`], [`grid`]: the tables for the terminal.
//!
//! Every row comes from the plan, in its order, so that the files are the same whatever the order
//! in which tasks ended; only [`timings`] holds what differs from run to run. A task that failed, or
//! was not run, is a row that says so.
//!
//! Depends on [`crate::store`] and what is below it; knows nothing of campaigns.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::{Store, StoreError};

pub mod abstracting;
pub mod errors;
pub mod grid;
pub mod instantiating;
pub mod key;
pub mod paper;
pub mod producing;
pub mod recognizing;
pub mod repeating;
pub mod results;
pub mod statistics;
pub mod summary;
pub mod table;
pub mod timings;
pub mod total;
pub mod transformers;

pub use summary::summary;

use results::Results;

#[cfg(test)]
mod tests;

/// A report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("cannot write `{}`: {source}; choose another folder with --output", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The bugs whose program is not deterministic, each with what was seen.
///
/// # Errors
/// When the store cannot be read.
pub fn flaky(store: &Store) -> Result<Vec<String>, ReportError> {
    let results = Results::read(store)?;
    Ok(errors::flaky(&results).map(|row| format!("{}: {}", row.bug, row.detail)).collect())
}

/// Makes all tables from what is in `store` and writes them into `folder`; says where they are. A
/// file is replaced at once or not at all.
///
/// # Errors
/// When the store cannot be read or a file cannot be written.
pub fn write_all(store: &Store, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let results = Results::read(store)?;
    fs::create_dir_all(folder).map_err(|source| ReportError::Write { path: folder.into(), source })?;
    [
        ("producing.csv", producing::table(&results)),
        ("recognizing.csv", recognizing::table(&results)),
        ("abstracting.csv", abstracting::table(&results)),
        ("instantiating.csv", instantiating::table(&results)),
        ("transformers.csv", transformers::table(&results)),
        ("repeating.csv", repeating::table(&results)),
        ("errors.csv", errors::table(&results)),
        ("timings.csv", timings::table(&results)),
    ]
    .into_iter()
    .map(|(name, table)| {
        let path = folder.join(name);
        match table.write(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(ReportError::Write { path, source }),
        }
    })
    .collect()
}
