//! The stacks of a running parser: one stack as long as there is one thing to do, a graph of stacks
//! when there are several (Tomita 1985).
//!
//! A cell holds a state, the offset at which it was entered, and edges to the cells below. Nearly all
//! cells have one edge, which lies in the cell itself. While there is a single stack, what comes on top of
//! it is kept in [`super::single`], and cells that were taken off are reused, so that a deterministic parse
//! needs memory for its depth only.
//!
//! Because no symbol is empty (see [`super::productions`]), the edges of a cell lead to cells of
//! earlier offsets. So when a cell gets another edge, the only reductions to be made up for are those
//! that begin with this very edge.

use super::productions::NONE;
use crate::base::limits::{Exceeded, Meter};

/// A cell of a stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub state: u32,
    /// The offset in the input up to which this cell has read.
    pub offset: u32,
    /// The cell below; `NONE` at the bottom.
    pub below: u32,
    /// The forest node of the symbol between the two cells; `NONE` for a terminal.
    pub node: u32,
    /// The next edge, if there are more.
    pub more: u32,
}

/// An edge to a cell below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub below: u32,
    pub node: u32,
    more: u32,
}

impl Edge {
    pub(super) fn new(below: u32, node: u32) -> Self {
        Self { below, node, more: NONE }
    }
}

/// All cells and edges of a parse.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub cells: Vec<Cell>,
    edges: Vec<Edge>,
}

impl Stacks {
    /// Adds a cell with one edge.
    #[inline]
    pub(super) fn push(&mut self, state: u32, offset: usize, below: u32, node: u32) -> u32 {
        let id = self.cells.len() as u32;
        self.cells.push(Cell { state, offset: offset as u32, below, node, more: NONE });
        id
    }

    /// Adds an edge to a cell that has one.
    pub(super) fn add_edge(&mut self, cell: u32, below: u32, node: u32) {
        let id = self.edges.len() as u32;
        let cell = &mut self.cells[cell as usize];
        self.edges.push(Edge { below, node, more: cell.more });
        cell.more = id;
    }

    /// The edges of a cell.
    pub(super) fn edges(&self, cell: u32) -> impl Iterator<Item = Edge> + '_ {
        let Cell { below, node, more, .. } = self.cells[cell as usize];
        let mut next = (below != NONE).then_some(Edge { below, node, more });
        std::iter::from_fn(move || {
            let edge = next?;
            next = self.edges.get(edge.more as usize).copied();
            Some(edge)
        })
    }

    /// Calls `found` with the cell at the end of each path of `steps` edges that begins with `first`,
    /// and with the forest nodes on the path at the distances `left` and `right` from its beginning. Each edge
    /// costs two steps.
    pub(super) fn paths(
        &self,
        first: Edge,
        [steps, left, right]: [u32; 3],
        open: &mut Vec<Path>,
        meter: &mut Meter,
        mut found: impl FnMut(u32, [u32; 2]),
    ) -> Result<(), Exceeded> {
        open.clear();
        open.push(Path { edge: first, depth: 0, nodes: [NONE; 2] });
        while let Some(Path { edge, depth, mut nodes }) = open.pop() {
            meter.spend(2)?;
            if depth == left {
                nodes[0] = edge.node;
            } else if depth == right {
                nodes[1] = edge.node;
            }
            if depth + 1 == steps {
                found(edge.below, nodes);
            } else {
                open.extend(self.edges(edge.below).map(|edge| Path { edge, depth: depth + 1, nodes }));
            }
        }
        Ok(())
    }
}

/// A path down the stacks in the making.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    edge: Edge,
    depth: u32,
    nodes: [u32; 2],
}
