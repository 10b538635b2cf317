//! Grammars of ANTLR 4 (Parr, "The Definitive ANTLR 4 Reference"): reading only. docs/grammar.md says
//! what is expressed and what is reported.
//!
//! Text -> lexemes ([`lexer`]) -> syntax tree ([`parser`], [`elements`], [`syntax`]) for each file -> one set of rules
//! ([`merge`], and [`more`] for what the command of that name puts together, made texts of by [`joined`]; and [`at_end`] for what ends with the input) -> the syntax tree of our own notation ([`lower`]; [`reluctant`], [`escaped`], and [`ways`] in [`ordered`] form
//! for `.*?`, [`words`], [`keywords`] and [`priority`] for which token wins, with what [`moves`] says of modes) -> grammar, by the lowering of our own notation.

mod at_end;
mod dropped;
mod elements;
mod escape;
mod escaped;
mod joined;
mod keywords;
mod lexer;
mod lexical;
mod literals;
mod lower;
mod merge;
mod modes;
mod more;
mod moves;
mod ordered;
mod parser;
mod priority;
mod reluctant;
mod syntax;
#[cfg(test)]
mod tests;
mod ways;
mod words;

use std::path::Path;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostics, Source};

use super::check;
use super::ebnf;
use super::format::Read;

/// Finds the text of another grammar by the name that `tokenVocab` or `import` gives.
pub type Resolver<'a> = dyn Fn(&str) -> Option<Arc<Source>> + 'a;

/// Finds grammars in the folder in which `file` lies: `X` in `X.g4`.
pub fn beside(file: &Path) -> impl Fn(&str) -> Option<Arc<Source>> {
    let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
    move |name| {
        // A name is a word, so this leads nowhere else.
        let path = folder.join(format!("{name}.g4"));
        let text = std::fs::read(&path).ok()?;
        Some(Source::from_bytes(path.display().to_string(), &text))
    }
}

/// Reads a grammar and those that it needs, which `resolve` finds. The rule called `start` takes the place of the first
/// rule of the parser as the start symbol.
///
/// # Errors
/// All that is wrong with the texts, up to a limit.
pub fn read(source: &Arc<Source>, start: Option<&str>, resolve: &Resolver<'_>) -> Result<Read, Diagnostics> {
    let (mut merged, errors) = merge::merge(source, resolve);
    if !errors.is_empty() {
        return Err(check::finish(errors));
    }
    let begin = at_end::divide(&mut merged.rules, start, &mut merged.dropped);
    let lowered = lower::lower(&merged, begin.as_deref().or(start)).map_err(check::finish)?;
    let (grammar, places) = ebnf::lower::lower(source, &lowered.text).map_err(check::finish)?;
    let mut warnings = dropped::warnings(&merged.texts, &lowered.dropped);
    warnings.extend(lowered.warnings);
    warnings.extend(check::warnings(&merged.texts, &grammar, &places));
    Ok(Read { grammar, warnings })
}
