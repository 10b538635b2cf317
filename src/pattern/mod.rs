//! Patterns, expressions over them, their texts, and matching on trees.
//!
//! Depends on [`crate::base`], [`crate::grammar`] and [`crate::tree`].

mod model;

pub use model::{Openness, Pattern, PatternNode, PatternNodeId};
