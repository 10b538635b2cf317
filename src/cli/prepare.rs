//! `grambench prepare`: gets and builds programs under test.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::base::budget::Interrupt;
use crate::subject::catalogue::{Catalogue, FOLDER};
use crate::subject::manifest::Manifest;
use crate::subject::pool::OWN_EXECUTABLE;
use crate::subject::prepare::{Build, PrepareError, Progress, cache_folder, is_there, prepare};

use super::Done;
use super::arguments::OutputFormat;
use super::exit::{Code, Failure};
use super::text;

/// Get and build the programs of subjects
///
/// A campaign does so itself when it comes to a subject; this does it beforehand, while there is a
/// network, say. What is there already is not built again. The exit code is 4 when a program cannot be had; the
/// others are prepared all the same.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  grambench prepare             # all subjects
  grambench prepare find lua    # these two")]
pub struct Prepare {
    /// The subjects, by the names of their folders; all when none is named
    names: Vec<String>,
    /// The folder that holds the subjects
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    subjects: PathBuf,
    /// `json` writes a JSON object for each subject
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Prepare {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let catalogue = Catalogue::load(&self.subjects)?;
        let subjects = catalogue.chosen(&self.names)?;
        let cache = cache_folder();
        let mut are_all_there = true;
        for manifest in subjects {
            let was_there = is_there(manifest, &cache);
            match prepare(manifest, &cache, OWN_EXECUTABLE.as_ref(), interrupt, &mut Lines(&manifest.name)) {
                Err(PrepareError::Interrupted) => return Ok(Code::Interrupted),
                result => {
                    are_all_there &= result.is_ok();
                    self.report(manifest, was_there, result)?;
                }
            }
        }
        Ok(if are_all_there { Code::Success } else { Code::Unfit })
    }

    /// Writes what came of a subject.
    fn report(
        &self,
        manifest: &Manifest,
        was_there: bool,
        result: Result<Option<Build>, PrepareError>,
    ) -> Result<(), Failure> {
        let (name, version) = (&manifest.name, &manifest.version);
        let (state, folder, error) = match result {
            Ok(None) => ("nothing to prepare", None, None),
            Ok(Some(build)) if was_there => ("there already", Some(build.folder), None),
            Ok(Some(build)) => ("prepared", Some(build.folder), None),
            Err(error) => ("failed", None, Some(error.to_string())),
        };
        let folder = folder.map(|folder| folder.display().to_string());
        match self.format {
            OutputFormat::Json => text::print_json(&json!({
                "subject": name,
                "version": version,
                "state": state,
                "folder": folder,
                "error": error,
            })),
            OutputFormat::Text => {
                let what = error.or(folder).map_or_else(String::new, |what| format!(": {what}"));
                text::print(format!("{name}: {version}: {state}{what}\n").as_bytes())
            }
        }
    }
}

/// Tells on standard error what a script says.
struct Lines<'a>(&'a str);

impl Progress for Lines<'_> {
    fn begin(&mut self, what: &str) {
        eprintln!("{}: {what}", self.0);
    }

    fn line(&mut self, line: &str) {
        // Most scripts begin their lines so themselves.
        match line.strip_prefix(self.0).is_some_and(|rest| rest.starts_with(": ")) {
            true => eprintln!("{line}"),
            false => eprintln!("{}: {line}", self.0),
        }
    }
}
