//! grambench runs reductions, generalizations and specialized-grammar generation campaigns in
//! parallel across subject programs, and measures how accurately specialized grammars produce and
//! validate targeted inputs.
//!
//! The modules are the layers of the program; a lower one never imports a higher one:
//!
//! | layer | what it is |
//! |---|---|
//! | [`base`] | ids, interner, seeded randomness, diagnostics, budgets |
//! | [`grammar`] | model, analyses, text formats |
//! | [`tree`] | derivation trees |
//! | [`parse`] | recognizer, parse forest |
//! | [`oracle`] | verdicts, the oracle trait, the cache |

#![forbid(unsafe_code)]

pub mod base;
pub mod grammar;
pub mod oracle;
pub mod parse;
pub mod tree;
