//! The config file of a campaign.
//!
//! What is written (`wire`) and what is meant ([`Config`]) are two types: everything is checked in
//! between (`check`), with the place in the file. Every key has a default that reproduces the papers' setting,
//! and unknown keys are errors. `settings` are about the stages, and `selection` is about the bugs.

mod check;
mod selection;
mod settings;
#[cfg(test)]
mod tests;
mod wire;

pub use selection::{Selection, matches_glob};
pub use settings::Settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::{generalize, produce, reduce, transform};

use super::expressions::{self, GivenExpression};
use super::transformers::{self, ExternalTransformer};
use check::Checker;

/// What a campaign does, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the user calls the campaign.
    pub title: String,
    /// The seed from which every task's stream is derived.
    pub seed: u64,
    /// How often everything is repeated, each time with other random choices.
    pub repetitions: u32,
    /// The folder that holds the subjects.
    pub subject_folder: PathBuf,
    /// Which bugs take part.
    pub bugs: Selection,
    /// The expressions that are given by hand, besides those of the bugs.
    pub expressions: Vec<GivenExpression>,
    /// Programs that specialize grammars; `transformers` says which of them take part.
    pub external: Vec<ExternalTransformer>,
    /// The names of the plug-ins; every combination is run.
    pub reducers: Vec<String>,
    /// As above.
    pub generalizers: Vec<String>,
    /// As above.
    pub transformers: Vec<String>,
    /// As above.
    pub producers: Vec<String>,
    /// How the plug-ins work.
    pub settings: Settings,
}

/// A list of names as it is written.
pub(super) type Names = Spanned<Vec<Spanned<String>>>;

impl Config {
    /// Reads the config file `source`, which lies at `path`: folders are relative to it.
    ///
    /// # Errors
    /// Everything that is wrong in the file, with its place.
    pub fn read(source: &Arc<Source>, path: &Path) -> Result<Self, Diagnostics> {
        let wire: wire::Config = crate::base::toml::read(source)?;
        let mut checker = Checker { source, errors: Vec::new() };
        let settings = Settings::read(&wire, &mut checker);
        let folder = path.parent().unwrap_or(Path::new(""));
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let has_expressions = !wire.expressions.is_empty();
        // Those too whose entries are wrong: one error is enough.
        let named: Vec<String> =
            wire.command_transformers.iter().map(|entry| entry.name.get_ref().clone()).collect();
        let known: Vec<&str> = transform::NAMES.into_iter().chain(named.iter().map(String::as_str)).collect();
        let external = transformers::read(source, folder, wire.command_transformers, &mut checker.errors);
        let transformers = checker.plug_ins("transformer", wire.transformers, &known, &["automaton"]);
        let of_all: Vec<&str> = transformers.iter().map(String::as_str).collect();
        let of_one = |names: Option<Names>, errors: &mut Vec<Diagnostic>| {
            let mut checker = Checker { source, errors: Vec::new() };
            let names = checker.plug_ins("transformer", names, &known, &of_all);
            errors.append(&mut checker.errors);
            names
        };
        let expressions = expressions::read(source, folder, wire.expressions, of_one, &mut checker.errors);
        let config = Self {
            title: checker.title(wire.title).or(stem).unwrap_or_default(),
            seed: wire.seed,
            repetitions: checker.repetitions(wire.repetitions.as_ref()),
            subject_folder: folder.join(wire.subject_folder.as_deref().unwrap_or("../subjects")),
            bugs: Selection::new(source, wire.bugs, has_expressions),
            reducers: checker.plug_ins("reducer", wire.reducers, &reduce::NAMES, &["perses"]),
            generalizers: checker.plug_ins("generalizer", wire.generalizers, &generalize::NAMES, &["ddset"]),
            transformers,
            producers: checker.plug_ins("producer", wire.producers, &produce::NAMES, &["limit"]),
            settings,
            expressions,
            external,
        };
        let mut errors = checker.errors;
        errors.sort_by_key(|error| error.position().map(|(_, line, column)| (line, column)));
        if errors.is_empty() { Ok(config) } else { Err(Diagnostics(errors)) }
    }
}
