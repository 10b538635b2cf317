//! `grambench repro`: the command that does a task of a run again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory, FromArgMatches};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Diagnostic;
use crate::base::program::ThisProgram;
use crate::report::provenance::{Provenance, Sitting};
use crate::stage::Results;
use crate::store::Store;

use super::exit::{Code, Failure};
use super::inputs::chosen;
use super::text;
use super::{Call, Command, Done};

/// Do a task of a run again, in another folder
///
/// It prints the command that does it, with what the task needs, and runs it. Tasks are called as in timings.csv and in `run
/// --list`. What comes of it is compared with the run by `grambench compare`, and looked into by `grambench inputs`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  grambench repro results/runs/quick 'middle/1/reduce perses'\n  \
    grambench repro results/runs/quick 'json-check*recognize random' --print")]
pub struct Repro {
    /// The folder of the run
    run: PathBuf,
    /// The task, or a part of its name (`*` stands for anything), as `run --only` takes it
    task: String,
    /// Print the command, and do not run it
    #[arg(long)]
    print: bool,
    /// The folder for what comes of it [default: the run's, with -repro]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Repro {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let provenance = Provenance::read(&self.run).map_err(Failure::usage)?;
        let provenance = provenance.ok_or_else(|| {
            let folder = self.run.display();
            let missing = Diagnostic::error(format!(
                "`{folder}` has no provenance.json: how it was called is not known"
            ));
            missing.help("each run writes one; to go on with the run makes it, too")
        })?;
        let store = Store::read(&self.run.join(Store::FILE_NAME)).map_err(Failure::usage)?;
        let results = Results::read(&store).map_err(Failure::usage)?;
        let tasks = chosen(&results, &self.task)?;
        let Some(sitting) = provenance.last() else {
            return Err(Failure::usage("provenance.json tells of no command"));
        };
        let mut words = self.words(sitting)?;
        for task in tasks {
            words.extend(["--only".to_owned(), task.name.clone()]);
        }
        let shown: Vec<String> =
            std::iter::once("grambench".to_owned()).chain(words.iter().map(|word| quoted(word))).collect();
        text::print(format!("{}\n", shown.join(" ")).as_bytes())?;
        self.warn(&provenance);
        if self.print {
            return Ok(Code::Success);
        }
        let words = std::iter::once(OsString::from("grambench")).chain(words.into_iter().map(OsString::from));
        let matches = Call::command().try_get_matches_from(words).map_err(Failure::usage)?;
        let call = Call::from_arg_matches(&matches).map_err(Failure::usage)?;
        match call.command {
            Command::Run(run) => run.run(interrupt),
            _ => Err(Failure::usage("provenance.json tells of a command that is no campaign")),
        }
    }

    /// The words of the command of a sitting, with this folder, and without what chose a part of the plan or threw earlier
    /// results away.
    fn words(&self, sitting: &Sitting) -> Result<Vec<String>, Failure> {
        let mut words = Vec::new();
        let mut rest = sitting.arguments.iter();
        while let Some(word) = rest.next() {
            let (name, has_value) = match word.split_once('=') {
                Some((name, _)) if name.starts_with("--") => (name, true),
                _ => (word.as_str(), false),
            };
            match name {
                "--only" | "--output" | "-o" => {
                    if !has_value {
                        rest.next();
                    }
                }
                "--fresh" | "--quiet" | "-q" => {}
                _ if name.starts_with("-o") && !name.starts_with("--") => {}
                _ => words.push(word.clone()),
            }
        }
        let folder = self.output.clone().unwrap_or_else(|| beside(&self.run));
        let folder = folder
            .to_str()
            .ok_or_else(|| Failure::usage("the folder's name is no text: --output gives another"))?;
        words.extend(["--output".to_owned(), folder.to_owned()]);
        Ok(words)
    }

    /// Says why the same may not come of it.
    fn warn(&self, provenance: &Provenance) {
        let (was, is) = (&provenance.grambench, ThisProgram::get());
        if was.digest != is.digest {
            let revision = was.revision.as_deref().unwrap_or("unknown");
            eprintln!(
                "note: the run was made by another build of grambench: version {}, revision {revision}",
                was.version
            );
        }
        let now = std::fs::read(&provenance.config.path).map(|text| blake3::hash(&text).to_hex().to_string());
        if !now.is_ok_and(|digest| digest == provenance.config.digest) {
            eprintln!("note: the config `{}` is not as it was, or not here", provenance.config.path);
        }
    }
}

fn beside(run: &Path) -> PathBuf {
    let mut name = run.components().as_path().as_os_str().to_owned();
    name.push("-repro");
    name.into()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::provenance::{State, TaskCounts};

    #[test]
    fn the_words_of_a_part_and_of_the_folder_are_replaced() {
        let words = |arguments: &[&str]| {
            let sitting = Sitting {
                arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
                jobs: 1,
                begin: "2026-11-22T12:00:00Z".parse().unwrap(),
                end: None,
                load_at_begin: None,
                load_at_end: None,
                state: State::Unfinished,
                tasks: TaskCounts::default(),
            };
            let repro = Repro { run: "results/a".into(), task: String::new(), print: true, output: None };
            repro.words(&sitting).unwrap().join(" ")
        };
        let wanted = "run a.toml --seed 3 --output results/a-repro";
        assert_eq!(
            words(&["run", "a.toml", "--seed", "3", "-o", "x", "--only", "b*", "--fresh", "-q"]),
            wanted
        );
        assert_eq!(words(&["run", "a.toml", "--seed", "3", "--output=x", "--only=y", "-ox"]), wanted);
        assert_eq!(quoted("middle/1/reduce perses"), "'middle/1/reduce perses'");
        assert_eq!((quoted("it's"), quoted("a.toml")), (r"'it'\''s'".into(), "a.toml".into()));
    }
}
