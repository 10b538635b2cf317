//! What tables are made of.
//!
//! - [`statistics`]: percentages and their intervals;
//! - [`paper`]: the papers' own figures;
//! - [`csv`]: a table as a CSV file;
//! - [`figure`]: figures that can be summed up;
//! - [`grid`]: a table for the terminal.
//!
//! Which tables there are, and what is in them, the stages say: see [`crate::stage::tables`].

pub mod csv;
pub mod figure;
pub mod grid;
pub mod paper;
pub mod statistics;
