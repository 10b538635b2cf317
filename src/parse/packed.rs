//! The forest as it grows during a run.

use std::num::NonZeroU32;
use std::ops::Index;
use std::sync::Arc;

use super::index::SppfNodeId;
use super::linear_stack::StackView;
use super::memo::NodeMemo;
use super::productions::Plan;
use super::semantics::{Reduction, Semantics};

/// A node of the forest: a variable with where it begins and ends, and its first alternative. The
/// variable is that of the production.
#[derive(Clone, Copy, Debug)]
pub(super) struct SymbolNode {
    pub start: u32,
    pub end: u32,
    pub alternative: PackedNode,
}

/// A production and its (at most two) nonterminals, which are nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedNode {
    pub production: u32,
    pub nodes: [Option<SppfNodeId>; 2],
    /// The next alternative, its place in [`PackedForest::more`] plus one; `None` if this is the last.
    pub more: Option<NonZeroU32>,
}

/// The forest of a run.
#[derive(Clone, Debug)]
pub(super) struct PackedForest {
    pub nodes: Vec<SymbolNode>,
    pub more: Vec<PackedNode>,
    /// Whether all nodes are part of the result.
    pub is_plain: bool,
    /// Whether each node's children have smaller numbers.
    pub is_ordered: bool,
    /// How many nodes there were when the single stack came to its offset.
    before: usize,
    /// The most nodes and further alternatives that there may be when there are several stacks.
    most: usize,
    plan: Arc<Plan>,
}

impl PackedForest {
    /// A forest without any node, which is given up when an ambiguous input needs more than `most`.
    pub(super) fn new(plan: Arc<Plan>, most: usize) -> Self {
        let (nodes, more) = (Vec::new(), Vec::new());
        Self { nodes, more, is_plain: true, is_ordered: true, before: 0, most, plan }
    }
}

impl Index<SppfNodeId> for PackedForest {
    type Output = SymbolNode;

    #[inline]
    fn index(&self, node: SppfNodeId) -> &SymbolNode {
        &self.nodes[node.index()]
    }
}

impl PackedForest {
    /// The alternative that comes after one.
    #[inline]
    pub(super) fn after(&self, alternative: &PackedNode) -> Option<&PackedNode> {
        alternative.more.map(|place| &self.more[place.get() as usize - 1])
    }
}

impl Semantics for PackedForest {
    const TRACKS: bool = true;
    /// A node takes 28 bytes: there is room for a hundred million within the default limit.
    const STEPS: u64 = 16;

    #[inline]
    fn advance(&mut self) {
        self.before = self.nodes.len();
    }

    #[inline]
    fn reduce(&mut self, reduction: Reduction, _: StackView<'_>) -> Option<SppfNodeId> {
        let Reduction { production, start, end, nodes, .. } = reduction;
        let node = SppfNodeId::new(self.nodes.len() as u32);
        self.nodes.push(SymbolNode { start, end, alternative: PackedNode { production, nodes, more: None } });
        Some(node)
    }

    fn fork(&mut self, memo: &mut NodeMemo) {
        self.is_plain = false;
        // A reduction on a single stack takes off the node that was made before it, so nothing at this offset will
        // ever begin behind the last node again.
        let Some(&SymbolNode { start, .. }) = self.nodes[self.before..].last() else { return };
        let nodes = self.nodes.iter().enumerate().skip(self.before).rev();
        for (id, node) in nodes.take_while(|(_, node)| node.start == start) {
            let PackedNode { production, nodes: [left, right], .. } = node.alternative;
            let lhs = self.plan.productions[production as usize].lhs;
            let id = id as u32;
            let (left, right) = (SppfNodeId::key(left), SppfNodeId::key(right));
            memo.nodes.get_or_insert([lhs, node.start], id);
            memo.alternatives.get_or_insert([id, production, left, right], ());
        }
    }

    fn reduce_shared(&mut self, reduction: Reduction, memo: &mut NodeMemo) -> Option<SppfNodeId> {
        let Reduction { production, lhs, start, end, nodes } = reduction;
        if self.nodes.len() + self.more.len() >= self.most {
            return None;
        }
        let new = self.nodes.len() as u32;
        let [left, right] = nodes.map(SppfNodeId::key);
        let mut alternative = PackedNode { production, nodes, more: None };
        let known = memo.nodes.get_or_insert([lhs, start], new);
        let id = known.unwrap_or(new);
        let is_new = memo.alternatives.get_or_insert([id, production, left, right], ()).is_none();
        if known.is_none() {
            self.nodes.push(SymbolNode { start, end, alternative });
        } else if is_new {
            let first = &mut self.nodes[id as usize].alternative;
            // One after those that there are: the place of the new one, plus one.
            let place = NonZeroU32::MIN.saturating_add(self.more.len() as u32);
            alternative.more = first.more.replace(place);
            self.more.push(alternative);
            self.is_ordered &= nodes.iter().flatten().all(|child| child.get() < id);
        }
        Some(SppfNodeId::new(id))
    }
}
