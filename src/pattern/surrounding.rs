//! What is said of one occurrence of a name: what stands before it, behind it and around it.

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
}

impl Surrounding {
    /// Whether it holds of an occurrence, given where the name occurs.
    pub fn holds(&self, it: &Occurrence, others: &[Occurrence]) -> bool {
        let stands = |other: &Occurrence| match self.side {
            Side::Before => other.end <= it.begin,
            Side::Behind => it.end <= other.begin,
            Side::Around => other.begin <= it.begin && it.end <= other.end,
        };
        others.iter().any(stands) == self.is_there
    }

    /// As text, given what the name is called.
    pub(super) fn text(&self, name: &str) -> String {
        let statement = match self.side {
            Side::Before => format!("{name} before it"),
            Side::Behind => format!("it before {name}"),
            Side::Around => format!("it inside {name}"),
        };
        if self.is_there { statement } else { format!("!({statement})") }
    }
}
