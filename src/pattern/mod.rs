//! Patterns, expressions over them, their texts, and matching on trees.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`] and [`crate::parse`].

#[cfg(test)]
pub(crate) mod arbitrary;
mod bound;
mod expression;
mod formula_text;
mod model;
mod outline;
mod parts;
mod pattern_text;
mod quote;
mod scanner;
mod text;

pub use expression::{Bound, Expression, Formula, NamedPattern, Occurrence, PatternId};
pub use formula_text::read_formula;
pub use model::{Openness, Pattern, PatternNode, PatternNodeId};
pub use text::{
    WithWarnings, read_expression, read_expression_in, read_expression_warned, read_named, read_named_warned,
    read_statement,
};
