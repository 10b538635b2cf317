//! The statements about occurrences that formulas are made of, as the automaton knows them.
//!
//! Each is decided at one moment while a tree is built from its leaves, and stays true from then on;
//! only what occurs at the root is known at the end.

use crate::id_type;
use crate::pattern::PatternId;

id_type!(
    /// An atom of a formula.
    AtomId
);

/// A statement about occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The pattern occurs at this many nodes or more; at least one.
    AtLeast(u32, PatternId),
    /// The first pattern occurs at or below a node at which the second occurs.
    Inside(PatternId, PatternId),
    /// The first pattern occurs at a node that ends before one begins at which the second occurs.
    Before(PatternId, PatternId),
    /// The pattern occurs at the root.
    Root(PatternId),
}

impl Atom {
    /// The patterns that it is about.
    pub fn patterns(self) -> impl Iterator<Item = PatternId> {
        let (one, other) = match self {
            Self::AtLeast(_, pattern) | Self::Root(pattern) => (pattern, None),
            Self::Inside(inner, outer) => (inner, Some(outer)),
            Self::Before(first, second) => (first, Some(second)),
        };
        std::iter::once(one).chain(other)
    }
}
