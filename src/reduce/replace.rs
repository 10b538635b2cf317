//! `hdd-replace`: GTR of "Automatically Reducing Tree-Structured Test Inputs" (Herfert, Patra and Pradel, ASE 2017).
//!
//! Level by level, two templates are applied: *deletion*, which is that of HDD, and *substitute by child*: a node is replaced by one
//! of its children. All is repeated until nothing changes. Which children may stand in their parent's place the paper learns from a
//! corpus; here the grammar says it: a child of the same nonterminal. Nodes that are the only one of their parent (as in
//! `<expr> ::= <term>`) are no level of their own, so that the children of a node are those below the first rule with several
//! nodes.

use std::cmp::Reverse;

use crate::base::registry::PlugIn;
use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::AnyReducer;
use super::level::Level;
use super::minimize::Minimizer;
use super::pass::{Alone, NamedPass, Pass, until_nothing_changes};
use super::workpiece::{Edit, Workpiece};

/// Deletion, and substitution by a child.
#[derive(Default)]
pub(super) struct HddReplace;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Alone<HddReplace>>();

impl NamedPass for HddReplace {
    const NAME: &'static str = "hdd-replace";
}

impl Pass for HddReplace {
    fn run(
        &self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        until_nothing_changes(|| {
            Level::prune_all(piece, minimizer, judge, |level, piece, judge| {
                // What stands there then is looked at in the next round.
                level.edit_each(piece, |piece, node| {
                    let edits = children(piece, node).into_iter().map(|child| Edit::Hoist(node, child));
                    piece.attempt_first(edits, judge)
                })
            })
        })
    }
}

/// The children of a node that may stand in its place, the one with the most tokens first.
fn children(piece: &Workpiece<'_>, node: NodeId) -> Vec<NodeId> {
    let Some(nonterminal) = piece.editable(node) else { return Vec::new() };
    let inner =
        |node| piece.tree().children(node).iter().copied().filter(|&child| piece.editable(child).is_some());
    let mut parent = node;
    // Down to the first node with several others below.
    loop {
        let mut all = inner(parent);
        match (all.next(), all.next()) {
            (Some(only), None)
                if piece.editable(only) != Some(nonterminal)
                    && piece.length(only) == piece.length(parent) =>
            {
                parent = only
            }
            _ => break,
        }
    }
    let mut found = Vec::new();
    for child in inner(parent) {
        // Down to the first node of the same nonterminal, past those that are the only one.
        let mut below = child;
        loop {
            if piece.editable(below) == Some(nonterminal) {
                found.push(below);
                break;
            }
            let mut all = inner(below);
            match (all.next(), all.next()) {
                (Some(only), None) if piece.length(only) == piece.length(below) => below = only,
                _ => break,
            }
        }
    }
    found.sort_by_key(|&child| Reverse(piece.tokens(child)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce};

    #[test]
    fn an_operand_takes_the_place_of_its_operation() {
        let grammar = grammar(&["e = e + t | t", "t = t * f | f", "f = ( e ) | g( e ) | a | b"]);
        let text = b"a+(b*g(a+b))*a";
        let oracle = failing_oracle(&|text: &[u8]| text.windows(2).any(|part| part == b"g("));
        let reduced = |name| reduce(name, &grammar, &parsed(&grammar, text), &oracle).text;
        assert_eq!(reduced("hdd-replace"), b"g(a)");
    }
}
