//! The text formats of grammars: which one a text is in, and reading it.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};

use super::model::Grammar;
use super::{antlr, ebnf, json};

pub use super::antlr::Resolver;

/// A text format of grammars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The project's own notation.
    Ebnf,
    /// JSON, a rule being a string with `<names>` in it.
    Fuzzingbook,
    /// JSON, a rule being a list of symbols.
    Canonical,
    /// ANTLR 4. Read, never written.
    Antlr,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Ebnf, Self::Fuzzingbook, Self::Canonical, Self::Antlr];

    /// The format's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ebnf => "ebnf",
            Self::Fuzzingbook => "fuzzingbook",
            Self::Canonical => "canonical",
            Self::Antlr => "antlr",
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
#[error("there is no grammar format `{0}`; the formats are ebnf, fuzzingbook, canonical and antlr")]
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
/// suggests. It must not need other files.
///
/// # Errors
/// All that is wrong with the text, up to a limit.
pub fn read(source: &Arc<Source>, format: Option<Format>) -> Result<Read, Diagnostics> {
    read_with(source, format, None, &|_| None)
}

/// Reads a grammar that may need others, which `resolve` finds by their names. The nonterminal called `start`, with brackets or without, takes the
/// place of the start symbol that the text names: all is as if it were named there.
///
/// # Errors
/// All that is wrong with the texts, up to a limit; and when there is no such nonterminal.
pub fn read_with(
    source: &Arc<Source>,
    format: Option<Format>,
    start: Option<&str>,
    resolve: &Resolver<'_>,
) -> Result<Read, Diagnostics> {
    let bare = |name| str::strip_prefix(name, "<").and_then(|name| name.strip_suffix('>')).unwrap_or(name);
    let start = start.map(bare);
    match format {
        Some(Format::Ebnf) => ebnf::read_from(source, start),
        Some(Format::Antlr) => antlr::read(source, start, resolve),
        Some(form @ (Format::Fuzzingbook | Format::Canonical)) => json::read(source, Some(form), start),
        None if extension(source) == Some("g4") => antlr::read(source, start, resolve),
        None if looks_like_json(source) => json::read(source, None, start),
        None => ebnf::read_from(source, start),
    }
}

/// That the start symbol that was asked for is none of the nonterminals `known`.
pub(super) fn no_start(name: &str, known: impl Iterator<Item = String>) -> Diagnostic {
    let known: Vec<String> = known.map(|name| format!("<{name}>")).collect();
    Diagnostic::error(format!("the grammar has no nonterminal `<{name}>`"))
        .suggest(&format!("<{name}>"), known.iter().map(String::as_str))
}

fn extension(source: &Source) -> Option<&str> {
    Path::new(source.name()).extension().and_then(|extension| extension.to_str())
}

/// Whether a text is JSON by its name's extension, or else by its first character.
fn looks_like_json(source: &Source) -> bool {
    match extension(source) {
        Some("json") => true,
        Some("ebnf") => false,
        _ => source.text().trim_start_matches('\u{feff}').trim_start().starts_with('{'),
    }
}

/// Writes a grammar in this format. `envelope` is for the JSON forms: whether the envelope of the
/// papers stands around the rules, which names the start symbol.
///
/// # Errors
/// When the format cannot express the grammar. EBNF can express all.
pub fn write(grammar: &Grammar, format: Format, envelope: bool) -> Result<String, Diagnostics> {
    match format {
        Format::Ebnf => Ok(ebnf::write(grammar)),
        Format::Antlr => Err(Diagnostic::error("grammars are not written in ANTLR's format")
            .help("write `ebnf`, which expresses everything")
            .into()),
        form => json::write(grammar, form, envelope),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_format_and_otherwise_the_first_character() {
        let is_json = |name: &str, text: &str| looks_like_json(&Source::new(name, text));
        assert!(is_json("g.json", ""));
        assert!(!is_json("g.ebnf", "{"));
        assert!(is_json("-", "\u{feff}\n {\"<start>\": []}"));
        assert!(!is_json("g.txt", "<a> ::= \"{\""));
    }

    #[test]
    fn each_format_is_known_by_its_name() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("json".parse::<Format>().is_err());
    }
}
