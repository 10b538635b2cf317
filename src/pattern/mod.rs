//! Patterns, expressions over them, their texts, and matching on trees.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`] and [`crate::parse`].

#[cfg(test)]
pub(crate) mod arbitrary;
mod bound;
mod expression;
mod formula_text;
mod model;
mod quote;
mod text;

pub use expression::{Bound, Expression, Formula, NamedPattern, Occurrence, PatternId};
pub use formula_text::read_formula;
pub use model::{Openness, Pattern, PatternNode, PatternNodeId};
pub use text::{read_expression, read_named, read_statement};
