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
//! | [`pattern`] | patterns, expressions and their syntax, matching |
//! | [`produce`] | the producers |
//! | [`oracle`] | verdicts, the oracle trait, the cache |
//! | [`reduce`] | the reducers |
//! | [`generalize`] | the generalizers: DDSET |

#![forbid(unsafe_code)]

pub mod base;
pub mod generalize;
pub mod grammar;
pub mod oracle;
pub mod pattern;
pub mod produce;
pub mod reduce;
pub mod tree;
