//! `tokens`: "T-Rec: Fine-Grained Language-Agnostic Program Reduction Guided by Lexical Syntax" (Xu, Tian, Zhang, Zhao, Jiang and Sun,
//! TOSEM 2024).
//!
//! Tokens are made smaller inside, along the derivation tree that their lexical rule gives them: smaller is shorter, and of as many bytes the
//! one that comes first in the alphabet ("shortlex"). Tokens of one kind with the same text change together first, as a name does everywhere, then
//! each alone.
//!
//! In a grammar without tokens (`@token`) there is nothing to do.

use std::collections::{BTreeSet, HashMap};

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Judge};
use crate::tree::{NodeId, Tree};

use super::list::List;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass};
use super::workpiece::{Edit, Workpiece};

/// Smaller tokens.
#[derive(Default)]
pub(super) struct Tokens;

/// The nonterminal of a token, and its text.
type Token<'p> = (NonterminalId, &'p [u8]);

impl NamedPass for Tokens {
    const NAME: &'static str = "tokens";
}

impl Pass for Tokens {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut is_changed = false;
        for group in groups(piece) {
            let group: Vec<NodeId> = group.into_iter().filter(|&node| piece.is_live(node)).collect();
            let together = shrink(piece, group, judge)?;
            is_changed |= together.1;
            if together.0.len() > 1 {
                for node in together.0 {
                    is_changed |= shrink(piece, vec![node], judge)?.1;
                }
            }
        }
        Ok(is_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

/// The tokens of each kind with the same text, those that stand first first.
pub(super) fn groups(piece: &Workpiece<'_>) -> Vec<Vec<NodeId>> {
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    let mut places: HashMap<Token<'_>, usize> = HashMap::new();
    for (nonterminal, node) in piece.token_nodes() {
        let place = *places.entry((nonterminal, piece.text_of(node))).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups
}

/// Makes tokens with the same text smaller as long as that is possible. Says which nodes they are then, and whether anything changed.
fn shrink(
    piece: &mut Workpiece<'_>,
    mut group: Vec<NodeId>,
    judge: &mut Judge<'_>,
) -> Result<(Vec<NodeId>, bool), Halt> {
    let mut is_changed = false;
    'smaller: while let Some(&first) = group.first() {
        for tree in smaller(piece, first) {
            if let Some(new) = piece.attempt_trees(&group, &tree, judge)? {
                (group, is_changed) = (new, true);
                continue 'smaller;
            }
        }
        break;
    }
    Ok((group, is_changed))
}

/// Smaller tokens instead of the one at `node`, the smallest first.
fn smaller(piece: &Workpiece<'_>, node: NodeId) -> Vec<Tree> {
    let inside = piece.inside(node);
    let nodes: Vec<NodeId> = inside.tree().preorder(inside.tree().root()).collect();
    let mut edits: Vec<Vec<Edit>> = Vec::new();
    for node in nodes {
        edits.push(vec![Edit::Minimal(node)]);
        edits.extend(inside.shorter_rules(node).into_iter().map(|edit| vec![edit]));
        edits.extend(inside.nearest_alike(node).into_iter().map(|below| vec![Edit::Hoist(node, below)]));
        edits.extend(inside.lower_character(node).map(|edit| vec![edit]));
        if let Some(list) = List::at(&inside, node) {
            let half = list.len() / 2;
            for kept in [(0..half).collect::<Vec<_>>(), (half..list.len()).collect()] {
                edits.extend(list.leaving(&inside, &kept));
            }
        }
    }
    let mut known = BTreeSet::new();
    let key = |text: &[u8]| (text.len(), text.to_vec());
    let own = key(inside.text());
    let mut found: Vec<((usize, Vec<u8>), Tree)> = Vec::new();
    for edits in edits {
        let mut edited = inside.clone();
        edited.apply_all(&edits);
        let (text, tree) = edited.into_parts();
        let key = key(&text);
        // A token is never nothing.
        if key < own && !text.is_empty() && known.insert(text) {
            found.push((key, tree));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, tree)| tree).collect()
}
