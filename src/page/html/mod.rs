//! The page: one file without anything to load, readable without its script.
//!
//! - [`document`]: the whole, its head, and how to read it;
//! - [`overview`]: the totals; [`trend`]: the totals of earlier runs beside them; [`tables`]: the tables; [`charts`]: reductions, grammars, checks; [`cost`]: executions and
//!   time; [`bugs`]: each bug with its inputs; [`troubles`]: what went wrong; [`origin`]: what it was made from.
//!
//! All text comes through the templates, which escape it.

mod bugs;
mod charts;
mod cost;
mod document;
mod figures;
mod origin;
mod overview;
mod tables;
mod trend;
mod troubles;

pub use document::page;

/// The style of the page.
pub const STYLE: &str = include_str!("style.css");
/// Its script, which makes commands easier to copy; nothing depends on it.
pub const SCRIPT: &str = include_str!("script.js");

/// The id of the part about the bug at `place`.
pub fn bug_id(place: usize) -> String {
    format!("bug-{}", place + 1)
}
