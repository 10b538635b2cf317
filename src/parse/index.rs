//! Ids of what a parser is made of, each kind a type of its own.
//!
//! Those that may be missing in large tables are kept as one more than they are, so that an `Option` of them takes
//! four bytes as well: with a sentinel nobody would be made to ask whether there is anything.

use std::num::NonZeroU32;

use crate::base::id::Id;
use crate::grammar::NonterminalId;
use crate::id_type;

/// Declares a type of ids that may be missing at no cost.
macro_rules! optional_id_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(in crate::parse) struct $name(NonZeroU32);

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                let number = u32::try_from(index).expect("a table has fewer than 2^32 entries");
                // Nothing has so many entries that it would matter.
                Self(NonZeroU32::MIN.saturating_add(number))
            }

            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    };
}

optional_id_type!(
    /// A unit of the alphabet, or the end of the input, which comes after the last one.
    UnitId
);

id_type!(
    /// A set of units.
    SetId
);

optional_id_type!(
    /// What a production derives from: a nonterminal of the grammar by its number, then those that only the
    /// parser knows.
    VariableId
);

id_type!(
    /// A production in the making.
    BodyId
);

id_type!(
    /// A production.
    ProductionId
);

id_type!(
    /// A production with a dot before one of its symbols, or at its end: where the symbol is among those of all
    /// productions.
    ItemId
);

optional_id_type!(
    /// Something that has to be a word.
    WordId
);

id_type!(
    /// A state of the LR automaton.
    StateId
);

id_type!(
    /// The variables that can begin at some states.
    ClosureId
);

id_type!(
    /// A variable among those of a closure.
    MemberId
);

id_type!(
    /// Units of a closure with the same items behind them.
    GroupId
);

id_type!(
    /// A transition of the LR automaton by a variable.
    TransitionId
);

id_type!(
    /// Several actions at once.
    ForkId
);

optional_id_type!(
    /// A node of the graph-structured stack.
    GssNodeId
);

optional_id_type!(
    /// An edge of the graph-structured stack, other than the first one of a node.
    EdgeId
);

optional_id_type!(
    /// A node of the shared packed parse forest; of an evaluation, which has none, the number of its value.
    SppfNodeId
);

optional_id_type!(
    /// An alternative of a forest's node, other than the first one.
    AlternativeId
);

id_type!(
    /// A cycle of a forest.
    CycleId
);

impl BodyId {
    /// That of the production that accepts.
    pub(super) const ACCEPT: Self = Self(0);
}

impl ProductionId {
    /// The production that derives the start symbol; its reduction accepts.
    pub(super) const ACCEPT: Self = Self(0);
}

impl StateId {
    /// The state in which every run begins.
    pub(super) const START: Self = Self(0);
}

impl VariableId {
    /// The variable of a nonterminal.
    pub(super) fn of(nonterminal: NonterminalId) -> Self {
        Self::new(nonterminal.index())
    }

    /// A number that tells variables from each other.
    #[inline]
    pub(super) fn key(self) -> u32 {
        self.0.get()
    }
}

impl ItemId {
    /// The item with the dot this number of symbols further right.
    #[inline]
    pub(super) fn plus(self, symbols: u32) -> Self {
        Self(self.0 + symbols)
    }
}

impl GssNodeId {
    /// A number that tells nodes from each other.
    #[inline]
    pub(super) fn key(self) -> u32 {
        self.0.get()
    }
}

impl SppfNodeId {
    /// The first node.
    pub(super) const FIRST: Self = Self(NonZeroU32::MIN);

    /// A number that tells nodes, and that there is none, from each other.
    #[inline]
    pub(super) fn key(node: Option<Self>) -> u32 {
        node.map_or(0, |node| node.0.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_may_be_missing_takes_four_bytes() {
        assert_eq!(size_of::<Option<SppfNodeId>>(), 4);
        for index in [0, 1, 77, u32::MAX as usize - 1] {
            assert_eq!(SppfNodeId::new(index).index(), index);
            assert_ne!(SppfNodeId::key(Some(SppfNodeId::new(index))), SppfNodeId::key(None));
        }
    }
}
