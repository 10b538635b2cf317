//! The stack of a parser as long as there is one thing to do at a time, in as little memory as it can be.
//!
//! A grammar that is right-recursive, as most lists are, stacks up its whole input before it reduces anything.
//! So a frame takes five bytes, and four more if it has a node: where it ends follows from the widths of
//! the frames, and that it stands on the one before it needs no saying. It becomes a node of
//! [`super::gss`] when a second stack comes into being.

use super::gss::Gss;
use super::index::{GssNodeId, SppfNodeId, StateId};
use crate::base::id::Id;

/// In the state of a frame: it has a node. States are smaller than this.
const HAS_NODE: u32 = 1 << 31;

/// The width of a frame that is as wide as the next entry of [`LinearStack::wide`] says.
const WIDE: u8 = u8::MAX;

/// A frame, in as few bytes as it can be.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
struct Frame {
    /// The state, and whether the frame has a node.
    state: u32,
    /// How many bytes of the input it has read.
    width: u8,
}

impl Frame {
    #[inline]
    fn new(state: StateId, width: usize, has_node: bool) -> Self {
        let state = state.index() as u32;
        let state = if has_node { state | HAS_NODE } else { state };
        Self { state, width: width.min(usize::from(WIDE)) as u8 }
    }

    #[inline]
    fn state(self) -> StateId {
        StateId::new((self.state & !HAS_NODE) as usize)
    }
}

/// The frames of one stack that stands on a node of [`Gss`].
#[derive(Debug, Default)]
pub(super) struct LinearStack {
    frames: Vec<Frame>,
    /// The widths of wide frames.
    wide: Vec<u32>,
    nodes: Vec<SppfNodeId>,
}

/// The width of the uppermost frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    /// How many bytes of the input they have read.
    pub bytes: usize,
    /// How many of them are wide.
    wide: usize,
}

impl LinearStack {
    /// The number of frames.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The state of the uppermost of the lowest `height` frames.
    #[inline]
    pub(super) fn state(&self, height: usize) -> Option<StateId> {
        Some(self.frames[height.checked_sub(1)?].state())
    }

    /// Adds a frame that covers `width` bytes of the input.
    #[inline]
    pub(super) fn push(&mut self, state: StateId, width: usize, node: Option<SppfNodeId>) {
        self.frames.push(Frame::new(state, width, node.is_some()));
        if let Some(node) = node {
            self.nodes.push(node);
        }
        if width >= usize::from(WIDE) {
            self.wide.push(width as u32);
        }
    }

    /// The width of the uppermost `frames`.
    #[inline]
    pub(super) fn width(&self, frames: usize) -> Width {
        if let (1, Some(&Frame { width: only, .. })) = (frames, self.frames.last())
            && only < WIDE
        {
            return Width { bytes: usize::from(only), wide: 0 };
        }
        let (mut bytes, mut wide) = (0, 0);
        for frame in &self.frames[self.frames.len() - frames..] {
            bytes += usize::from(frame.width);
            wide += usize::from(frame.width == WIDE);
        }
        if wide > 0 {
            let widths = self.wide[self.wide.len() - wide..].iter();
            bytes += widths.map(|&width| width as usize - usize::from(WIDE)).sum::<usize>();
        }
        Width { bytes, wide }
    }

    /// The uppermost `count` nodes, from below.
    #[inline]
    pub(super) fn nodes(&self, count: u32) -> [Option<SppfNodeId>; 2] {
        match (count, &self.nodes[..]) {
            (1, [.., only]) => [Some(*only), None],
            (2, [.., left, right]) => [Some(*left), Some(*right)],
            _ => [None; 2],
        }
    }

    /// Puts one frame in the place of the uppermost `frames`, at least one, that have this width and number of nodes.
    #[inline]
    pub(super) fn replace(
        &mut self,
        (frames, nodes): (usize, usize),
        width: Width,
        state: StateId,
        node: Option<SppfNodeId>,
    ) {
        self.nodes.truncate(self.nodes.len() - nodes);
        if let Some(node) = node {
            self.nodes.push(node);
        }
        self.frames.truncate(self.frames.len() - frames + 1);
        if let Some(top) = self.frames.last_mut() {
            *top = Frame::new(state, width.bytes, node.is_some());
        }
        if width.wide > 0 {
            self.wide.truncate(self.wide.len() - width.wide);
        }
        if width.bytes >= usize::from(WIDE) {
            self.wide.push(width.bytes as u32);
        }
    }

    /// Moves all frames onto `base`; returns the uppermost.
    pub(super) fn settle(&mut self, base: GssNodeId, gss: &mut Gss) -> GssNodeId {
        let mut nodes = self.nodes.iter();
        let mut wide = self.wide.iter();
        let mut top = base;
        let mut offset = gss[base].offset as usize;
        for &frame in &self.frames {
            let Frame { state, width } = frame;
            let widened = if width == WIDE { wide.next() } else { None };
            offset += widened.map_or(usize::from(width), |&width| width as usize);
            let node = if state & HAS_NODE == 0 { None } else { nodes.next() };
            top = gss.push(frame.state(), offset, Some(top), node.copied());
        }
        self.clear();
        top
    }

    /// Takes off all frames.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.wide.clear();
        self.nodes.clear();
    }

    /// The last node.
    pub(super) fn last_node(&self) -> Option<SppfNodeId> {
        self.nodes.last().copied()
    }

    /// The nodes of all frames, from the top down; `None` for those without.
    pub(super) fn downward(&self) -> impl Iterator<Item = Option<SppfNodeId>> + '_ {
        let mut nodes = self.nodes.iter().rev();
        let next = move |&Frame { state, .. }: &Frame| {
            if state & HAS_NODE == 0 { None } else { nodes.next().copied() }
        };
        self.frames.iter().rev().map(next)
    }
}

/// A linear stack: frames on top of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackView<'a> {
    /// The upper part.
    pub linear: &'a LinearStack,
    /// The lower part, which has one way down as far as it is looked at.
    pub gss: &'a Gss,
    /// The node on which the upper part stands.
    pub base: GssNodeId,
    /// Where the uppermost frame ends in the input.
    pub end: usize,
}

impl StackView<'_> {
    /// Where the frame ends that is so far below the uppermost one.
    pub(super) fn offset(&self, depth: usize) -> usize {
        let height = self.linear.len();
        match depth.checked_sub(height) {
            None | Some(0) => self.end - self.linear.width(depth).bytes,
            Some(more) => {
                let mut node = self.base;
                for _ in 0..more {
                    node = self.gss[node].below.unwrap_or(node);
                }
                self.gss[node].offset as usize
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
            frames in proptest::collection::vec((0usize..1000, 1usize..600, proptest::option::of(0usize..9)), 0..60),
            kept in 0usize..60,
            new in proptest::option::of(0usize..9),
        ) {
            let kept = kept.min(frames.len());
            let mut gss = Gss::default();
            let base = gss.push(StateId::START, 7, None, None);
            let mut linear = LinearStack::default();
            for &(state, width, node) in &frames {
                linear.push(StateId::new(state), width, node.map(SppfNodeId::new));
            }
            let end = 7 + frames.iter().map(|frame| frame.1).sum::<usize>();
            let view = StackView { linear: &linear, gss: &gss, base, end };
            let ends: Vec<usize> = frames.iter().scan(7, |sum, frame| { *sum += frame.1; Some(*sum) }).collect();
            for (depth, &end) in ends.iter().rev().chain(&[7]).enumerate() {
                prop_assert_eq!(view.offset(depth), end);
            }
            prop_assert_eq!(linear.downward().count(), frames.len());
            let off = &frames[kept..];
            let width = linear.width(off.len());
            prop_assert_eq!(width.bytes, off.iter().map(|frame| frame.1).sum::<usize>());
            prop_assert_eq!(linear.state(kept), kept.checked_sub(1).map(|last| StateId::new(frames[last].0)));
            let nodes = off.iter().filter(|frame| frame.2.is_some()).count();
            let mut left = frames[..kept].to_vec();
            if !off.is_empty() {
                linear.replace((off.len(), nodes), width, StateId::new(77), new.map(SppfNodeId::new));
                left.push((77, width.bytes, new));
            }
            let ends: Vec<usize> = left.iter().scan(7, |sum, frame| { *sum += frame.1; Some(*sum) }).collect();
            let mut frame = linear.settle(base, &mut gss);
            prop_assert_eq!(linear.len(), 0);
            for (&(state, _, node), &end) in left.iter().zip(&ends).rev() {
                let found = gss[frame];
                prop_assert_eq!((found.state, found.offset as usize), (StateId::new(state), end));
                prop_assert_eq!(found.label, node.map(SppfNodeId::new));
                frame = found.below.unwrap();
            }
            prop_assert_eq!(frame, base);
        }
    }
}
