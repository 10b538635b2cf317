//! The stack of a parser as long as there is one thing to do at a time, in as little memory as it can be.
//!
//! A grammar that is right-recursive, as most lists are, stacks up its whole input before it reduces anything.
//! So a cell takes five bytes, and four more if it has a node: where it ends follows from the widths of
//! the cells, and that it stands on the one before it needs no saying. It becomes cells of
//! [`super::stack`] when a second stack comes into being.

use super::productions::NONE;
use super::stack::Stacks;

/// In the state of a cell: it has a node. States are smaller than this.
const HAS_NODE: u32 = 1 << 31;

/// The width of a cell that is as wide as the next entry of [`SingleStack::wide`] says.
const WIDE: u8 = u8::MAX;

/// A cell, in as few bytes as it can be.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
struct Cell {
    /// The state, and whether the cell has a node.
    state: u32,
    /// How many bytes of the input it has read.
    width: u8,
}

impl Cell {
    #[inline]
    fn new(state: u32, width: usize, has_node: bool) -> Self {
        let state = if has_node { state | HAS_NODE } else { state };
        Self { state, width: width.min(usize::from(WIDE)) as u8 }
    }
}

/// The cells of one stack that stands on a cell of [`Stacks`].
#[derive(Debug, Default)]
pub(super) struct SingleStack {
    cells: Vec<Cell>,
    /// The widths of wide cells.
    wide: Vec<u32>,
    nodes: Vec<u32>,
}

/// The width of the uppermost cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    /// How many bytes of the input they have read.
    pub bytes: usize,
    /// How many of them are wide.
    wide: usize,
}

impl SingleStack {
    /// The number of cells.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The state of the uppermost of the lowest `height` cells.
    #[inline]
    pub(super) fn state(&self, height: usize) -> Option<u32> {
        Some(self.cells[height.checked_sub(1)?].state & !HAS_NODE)
    }

    /// Adds a cell for so many bytes of the input.
    #[inline]
    pub(super) fn push(&mut self, state: u32, width: usize, node: Option<u32>) {
        self.cells.push(Cell::new(state, width, node.is_some()));
        if let Some(node) = node {
            self.nodes.push(node);
        }
        if width >= usize::from(WIDE) {
            self.wide.push(width as u32);
        }
    }

    /// The width of the uppermost `cells`.
    #[inline]
    pub(super) fn width(&self, cells: usize) -> Width {
        if let (1, Some(&Cell { width: only, .. })) = (cells, self.cells.last())
            && only < WIDE
        {
            return Width { bytes: usize::from(only), wide: 0 };
        }
        let (mut bytes, mut wide) = (0, 0);
        for cell in &self.cells[self.cells.len() - cells..] {
            bytes += usize::from(cell.width);
            wide += usize::from(cell.width == WIDE);
        }
        if wide > 0 {
            let widths = self.wide[self.wide.len() - wide..].iter();
            bytes += widths.map(|&width| width as usize - usize::from(WIDE)).sum::<usize>();
        }
        Width { bytes, wide }
    }

    /// The uppermost nodes, so many, from below.
    #[inline]
    pub(super) fn nodes(&self, count: u32) -> [u32; 2] {
        match (count, &self.nodes[..]) {
            (1, [.., only]) => [*only, NONE],
            (2, [.., left, right]) => [*left, *right],
            _ => [NONE; 2],
        }
    }

    /// Puts one cell in the place of the uppermost `cells`, at least one, that have this width and so many nodes.
    #[inline]
    pub(super) fn replace(
        &mut self,
        (cells, nodes): (usize, usize),
        width: Width,
        state: u32,
        node: Option<u32>,
    ) {
        self.nodes.truncate(self.nodes.len() - nodes);
        if let Some(node) = node {
            self.nodes.push(node);
        }
        self.cells.truncate(self.cells.len() - cells + 1);
        if let Some(top) = self.cells.last_mut() {
            *top = Cell::new(state, width.bytes, node.is_some());
        }
        if width.wide > 0 {
            self.wide.truncate(self.wide.len() - width.wide);
        }
        if width.bytes >= usize::from(WIDE) {
            self.wide.push(width.bytes as u32);
        }
    }

    /// Moves all cells onto `base`; returns the uppermost.
    pub(super) fn settle(&mut self, base: u32, stacks: &mut Stacks) -> u32 {
        let mut nodes = self.nodes.iter();
        let mut wide = self.wide.iter();
        let mut top = base;
        let mut offset = stacks.cells[base as usize].offset as usize;
        for &Cell { state, width } in &self.cells {
            let widened = if width == WIDE { wide.next() } else { None };
            offset += widened.map_or(usize::from(width), |&width| width as usize);
            let node = if state & HAS_NODE == 0 { None } else { nodes.next() };
            top = stacks.push(state & !HAS_NODE, offset, top, node.copied().unwrap_or(NONE));
        }
        self.clear();
        top
    }

    /// Takes off all cells.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.wide.clear();
        self.nodes.clear();
    }

    /// The last node.
    pub(super) fn last_node(&self) -> Option<u32> {
        self.nodes.last().copied()
    }

    /// The nodes of all cells, from the top down; `None` for those without.
    pub(super) fn downward(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        let mut nodes = self.nodes.iter().rev();
        let next = move |&Cell { state, .. }: &Cell| {
            if state & HAS_NODE == 0 { None } else { nodes.next().copied() }
        };
        self.cells.iter().rev().map(next)
    }
}

/// A single stack: cells on top of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing<'a> {
    /// The upper part.
    pub single: &'a SingleStack,
    /// The lower part, which has one way down as far as it is looked at.
    pub stacks: &'a Stacks,
    /// The cell on which the upper part stands.
    pub base: u32,
    /// Where the uppermost cell ends in the input.
    pub end: usize,
}

impl Standing<'_> {
    /// Where the cell ends that is so far below the uppermost one.
    pub(super) fn offset(&self, depth: u32) -> usize {
        let height = self.single.len();
        match (depth as usize).checked_sub(height) {
            None | Some(0) => self.end - self.single.width(depth as usize).bytes,
            Some(more) => {
                let mut cell = self.base;
                for _ in 0..more {
                    cell = self.stacks.cells[cell as usize].below;
                }
                self.stacks.cells[cell as usize].offset as usize
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_keep_their_widths_states_and_nodes(
            cells in proptest::collection::vec((0u32..1000, 1usize..600, proptest::option::of(0u32..9)), 0..60),
            kept in 0usize..60,
            new in proptest::option::of(0u32..9),
        ) {
            let kept = kept.min(cells.len());
            let mut stacks = Stacks::default();
            let base = stacks.push(0, 7, NONE, NONE);
            let mut single = SingleStack::default();
            for &(state, width, node) in &cells {
                single.push(state, width, node);
            }
            let end = 7 + cells.iter().map(|cell| cell.1).sum::<usize>();
            let standing = Standing { single: &single, stacks: &stacks, base, end };
            let ends: Vec<usize> = cells.iter().scan(7, |sum, cell| { *sum += cell.1; Some(*sum) }).collect();
            for (depth, &end) in ends.iter().rev().chain(&[7]).enumerate() {
                prop_assert_eq!(standing.offset(depth as u32), end);
            }
            prop_assert_eq!(single.downward().count(), cells.len());
            let off = &cells[kept..];
            let width = single.width(off.len());
            prop_assert_eq!(width.bytes, off.iter().map(|cell| cell.1).sum::<usize>());
            prop_assert_eq!(single.state(kept), kept.checked_sub(1).map(|last| cells[last].0));
            let nodes = off.iter().filter(|cell| cell.2.is_some()).count();
            let mut left = cells[..kept].to_vec();
            if !off.is_empty() {
                single.replace((off.len(), nodes), width, 77, new);
                left.push((77, width.bytes, new));
            }
            let ends: Vec<usize> = left.iter().scan(7, |sum, cell| { *sum += cell.1; Some(*sum) }).collect();
            let mut cell = single.settle(base, &mut stacks);
            prop_assert_eq!(single.len(), 0);
            for (&(state, _, node), &end) in left.iter().zip(&ends).rev() {
                let found = stacks.cells[cell as usize];
                prop_assert_eq!((found.state, found.offset as usize), (state, end));
                prop_assert_eq!(found.node, node.unwrap_or(NONE));
                cell = found.below;
            }
            prop_assert_eq!(cell, base);
        }
    }
}
