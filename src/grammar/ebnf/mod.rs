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
use super::format::Read;
use super::model::Grammar;

/// Reads a grammar in the project's notation.
///
/// # Errors
/// All that is wrong with the text, up to a limit.
pub fn read(source: &Arc<Source>) -> Result<Read, Diagnostics> {
    let (lexemes, mut errors) = lexer::lex(source);
    // A text that was not read to its end would only be called unfinished.
    if errors.len() < check::MOST_ERRORS {
        let (text, wrong) = parser::parse(source, &lexemes);
        errors.extend(wrong);
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
