//! Patterns, expressions over them, their texts, and matching on trees.
//!
//! Depends on [`crate::base`], [`crate::grammar`] and [`crate::tree`].

#[cfg(test)]
pub(crate) mod arbitrary;
mod expression;
mod formula_text;
mod model;
mod quote;

pub use expression::{Expression, Formula, NamedPattern, PatternId};
pub use formula_text::read_formula;
pub use model::{Openness, Pattern, PatternNode, PatternNodeId};
