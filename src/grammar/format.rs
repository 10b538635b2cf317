//! The text formats of grammars: which one a text is in, and reading it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};

use super::ebnf;
use super::model::Grammar;

/// A text format of grammars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The project's own notation.
    Ebnf,
    /// JSON, a rule being a string with `<names>` in it.
    Fuzzingbook,
    /// JSON, a rule being a list of symbols.
    Canonical,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Ebnf, Self::Fuzzingbook, Self::Canonical];

    /// The format's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ebnf => "ebnf",
            Self::Fuzzingbook => "fuzzingbook",
            Self::Canonical => "canonical",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// There is no format of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no grammar format `{0}`; the formats are ebnf, fuzzingbook and canonical")]
pub struct UnknownFormat(pub String);

/// A grammar that was read, and what its author may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The grammar.
    pub grammar: Grammar,
    /// Things that have a meaning but probably not the intended one.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a grammar in this format; if none is given, in the one that its name or else its text
/// suggests.
///
/// # Errors
/// All that is wrong with the text, up to a limit.
pub fn read(source: &Arc<Source>, format: Option<Format>) -> Result<Read, Diagnostics> {
    match format {
        None | Some(Format::Ebnf) => ebnf::read(source),
        Some(other) => Err(Diagnostic::error(format!("grammars in {other} form cannot be read yet")).into()),
    }
}
