//! A production in the making.

use crate::grammar::Symbol;

use super::{Gram, NONE, Omitted, Reading, Variable};

/// A production in the making.
pub(super) struct Body {
    pub lhs: Variable,
    pub grams: Vec<Gram>,
    pub terminals: Vec<Option<(Symbol, u32)>>,
    /// Which of the grams are nonterminals or rests.
    pub tracked: [u32; 2],
    pub readings: Vec<Reading>,
    /// What the readings omit.
    pub omits: Vec<Omitted>,
}

impl Body {
    /// One without symbols.
    pub fn new(lhs: Variable) -> Self {
        let (grams, terminals, readings, omits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { lhs, grams, terminals, tracked: [NONE; 2], readings, omits }
    }
}
