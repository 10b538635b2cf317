//! The nodes of a tree with their features, in document order.

use crate::tree::NodeId;

use super::features::{Feature, FeaturesOfNode};

/// The nodes of a tree with their features, of which `F` says what is known of each.
pub(super) struct Outline<F> {
    pub(super) nodes: Vec<OutlinedNode>,
    /// The features: those of a node come before those of what is below it.
    pub(super) features: Vec<F>,
}

/// A node with features below it.
#[derive(Clone, Copy)]
pub(super) struct OutlinedNode {
    pub(super) node: NodeId,
    /// The range of the features of its subtree in those of its tree.
    pub(super) begin: usize,
    pub(super) end: usize,
}

impl<F: Copy> Outline<F> {
    pub(super) fn new(by_node: &[FeaturesOfNode], mut known: impl FnMut(&Feature, NodeId) -> F) -> Self {
        let mut outline = Self { nodes: Vec::new(), features: Vec::new() };
        for FeaturesOfNode { node, features, end } in by_node {
            outline.nodes.push(OutlinedNode { node: *node, begin: outline.features.len(), end: *end });
            outline.features.extend(features.iter().map(|feature| known(feature, *node)));
        }
        outline
    }

    /// The features of the node of this number by itself.
    pub(super) fn of_node(&self, number: usize) -> impl Iterator<Item = F> {
        let end = self.nodes.get(number + 1).map_or(self.features.len(), |next| next.begin);
        self.features[self.nodes[number].begin..end].iter().copied()
    }

    /// The numbers of the nodes below the one of this number that have features.
    pub(super) fn below(&self, number: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[number].end;
        (number + 1..self.nodes.len()).take_while(move |&below| self.nodes[below].begin < end)
    }

    /// The numbers of the nodes that end before these features begin.
    pub(super) fn before(&self, begin: usize) -> impl Iterator<Item = usize> {
        let until = self.nodes.iter().take_while(move |node| node.begin < begin);
        until.enumerate().filter(move |(_, node)| node.end <= begin).map(|(number, _)| number)
    }
}
