//! The graph-structured stack of a running parser (Tomita 1985): one stack as long as there is one thing to do, a
//! graph of stacks when there are several.
//!
//! A node holds a state, the offset at which it was entered, and edges to the nodes below. Nearly all
//! nodes have one edge, which lies in the node itself. While there is a single stack, what comes on top of
//! it is kept in [`super::linear_stack`], and nodes that were taken off are reused, so that a deterministic parse
//! needs memory for its depth only.
//!
//! Because no symbol is empty (see [`super::productions`]), the edges of a node lead to nodes of
//! earlier offsets. So when a node gets another edge, the only reductions left to make are those
//! that begin with this very edge.

use std::num::NonZeroU32;
use std::ops::Index;

use super::index::{EdgeId, GssNodeId, SppfNodeId, StateId};
use super::productions::Production;
use super::run::STRIDE;
use crate::base::id::IdVec;
use crate::base::limits::{Exceeded, Meter};

/// A node of the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct GssNode {
    pub state: StateId,
    /// The offset in the input up to which this node has read.
    pub offset: u32,
    /// The node below; `None` at the bottom.
    pub below: Option<GssNodeId>,
    /// What was made of the symbol between the two nodes; `None` for a terminal.
    pub label: Option<SppfNodeId>,
    /// The next edge, if there are more.
    more: Option<EdgeId>,
}

impl GssNode {
    /// Whether there is more than one node below.
    pub(super) fn is_shared(&self) -> bool {
        self.more.is_some()
    }
}

/// An edge to a node below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub below: GssNodeId,
    pub label: Option<SppfNodeId>,
    more: Option<EdgeId>,
}

impl Edge {
    pub(super) fn new(below: GssNodeId, label: Option<SppfNodeId>) -> Self {
        Self { below, label, more: None }
    }
}

/// All nodes and edges of a parse.
#[derive(Debug, Default)]
pub(super) struct Gss {
    nodes: IdVec<GssNodeId, GssNode>,
    edges: IdVec<EdgeId, Edge>,
}

impl Index<GssNodeId> for Gss {
    type Output = GssNode;

    #[inline]
    fn index(&self, node: GssNodeId) -> &GssNode {
        &self.nodes[node]
    }
}

impl Gss {
    /// Adds a node with one edge, or with none at the bottom.
    #[inline]
    pub(super) fn push(
        &mut self,
        state: StateId,
        offset: usize,
        below: Option<GssNodeId>,
        label: Option<SppfNodeId>,
    ) -> GssNodeId {
        self.nodes.push(GssNode { state, offset: offset as u32, below, label, more: None })
    }

    /// Takes off all nodes that came after this one.
    pub(super) fn truncate_above(&mut self, last: GssNodeId) {
        self.nodes.truncate_after(last);
    }

    /// Adds an edge to a node that has one.
    pub(super) fn add_edge(&mut self, node: GssNodeId, below: GssNodeId, label: Option<SppfNodeId>) {
        let node = &mut self.nodes[node];
        node.more = Some(self.edges.push(Edge { below, label, more: node.more }));
    }

    /// The edges of a node.
    pub(super) fn edges(&self, node: GssNodeId) -> impl Iterator<Item = Edge> + '_ {
        let GssNode { below, label, more, .. } = self[node];
        below.into_iter().flat_map(move |below| self.edges_from(Edge { below, label, more }))
    }

    /// An edge of a node and those that come after it.
    #[inline]
    fn edges_from(&self, first: Edge) -> impl Iterator<Item = Edge> + '_ {
        std::iter::successors(Some(first), |edge| edge.more.map(|more| self.edges[more]))
    }

    /// Adds to `found` the node at the end of each path that begins with `first` and has an edge for each symbol of
    /// `production`, and the labels of those of its nonterminals. Each edge counts as two `spent`
    /// steps, of which only a few are not at the meter afterwards.
    pub(super) fn paths(
        &self,
        first: Edge,
        production: &Production,
        open: &mut Vec<Path>,
        found: &mut Vec<(GssNodeId, Labels)>,
        spent: &mut u64,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        let [left, right] = production.from_end.map(|nth| nth.map_or(0, NonZeroU32::get));
        let steps = production.length;
        let label = |labels: Labels, edges: u32, label: Option<SppfNodeId>| match labels {
            [_, second] if edges == left => [label, second],
            [first, _] if edges == right => [first, label],
            labels => labels,
        };
        if steps == 1 {
            *spent += 2;
            found.push((first.below, label([None; 2], 1, first.label)));
            return Ok(());
        }
        open.clear();
        let mut next = Some(Path { edge: first, edges: 1, labels: [None; 2] });
        while let Some(Path { mut edge, mut edges, mut labels }) = next {
            // Only where paths part, all but one of them have to wait.
            next = loop {
                *spent += 2;
                labels = label(labels, edges, edge.label);
                if edges == steps {
                    found.push((edge.below, labels));
                    break open.pop();
                }
                let node = &self[edge.below];
                let Some(below) = node.below else { break open.pop() };
                edge = Edge { below, label: node.label, more: node.more };
                edges += 1;
                if edge.more.is_none() {
                    continue;
                }
                if edges < steps {
                    open.extend(self.edges_from(edge).map(|edge| Path { edge, edges, labels }));
                    break open.pop();
                }
                // The last edges are many in ambiguous inputs: they are taken as they come, and then in the order in
                // which they would have come from `open`.
                let begin = found.len();
                let ends = self.edges_from(edge).map(|edge| (edge.below, label(labels, edges, edge.label)));
                ends.for_each(|end| found.push(end));
                found[begin..].reverse();
                *spent += 2 * (found.len() - begin) as u64;
                break open.pop();
            };
            if *spent >= STRIDE {
                meter.spend(std::mem::take(spent))?;
            }
        }
        Ok(())
    }
}

/// The labels of (at most two) edges on a path.
pub(super) type Labels = [Option<SppfNodeId>; 2];

/// A path down the stack in the making.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    edge: Edge,
    /// How many edges it has, this one included.
    edges: u32,
    labels: Labels,
}
