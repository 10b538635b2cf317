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
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::store::StoreError;

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

pub use results::Results;
use table::Table;

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
pub fn flaky(results: &Results) -> Vec<String> {
    errors::flaky(results).map(|row| format!("{}: {}", row.bug, row.detail)).collect()
}

/// Makes all tables of `results` and writes them into `folder`; says where they are. A file is replaced
/// at once or not at all.
///
/// # Errors
/// When a file cannot be written.
pub fn write_all(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    fs::create_dir_all(folder).map_err(|source| ReportError::Write { path: folder.into(), source })?;
    let write = |(name, table): &(&str, Make)| {
        let path = folder.join(name);
        match table(results).write(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(ReportError::Write { path, source }),
        }
    };
    // Not on rayon's threads: of a campaign that was interrupted, work may be left on these that does not end.
    thread::scope(|scope| {
        let threads: Vec<_> = TABLES.iter().map(|table| scope.spawn(|| write(table))).collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Makes a table.
type Make = fn(&Results) -> Table;

/// The files, and what makes them.
const TABLES: [(&str, Make); 8] = [
    ("producing.csv", producing::table),
    ("recognizing.csv", recognizing::table),
    ("abstracting.csv", abstracting::table),
    ("instantiating.csv", instantiating::table),
    ("transformers.csv", transformers::table),
    ("repeating.csv", repeating::table),
    ("errors.csv", errors::table),
    ("timings.csv", timings::table),
];
