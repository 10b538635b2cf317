//! The forest as it grows during a run.

use std::ops::Index;
use std::sync::Arc;

use super::index::{AlternativeId, ProductionId, SppfNodeId};
use super::linear_stack::StackView;
use super::memo::NodeMemo;
use super::productions::Plan;
use super::semantics::{Reduction, Semantics};
use crate::base::id::{Id, IdVec};

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
    pub production: ProductionId,
    pub nodes: [Option<SppfNodeId>; 2],
    /// The next alternative, if this is not the last.
    pub more: Option<AlternativeId>,
}

/// The forest of a run.
#[derive(Clone, Debug)]
pub(super) struct PackedForest {
    pub nodes: IdVec<SppfNodeId, SymbolNode>,
    pub more: IdVec<AlternativeId, PackedNode>,
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
        let (nodes, more) = (IdVec::new(), IdVec::new());
        Self { nodes, more, is_plain: true, is_ordered: true, before: 0, most, plan }
    }
}

impl Index<SppfNodeId> for PackedForest {
    type Output = SymbolNode;

    #[inline]
    fn index(&self, node: SppfNodeId) -> &SymbolNode {
        &self.nodes[node]
    }
}

impl PackedForest {
    /// The alternative that comes after one.
    #[inline]
    pub(super) fn after(&self, alternative: &PackedNode) -> Option<&PackedNode> {
        alternative.more.map(|next| &self.more[next])
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
        let alternative = PackedNode { production, nodes, more: None };
        Some(self.nodes.push(SymbolNode { start, end, alternative }))
    }

    fn fork(&mut self, memo: &mut NodeMemo) {
        self.is_plain = false;
        // A reduction on a single stack takes off the node that was made before it, so nothing at this offset will
        // ever begin behind the last node again.
        let Some(&SymbolNode { start, .. }) = self.nodes.as_slice()[self.before..].last() else { return };
        let nodes = self.nodes.entries().skip(self.before).rev();
        for (id, node) in nodes.take_while(|(_, node)| node.start == start) {
            let PackedNode { production, nodes, .. } = node.alternative;
            let lhs = self.plan.productions[production].lhs;
            memo.node(lhs, node.start, id);
            memo.is_new_alternative(id, production, nodes);
        }
    }

    fn reduce_shared(&mut self, reduction: Reduction, memo: &mut NodeMemo) -> Option<SppfNodeId> {
        let Reduction { production, lhs, start, end, nodes } = reduction;
        if self.nodes.len() + self.more.len() >= self.most {
            return None;
        }
        let new = SppfNodeId::new(self.nodes.len());
        let mut alternative = PackedNode { production, nodes, more: None };
        let known = memo.node(lhs, start, new);
        let id = known.unwrap_or(new);
        let is_new = memo.is_new_alternative(id, production, nodes);
        if known.is_none() {
            self.nodes.push(SymbolNode { start, end, alternative });
        } else if is_new {
            let first = &mut self.nodes[id].alternative;
            alternative.more = first.more;
            first.more = Some(self.more.push(alternative));
            self.is_ordered &= nodes.iter().flatten().all(|&child| child < id);
        }
        Some(id)
    }
}
