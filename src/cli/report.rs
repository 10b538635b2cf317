//! `grambench report`: the tables of a run, from its store.

use std::path::PathBuf;

use clap::Args;

use crate::stage::{Results, tables};
use crate::store::Store;

use super::Done;
use super::exit::{Code, Failure};
use super::text;

/// Write the tables of a run again, from what its store says
///
/// Of a run that is under way, or was interrupted, too: rows of tasks that have not ended say so.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  grambench report results/runs/quick\n  \
    grambench report results/runs/paper --output /tmp/tables")]
pub struct Report {
    /// The folder of the run
    run: PathBuf,
    /// The folder for the tables [default: that of the run]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Do not show the tables
    #[arg(long, short)]
    quiet: bool,
}

impl Report {
    pub(super) fn run(&self) -> Done {
        let store = Store::read(&self.run.join(Store::FILE_NAME)).map_err(Failure::usage)?;
        let results = Results::read(&store).map_err(Failure::usage)?;
        let files = tables::write_all(&results, self.output.as_deref().unwrap_or(&self.run));
        let files = files.map_err(Failure::usage)?;
        if !self.quiet {
            text::print(format!("{}\n", tables::summary(&results, &files)).as_bytes())?;
        }
        Ok(Code::Success)
    }
}
