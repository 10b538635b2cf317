//! Tree automata over the derivation trees of a grammar.
//!
//! An expression becomes a deterministic bottom-up tree automaton (DESIGN, section 2). The state of a
//! subtree is what can still matter of it to the trees around it: the concrete pattern nodes that it
//! matches at its root, and what of the formula is still undecided after the patterns found inside.
//!
//! - [`atom`]: the statements that formulas are made of;
//! - [`residual`]: formulas as decision diagrams, simplified as patterns are found;
//! - [`table`]: the concrete nodes of all patterns, each once;
//! - [`machine`]: states, and the transition of a rule as a fold over its children, each found when it is
//!   first asked for;
//! - [`explore`]: everything that derivation trees can lead to, found once;
//! - [`describe`]: sets of states as readable conditions;
//! - [`minimize`]: which states can be told apart;
//! - [`dot`]: the automaton as a graph;
//! - [`count`]: derivations of each length, counted exactly;
//! - [`number`]: what they are counted in.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`], [`crate::parse`] and
//! [`crate::pattern`].

pub mod atom;
pub mod count;
pub mod describe;
pub mod dot;
pub mod explore;
pub mod machine;
pub mod minimize;
pub mod number;
pub mod residual;
pub mod table;

pub use count::{CountError, Counts, counts, exact_counts};
pub use explore::Automaton;
pub use machine::{CharTransition, FoldId, Machine, StateId};
pub use minimize::Partition;
pub use table::Want;
