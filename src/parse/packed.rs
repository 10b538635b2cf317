//! The forest as it grows during a run.

use std::sync::Arc;

use super::ledger::{Kind, Ledger};
use super::maker::{Maker, Reduction};
use super::productions::{NONE, Plan};
use super::single::Standing;

/// A node of the forest: a variable with where it begins and ends, and its first alternative. The
/// variable is that of the production.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawNode {
    pub start: u32,
    pub end: u32,
    pub alternative: RawAlternative,
}

/// A production and its (at most two) nonterminals, which are nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawAlternative {
    pub production: u32,
    pub nodes: [u32; 2],
    /// The next alternative among [`RawForest::more`]; `NONE` if this is the last.
    pub more: u32,
}

/// The forest of a run.
#[derive(Clone, Debug)]
pub(super) struct RawForest {
    pub nodes: Vec<RawNode>,
    pub more: Vec<RawAlternative>,
    /// Whether all nodes are part of the result.
    pub is_plain: bool,
    /// Whether each node's children have smaller numbers.
    pub is_ordered: bool,
    /// How many nodes there were when the single stack came to its offset.
    before: usize,
    /// So many nodes and further alternatives may there be when there are several stacks.
    most: usize,
    plan: Arc<Plan>,
}

impl RawForest {
    /// A forest without any node, which is given up when an ambiguous input needs more than `most`.
    pub(super) fn new(plan: Arc<Plan>, most: usize) -> Self {
        let (nodes, more) = (Vec::new(), Vec::new());
        Self { nodes, more, is_plain: true, is_ordered: true, before: 0, most, plan }
    }
}

impl Maker for RawForest {
    const TRACKS: bool = true;
    /// A node takes 28 bytes: there is room for a hundred million within the default limit.
    const STEPS: u64 = 16;

    #[inline]
    fn advance(&mut self) {
        self.before = self.nodes.len();
    }

    #[inline]
    fn make(&mut self, reduction: Reduction, _: Standing<'_>) -> Option<u32> {
        let Reduction { production, start, end, nodes, .. } = reduction;
        let node = self.nodes.len() as u32;
        self.nodes.push(RawNode {
            start,
            end,
            alternative: RawAlternative { production, nodes, more: NONE },
        });
        Some(node)
    }

    fn fork(&mut self, ledger: &mut Ledger) {
        self.is_plain = false;
        // A reduction on a single stack takes off the node that was made before it, so nothing at this offset will
        // ever begin behind the last node again.
        let Some(&RawNode { start, .. }) = self.nodes[self.before..].last() else { return };
        let nodes = self.nodes.iter().enumerate().skip(self.before).rev();
        for (id, node) in nodes.take_while(|(_, node)| node.start == start) {
            let RawAlternative { production, nodes: [left, right], .. } = node.alternative;
            let lhs = self.plan.productions[production as usize].lhs;
            let id = id as u32;
            ledger.get_or_insert(Kind::Node, [lhs, node.start, 0, 0], id);
            ledger.get_or_insert(Kind::Alternative, [id, production, left, right], 0);
        }
    }

    fn make_one_of_several(&mut self, reduction: Reduction, ledger: &mut Ledger) -> Option<u32> {
        let Reduction { production, lhs, start, end, nodes } = reduction;
        if self.nodes.len() + self.more.len() >= self.most {
            return None;
        }
        let new = self.nodes.len() as u32;
        let [left, right] = nodes;
        let mut alternative = RawAlternative { production, nodes, more: NONE };
        let known = ledger.get_or_insert(Kind::Node, [lhs, start, 0, 0], new);
        let id = known.unwrap_or(new);
        let is_new = ledger.get_or_insert(Kind::Alternative, [id, production, left, right], 0).is_none();
        if known.is_none() {
            self.nodes.push(RawNode { start, end, alternative });
        } else if is_new {
            let more = self.more.len() as u32;
            let first = &mut self.nodes[id as usize].alternative;
            alternative.more = std::mem::replace(&mut first.more, more);
            self.more.push(alternative);
            self.is_ordered &= nodes.iter().all(|&child| child == NONE || child < id);
        }
        Some(id)
    }
}
