//! Equal parts that are parts of larger equal ones.
//!
//! What is generalized is a reduced input, in which names and numbers are as short as can be. Of two equal numbers of one digit each the digits are bound to
//! be equal then, and numbers of two digits do not match. So the parts around equal ones are tried: where whatever is equal there fails, they are the
//! bound nodes.

use std::collections::BTreeMap;

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::bare_text::bare_text;
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::matching::{Classes, Matcher};
use super::session::{Learning, Trial};

/// The number of levels above bound nodes that are tried.
const MOST_LEVELS: usize = 6;

impl Learning<'_, '_, '_> {
    /// Binds the largest parts around the bound nodes of a root class that the program agrees to.
    pub(super) fn lift_bound(&mut self, root: ClassId) -> Result<(), Halt> {
        let Some((input, node)) = self.first_place(root) else { return Ok(()) };
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let derivation = matcher.derivation(&input.tree, &matcher.matched(&input.tree), root, node);
        let classes: Classes = derivation.iter().map(|&(class, node)| (node, class)).collect();
        let mut bound: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
        for &(class, node) in &derivation {
            let [Alternative::Rule(_, wants)] = self.hypothesis.class(class).alternatives.as_slice() else {
                continue;
            };
            for (want, &child) in wants.iter().zip(input.tree.children(node)) {
                if let Want::Bound(number) = want {
                    bound.entry(*number).or_default().push(child);
                }
            }
        }
        for mut nodes in bound.into_values() {
            for _ in 0..MOST_LEVELS {
                let Some(parents) = self.equal_parents(&input, &nodes) else { break };
                if !self.try_bound(&input, &parents, &classes)? {
                    break;
                }
                nodes = parents;
            }
        }
        Ok(())
    }

    /// The parents of some nodes, if they are different ones of one nonterminal and have the same text.
    fn equal_parents(&self, input: &Input, nodes: &[NodeId]) -> Option<Vec<NodeId>> {
        let grammar = self.example.grammar;
        let parents: Vec<NodeId> =
            nodes.iter().map(|&node| input.tree.parent(node)).collect::<Option<_>>()?;
        let [first, others @ ..] = parents.as_slice() else { return None };
        let is_like_first = |&other: &NodeId| {
            other != *first
                && input.tree.nonterminal(grammar, other) == input.tree.nonterminal(grammar, *first)
                && bare_text(grammar, &input.tree, other) == bare_text(grammar, &input.tree, *first)
        };
        (!others.is_empty() && others.iter().all(is_like_first)).then_some(parents)
    }

    /// Binds some nodes, if inputs fail with whatever is the same in all of them. Says whether they do.
    fn try_bound(&mut self, input: &Input, nodes: &[NodeId], classes: &Classes) -> Result<bool, Halt> {
        let place = |&node: &NodeId| {
            let parent = input.tree.parent(node)?;
            let child = input.tree.children(parent).iter().position(|&child| child == node)?;
            Some((*classes.get(&parent)?, child))
        };
        let places: Option<Vec<(ClassId, usize)>> = nodes.iter().map(place).collect();
        let nonterminal = input.tree.nonterminal(self.example.grammar, nodes[0]);
        let (Some(places), Some(nonterminal)) = (places, nonterminal) else { return Ok(false) };
        let vary = &mut |session: &mut Self, turn: usize| {
            let text = session.fill(nonterminal, turn)?;
            let fills: Vec<(NodeId, Vec<u8>)> = nodes.iter().map(|&node| (node, text.clone())).collect();
            Some(input.with(session.example, &fills))
        };
        let checks = self.settings.screening;
        if !matches!(self.trial(Verdict::Fail, checks, vary)?, Trial::Holds) {
            return Ok(false);
        }
        let number = self.hypothesis.new_number();
        for (class, child) in places {
            self.hypothesis.set_want(class, 0, child, Want::Bound(number));
        }
        Ok(true)
    }
}
