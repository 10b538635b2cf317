//! Derivation trees.
//!
//! Depends on [`crate::base`] and [`crate::grammar`].

mod arena;
mod display;
mod enumerate;
mod json;
mod shapes;
#[cfg(test)]
mod tests;

pub use arena::{Label, NodeId, Tree, TreeBuilder};
pub use display::Outline;
pub use enumerate::trees_up_to;
pub use json::JsonTree;
pub use shapes::{Part, ShapeId, Shapes};
