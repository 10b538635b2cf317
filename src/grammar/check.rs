//! What is worth a warning in a grammar that has been read, whatever its format.

use std::ops::Range;
use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::base::id::IdVec;

use super::analysis;
use super::model::{Grammar, NonterminalId};

/// So many errors of one text are shown, and as many warnings; more would not be read.
pub(super) const MOST_ERRORS: usize = 20;

/// Where each nonterminal is defined, or where the operator stands from which it was made.
pub(super) type Places = IdVec<NonterminalId, Range<usize>>;

/// The errors in the order of their places, and not too many of them.
pub(super) fn finish(mut errors: Vec<Diagnostic>) -> Diagnostics {
    errors.truncate(2 * MOST_ERRORS);
    errors.sort_by_cached_key(position);
    errors.truncate(MOST_ERRORS);
    Diagnostics(errors)
}

/// Warns of nonterminals that no input needs, that derive nothing, or that derive just themselves, and
/// of empty tokens.
pub(super) fn warnings(source: &Arc<Source>, grammar: &Grammar, places: &Places) -> Vec<Diagnostic> {
    let used = used(grammar);
    let productive = analysis::productive(grammar);
    let cyclic = analysis::cyclic(grammar);
    let nullable = analysis::nullable(grammar);
    let mut warnings = Vec::new();
    for (id, nonterminal) in grammar.nonterminals().entries() {
        let name = &nonterminal.name;
        let warn = |message: String, label: &str| {
            Diagnostic::warning(message).at(source, places[id].clone(), label.to_owned())
        };
        if !used.contains(id) {
            if !nonterminal.is_helper() {
                let start = grammar.name(grammar.start());
                warnings
                    .push(warn(format!("`{name}` is not used"), &format!("not reachable from `{start}`")));
            }
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
    warnings.sort_by_cached_key(position);
    warnings.truncate(MOST_ERRORS);
    warnings
}

fn position(diagnostic: &Diagnostic) -> Option<(usize, usize)> {
    diagnostic.position().map(|(_, line, column)| (line, column))
}

/// What the start symbol, what may be skipped and what their tokens exclude need.
fn used(grammar: &Grammar) -> BitSet<NonterminalId> {
    let mut used = analysis::reachable(grammar, grammar.start());
    if let Some(skip) = grammar.skip() {
        used.union_with(&analysis::reachable(grammar, skip));
    }
    loop {
        let excepted: Vec<NonterminalId> = used
            .iter()
            .filter_map(|id| grammar.nonterminal(id).token.as_ref())
            .flat_map(|token| token.except.iter().copied())
            .filter(|&id| !used.contains(id))
            .collect();
        if excepted.is_empty() {
            return used;
        }
        for id in excepted {
            used.union_with(&analysis::reachable(grammar, id));
        }
    }
}
