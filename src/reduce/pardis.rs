//! `pardis`: "Pardis: Priority Aware Test Case Reduction" (Gharachorlu and Sumner, FASE 2019).
//!
//! Perses orders nodes by the tokens below them, and so asks about large nodes that cannot be removed before it comes to those that
//! can. Pardis has in its queue each *removable* node alone, by its own priority: the tokens that its removal takes away, and of
//! nodes with as many the later one. A node that cannot be removed makes room for the removable nodes below it. No node is removed
//! together with others.
//!
//! Removable are elements of lists and nodes that derive the empty string, as in the paper's normal form of grammars. What the
//! paper leaves open: when a removal makes another possible that failed before. All is repeated until nothing changes.

use std::collections::BTreeSet;

use crate::base::registry::PlugIn;
use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::AnyReducer;
use super::list::{ending, rest};
use super::minimize::Minimizer;
use super::pass::{Alone, NamedPass, Pass, until_nothing_changes};
use super::workpiece::{Edit, Workpiece};

/// One removable node at a time.
#[derive(Default)]
pub(super) struct Pardis;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Alone<Pardis>>();

impl NamedPass for Pardis {
    const NAME: &'static str = "pardis";
}

impl Pass for Pardis {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        until_nothing_changes(|| round(piece, judge))
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

/// Takes each removable node out of the queue once. Says whether anything changed.
fn round(piece: &mut Workpiece<'_>, judge: &mut Judge<'_>) -> Result<bool, Halt> {
    let mut queue = BTreeSet::new();
    add(piece, &mut queue, [piece.tree().root()]);
    let mut is_changed = false;
    while let Some((_, _, node)) = queue.pop_last() {
        if !piece.is_live(node) {
            continue;
        }
        let Some((edit, _)) = removal(piece, node) else { continue };
        match piece.attempt(edit, judge)? {
            None => {
                let rest = rest(piece, node);
                let below = piece.tree().children(node).iter().copied();
                let below: Vec<NodeId> = below.filter(|&child| Some(child) != rest).collect();
                add(piece, &mut queue, below);
            }
            Some(new) => {
                is_changed = true;
                if matches!(edit, Edit::Shorten(..)) {
                    // Another node stands for the element before.
                    add(piece, &mut queue, [new]);
                }
            }
        }
    }
    Ok(is_changed)
}

/// Adds the removable nodes at or below these that are below no other one, each with its priority and its place.
fn add(
    piece: &Workpiece<'_>,
    queue: &mut BTreeSet<(usize, usize, NodeId)>,
    nodes: impl IntoIterator<Item = NodeId>,
) {
    let mut open: Vec<NodeId> = nodes.into_iter().collect();
    while let Some(node) = open.pop() {
        if piece.editable(node).is_none() {
            continue;
        }
        match removal(piece, node) {
            Some((_, tokens)) => {
                queue.insert((tokens, piece.begin(node), node));
                // The other elements of the list are beside it.
                open.extend(rest(piece, node));
            }
            None => open.extend(piece.tree().children(node)),
        }
    }
}

/// The edit that removes a node, and how many tokens that takes away.
fn removal(piece: &Workpiece<'_>, node: NodeId) -> Option<(Edit, usize)> {
    if let Some(rest) = rest(piece, node) {
        return Some((Edit::Hoist(node, rest), piece.tokens(node) - piece.tokens(rest)));
    }
    if piece.length(node) > 0 && piece.can_be_empty(node) {
        return Some((Edit::Empty(node), piece.tokens(node)));
    }
    let parent = piece.tree().parent(node).filter(|&parent| rest(piece, parent) == Some(node))?;
    (piece.length(node) > 0).then_some(())?;
    ending(piece, parent, node).map(|edit| (edit, piece.tokens(node)))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce_asking};

    /// The element with the most tokens goes first, wherever it stands; what holds the failure is asked before what is inside it.
    #[test]
    fn nodes_are_asked_by_what_their_removal_takes_away() {
        let grammar = grammar(&["program = ss", "ss = s ss | {}", "s = { ss } | y; | error;"]);
        let text = b"y;{y;error;}{y;y;y;}";
        let oracle = failing_oracle(&|text: &[u8]| text.windows(6).any(|part| part == b"error;"));
        let (reduced, asked) = reduce_asking("pardis", &grammar, &parsed(&grammar, text), &oracle);
        assert_eq!(reduced.text, b"{error;}");
        let asked: Vec<&str> = asked.iter().map(|text| std::str::from_utf8(text).unwrap()).collect();
        assert_eq!(asked[1..], ["", "y;{y;error;}", "y;", "y;{y;}", "y;{error;}", "{error;}", "{}"]);
    }
}
