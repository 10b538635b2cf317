//! What a run makes of its reductions: nothing, a forest ([`super::raw`]), or values
//! ([`super::evaluate`]).

use super::ledger::Ledger;
use super::single::Standing;

/// A reduction: a part of the input is derived by a production.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    pub production: u32,
    /// The variable of the production.
    pub lhs: u32,
    pub start: u32,
    pub end: u32,
    /// What was made of the production's (at most two) nonterminals.
    pub nodes: [u32; 2],
}

/// Makes something of each reduction, which is called a node whatever it is.
pub(super) trait Maker {
    /// Whether it looks at the nodes of a reduction.
    const TRACKS: bool;

    /// The steps that a reduction costs; more than the time for what takes memory.
    const STEPS: u64;

    /// A single stack has come to another offset.
    fn advance(&mut self) {}

    /// The node of a reduction on a single stack, from which nothing is taken off yet; `None` to give up the run.
    fn make(&mut self, reduction: Reduction, stack: Standing<'_>) -> Option<u32>;

    /// From here on there may be several stacks: enters what was made at this offset into `ledger`.
    fn fork(&mut self, ledger: &mut Ledger) {
        let _ = ledger;
    }

    /// The node of a reduction on one of several stacks, with `ledger` for what was made at the same
    /// offset; `None` to give up the run.
    fn make_one_of_several(&mut self, reduction: Reduction, ledger: &mut Ledger) -> Option<u32>;
}

/// Makes nothing.
#[derive(Debug, Default)]
pub(super) struct Nothing;

impl Maker for Nothing {
    const TRACKS: bool = false;
    const STEPS: u64 = 2;

    #[inline]
    fn make(&mut self, _: Reduction, _: Standing<'_>) -> Option<u32> {
        Some(super::productions::NONE)
    }

    fn make_one_of_several(&mut self, _: Reduction, _: &mut Ledger) -> Option<u32> {
        Some(super::productions::NONE)
    }
}
