//! What can be said of one derivation tree: the letters in which conditions are written.
//!
//! The papers have two of them, and their negations (Input Algebras, section III: "reaching grammar"
//! and "pattern grammar"; the update notes: "nonreaching grammar"). For the pattern E, which is
//! `<item> is "\"\": <elt>"`:
//!
//! | literal | holds of a tree when | the papers' nonterminal |
//! |---|---|---|
//! | `E` | E occurs in it, at its root or below | `<elt E>`, reaching |
//! | `!E` | E does not occur in it | `<elt neg(E)>`, non-reaching |
//! | `E.0` | it matches E's root | `<item E_0>`, pattern |
//! | `E.1` | it matches the next concrete node of E: an empty `<string>` | `<string E_1>`, pattern |
//! | `!E.1` | it does not: a `<string>` with a letter | its negation |
//!
//! `E inside N` and `E before N` are letters as well. The first letter also counts: `at least 2 E`. The seeds promise grammars of at most one, exactly
//! one and exactly n faults; with this letter and its negation all of them are conditions like any
//! other.

use crate::base::id::{Id, IdVec};
use crate::pattern::{PatternId, PatternNode, PatternNodeId};

use super::SinglePattern;

/// A statement about one derivation tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The pattern occurs at this many nodes or more; at least one.
    Occurs {
        /// The pattern.
        pattern: PatternId,
        /// The number of nodes.
        at_least: u32,
    },
    /// The tree matches, at its root, this concrete node of a pattern.
    Matches {
        /// The pattern.
        pattern: PatternId,
        /// The node of it.
        node: PatternNodeId,
    },
    /// The first pattern occurs at or below a node at which the second occurs.
    Inside {
        /// The first.
        inner: PatternId,
        /// The second.
        outer: PatternId,
    },
    /// The first pattern occurs at a node that ends before one begins at which the second occurs.
    Before {
        /// The first.
        first: PatternId,
        /// The second.
        second: PatternId,
    },
}

/// An atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// The statement.
    pub atom: Atom,
    /// Whether it holds.
    pub holds: bool,
}

impl Literal {
    /// The opposite.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self { holds: !self.holds, ..self }
    }

    /// The literal as it is printed: `E`, `!at least 2 E`, `E.1`.
    pub fn text(self, patterns: &IdVec<PatternId, SinglePattern>) -> String {
        let sign = if self.holds { "" } else { "!" };
        let name = |pattern: PatternId| &patterns[pattern].name;
        match self.atom {
            Atom::Occurs { pattern, at_least: 1 } => format!("{sign}{}", name(pattern)),
            Atom::Occurs { pattern, at_least } => {
                format!("{sign}at least {at_least} {}", name(pattern))
            }
            Atom::Inside { inner, outer } => format!("{sign}{} inside {}", name(inner), name(outer)),
            Atom::Before { first, second } => format!("{sign}{} before {}", name(first), name(second)),
            Atom::Matches { pattern, node } => {
                let SinglePattern { name, pattern } = &patterns[pattern];
                let number = pattern
                    .preorder()
                    .filter(|&other| matches!(pattern.node(other), PatternNode::Rule(..)))
                    .position(|other| other == node);
                format!("{sign}{name}.{}", number.unwrap_or(node.index()))
            }
        }
    }
}
