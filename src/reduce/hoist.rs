//! `hdd-hoist`: "Extending Hierarchical Delta Debugging with Hoisting" (Vince, Hodován, Bársony and Kiss, AST 2021).
//!
//! Each level is pruned as in HDD; then each of its nodes is replaced by a node below it that may stand in its place, as long as one
//! can be. The two phases alternate from level to level, and all is repeated until nothing changes.
//!
//! The paper leaves open in which order a node's replacements are tried. Here they are the nearest nodes of the same nonterminal, the one with
//! the most tokens first, since it most likely holds what is needed.

use std::cmp::Reverse;

use crate::base::registry::PlugIn;
use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::AnyReducer;
use super::level::Level;
use super::minimize::Minimizer;
use super::pass::{Alone, NamedPass, Pass, until_nothing_changes};
use super::workpiece::{Edit, Workpiece};

/// Pruning and hoisting.
#[derive(Default)]
pub(super) struct HddHoist;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Alone<HddHoist>>();

impl NamedPass for HddHoist {
    const NAME: &'static str = "hdd-hoist";
}

impl Pass for HddHoist {
    fn run(
        &self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        until_nothing_changes(|| {
            Level::prune_all(piece, minimizer, judge, |level, piece, judge| {
                level.edit_each(piece, |piece, node| {
                    let mut last = None;
                    while let Some(new) = hoist(piece, last.unwrap_or(node), judge)? {
                        last = Some(new);
                    }
                    Ok(last)
                })
            })
        })
    }
}

/// Replaces a node by one of its nearest of the same nonterminal, if one fails there: says which.
fn hoist(piece: &mut Workpiece<'_>, node: NodeId, judge: &mut Judge<'_>) -> Result<Option<NodeId>, Halt> {
    let mut below = piece.nearest_alike(node);
    below.sort_by_key(|&below| Reverse(piece.tokens(below)));
    piece.attempt_first(below.into_iter().map(|below| Edit::Hoist(node, below)), judge)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce};

    /// What pruning alone cannot do: the statement that fails comes out of what holds it.
    #[test]
    fn what_holds_the_failure_goes_too() {
        let grammar = grammar(&[
            "program = statements",
            "statements = statement statements | {}",
            "statement = { statements } | if(x) statement | y; | error;",
        ]);
        let text = b"y;{y;if(x){y;{error;y;}}}y;";
        let oracle = failing_oracle(&|text: &[u8]| text.windows(6).any(|part| part == b"error;"));
        let reduced = |name| reduce(name, &grammar, &parsed(&grammar, text), &oracle).text;
        assert_eq!(reduced("hdd-hoist"), b"error;");
        assert_ne!(reduced("hdd-star"), b"error;");
    }
}
