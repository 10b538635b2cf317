//! `grambench report`: the tables of a run, from its store.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::page;
use crate::stage::Results;
use crate::stage::tables::Tables;
use crate::store::Store;

use super::Done;
use super::exit::{Code, Failure};
use super::text;

/// Write the tables of a run again, from what its store says
///
/// Of a run that is under way, or was interrupted, too: rows of tasks that have not ended say so.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  grambench report results/runs/quick\n  \
    grambench report results/runs/paper --output /tmp/tables\n  \
    grambench report results/runs/paper --format latex --format markdown")]
pub struct Report {
    /// The folder of the run
    run: PathBuf,
    /// The folder for the tables [default: that of the run]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// What is written: the page, the tables as CSV files, as Markdown for a pull request, or as LaTeX for a paper. May be
    /// given several times [default: html and csv]
    #[arg(long, short, value_enum, value_name = "FORMAT")]
    format: Vec<ReportFormat>,
    /// Do not show the tables
    #[arg(long, short)]
    quiet: bool,
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One page: report.html.
    Html,
    /// The tables, a file each.
    Csv,
    /// The tables: report.md.
    Markdown,
    /// The tables: report.tex.
    Latex,
}

impl Report {
    pub(super) fn run(&self) -> Done {
        let store = Store::read(&self.run.join(Store::FILE_NAME)).map_err(Failure::usage)?;
        let results = Results::read(&store).map_err(Failure::usage)?;
        let tables = Tables::of(&results);
        let folder = self.output.as_deref().unwrap_or(&self.run);
        let is_wanted = |format: ReportFormat| match self.format[..] {
            [] => matches!(format, ReportFormat::Html | ReportFormat::Csv),
            _ => self.format.contains(&format),
        };
        let mut files = Vec::new();
        if is_wanted(ReportFormat::Csv) {
            files.extend(tables.write(folder).map_err(Failure::usage)?);
        }
        if is_wanted(ReportFormat::Html) {
            files.push(page::write_html(&tables, &store, &self.run, folder).map_err(Failure::usage)?);
        }
        if is_wanted(ReportFormat::Markdown) {
            files.push(page::write_markdown(&tables, folder).map_err(Failure::usage)?);
        }
        if is_wanted(ReportFormat::Latex) {
            files.push(page::write_latex(&tables, folder).map_err(Failure::usage)?);
        }
        if !self.quiet {
            text::print(format!("{}\n", tables.summary(&files)).as_bytes())?;
        }
        Ok(Code::Success)
    }
}
