//! Patterns, expressions over them, their texts, and matching on trees.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`] and [`crate::parse`].

#[cfg(test)]
pub(crate) mod arbitrary;
pub mod bound;
mod bound_places;
mod condition;
mod constraint;
mod constraint_text;
mod definitions;
mod expression;
mod formula_reader;
mod formula_text;
mod matching;
mod model;
mod named_formulas;
mod outline;
mod parts;
mod pattern_text;
mod quote;
pub mod reference;
mod scanner;
mod surrounding;
mod text;
pub mod ways;

pub use condition::Condition;
pub use constraint::{Constraint, Quantity, Relation};
pub use expression::{Bound, Expression, Formula, NamedPattern, Occurrence, PatternId};
pub use formula_text::read_formula;
pub use matching::{bound_range, bound_text};
pub use model::{Openness, Pattern, PatternNode, PatternNodeId};
pub use surrounding::{Side, Surrounding};
pub use text::{
    WithWarnings, read_expression, read_expression_in, read_expression_warned, read_named, read_patterns,
    read_statement,
};
