//! What is said of one occurrence of a name: what stands before it, behind it and around it.
//!
//! What stands around something need not concern it: a `break` in a function is in no loop, though the function may be in one. So a
//! boundary can be named: what is around the nearest one does not count.

use super::expression::{Occurrence, PatternId};

/// Where something stands as seen from an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// It ends, in document order, before the occurrence begins.
    Before,
    /// It begins behind the end of the occurrence.
    Behind,
    /// The occurrence is at its node or below.
    Around,
}

impl Side {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Before, Self::Behind, Self::Around];
}

/// That a name occurs on one side of an occurrence, or that it does not: `S before it`, `!(it inside S)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Surrounding {
    /// Whether it does.
    pub is_there: bool,
    /// On which side.
    pub side: Side,
    /// The name.
    pub name: PatternId,
    /// For [`Side::Around`], the name of the boundary: going up from the occurrence, what comes after a node at which this occurs does not count.
    #[serde(default)]
    pub within: Option<PatternId>,
}

impl Surrounding {
    /// The names that it speaks of.
    pub fn names(&self) -> impl Iterator<Item = PatternId> {
        [self.name].into_iter().chain(self.within)
    }

    /// The same with other names.
    #[must_use]
    pub fn renamed(&self, name: &impl Fn(PatternId) -> PatternId) -> Self {
        Self { name: name(self.name), within: self.within.map(name), ..*self }
    }

    /// Whether it holds of an occurrence, given where names occur.
    pub fn holds<'o>(&self, it: &Occurrence, occurrences: impl Fn(PatternId) -> &'o [Occurrence]) -> bool {
        let is_around = |other: &Occurrence| other.begin <= it.begin && it.end <= other.end;
        let boundaries = self.within.map_or(&[][..], &occurrences);
        let is_parted =
            |other: &Occurrence| boundaries.iter().any(|it| is_around(it) && other.begin < it.begin);
        let stands = |other: &Occurrence| match self.side {
            Side::Before => other.end <= it.begin,
            Side::Behind => it.end <= other.begin,
            Side::Around => is_around(other) && !is_parted(other),
        };
        occurrences(self.name).iter().any(stands) == self.is_there
    }

    /// As text, given what names are called.
    pub(super) fn text(&self, called: &dyn Fn(PatternId) -> String) -> String {
        let name = called(self.name);
        let statement = match (self.side, self.within) {
            (Side::Before, _) => format!("{name} before it"),
            (Side::Behind, _) => format!("it before {name}"),
            (Side::Around, None) => format!("it inside {name}"),
            (Side::Around, Some(boundary)) => format!("it inside {name} within {}", called(boundary)),
        };
        if self.is_there { statement } else { format!("!({statement})") }
    }
}
