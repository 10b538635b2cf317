//! A production in the making.

use crate::grammar::Symbol;

use super::{NONE, Omitted, Reading, RhsSymbol, Variable};

/// A production in the making.
pub(super) struct Body {
    pub lhs: Variable,
    pub rhs: Vec<RhsSymbol>,
    pub terminals: Vec<Option<(Symbol, u32)>>,
    /// Which of the rhs are nonterminals or rests.
    pub tracked: [u32; 2],
    pub readings: Vec<Reading>,
    /// What the readings omit.
    pub omits: Vec<Omitted>,
}

impl Body {
    /// One without symbols.
    pub fn new(lhs: Variable) -> Self {
        let (rhs, terminals, readings, omits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { lhs, rhs, terminals, tracked: [NONE; 2], readings, omits }
    }
}
