//! Sharing: nodes of equal text that may vary, but only together, such as the places at which one
//! variable is used. (ISSTA 2020, section 4.3.)
//!
//! Asked about are the named nodes of the same nonterminal and the same text that have to stay as they
//! are when they vary alone; the largest groups first, and of nodes that have the same text anyway, one
//! above the other, the lowest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::grammar::NonterminalId;
use crate::oracle::Halt;
use crate::tree::NodeId;

use super::ddset::{Session, Unit};
use super::row::{Length, Outcome};

/// Of groups that may not vary together, so large ones are tried with one node left out.
const MOST_WITHOUT_ONE: usize = 5;

impl Session<'_, '_, '_> {
    /// Finds groups of nodes that may vary together.
    pub(super) fn share(&mut self) -> Result<(), Halt> {
        for group in self.equals() {
            let nodes: Vec<NodeId> =
                group.into_iter().filter(|&node| !self.is_open(node) && !self.has_open(node)).collect();
            if nodes.len() < 2 || self.try_unit(&nodes)? || !(3..=MOST_WITHOUT_ONE).contains(&nodes.len()) {
                continue;
            }
            for index in 0..nodes.len() {
                let mut fewer = nodes.clone();
                fewer.remove(index);
                if self.try_unit(&fewer)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Has a look at whether nodes may vary together, and lets them if they may.
    pub(super) fn try_unit(&mut self, nodes: &[NodeId]) -> Result<bool, Halt> {
        let unit: Unit = self.unit(nodes.iter().copied());
        if self.unshared.contains(&unit) {
            return Ok(false);
        }
        // One string only: they do not vary.
        if matches!(self.vary(&[unit.clone()], Length::look(self.settings), Vec::new())?, Outcome::Holds(2..))
        {
            self.open(unit);
            return Ok(true);
        }
        self.unshared.insert(unit);
        Ok(false)
    }

    /// The groups of concrete nodes with the same nonterminal and text, largest first.
    fn equals(&self) -> Vec<Vec<NodeId>> {
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
        // The lowest have the highest places.
        let mut lowest: BTreeMap<Vec<(usize, usize)>, Vec<NodeId>> = BTreeMap::new();
        for nodes in groups.into_values().filter(|nodes| nodes.len() > 1) {
            let spans = nodes.iter().map(|&node| self.spans[node]).collect();
            let place = lowest.entry(spans).or_default();
            if place.first().is_none_or(|&other| self.order[other] < self.order[nodes[0]]) {
                *place = nodes;
            }
        }
        let mut groups: Vec<Vec<NodeId>> = lowest.into_values().collect();
        groups.sort_by_key(|nodes| {
            (Reverse(nodes.len()), Reverse(self.text_of(nodes[0]).len()), self.order[nodes[0]])
        });
        groups
    }

    /// Whether a node varies, alone or as a part of what does.
    fn is_open(&self, node: NodeId) -> bool {
        std::iter::successors(Some(node), |&node| self.example.tree.parent(node))
            .any(|node| self.abstract_nodes.contains(node))
    }

    /// Whether a part of a node varies that is not empty.
    fn has_open(&self, node: NodeId) -> bool {
        self.units
            .iter()
            .flat_map(|unit| unit.iter())
            .any(|&part| self.is_below(part, node) && !self.is_empty(part))
    }
}
