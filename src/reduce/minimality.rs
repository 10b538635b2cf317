//! Whether a result is 1-minimal, that is whether nothing can be left out of it alone: no byte, no token, no subtree. A reducer
//! promises one of these at most; asking after all of them makes reducers comparable.

use crate::base::id::IdVec;
use crate::grammar::Grammar;
use crate::oracle::{Halt, Judge};
use crate::tree::{NodeId, Tree};

use super::Syntax;
use super::derivable::Derivable;
use super::list::List;
use super::workpiece::{Edit, Workpiece};

/// With more candidates than this nobody asks.
const MOST_CANDIDATES: usize = 2_000;

/// The size of an input in the terms of its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSize {
    /// Its tokens: those of the grammar, and the terminals outside of them.
    pub tokens: usize,
    /// The nodes of its derivation tree.
    pub nodes: usize,
}

impl TreeSize {
    /// The size of a derivation tree.
    pub fn of(grammar: &Grammar, tree: &Tree) -> Self {
        let piece = Workpiece::new(grammar, tree.clone());
        Self { tokens: piece.tokens(tree.root()), nodes: tree.size(tree.root()) }
    }
}

/// In which senses a result is 1-minimal; `None` where it was not asked for, or there were too many candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Minimality {
    /// Without any one byte it does not fail.
    pub byte: Option<bool>,
    /// Without any one token it does not fail.
    pub token: Option<bool>,
    /// It does not fail when any one node is left out, becomes as short as it can be, or is replaced by one of its nearest of the same
    /// nonterminal.
    pub subtree: Option<bool>,
}

impl Minimality {
    /// Asks whether a failing input is 1-minimal.
    ///
    /// # Errors
    /// When the judge gives no verdict.
    pub fn of(text: &[u8], syntax: Option<Syntax<'_>>, judge: &mut Judge<'_>) -> Result<Self, Halt> {
        let bytes: Vec<(usize, usize)> = (0..text.len()).map(|at| (at, at + 1)).collect();
        let byte = without_each(text, &bytes, judge)?;
        let Some(syntax) = syntax else { return Ok(Self { byte, ..Self::default() }) };
        let Syntax { grammar, tree, .. } = syntax;
        let derivable = Derivable::of_trees(syntax);
        let piece = Workpiece::new(grammar, tree.clone()).derived(derivable.as_ref());
        let spans: IdVec<NodeId, (usize, usize)> = tree.spans(grammar);
        let tokens: Vec<(usize, usize)> = piece.tokens_of(tree.root()).map(|node| spans[node]).collect();
        let token = without_each(text, &tokens, judge)?;
        let subtree = none_fails(subtrees(&piece), |text| piece.fails(text, judge))?;
        Ok(Self { byte, token, subtree })
    }
}

fn without_each(text: &[u8], spans: &[(usize, usize)], judge: &mut Judge<'_>) -> Result<Option<bool>, Halt> {
    let spans = spans.iter().filter(|(begin, end)| begin < end);
    let candidates = spans.map(|&(begin, end)| [&text[..begin], &text[end..]].concat()).collect();
    none_fails(candidates, |candidate| judge.fails(candidate))
}

fn none_fails(
    candidates: Vec<Vec<u8>>,
    mut fails: impl FnMut(&[u8]) -> Result<bool, Halt>,
) -> Result<Option<bool>, Halt> {
    if candidates.len() > MOST_CANDIDATES {
        return Ok(None);
    }
    for candidate in candidates {
        if fails(&candidate)? {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// The texts that come of changing one node.
fn subtrees(piece: &Workpiece<'_>) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for node in piece.tree().preorder(piece.tree().root()) {
        let mut all = vec![vec![Edit::Minimal(node)]];
        all.extend(piece.nearest_alike(node).into_iter().map(|below| vec![Edit::Hoist(node, below)]));
        if let Some(list) = List::at(piece, node) {
            for element in 0..list.len() {
                let kept: Vec<usize> = (0..list.len()).filter(|&other| other != element).collect();
                all.extend(list.leaving(piece, &kept));
            }
        }
        let shorter = all.iter().filter_map(|edits| piece.candidate_of(edits));
        texts.extend(shorter.filter(|text| text.len() < piece.text().len()));
        if texts.len() > MOST_CANDIDATES {
            break;
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, json, parsed};
    use super::*;

    #[test]
    fn each_sense_is_asked_for_itself() {
        let grammar = json();
        let of = |text: &[u8], fails: &(dyn Fn(&[u8]) -> bool + Sync)| {
            let (oracle, tree) = (failing_oracle(fails), parsed(&grammar, text));
            let syntax =
                Syntax { grammar: &grammar, tree: &tree, parse: &|_| Ok(None), derives: &|_| Ok(true) };
            let mut judge = Judge::new(&oracle);
            let found = Minimality::of(text, Some(syntax), &mut judge).unwrap();
            (found.byte, found.token, found.subtree)
        };
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(of(b"[1]", &|text| text.contains(&b'1')), (no, no, no));
        // Only what begins and ends with a bracket fails.
        let bracketed = |text: &[u8]| text.starts_with(b"[") && text.ends_with(b"]");
        assert_eq!(of(b"[]", &bracketed), (yes, yes, yes));
        assert_eq!(of(b"[10]", &bracketed), (no, no, no));
        assert_eq!(of(b"[[], 1]", &|text| bracketed(text) && text.len() % 2 == 1), (yes, no, no));
    }

    #[test]
    fn a_size_counts_tokens_and_nodes() {
        let grammar = json();
        let size = TreeSize::of(&grammar, &parsed(&grammar, b"[]"));
        assert_eq!((size.tokens, size.nodes), (1, 4));
    }
}
