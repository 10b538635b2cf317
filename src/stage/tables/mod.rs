//! The tables: those of the stages, and those that no single stage owns.
//!
//! - [`errors`]: what went wrong; [`repeating`]: whether programs are deterministic; [`timings`]: what tasks cost;
//! - [`repetitions`]: the same of each bug, over its repetitions;
//! - [`totals`]: the sums of the figures of all tables;
//! - [`mod@summary`], [`labels`]: the tables for the terminal.
//!
//! Every row comes from the plan, in its order, so that the files are the same whatever the order
//! in which tasks ended; only [`timings`] holds what differs from run to run. A task that failed, or
//! was not run, is a row that says so. Tables are made from what is stored, and from nothing else.

use std::fs;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::report::compared::Comparison;
use crate::report::csv::Csv;
use crate::store::StoreError;

use super::registry::stage_tables;
use super::results::Results;

pub mod errors;
pub mod labels;
pub mod repeating;
pub mod repetitions;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod timings;
pub mod totals;

pub use summary::summary;
pub use totals::Measured;

/// No line on the terminal is longer.
pub const WIDTH: usize = 80;

/// A table.
#[derive(Clone, Copy)]
pub struct StageTable {
    /// The name of its file.
    pub file: &'static str,
    /// What it says.
    pub title: &'static str,
    /// Makes it.
    pub make: fn(&Results) -> Csv,
    /// Makes what is shown of it on the terminal, which may be nothing.
    pub screen: Option<fn(&Results) -> String>,
    /// The figures of its rows that can be summed up, if it has any.
    pub figures: Option<fn(&Results) -> Vec<Measured<'_>>>,
    /// How two of it are compared; `None` of a table that follows from others, or that no run shares with another.
    pub compared: Option<&'static Comparison>,
}

impl StageTable {
    /// The name of its file without the extension.
    pub fn name(&self) -> &'static str {
        self.file.strip_suffix(".csv").unwrap_or(self.file)
    }
}

/// All tables: those of the stages in the order of the pipeline, then the others.
pub fn all() -> Vec<StageTable> {
    let mut all = stage_tables();
    all.extend([totals::TABLE, repetitions::TABLE, repeating::TABLE, errors::TABLE, timings::TABLE]);
    all
}

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
    let write = |table: &StageTable| {
        let path = folder.join(table.file);
        match (table.make)(results).write(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(ReportError::Write { path, source }),
        }
    };
    // Not on rayon's threads: of a campaign that was interrupted, work may be left on these that does not end.
    thread::scope(|scope| {
        let tables = all();
        let threads: Vec<_> = tables.into_iter().map(|table| scope.spawn(move || write(&table))).collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
