//! The graph-structured stack of a running parser (Tomita 1985): one stack as long as there is one thing to do, a
//! graph of stacks when there are several.
//!
//! A node holds a state, the offset at which it was entered, and edges to the nodes below. Nearly all
//! nodes have one edge, which lies in the node itself. While there is a single stack, what comes on top of
//! it is kept in [`super::linear_stack`], and nodes that were taken off are reused, so that a deterministic parse
//! needs memory for its depth only.
//!
//! Because no symbol is empty (see [`super::productions`]), the edges of a node lead to nodes of
//! earlier offsets. So when a node gets another edge, the only reductions to be made up for are those
//! that begin with this very edge.

use std::ops::Index;

use super::index::{EdgeId, GssNodeId, SppfNodeId, StateId};
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
    nodes: Vec<GssNode>,
    edges: Vec<Edge>,
}

impl Index<GssNodeId> for Gss {
    type Output = GssNode;

    #[inline]
    fn index(&self, node: GssNodeId) -> &GssNode {
        &self.nodes[node.index()]
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
        let id = GssNodeId::new(self.nodes.len() as u32);
        self.nodes.push(GssNode { state, offset: offset as u32, below, label, more: None });
        id
    }

    /// Takes off all nodes that came after this one.
    pub(super) fn truncate_above(&mut self, last: GssNodeId) {
        self.nodes.truncate(last.index() + 1);
    }

    /// Adds an edge to a node that has one.
    pub(super) fn add_edge(&mut self, node: GssNodeId, below: GssNodeId, label: Option<SppfNodeId>) {
        let id = EdgeId::new(self.edges.len() as u32);
        let node = &mut self.nodes[node.index()];
        self.edges.push(Edge { below, label, more: node.more });
        node.more = Some(id);
    }

    /// The edges of a node.
    pub(super) fn edges(&self, node: GssNodeId) -> impl Iterator<Item = Edge> + '_ {
        let GssNode { below, label, more, .. } = self[node];
        let mut next = below.map(|below| Edge { below, label, more });
        std::iter::from_fn(move || {
            let edge = next?;
            next = edge.more.map(|more| self.edges[more.index()]);
            Some(edge)
        })
    }

    /// Calls `found` with the node at the end of each path of `steps` edges that begins with `first`,
    /// and with the labels on the path at the distances `left` and `right` from its beginning. Each edge
    /// costs two steps.
    pub(super) fn paths(
        &self,
        first: Edge,
        [steps, left, right]: [u32; 3],
        open: &mut Vec<Path>,
        meter: &mut Meter,
        mut found: impl FnMut(GssNodeId, [Option<SppfNodeId>; 2]),
    ) -> Result<(), Exceeded> {
        open.clear();
        open.push(Path { edge: first, depth: 0, labels: [None; 2] });
        // Most reductions have few paths, for which the meter is told once.
        let mut count = 0;
        while let Some(Path { edge, depth, mut labels }) = open.pop() {
            count += 2;
            if count >= 1 << 12 {
                meter.spend(std::mem::take(&mut count))?;
            }
            if depth == left {
                labels[0] = edge.label;
            } else if depth == right {
                labels[1] = edge.label;
            }
            if depth + 1 == steps {
                found(edge.below, labels);
            } else {
                open.extend(self.edges(edge.below).map(|edge| Path { edge, depth: depth + 1, labels }));
            }
        }
        meter.spend(count)
    }
}

/// A path down the stack in the making.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    edge: Edge,
    depth: u32,
    labels: [Option<SppfNodeId>; 2],
}
