//! Derivation trees.
//!
//! Depends on [`crate::base`] and [`crate::grammar`].

mod arena;
mod display;
mod enumerate;
mod shapes;

pub use arena::{Label, NodeId, Tree, TreeBuilder};
pub use display::Outline;
pub use enumerate::trees_up_to;
pub use shapes::{Part, ShapeId, Shapes};
