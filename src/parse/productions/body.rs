//! A production in the making.

use crate::grammar::Symbol;

use super::super::index::VariableId;
use super::{Omitted, Reading, RhsSymbol};

/// A production in the making.
pub(super) struct Body {
    pub lhs: VariableId,
    pub rhs: Vec<RhsSymbol>,
    pub terminals: Vec<Option<(Symbol, u32)>>,
    /// Which of the rhs are nonterminals or rests.
    pub tracked: [Option<usize>; 2],
    pub readings: Vec<Reading>,
    /// What the readings omit.
    pub omits: Vec<Omitted>,
}

impl Body {
    /// One without symbols.
    pub fn new(lhs: VariableId) -> Self {
        let (rhs, terminals, readings, omits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { lhs, rhs, terminals, tracked: [None; 2], readings, omits }
    }

    /// Appends what a nonterminal or a rest derives.
    pub fn track(&mut self, variable: VariableId) {
        let slot = usize::from(self.tracked[0].is_some());
        self.tracked[slot] = Some(self.rhs.len());
        self.rhs.push(RhsSymbol::Variable(variable));
        self.terminals.push(None);
    }
}
