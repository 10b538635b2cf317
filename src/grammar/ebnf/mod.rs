//! The project's own notation for grammars. docs/grammar.md describes it.
//!
//! Reading: text -> lexemes ([`lexer`]) -> syntax tree ([`parser`], [`syntax`]) -> grammar
//! ([`lower`], [`skip`]). Writing goes the same way back: [`skip`], [`raise`], [`writer`].

mod lexer;
pub(super) mod lower;
mod parser;
mod raise;
mod skip;
pub(super) mod syntax;
#[cfg(test)]
mod tests;
mod writer;

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostics, Source};

use super::check::{self, Texts};
use super::format::{Read, no_start};
use super::model::Grammar;

/// Reads a grammar in the project's notation.
///
/// # Errors
/// All that is wrong with the text, up to a limit.
pub fn read(source: &Arc<Source>) -> Result<Read, Diagnostics> {
    read_from(source, None)
}

/// Reads a grammar in the project's notation as if it had `@start <start>`.
///
/// # Errors
/// All that is wrong with the text, up to a limit; and when there is no such nonterminal.
pub fn read_from(source: &Arc<Source>, start: Option<&str>) -> Result<Read, Diagnostics> {
    let (lexemes, mut errors) = lexer::lex(source);
    // A text that was not read to its end would only be called unfinished.
    if errors.len() < check::MOST_ERRORS {
        let (mut text, wrong) = parser::parse(source, &lexemes);
        errors.extend(wrong);
        if let Some(start) = start {
            let names = text.definitions.iter().map(|definition| &definition.name);
            match names.clone().find(|name| name.name.text() == start) {
                Some(found) => text.start = Some(found.clone()),
                None => errors.push(no_start(start, names.map(|name| name.name.text()))),
            }
        }
        match lower::lower(source, &text) {
            Ok((grammar, places)) if errors.is_empty() => {
                let warnings = check::warnings(&Texts::from(source), &grammar, &places);
                return Ok(Read { grammar, warnings });
            }
            Ok(_) => {}
            // That nothing is defined follows from the other errors, if there are any.
            Err(_) if !errors.is_empty() && text.definitions.is_empty() => {}
            Err(wrong) => errors.extend(wrong),
        }
    }
    Err(check::finish(errors))
}

/// Writes a grammar in the project's notation, so that reading it gives the same grammar
/// ([`same`](super::numbering::same)), and the very same numbering where the grammar was read from a
/// text that has neither `@helper` nor `@skip(written)`.
///
/// Helpers that still are what their operators make are written as these operators, and gaps that
/// still are what `@skip` makes are written as `@skip`. Names must be such as
/// [`spelling::name`](super::spelling::name) reads, and no class empty.
pub fn write(grammar: &Grammar) -> String {
    writer::print(&raise::raise(grammar))
}
