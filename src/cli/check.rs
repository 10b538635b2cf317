//! `grambench check`: are subjects fit for use?

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::base::budget::Interrupt;
use crate::base::limits::Limits;
use crate::oracle::Verdict;
use crate::stage::target::Syntax;
use crate::subject::catalogue::{Catalogue, FOLDER};
use crate::subject::fitness::{Aspect, FitnessFinding};
use crate::subject::manifest::Manifest;
use crate::subject::pool::OWN_EXECUTABLE;
use crate::subject::prepare::{Progress, cache_folder, prepare};
use crate::subject::prepared::Prepared;
use crate::subject::worker::Policy;

use super::Done;
use super::arguments::{OutputFormat, SandboxArguments};
use super::check_grammar::CheckGrammar;
use super::check_sandbox::CheckSandbox;
use super::exit::{Code, Failure};
use super::text;

/// Prepare subjects and check whether they are fit for use
///
/// A subject is fit when its program can be built and runs, its version is as pinned, each failing input
/// parses and fails, each passing one passes, several times, and all else that its manifest states holds.
/// The exit code is 4 when one is not.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:
  grambench check expr html
  grambench check find   # builds it first; needs a C compiler
  grambench check --quiet   # all of them, and only what is not as it should be
  \
        grambench check grammar grammars/json.ebnf
  \
        grambench check sandbox   # what programs under test can do",
    args_conflicts_with_subcommands = true
)]
pub struct Check {
    #[command(subcommand)]
    other: Option<Other>,
    /// The subjects, by the names of their folders; all when none is named
    names: Vec<String>,
    /// The folder that holds the subjects
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    subjects: PathBuf,
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// Do not check that workers give the same verdicts
    #[arg(long)]
    no_workers: bool,
    /// Write only what is not as it should be, and how many findings are for each subject
    #[arg(long, short)]
    quiet: bool,
    /// `json` writes a JSON object for each finding, and for each note
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// What else can be checked.
#[derive(Subcommand, Debug)]
enum Other {
    Grammar(CheckGrammar),
    Sandbox(CheckSandbox),
}

impl Check {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        match &self.other {
            Some(Other::Grammar(grammar)) => return grammar.run(interrupt),
            Some(Other::Sandbox(sandbox)) => return sandbox.run(),
            None => {}
        }
        let catalogue = Catalogue::load(&self.subjects)?;
        let subjects = catalogue.chosen(&self.names)?;
        let pool = self.sandbox.pool(1)?;
        let policy = Policy { is_used: !self.no_workers, ..Policy::default() };
        let mut all_fit = true;
        for manifest in subjects {
            let findings = prepare(
                manifest,
                &cache_folder(),
                OWN_EXECUTABLE.as_ref(),
                interrupt,
                &mut Notes(&manifest.name),
            )
            .map_err(|error| error.to_string())
            .and_then(|build| {
                let manifest = Arc::new(manifest.clone());
                let prepared = Prepared { manifest, build, pool: Arc::clone(&pool) };
                prepared.check(&policy).map_err(|error| error.to_string())
            })
            .and_then(|findings| {
                let syntaxes = syntaxes(manifest, interrupt)?;
                let notes =
                    syntaxes.iter().flat_map(|(grammar, syntax)| notes(grammar, syntax, &findings)).collect();
                Ok((findings, notes))
            });
            all_fit &= self.report(&manifest.name, &findings)?;
        }
        Ok(if all_fit { Code::Success } else { Code::Unfit })
    }

    /// Writes what was found of a subject, and notes on it; says whether it is fit.
    fn report(&self, subject: &str, found: &Result<Found, String>) -> Result<bool, Failure> {
        let fit = found.as_ref().is_ok_and(|(findings, _)| findings.iter().all(|finding| finding.is_fit));
        if let (Ok((_, notes)), false) = (found, self.quiet) {
            for note in notes {
                match self.format {
                    OutputFormat::Json => text::print_json(&json!({ "subject": subject, "note": note }))?,
                    OutputFormat::Text => text::print(format!("{subject}: note: {note}\n").as_bytes())?,
                }
            }
        }
        match (self.format, found) {
            (OutputFormat::Json, Ok((findings, _))) => {
                for finding in findings.iter().filter(|finding| !self.quiet || !finding.is_fit) {
                    text::print_json(&json!({
                        "subject": subject,
                        "bug": finding.bug,
                        "fit": finding.is_fit,
                        "finding": finding.to_string(),
                        "expected": finding.expected,
                        "observed": finding.observed,
                    }))?;
                }
            }
            (OutputFormat::Json, Err(reason)) => {
                text::print_json(&json!({ "subject": subject, "fit": false, "finding": reason }))?;
            }
            (OutputFormat::Text, Ok((findings, _))) => {
                for finding in findings.iter().filter(|finding| !self.quiet || !finding.is_fit) {
                    text::print(format!("{subject}: {finding}\n").as_bytes())?;
                }
                if self.quiet {
                    let fit = findings.iter().filter(|finding| finding.is_fit).count();
                    text::print(format!("{subject}: {fit} of {} findings fit\n", findings.len()).as_bytes())?;
                }
            }
            (OutputFormat::Text, Err(reason)) => {
                text::print(format!("{subject}: unfit: {reason}\n").as_bytes())?
            }
        }
        Ok(fit)
    }
}

/// What was found of a subject, and notes on it.
type Found = (Vec<FitnessFinding>, Vec<String>);

/// The grammars of a subject by their names, each of which has to derive the failing inputs.
fn syntaxes<'m>(manifest: &'m Manifest, interrupt: &Interrupt) -> Result<Vec<(&'m str, Syntax)>, String> {
    let limits = Limits { interrupt: interrupt.clone(), ..Limits::default() };
    let mut syntaxes = Vec::new();
    for grammar in &manifest.grammars {
        let syntax = Syntax::read(grammar, &limits).map_err(|error| error.to_string())?;
        for bug in &manifest.bugs {
            syntax.parse(&format!("input of {}", bug.name), &bug.input).map_err(|error| {
                format!("its grammar `{}` does not derive the failing input: {error}", grammar.name)
            })?;
        }
        syntaxes.push((grammar.name.as_str(), syntax));
    }
    Ok(syntaxes)
}

/// Notes on inputs of checks that fail as well and that a grammar does not derive.
fn notes(grammar: &str, syntax: &Syntax, findings: &[FitnessFinding]) -> Vec<String> {
    let is_underived = |finding: &&FitnessFinding| {
        let fails = finding.judgement.as_ref().is_some_and(|judgement| judgement.verdict == Verdict::Fail);
        let Aspect::Check(input) = &finding.subject else { return false };
        fails && !finding.by_worker && matches!(syntax.parser.recognizes(input), Ok(false))
    };
    let note = |finding: &FitnessFinding| {
        let statement = finding.statement();
        format!(
            "the grammar `{grammar}` does not derive the input of this check, so no held-out inputs are made from it: {statement}"
        )
    };
    findings.iter().filter(is_underived).map(note).collect()
}

/// Reports the progress of a build on standard error.
struct Notes<'a>(&'a str);

impl Progress for Notes<'_> {
    fn begin(&mut self, what: &str) {
        eprintln!("{}: {what}", self.0);
    }
}
