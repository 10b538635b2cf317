//! The oracle that runs a program and judges its outcome.
//!
//! What an input does to the run itself is part of the judgement: one that cannot be split into words, or
//! cannot be an argument, never reaches the program and is unresolved. When the program cannot be run (it
//! is missing, say, or something kills the process that starts it), that is an error and no judgement.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::dictionary::ProgramDictionary;
use super::execution::{Request, RunLimits, RunOutcome};
use super::launcher::view;
use super::manifest::{Bug, CommandRun, Delivery, Manifest, Run, VersionCheck};
use super::pool::{Pool, RunError};
use super::program;
use super::rules::Rules;
use super::template::{Argv, Placeholder, Places, Template};
use crate::base::diagnostic::Diagnostic;
use crate::oracle::{Judgement, Oracle, OracleError, Verdict};

/// The placeholders that mean something on the command line.
const OF_INPUTS: [&str; 4] = ["file", "input", "words", "arguments"];

/// Runs a program on inputs.
#[derive(Clone, Debug)]
pub struct Command {
    pool: Arc<Pool>,
    program: PathBuf,
    argv: Argv,
    delivery: Delivery,
    /// The name of the file that holds the input.
    file: String,
    limits: RunLimits,
    /// What the program reads of folders that are hidden from it.
    reads: Arc<[PathBuf]>,
}

/// What came of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The program ran.
    Ran(RunOutcome),
    /// Nothing can be seen of the program on this input: why.
    Refused(String),
}

impl Command {
    /// How `manifest` says to run the program on inputs of `bug`. `build` is the prepared folder.
    ///
    /// # Errors
    /// When the program is not there.
    ///
    /// # Panics
    /// When the subject is a builtin one, or needs a build and there is none.
    pub fn of_bug(
        pool: &Arc<Pool>,
        manifest: &Manifest,
        bug: &Bug,
        build: Option<&Path>,
    ) -> Result<Self, OracleError> {
        let Run::Command(run) = &manifest.run else { panic!("a builtin subject is not run as a process") };
        let CommandRun { argv, delivery, extension, limits } = &**run;
        let file = file_name(extension.as_deref());
        let places = places(manifest, bug, build, &file);
        let reads = reads(&places);
        Self::new(pool, argv.bind(&places), *delivery, file.clone(), limits.clone(), reads)
    }

    /// How `manifest` says to ask the program for its version. The input is to be empty.
    ///
    /// # Errors
    /// When the program is not there.
    ///
    /// # Panics
    /// When the check needs a build and there is none.
    pub fn of_version(
        pool: &Arc<Pool>,
        manifest: &Manifest,
        check: &VersionCheck,
        build: Option<&Path>,
    ) -> Result<Self, OracleError> {
        let places = Places { build, subject: Some(&manifest.folder), ..Places::default() };
        let limits = match &manifest.run {
            Run::Command(run) => run.limits.clone(),
            Run::Builtin => RunLimits::default(),
        };
        let reads = reads(&places);
        Self::new(pool, check.argv.bind(&places), Delivery::Stdin, String::new(), limits, reads)
    }

    /// A command line as a user gives it, with placeholders for the input; without any, the input goes
    /// to standard input. `extension` is what the name of `{file}` ends in.
    ///
    /// # Errors
    /// When a placeholder is unknown, or the program is not there.
    pub fn ad_hoc(
        pool: &Arc<Pool>,
        words: &[OsString],
        extension: Option<&str>,
        limits: RunLimits,
    ) -> Result<Self, Diagnostic> {
        let template = template(words)?;
        let delivery = if template.uses(Placeholder::File) {
            Delivery::File
        } else if template.placeholders().next().is_some() {
            Delivery::Argument
        } else {
            Delivery::Stdin
        };
        let file = file_name(extension);
        let argv = template.bind(&Places { file: &file, ..Places::default() });
        // Scripts often read what lies where they were called.
        let reads = std::env::current_dir().into_iter().collect();
        Self::new(pool, argv, delivery, file, limits, reads)
            .map_err(|error| Diagnostic::error(error.to_string()))
    }

    /// Whether [`Self::ad_hoc`] would take these words.
    ///
    /// # Errors
    /// As there.
    pub fn check(words: &[OsString]) -> Result<(), Diagnostic> {
        let argv = template(words)?.bind(&Places::default());
        program::find(&argv.program()).map(drop).map_err(Diagnostic::error)
    }

    fn new(
        pool: &Arc<Pool>,
        argv: Argv,
        delivery: Delivery,
        file: String,
        limits: RunLimits,
        mut reads: Vec<PathBuf>,
    ) -> Result<Self, OracleError> {
        let program = program::find(&argv.program()).map_err(OracleError::Broken)?;
        // An input that is a path is none of them.
        reads.extend(named(&program, argv.fixed()));
        Ok(Self { pool: Arc::clone(pool), program, argv, delivery, file, limits, reads: reads.into() })
    }

    /// The files that its words name: the program, and those that it is given to read.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        files(&self.program, self.argv.fixed())
    }

    /// Runs the program on `input`.
    ///
    /// # Errors
    /// When it cannot be run, whatever the input.
    pub fn run(&self, input: &[u8]) -> Result<Reaction, OracleError> {
        let argv = match self.argv.expand(input) {
            Ok(argv) => argv,
            Err(error) => return Ok(Reaction::Refused(format!("not a command line: {error}"))),
        };
        if argv.iter().any(|word| word.as_encoded_bytes().contains(&0)) {
            return Ok(Reaction::Refused("not an argument: it holds a zero byte".into()));
        }
        let request = Request {
            program: self.program.clone(),
            argv,
            environment: Vec::new(),
            stdin: if self.delivery == Delivery::Stdin { input.to_vec() } else { Vec::new() },
            file: (self.delivery == Delivery::File).then(|| (self.file.clone(), input.to_vec())),
            limits: self.limits.clone(),
            reads: Arc::clone(&self.reads),
        };
        match self.pool.run(&request) {
            Ok(outcome) => Ok(Reaction::Ran(outcome)),
            Err(RunError::NotStarted { error, .. }) if error == Errno::TOOBIG.raw_os_error() => {
                Ok(Reaction::Refused("not an argument: it is too long".into()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Judges inputs by running a program.
#[derive(Clone, Debug)]
pub struct CommandOracle {
    command: Command,
    rules: Rules,
}

impl CommandOracle {
    /// An oracle that runs `command` and judges by `rules`.
    pub fn new(command: Command, rules: Rules) -> Self {
        Self { command, rules }
    }

    /// The words of the program.
    pub fn dictionary(&self) -> ProgramDictionary {
        ProgramDictionary::new(self.command.files())
    }
}

impl Oracle for CommandOracle {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        Ok(match self.command.run(input)? {
            Reaction::Ran(outcome) => self.rules.judge(&outcome),
            Reaction::Refused(reason) => Judgement::new(Verdict::Unresolved, reason),
        })
    }
}

/// The template that a user wrote on a command line of ours.
fn template(words: &[OsString]) -> Result<Template, Diagnostic> {
    let template = Template::parse(words).map_err(|error| {
        let diagnostic = Diagnostic::error(error.message);
        match error.unknown {
            Some(name) => diagnostic
                .suggest(&name, OF_INPUTS)
                .help(format!("placeholders are {}; a brace is written `{{{{`", OF_INPUTS.join(", "))),
            None => diagnostic,
        }
    })?;
    let of_manifests =
        [Placeholder::Build, Placeholder::Subject, Placeholder::Bug, Placeholder::BugArguments];
    if let Some(stray) = template.placeholders().find(|place| of_manifests.contains(place)) {
        let message = format!("`{{{}}}` stands for nothing on the command line", stray.name());
        return Err(Diagnostic::error(message));
    }
    Ok(template)
}

/// What the placeholders of a bug's command lines stand for.
pub(super) fn places<'a>(
    manifest: &'a Manifest,
    bug: &'a Bug,
    build: Option<&'a Path>,
    file: &'a str,
) -> Places<'a> {
    let subject = Some(manifest.folder.as_path());
    Places { build, subject, bug: Some(bug.given_name()), file, bug_arguments: &bug.arguments }
}

/// The folders that a subject consists of.
pub(super) fn reads(places: &Places<'_>) -> Vec<PathBuf> {
    [places.build, places.subject].into_iter().flatten().map(Path::to_path_buf).collect()
}

/// What a program reads that is run as `program` with these words: what lies beside it and beside the files that they name. Programs are often given
/// scripts, and these often read what lies beside them.
pub(super) fn named<'a>(
    program: &Path,
    words: impl Iterator<Item = &'a OsStr>,
) -> impl Iterator<Item = PathBuf> {
    let words = words.map(Path::new).filter(|word| word.is_absolute());
    std::iter::once(view::beside(program)).chain(words.map(view::beside))
}

/// The files that the words of a command line name, also in lists such as a class path, whose program is `program`.
pub(super) fn files<'a>(program: &'a Path, words: impl Iterator<Item = &'a OsStr>) -> Vec<PathBuf> {
    let named = words.skip(1).flat_map(std::env::split_paths);
    let named = named.filter(|path| path.is_absolute() && path.is_file());
    std::iter::once(program.to_path_buf()).chain(named).collect()
}

/// The name of the file that holds an input.
pub(super) fn file_name(extension: Option<&str>) -> String {
    match extension {
        Some(extension) => format!("input.{extension}"),
        None => "input".into(),
    }
}
