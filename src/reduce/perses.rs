//! `perses`: "Perses: Syntax-Guided Program Reduction" (Sun, Li, Zhang, Gu and Su, ICSE 2018).
//!
//! Nodes are in a priority queue, those with the most tokens first (section 3.2). What is done with a node depends on its kind:
//!
//! - a *quantified* node (`*`, `+`; here a list, see [`super::list`]): its elements are minimized by a list minimizer, `ddmin` in the paper;
//! - an *optional* one: it is left out;
//! - a *regular* one: it is replaced by a compatible node below it, which is searched for breadth first.
//!
//! What is left of it below joins the queue. In the fixpoint mode, which is the default, all is repeated until a round changes nothing.
//!
//! The paper transforms grammars into a normal form in which recursion becomes quantifiers; here the lists in a derivation tree are found
//! as they are. Compatible is a node of the same nonterminal. How far the search for it goes the paper leaves open: here as far as to
//! the first ones of the same nonterminal, since those below them have their turn when one of these was taken.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::base::keys::Keys;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::list::List;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass, counted, minimizer, on_tree, until_nothing_changes};
use super::workpiece::{Edit, Workpiece};
use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer};

/// Perses.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Perses {
    /// For quantified nodes.
    minimizer: Minimizer,
    /// Whether it is repeated until nothing changes.
    fixpoint: bool,
}

impl Default for Perses {
    fn default() -> Self {
        Self { minimizer: Minimizer::Ddmin, fixpoint: true }
    }
}

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Perses>();

impl PlugInSettings<AnyReducer> for Perses {
    const NAME: &'static str = "perses";

    fn read(keys: &mut Keys<'_>) -> Self {
        Self { minimizer: minimizer(keys), fixpoint: keys.or("fixpoint", true) }
    }

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Perses {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let name = <Self as NamedPass>::NAME;
        on_tree(name, failing, judge, (), |piece, (), judge| {
            let round = counted(name, piece, judge, |piece, judge| round(piece, self.minimizer, judge));
            Ok(round? && self.fixpoint)
        })
    }
}

impl NamedPass for Perses {
    const NAME: &'static str = "perses";
}

impl Pass for Perses {
    fn run(
        &self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        until_nothing_changes(|| round(piece, minimizer, judge))
    }
}

/// The nodes whose turn will come: those with the most tokens first, then those nearer to the root.
#[derive(Default)]
struct Queue(BTreeSet<(Reverse<usize>, usize, NodeId)>);

impl Queue {
    fn push(&mut self, piece: &Workpiece<'_>, node: NodeId) {
        if piece.editable(node).is_some() {
            self.0.insert((Reverse(piece.tokens(node)), piece.depth(node), node));
        }
    }

    fn pop(&mut self, piece: &Workpiece<'_>) -> Option<NodeId> {
        loop {
            let (_, _, node) = self.0.pop_first()?;
            if piece.is_live(node) {
                return Some(node);
            }
        }
    }
}

/// One round. Says whether anything changed.
fn round(piece: &mut Workpiece<'_>, minimizer: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
    let mut queue = Queue::default();
    queue.push(piece, piece.tree().root());
    let mut is_changed = false;
    while let Some(node) = queue.pop(piece) {
        let pending = if let Some(list) = List::at(piece, node) {
            let (changed, pending) = quantified(piece, list, minimizer, judge)?;
            is_changed |= changed;
            pending
        } else if piece.can_be_empty(node) && piece.attempt(Edit::Empty(node), judge)?.is_some() {
            is_changed = true;
            Vec::new()
        } else if piece.attempt_first(piece.without_first(node), judge)?.is_some() {
            // `x (sep x)*`, which the normal form has as one quantifier.
            is_changed = true;
            vec![node]
        } else if let Some(new) = regular(piece, node, judge)? {
            is_changed = true;
            vec![new]
        } else {
            piece.tree().children(node).to_vec()
        };
        pending.into_iter().for_each(|node| queue.push(piece, node));
    }
    Ok(is_changed)
}

/// Minimizes a list. Says whether anything changed, and what is left of it.
fn quantified(
    piece: &mut Workpiece<'_>,
    mut list: List,
    minimizer: Minimizer,
    judge: &mut Judge<'_>,
) -> Result<(bool, Vec<NodeId>), Halt> {
    let is_changed = list.minimize(piece, minimizer, judge)?;
    let parts = (0..list.len()).flat_map(|element| list.parts(piece, element)).collect();
    Ok((is_changed, parts))
}

/// Replaces a node by a compatible one below it, if one fails there: says which.
fn regular(piece: &mut Workpiece<'_>, node: NodeId, judge: &mut Judge<'_>) -> Result<Option<NodeId>, Halt> {
    let edits = piece.nearest_alike(node).into_iter().map(|below| Edit::Hoist(node, below));
    piece.attempt_first(edits, judge)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce_asking};

    /// The statements of a program are minimized as a list, the block that is left is replaced by what is needed of it, and no candidate is outside of the language.
    #[test]
    fn a_program_is_reduced_to_the_statement_that_fails() {
        let grammar = std::sync::Arc::new(grammar(&[
            "program = statements",
            "statements = statement statements | {}",
            "statement = { statements } | if(x) statement other | y; | error;",
            "other = {} | else_ statement",
        ]));
        let text = b"y;y;if(x){y;error;}else y;y;y;";
        let oracle = failing_oracle(&|text: &[u8]| text.windows(6).any(|part| part == b"error;"));
        let (reduced, asked) = reduce_asking("perses", &grammar, &parsed(&grammar, text), &oracle);
        assert_eq!(reduced.text, b"error;");
        let parser = crate::parse::Parser::new(std::sync::Arc::clone(&grammar));
        assert!(asked.iter().all(|text| parser.recognizes(text).unwrap()));
        // Of five statements the third is found by halves.
        let begin: [&[u8]; 4] = [b"", b"y;y;if(x){y;error;}else y;", b"y;y;", b"if(x){y;error;}else y;"];
        assert_eq!(asked[1..5], begin);
    }
}
