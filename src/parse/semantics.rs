//! The semantic actions of a run, which make something of each reduction: nothing, a packed forest ([`super::packed`]),
//! or values ([`super::evaluate`]).

use super::index::{ProductionId, SppfNodeId, VariableId};
use super::linear_stack::StackView;
use super::memo::NodeMemo;

/// A reduction: a part of the input is derived by a production.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    pub production: ProductionId,
    /// The variable of the production.
    pub lhs: VariableId,
    pub start: u32,
    pub end: u32,
    /// What was made of the production's (at most two) nonterminals.
    pub nodes: [Option<SppfNodeId>; 2],
}

/// Makes something of each reduction, which is called a node whatever it is.
pub(super) trait Semantics {
    /// Whether it looks at the nodes of a reduction.
    const TRACKS: bool;

    /// The steps that a reduction costs; more than the time for what takes memory.
    const STEPS: u64;

    /// A single stack has come to another offset.
    fn advance(&mut self) {}

    /// The node of a reduction on a single stack, from which nothing is taken off yet; `None` to give up the run.
    fn reduce(&mut self, reduction: Reduction, stack: StackView<'_>) -> Option<SppfNodeId>;

    /// From here on there may be several stacks: enters what was made at this offset into `memo`.
    fn fork(&mut self, memo: &mut NodeMemo) {
        let _ = memo;
    }

    /// The node of a reduction on one of several stacks, with `memo` for what was made at the same
    /// offset; `None` to give up the run.
    fn reduce_shared(&mut self, reduction: Reduction, memo: &mut NodeMemo) -> Option<SppfNodeId>;
}

/// Recognizes only: makes nothing.
#[derive(Debug, Default)]
pub(super) struct Recognition;

impl Semantics for Recognition {
    const TRACKS: bool = false;
    const STEPS: u64 = 2;

    #[inline]
    fn reduce(&mut self, _: Reduction, _: StackView<'_>) -> Option<SppfNodeId> {
        Some(SppfNodeId::FIRST)
    }

    fn reduce_shared(&mut self, _: Reduction, _: &mut NodeMemo) -> Option<SppfNodeId> {
        Some(SppfNodeId::FIRST)
    }
}
