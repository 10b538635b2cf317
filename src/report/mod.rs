//! What tables are made of.
//!
//! - [`statistics`]: percentages and their intervals;
//! - [`paper`]: the papers' own figures;
//! - [`sample`]: mean, median and deviation of a few numbers;
//! - [`csv`]: a table as a CSV file;
//! - [`file`](mod@file): files that are written at once or not at all;
//! - [`compared`]: how two tables are compared;
//! - [`figure`]: figures that can be summed up;
//! - [`grid`]: a table for the terminal;
//! - [`provenance`]: what a run was made with, as the file beside its tables says.
//!
//! Which tables there are, and what is in them, the stages say: see [`crate::stage::tables`].

pub mod compared;
pub mod csv;
pub mod figure;
pub mod file;
pub mod grid;
pub mod paper;
pub mod provenance;
pub mod sample;
pub mod statistics;
