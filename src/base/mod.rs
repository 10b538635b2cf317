//! The lowest layer: what every other layer needs and what knows nothing of grammars.
//!
//! - [`id`]: `u32` newtype ids and vectors indexed by them;
//! - [`interner`]: values to ids, each value once;
//! - [`bitset`]: small sets of ids;
//! - [`integer`]: whole numbers of any size, as texts;
//! - [`random_stream`]: seeded randomness, one stream per task;
//! - [`diagnostic`]: errors of users, with a place in their file;
//! - [`digest`]: digests of values;
//! - [`components`]: the strongly connected components of a graph;
//! - [`program`]: which program this is;
//! - [`registry`]: the plug-ins of one kind, by name;
//! - [`share`]: shares, as configs give them;
//! - [`fingerprint`]: what files look like, from outside and inside;
//! - [`lines`]: places in inputs as lines and columns;
//! - [`budget`]: limits on executions, and the reasons for which work stops;
//! - [`limits`]: limits on what is made of expressions;
//! - [`keys`]: TOML files whose keys are taken one by one;
//! - [`toml`]: reading the TOML that users write.

pub mod bitset;
pub mod budget;
pub mod components;
pub mod diagnostic;
pub mod digest;
pub mod fingerprint;
pub mod id;
pub mod integer;
pub mod interner;
pub mod keys;
pub mod limits;
pub mod lines;
pub mod program;
pub mod random_stream;
pub mod registry;
pub mod share;
pub mod toml;
