//! Parsing with any context-free grammar, into a packed forest.
//!
//! Left recursion, hidden left recursion, empty rules, ambiguity and cycles A =>+ A are all allowed,
//! and no grammar has to be prepared. What an LR parser generator accepts, down to single characters,
//! is parsed by an LR parser at its speed; anything else by as many stacks as it takes.
//!
//! | step | file |
//! |---|---|
//! | characters that no terminal tells apart become units | `alphabet` |
//! | rules become productions without empty rules, with at most two nonterminals | `productions`, `empty` |
//! | these become an LR(0) automaton | `lr0` |
//! | with lookaheads (LALR, or SLR for huge grammars) | `lookahead` |
//! | as compact tables | `table`, `displaced` |
//! | a run shifts and reduces on one stack, or on a graph-structured one | `run`, `linear_stack`, `gss`, `memo` |
//! | and leaves what its semantic actions make: a packed forest | `semantics`, `packed`, [`forest`], `order`, `trees` |
//! | or says what is wrong | `error` |
//!
//! Each kind of number that stands for a thing is a type of its own (`index`).
//!
//! This is general LR parsing (Tomita 1985). RNGLR (Scott and Johnstone, TOPLAS 2006), its usual cure
//! for empty rules, adds reductions of rules whose end can be empty to the tables, and with them
//! conflicts to grammars that have none: each `<list> ::= "" | <item> <list>` would leave the plain
//! LR path. Working empty derivations out of the tables altogether costs nothing when parsing, and
//! the resulting grammar needs Tomita's first and simplest algorithm only.
//!
//! Costs: linear in the input for grammars that are LR apart from a bounded number of places, cubic
//! at the worst, in time and memory. Nothing recurses over an input. Whatever takes more than linear time or
//! memory spends steps at a meter ([`crate::base::limits`]): the tables of a grammar, and each input.
//!
//! **Words.** Where the grammar has tokens, a token or literal that has to be a word ([`crate::grammar::lexis`])
//! becomes a variable of its own, over the token's, and a reduction to it is made only if the word is good
//! there. What can never follow a word is no lookahead of it either, so most words cost no fork.
//!
//! An input is smaller than 4 GiB.
//!
//! Depends on [`crate::base`], [`crate::grammar`] and [`crate::tree`].
//!
//! ```
//! use std::sync::Arc;
//! use grambench::grammar::{GrammarBuilder, Name, Symbol};
//! use grambench::parse::Parser;
//!
//! // <e> ::= <e> "+" <e> | "1"
//! let mut builder = GrammarBuilder::new();
//! let e = builder.nonterminal(Name::base("e"));
//! let plus = builder.literal(b"+").unwrap();
//! let one = builder.literal(b"1").unwrap();
//! builder.rule(e, [Symbol::Nonterminal(e), plus, Symbol::Nonterminal(e)]);
//! builder.rule(e, [one]);
//! let parser = Parser::new(Arc::new(builder.finish(e)));
//!
//! let forest = parser.parse(b"1+1+1").unwrap();
//! assert_eq!(forest.count_trees(), Some(2));
//! let error = parser.parse(b"1+").unwrap_err();
//! assert_eq!(error.to_string(), "line 1, column 3: unexpected end of the input, expected \"1\"");
//! ```

mod alphabet;
pub mod ambiguity;
mod displaced;
mod empty;
mod error;
mod evaluate;
pub mod forest;
mod gss;
pub mod health;
mod index;
mod linear_stack;
mod lists;
mod lookahead;
mod lr0;
mod memo;
#[cfg(test)]
mod naive;
mod order;
mod packed;
mod parser;
mod productions;
mod run;
mod semantics;
mod table;
#[cfg(test)]
mod tests;
mod trees;

pub use error::{Expected, Found, ParseError, SyntaxError};
pub use evaluate::{Algebra, Derivation, Evaluation, Part, Piece, RuleEnd, ValueId};
pub use forest::{Alternative, Child, Forest, ForestNodeId};
pub use parser::{Parser, ParserSize};
