//! Compares runs: what got better or worse beyond chance between some runs and a later one.
//!
//! - [`settings`]: what counts as a regression: `[compare]` in a config;
//! - [`measured`]: the tables of a run, read from its folder;
//! - [`comparable`]: whether two runs are of the same campaign;
//! - [`rows`]: the rows of all runs that are about the same;
//! - [`difference`]: what is found out about a figure, and [`figures`], which finds it out;
//! - [`times`]: how long tasks took, stage by stage;
//! - [`comparison`]: all of that together;
//! - [`tested`], [`shares`], [`ranks`]: the statistics; docs/methodology.md says what they assume;
//! - [`text`] in [`lines`], [`markdown`], [`json`], [`junit`]: what is said of it, to whom.
//!
//! Which columns there are, and how each is compared, the tables say themselves ([`crate::report::compared`]).

pub mod comparable;
pub mod comparison;
pub mod difference;
pub mod figures;
pub mod json;
pub mod junit;
mod lines;
pub mod markdown;
pub mod measured;
pub mod ranks;
pub mod rows;
pub mod settings;
pub mod shares;
pub mod tested;
#[cfg(test)]
mod tests;
pub mod text;
pub mod times;

pub use comparison::{Comparison, compare};
pub use difference::{Difference, Outcome};
pub use measured::{Measured, MeasuredError};
pub use settings::CompareSettings;
