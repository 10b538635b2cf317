//! Sharing: nodes of equal text that may vary, but only together, such as the places at which one
//! variable is used. (ISSTA 2020, section 4.3.)
//!
//! Asked about are the named nodes of the same nonterminal and the same text that have to stay as they
//! are when they vary alone, the largest groups first. Groups at the same places, one above the other, are
//! a chain: the highest that may vary is found as for single nodes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::grammar::NonterminalId;
use crate::oracle::Halt;
use crate::tree::NodeId;

use super::ddset::{Generalization, NodeGroup};
use super::trial::{TrialOutcome, TrialSize};

/// Of groups that may not vary together, so large ones are tried with one node left out.
const MOST_WITHOUT_ONE: usize = 5;

impl Generalization<'_, '_, '_> {
    /// Finds groups of nodes that may vary together.
    pub(super) fn share(&mut self) -> Result<(), Halt> {
        for chain in self.equals() {
            let chain: Vec<Vec<NodeId>> = chain.into_iter().filter_map(|nodes| self.shut(nodes)).collect();
            let Some((top, bottom)) = chain.first().zip(chain.last()) else { continue };
            if self.try_group(top)? || chain.len() == 1 && self.try_without_one(top)? {
                continue;
            }
            if chain.len() == 1 || !self.may_vary_as_one(bottom)? {
                if chain.len() > 1 {
                    self.try_without_one(bottom)?;
                }
                continue;
            }
            let (mut bad, mut good) = (0, chain.len() - 1);
            while good - bad > 1 {
                let middle = bad.midpoint(good);
                if self.may_vary_as_one(&chain[middle])? {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            let group = self.group(chain[good].iter().copied());
            self.open(group);
        }
        Ok(())
    }

    /// Screens each group that lacks one of these nodes, and lets the first vary that may.
    fn try_without_one(&mut self, nodes: &[NodeId]) -> Result<bool, Halt> {
        if !(3..=MOST_WITHOUT_ONE).contains(&nodes.len()) {
            return Ok(false);
        }
        for index in 0..nodes.len() {
            let mut fewer = nodes.to_vec();
            fewer.remove(index);
            if self.try_group(&fewer)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Those of the nodes no part of which varies, if they are two or more.
    fn shut(&self, mut nodes: Vec<NodeId>) -> Option<Vec<NodeId>> {
        nodes.retain(|&node| !self.is_open(node) && !self.has_open(node));
        (nodes.len() > 1).then_some(nodes)
    }

    /// Screens whether nodes may vary together, and lets them if they may.
    pub(super) fn try_group(&mut self, nodes: &[NodeId]) -> Result<bool, Halt> {
        let may = self.may_vary_as_one(nodes)?;
        if may {
            self.open(self.group(nodes.iter().copied()));
        }
        Ok(may)
    }

    fn may_vary_as_one(&mut self, nodes: &[NodeId]) -> Result<bool, Halt> {
        let group: NodeGroup = self.group(nodes.iter().copied());
        if self.unshared.contains(&group) {
            return Ok(false);
        }
        let outcome =
            self.vary(std::slice::from_ref(&group), TrialSize::screening(self.settings), Vec::new())?;
        // One string only: they do not vary.
        let may = matches!(outcome, TrialOutcome::Holds(2..));
        if !may {
            self.unshared.insert(group);
        }
        Ok(may)
    }

    /// The groups of concrete nodes with the same nonterminal and text, largest first: at each place a
    /// chain of them, from the top down.
    fn equals(&self) -> Vec<Vec<Vec<NodeId>>> {
        let (grammar, tree) = (self.example.grammar, self.example.tree);
        let mut groups: BTreeMap<(&[u8], NonterminalId), Vec<NodeId>> = BTreeMap::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            let Some(nonterminal) = tree.nonterminal(grammar, node) else { continue };
            if self.abstract_nodes.contains(node) || self.is_empty(node) || self.is_skip(node) {
                continue;
            }
            if !grammar.nonterminal(nonterminal).is_helper() {
                groups.entry((self.text_of(node), nonterminal)).or_default().push(node);
            }
            if !self.is_token(node) {
                open.extend(tree.children(node).iter().rev());
            }
        }
        let mut chains: BTreeMap<Vec<(usize, usize)>, Vec<Vec<NodeId>>> = BTreeMap::new();
        for nodes in groups.into_values().filter(|nodes| nodes.len() > 1) {
            let spans = nodes.iter().map(|&node| self.spans[node]).collect();
            chains.entry(spans).or_default().push(nodes);
        }
        let mut chains: Vec<Vec<Vec<NodeId>>> = chains.into_values().collect();
        for chain in &mut chains {
            chain.sort_by_key(|nodes| self.order[nodes[0]]);
        }
        chains.sort_by_key(|chain| {
            let nodes = &chain[0];
            (Reverse(nodes.len()), Reverse(self.text_of(nodes[0]).len()), self.order[nodes[0]])
        });
        chains
    }

    /// Whether a node varies, alone or as a part of what does.
    fn is_open(&self, node: NodeId) -> bool {
        std::iter::successors(Some(node), |&node| self.example.tree.parent(node))
            .any(|node| self.abstract_nodes.contains(node))
    }

    /// Whether a part of a node varies that is not empty.
    fn has_open(&self, node: NodeId) -> bool {
        self.groups
            .iter()
            .flat_map(|group| group.iter())
            .any(|&part| self.is_below(part, node) && !self.is_empty(part))
    }
}
