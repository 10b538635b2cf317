//! What is worth a warning in a grammar that has been read, whatever its format.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::base::id::IdVec;

use super::analysis;
use super::lexis::word_lists;
use super::model::{Grammar, NonterminalId};

/// The number of errors of one text that are shown, and of warnings; more would not be read.
pub(super) const MOST_ERRORS: usize = 20;

/// Where each nonterminal is defined, or where the operator stands from which it was made.
pub(super) type Places = IdVec<NonterminalId, Range<usize>>;

/// One or several texts that are read as one: places count through all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// The texts, each with the place at which it begins.
    texts: Vec<(usize, Arc<Source>)>,
}

impl Texts {
    /// Adds a text; says at which place it begins.
    pub fn add(&mut self, source: &Arc<Source>) -> usize {
        // One place lies between two texts, so that the end of one is not the beginning of the next.
        let begin = self.texts.last().map_or(0, |(begin, last)| begin + last.text().len() + 1);
        self.texts.push((begin, Arc::clone(source)));
        begin
    }

    /// The text in which a place lies, and where in it.
    ///
    /// # Panics
    /// When there are no texts.
    pub fn locate(&self, span: &Range<usize>) -> (&Arc<Source>, Range<usize>) {
        let index = self.texts.partition_point(|&(begin, _)| begin <= span.start).saturating_sub(1);
        let (begin, source) = &self.texts[index];
        (source, span.start.saturating_sub(*begin)..span.end.saturating_sub(*begin))
    }

    /// Points a diagnostic at a place.
    pub fn point(&self, diagnostic: Diagnostic, span: &Range<usize>, label: impl Into<String>) -> Diagnostic {
        let (source, span) = self.locate(span);
        diagnostic.at(source, span, label)
    }
}

impl From<&Arc<Source>> for Texts {
    fn from(source: &Arc<Source>) -> Self {
        Self { texts: vec![(0, Arc::clone(source))] }
    }
}

/// The errors in the order of their places, and not too many of them.
pub(super) fn finish(mut errors: Vec<Diagnostic>) -> Diagnostics {
    errors.truncate(2 * MOST_ERRORS);
    Diagnostics(first(errors))
}

/// Warns of nonterminals that no input needs, that derive nothing, or that derive just themselves, and
/// of empty tokens.
pub(super) fn warnings(texts: &Texts, grammar: &Grammar, places: &Places) -> Vec<Diagnostic> {
    let used = analysis::used(grammar);
    let productive = analysis::productive(grammar);
    let cyclic = analysis::cyclic(grammar);
    let nullable = analysis::nullable(grammar);
    let lists = word_lists(grammar);
    let mut warnings = Vec::new();
    for (id, nonterminal) in grammar.nonterminals().entries() {
        let name = &nonterminal.name;
        let warn =
            |message: String, label: &str| texts.point(Diagnostic::warning(message), &places[id], label);
        if !used.contains(id) {
            if !nonterminal.is_helper() {
                let start = grammar.name(grammar.start());
                warnings
                    .push(warn(format!("`{name}` is not used"), &format!("not reachable from `{start}`")));
            }
        } else if lists.contains(id) {
            // What they derive means nothing.
        } else if !productive.contains(id) {
            // What has no rules at all was declared so.
            if !nonterminal.rules.is_empty() && !nonterminal.is_helper() {
                warnings.push(
                    warn(format!("`{name}` derives nothing"), "no derivation ever ends")
                        .help("some alternative must do without nonterminals that derive nothing"),
                );
            }
        } else if cyclic.contains(id) {
            let what = if nonterminal.is_helper() { "this".to_owned() } else { format!("`{name}`") };
            warnings.push(
                warn(format!("{what} derives just itself"), "in a cycle that consumes no input")
                    .help("every input with it has infinitely many derivation trees; the first is taken"),
            );
        } else if nonterminal.token.is_some() && nullable.contains(id) {
            warnings.push(
                warn(format!("the token `{name}` can be empty"), "derives the empty string")
                    .help("an empty token is found everywhere; make its uses optional instead: `<token>?`"),
            );
        }
    }
    first(warnings)
}

/// The first ones in the order of their places.
fn first(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // Lines are counted for those alone that are among the first ones of their text.
    diagnostics.sort_by(|one, other| one.offset().cmp(&other.offset()));
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut of_text = 0;
    for diagnostic in diagnostics {
        let text = |diagnostic: &Diagnostic| diagnostic.offset().map(|(name, _)| name.to_owned());
        let is_same = kept.last().is_some_and(|last| text(last) == text(&diagnostic));
        of_text = if is_same { of_text + 1 } else { 1 };
        if of_text <= MOST_ERRORS {
            kept.push(diagnostic);
        }
    }
    kept.sort_by_cached_key(position);
    kept.truncate(MOST_ERRORS);
    kept
}

fn position(diagnostic: &Diagnostic) -> Option<(usize, usize)> {
    diagnostic.position().map(|(_, line, column)| (line, column))
}
