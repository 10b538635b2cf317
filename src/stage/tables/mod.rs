//! The tables: those of the stages, and those that no single stage owns.
//!
//! - [`generalizing`]: what generalizers are worth, of several stages; [`phases`]: where their executions go;
//! - [`errors`]: what went wrong; [`repeating`]: whether programs are deterministic; [`timings`]: what tasks cost;
//! - [`repetitions`]: the same of each bug, over its repetitions;
//! - [`totals`]: the sums of the figures of all tables;
//! - [`summary`], [`labels`]: the tables for the terminal;
//! - [`made`]: all tables of a run, each made once.
//!
//! Every row comes from the plan, in its order, so that the files are the same whatever the order
//! in which tasks ended; only [`timings`] holds what differs from run to run. A task that failed, or
//! was not run, is a row that says so. Tables are made from what is stored, and from nothing else.

use std::io;
use std::path::PathBuf;

use crate::report::compared::Comparison;
use crate::report::csv::Csv;
use crate::store::StoreError;

use super::registry::stage_tables;
use super::results::Results;

pub mod errors;
pub mod generalizing;
pub mod labels;
pub mod made;
pub mod phases;
pub mod repeating;
pub mod repetitions;
mod summary;
#[cfg(test)]
mod tests;
pub mod timings;
pub mod totals;

pub use made::{Figures, Tables};
pub use totals::{Measured, Total};

/// No line on the terminal is longer.
pub const WIDTH: usize = 80;

/// How a table is made.
#[derive(Clone, Copy)]
pub enum Make {
    /// Of what the store says.
    OfResults(fn(&Results) -> Csv),
    /// Of the figures of other tables.
    OfFigures(fn(&Results, &[Figures<'_>]) -> Csv),
}

/// A table.
#[derive(Clone, Copy)]
pub struct StageTable {
    /// The name of its file.
    pub file: &'static str,
    /// What it says.
    pub title: &'static str,
    /// Makes it.
    pub make: Make,
    /// Makes what is shown of it on the terminal, which may be nothing; of its totals, too.
    pub screen: Option<fn(&Results, &[Total<'_>]) -> String>,
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
    all.extend([
        generalizing::TABLE,
        phases::TABLE,
        totals::TABLE,
        repetitions::TABLE,
        repeating::TABLE,
        errors::TABLE,
        timings::TABLE,
    ]);
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
