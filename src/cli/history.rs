//! `grambench history`: which runs there are.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use crate::base::diagnostic::{Diagnostic, help_for_missing};
use crate::report::provenance::{Provenance, Sitting};

use super::Done;
use super::arguments::OutputFormat;
use super::exit::{Code, Failure};
use super::text;

/// List runs: when each began, of which revision and config, how it ended, and what became of its tasks
///
/// Runs are the folders with a provenance.json, which every run writes: those in the folder, and that itself. A run that was
/// killed, or is under way, is `unfinished`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  grambench history\n  grambench history nightly --format json | tail -n 1"
)]
pub struct History {
    /// The folder with the folders of the runs
    #[arg(default_value = "results/runs")]
    folder: PathBuf,
    /// `json` writes a JSON object for each run
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A run with its last sitting.
struct Listed {
    folder: PathBuf,
    provenance: Provenance,
    sitting: Sitting,
}

impl History {
    pub(super) fn run(&self) -> Done {
        let mut listed = self.listed()?;
        listed.sort_by(|one, other| {
            (one.sitting.begin, &one.folder).cmp(&(other.sitting.begin, &other.folder))
        });
        let lines: String = match self.format {
            OutputFormat::Json => listed.iter().map(|run| format!("{}\n", object(run))).collect(),
            OutputFormat::Text => table(&listed),
        };
        text::print(lines.as_bytes())?;
        Ok(Code::Success)
    }

    /// The runs in the folder. What is no run is passed over.
    fn listed(&self) -> Result<Vec<Listed>, Failure> {
        let missing = |error| {
            let folder = self.folder.display();
            let wrong = Diagnostic::error(format!("cannot read the folder `{folder}`: {error}"));
            let otherwise = || {
                "it holds the folders of runs; a run is put into results/runs unless --output says otherwise"
                    .into()
            };
            wrong.help(help_for_missing(&self.folder).unwrap_or_else(otherwise))
        };
        let mut folders = vec![self.folder.clone()];
        for entry in fs::read_dir(&self.folder).map_err(missing)? {
            folders.push(entry.map_err(missing)?.path());
        }
        let mut listed = Vec::new();
        for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
            listed.extend(read(folder)?);
        }
        Ok(listed)
    }
}

fn read(folder: PathBuf) -> Result<Option<Listed>, Failure> {
    let Some(provenance) = Provenance::read(&folder).map_err(Failure::usage)? else { return Ok(None) };
    Ok(provenance.last().cloned().map(|sitting| Listed { folder, provenance, sitting }))
}

fn object(run: &Listed) -> serde_json::Value {
    let Listed { folder, provenance, sitting } = run;
    json!({
        "run": folder,
        "title": provenance.config.title,
        "config": provenance.config.path,
        "config_digest": provenance.config.digest,
        "seed": provenance.seed,
        "version": provenance.grambench.version,
        "revision": provenance.grambench.revision,
        "begin": sitting.begin,
        "end": sitting.end,
        "state": sitting.state,
        "tasks": sitting.tasks,
        "host": provenance.machine.host,
    })
}

/// Columns, each as wide as it must be.
fn table(listed: &[Listed]) -> String {
    let header = ["begin", "run", "config", "seed", "revision", "state", "done", "failed"].map(str::to_owned);
    let row = |Listed { folder, provenance, sitting }: &Listed| {
        [
            Timestamp::from_second(sitting.begin.as_second()).unwrap_or(sitting.begin).to_string(),
            name(folder),
            provenance.config.title.clone(),
            provenance.seed.to_string(),
            provenance.grambench.revision.clone().unwrap_or_else(|| "unknown".into()),
            sitting.state.as_str().to_owned(),
            format!("{}/{}", sitting.tasks.done, sitting.tasks.planned),
            sitting.tasks.failed.to_string(),
        ]
    };
    let rows: Vec<[String; 8]> = std::iter::once(header).chain(listed.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let line = |row: &[String; 8]| {
        let cells =
            row.iter().enumerate().map(|(column, cell)| format!("{cell:<width$}", width = width(column)));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn name(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}
