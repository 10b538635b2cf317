//! Grammars as JSON, in the two forms that others use.
//!
//! In the *fuzzingbook* form (Zeller et al., "The Fuzzing Book") a rule is a string with `<names>` in
//! it; in the *canonical* form it is a list of symbols. Around either may stand the envelope of the
//! papers, `{"[start]": "<a>", "[grammar]": {...}}`.

mod reader;
#[cfg(test)]
mod tests;
mod value;
mod writer;

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostics, Source};

use super::format::{Format, Read};
use super::model::Grammar;

/// The start symbol where no envelope names one.
const START: &str = "start";
const START_KEY: &str = "[start]";
const GRAMMAR_KEY: &str = "[grammar]";

/// Reads a grammar in this JSON form; if none is given, in the one that its rules are in. The nonterminal called `start`
/// takes the place of its start symbol.
///
/// # Errors
/// All that is wrong with the text, up to a limit.
pub fn read(source: &Arc<Source>, form: Option<Format>, start: Option<&str>) -> Result<Read, Diagnostics> {
    reader::read(source, form, start)
}

/// Writes a grammar in this JSON form, in the envelope of the papers if wanted.
///
/// # Errors
/// When JSON cannot express the grammar: large classes, and literals that are not UTF-8.
pub fn write(grammar: &Grammar, form: Format, envelope: bool) -> Result<String, Diagnostics> {
    writer::write(grammar, form, envelope)
}

/// A part of a rule that is a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    /// A name, without its brackets.
    Name(&'a str),
}

/// The pieces of a rule that is a string, with their places in it. A name has neither spaces nor
/// brackets inside its brackets: the fuzzing book's `<[^<> ]*>`.
fn pieces(text: &str) -> Vec<(Piece<'_>, Range<usize>)> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = text[at..].find('<').map(|found| at + found) {
        at = open + 1;
        let Some(close) = text[at..].find(['<', '>', ' ']).map(|found| at + found) else { break };
        if !text[close..].starts_with('>') {
            continue;
        }
        if from < open {
            pieces.push((Piece::Text(&text[from..open]), from..open));
        }
        pieces.push((Piece::Name(&text[at..close]), open..close + 1));
        at = close + 1;
        from = at;
    }
    if from < text.len() {
        pieces.push((Piece::Text(&text[from..]), from..text.len()));
    }
    pieces
}

/// What stands in angle brackets, if a text begins and ends with them.
fn bracketed(text: &str) -> Option<&str> {
    text.strip_prefix('<')?.strip_suffix('>')
}
