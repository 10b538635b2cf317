//! The characteristic node: the smallest subtree of the abstract input that fails wherever it is
//! planted.
//!
//! The seeds' way ("Specializing Context-Free Grammars for Inducing Faults") goes down from the root
//! as long as the failure is reproduced. Since whatever contains a subtree that always fails always
//! fails as well, one may also begin with the smallest: nearly all candidates are refuted by their
//! first input, and only the answer costs a row of checks.

use crate::grammar::analysis::recursive;
use crate::oracle::Halt;
use crate::tree::{NodeId, Tree};

use super::context::instantiate;
use super::ddset::Session;
use super::row::{Check, Outcome, known_first, row};
use super::{Planter, pattern_of};

impl Session<'_, '_, '_> {
    /// The smallest subtree that fails wherever it is planted, and whether that was verified.
    pub(super) fn ask_characteristic(&mut self, planter: &mut dyn Planter) -> Result<(NodeId, bool), Halt> {
        let (grammar, tree) = (self.example.grammar, self.example.tree);
        if self.abstract_nodes.contains(tree.root()) {
            return Ok((tree.root(), true));
        }
        for node in self.candidates() {
            // A start symbol that never occurs inside is planted nowhere but at the root, and there
            // it was verified before.
            if node == tree.root() && !recursive(grammar).contains(grammar.start()) {
                return Ok((node, true));
            }
            if self.always_fails(node, planter)? {
                return Ok((node, true));
            }
        }
        Ok((tree.root(), false))
    }

    /// The smallest subtree that holds all concrete terminals; the root when there are none.
    pub(super) fn static_characteristic(&self) -> NodeId {
        let tree = self.example.tree;
        let concrete = self.concrete_nodes();
        let is_terminal = |&&node: &&NodeId| tree.rule(node).is_none();
        let all = concrete.iter().filter(is_terminal).count();
        let mut found = tree.root();
        if all == 0 {
            return found;
        }
        let mut below = vec![0; concrete.len()];
        let index_of: std::collections::HashMap<NodeId, usize> =
            concrete.iter().enumerate().map(|(index, &node)| (node, index)).collect();
        // Children stand behind their parents: the last node with all of them is the lowest.
        for (index, &node) in concrete.iter().enumerate().rev() {
            below[index] += usize::from(tree.rule(node).is_none());
            if below[index] == all && self.may_be_characteristic(node) {
                found = node;
                break;
            }
            if let Some(parent) = tree.parent(node) {
                let sum = below[index];
                below[index_of[&parent]] += sum;
            }
        }
        found
    }

    /// The concrete nodes, parents before children, from left to right.
    fn concrete_nodes(&self) -> Vec<NodeId> {
        let tree = self.example.tree;
        let mut nodes = Vec::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            if !self.abstract_nodes.contains(node) {
                nodes.push(node);
                open.extend(tree.children(node).iter().rev());
            }
        }
        nodes
    }

    /// A pattern is told to people by the name of its nonterminal; those made from operators have
    /// none that says anything.
    fn may_be_characteristic(&self, node: NodeId) -> bool {
        let (grammar, tree): (_, &Tree) = (self.example.grammar, self.example.tree);
        node == tree.root()
            || tree
                .nonterminal(grammar, node)
                .is_some_and(|nonterminal| !grammar.nonterminal(nonterminal).is_helper())
    }

    /// The candidates: those with the fewest concrete nodes first, then in document order.
    fn candidates(&self) -> Vec<NodeId> {
        let tree = self.example.tree;
        let concrete = self.concrete_nodes();
        let index_of: std::collections::HashMap<NodeId, usize> =
            concrete.iter().enumerate().map(|(index, &node)| (node, index)).collect();
        let mut sizes = vec![1; concrete.len()];
        for (index, &node) in concrete.iter().enumerate().rev() {
            if let Some(parent) = tree.parent(node) {
                let size = sizes[index];
                sizes[index_of[&parent]] += size;
            }
        }
        let mut candidates: Vec<usize> =
            (0..concrete.len()).filter(|&index| self.may_be_characteristic(concrete[index])).collect();
        candidates.sort_by_key(|&index| (sizes[index], index));
        // The whole input comes last: it is what is left when all else is refuted.
        candidates.retain(|&index| index != 0);
        let mut nodes: Vec<NodeId> = candidates.into_iter().map(|index| concrete[index]).collect();
        nodes.push(tree.root());
        nodes
    }

    fn always_fails(&mut self, node: NodeId, planter: &mut dyn Planter) -> Result<bool, Halt> {
        let (grammar, tree) = (self.example.grammar, self.example.tree);
        let pattern = pattern_of(grammar, tree, node, &self.abstract_nodes);
        let target = pattern.characteristic();
        let start = grammar.start();
        let most = self.most_likely();
        let own = self.text_of(node).to_vec();
        let Self { settings, judge, stream, likely, .. } = self;
        let check = |text: Vec<u8>| Check { text, origin: () };
        // The node as it is, in the smallest context; the smallest of its kind there; then in
        // contexts of each kind, among cheap strings and among such as made the input pass before.
        let mut first: Vec<Check<()>> =
            likely.cheapest.around(start, target, &own).into_iter().map(check).collect();
        let smallest =
            instantiate(grammar, &pattern, |inner| likely.cheapest.string(inner).map(<[u8]>::to_vec));
        if let Some(smallest) = smallest {
            first.extend(likely.cheapest.around(start, target, &smallest).map(check));
        }
        let passed = likely.all_last_passed();
        let beside = |inner| passed.get(&inner).cloned();
        let among_passed = likely.cheapest.contexts(start, target, most / 2, beside, &own);
        let among_cheap = likely.cheapest.contexts(start, target, most / 2, |_| None, &own);
        first.extend(among_cheap.into_iter().chain(among_passed).map(check));
        known_first(&mut first, judge);
        let mut first = first.into_iter();
        let outcome =
            row(*settings, judge, || first.next().or_else(|| planter.plant(&pattern, stream).map(check)))?;
        Ok(matches!(outcome, Outcome::Holds(_)))
    }
}
