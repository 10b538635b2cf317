//! `grambench compare`: what got better or worse between runs.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::base::diagnostic::{Diagnostic, Source};
use crate::compare::comparison::NotComparable;
use crate::compare::{CompareSettings, Measured, compare, json, junit, markdown, text as screen};

use super::Done;
use super::exit::{Code, Failure};
use super::text;

/// Say what got better or worse beyond chance between runs
///
/// A run is the folder with its tables. The last one is compared with those before it; several before are taken as repetitions, so
/// that smaller differences are found. The exit code is 1 if something got worse.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  grambench compare results/reference/2026-11-22/quick results/runs/quick\n  \
    grambench compare nightly/1 nightly/2 nightly/3 nightly/4 nightly/5 results/runs/quick\n  \
    grambench compare before after --format markdown --output comparison.md\n\n\
    docs/compare.md tells what is compared and how, docs/methodology.md what that assumes."
)]
pub struct Compare {
    /// The folders of the runs to compare with; several are repetitions of one another
    #[arg(required = true)]
    before: Vec<PathBuf>,
    /// The folder of the run to be judged
    after: PathBuf,
    /// What is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The file to write to, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The config whose `[compare]` says what a regression is [default: that of the last run]
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// Compare runs that are not of the same campaign, too
    #[arg(long)]
    force: bool,
}

/// What a comparison is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, on one screen.
    #[default]
    Text,
    /// For a pull request.
    Markdown,
    /// For programs: everything.
    Json,
    /// For the pages of hosted CI.
    Junit,
}

impl Compare {
    pub(super) fn run(&self) -> Done {
        let read = |folder: &PathBuf| Measured::read(folder).map_err(Failure::usage);
        let before = self.before.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let after = read(&self.after)?;
        let settings = self.settings(&after)?;
        let comparison =
            compare(&before, &after, &settings, self.force).map_err(|NotComparable(differences)| {
                let error = Diagnostic::error("the runs are not of the same campaign");
                let error = differences
                    .iter()
                    .fold(error, |error, what| error.help(format!("they differ in {what}")));
                Failure::from(error.help("--force compares them all the same"))
            })?;
        let written = match self.format {
            Format::Text => screen::text(&comparison),
            Format::Markdown => markdown::markdown(&comparison),
            Format::Json => format!("{:#}\n", json::json(&comparison)),
            Format::Junit => junit::junit(&comparison).map_err(Failure::usage)?,
        };
        match &self.output {
            None => text::print(written.as_bytes())?,
            Some(path) => fs::write(path, written)
                .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))?,
        }
        Ok(if comparison.is_regression() { Code::No } else { Code::Success })
    }

    fn settings(&self, after: &Measured) -> Result<CompareSettings, Failure> {
        let source = match (&self.config, &after.provenance) {
            (Some(path), _) => text::read_source(path)?,
            (None, Some(run)) => Source::new(run.config.path.as_str(), run.config.text.as_str()),
            (None, None) => return Ok(CompareSettings::default()),
        };
        Ok(CompareSettings::of_config(&source)?)
    }
}
