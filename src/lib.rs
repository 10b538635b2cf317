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
//! | [`parse`] | recognizer, packed forest, extraction of trees |
//! | [`pattern`] | patterns, expressions and their syntax, matching |
//! | [`automaton`] | tree automata over a grammar: build, describe, count |
//! | [`transform`] | the transformers: grammar and expression to a specialized grammar |
//! | [`validate`] | the validators: does an input satisfy an expression? |
//! | [`produce`] | the producers: grammar to inputs |
//! | [`oracle`] | verdicts, the oracle trait, the cache |
//! | [`inflate`] | large failing inputs out of small ones |
//! | [`reduce`] | the reducers: a failing input made smaller |
//! | [`generalize`] | DDSET: a failing input abstracted to a pattern |
//! | [`subject`] | manifests, processes, sandbox, builtin subjects; the only layer that spawns |
//! | [`store`] | SQLite: events in, rows out |
//! | [`report`] | what tables are made of: statistics, the papers' figures, CSV, text for the terminal |
//! | [`stage`] | the stages of a campaign, each with its work, its record and its table |
//! | [`page`] | report.html, and the tables as Markdown and LaTeX |
//! | [`compare`] | what got better or worse between runs |
//! | [`campaign`] | config, plan, scheduling |
//! | [`cli`] | arguments, progress, exit codes |

#![forbid(unsafe_code)]

pub mod automaton;
pub mod base;
pub mod campaign;
pub mod cli;
pub mod compare;
pub mod generalize;
pub mod grammar;
pub mod inflate;
pub mod oracle;
pub mod page;
pub mod parse;
pub mod pattern;
pub mod produce;
pub mod reduce;
pub mod report;
pub mod stage;
pub mod store;
pub mod subject;
pub mod transform;
pub mod tree;
pub mod validate;
