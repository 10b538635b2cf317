//! Context-free grammars: the model, what can be known of a grammar without running anything, and
//! the text formats they are read from and written to.
//!
//! Depends on [`crate::base`] only.

pub mod analysis;
pub mod antlr;
#[cfg(test)]
pub(crate) mod arbitrary;
mod check;
pub mod class;
pub mod ebnf;
pub mod format;
pub mod json;
pub mod lexis;
pub mod model;
pub mod numbering;
#[cfg(test)]
pub(crate) mod sample;
pub mod spelling;
pub mod ways;

pub use class::CharClass;
pub use lexis::{Lexis, Word};
pub use model::{
    ClassId, Grammar, GrammarBuilder, HelperKind, LiteralId, Name, Nonterminal, NonterminalId, Role, Rule,
    RuleId, Symbol, Token,
};
