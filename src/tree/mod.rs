//! Derivation trees.
//!
//! Depends on [`crate::base`] and [`crate::grammar`].

mod arena;
mod display;

pub use arena::{Label, NodeId, Tree, TreeBuilder};
pub use display::Outline;
