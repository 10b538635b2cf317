//! Parsing with any context-free grammar, into a packed forest.
//!
//! Depends on [`crate::base`], [`crate::grammar`] and [`crate::tree`].

mod alphabet;
mod components;
mod empty;
mod error;
pub mod forest;
mod ledger;
mod lookahead;
mod lr0;
#[cfg(test)]
mod naive;
mod order;
mod parser;
mod productions;
mod run;
mod stack;
mod table;
#[cfg(test)]
mod tests;
mod trees;

pub use error::{Expected, Found, SyntaxError};
pub use forest::{Alternative, Child, Forest, ForestNodeId};
pub use parser::{Parser, ParserSize};
