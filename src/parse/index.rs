//! Numbers of what a parser is made of, each kind of number a type of its own.
//!
//! A number is kept as one more than it is, so that an `Option` of it takes four bytes as well: with a sentinel
//! nobody would be made to ask whether there is anything.

use std::num::NonZeroU32;

/// Declares a type for the numbers of something.
macro_rules! index_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) struct $name(NonZeroU32);

        impl $name {
            /// The number `index`, which is below `u32::MAX`.
            #[inline]
            pub(super) fn new(index: u32) -> Self {
                // Nothing has so many entries that it would matter.
                Self(NonZeroU32::MIN.saturating_add(index))
            }

            /// The number.
            #[inline]
            pub(super) fn get(self) -> u32 {
                self.0.get() - 1
            }

            /// The number as a place in a table.
            #[inline]
            pub(super) fn index(self) -> usize {
                self.get() as usize
            }
        }
    };
}

index_type!(
    /// A node of the graph-structured stack.
    GssNodeId
);

index_type!(
    /// An edge of the graph-structured stack, other than the first one of a node.
    EdgeId
);

index_type!(
    /// A node of the shared packed parse forest; of an evaluation, which has none, the number of its value.
    SppfNodeId
);

/// A state of the LR automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StateId(pub u32);

impl StateId {
    /// The state in which every run begins.
    pub(super) const START: Self = Self(0);

    /// The state as a place in a table.
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl SppfNodeId {
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
    fn a_number_that_may_be_missing_takes_four_bytes() {
        assert_eq!(size_of::<Option<SppfNodeId>>(), 4);
        for number in [0, 1, 77, u32::MAX - 1] {
            assert_eq!(SppfNodeId::new(number).get(), number);
            assert_ne!(SppfNodeId::key(Some(SppfNodeId::new(number))), SppfNodeId::key(None));
        }
    }
}
