//! What a reader gets of a run: `report.html`, one page with everything, and the tables as Markdown and LaTeX.
//!
//! - [`report`]: all that the page shows, put together;
//! - [`table`]: the figures of a table beside the papers'; [`inputs`]: what tasks had judged, put together;
//!   [`commands`]: how inputs are shown again; [`checks`]: accuracy against the number of checks;
//!   [`trees`]: their derivation trees; [`surroundings`]: what lies beside the store; [`trend`]: what became of the totals over earlier runs;
//! - [`html`]: the page; [`svg`]: its charts; [`words`]: numbers and times as text;
//! - [`markdown`], [`latex`]: the tables for a pull request, or a paper, from [`grid`].
//!
//! The page is made of the store, of the list of tables, and of what records exhibit ([`crate::stage::exhibit`]); it knows no
//! stage by name. So it is the same for the same store, but for what is known of machine and time, which stands in parts of
//! its own.

pub mod checks;
pub mod commands;
pub mod grid;
pub mod html;
pub mod inputs;
pub mod latex;
pub mod markdown;
pub mod report;
pub mod surroundings;
pub mod svg;
pub mod table;
#[cfg(test)]
mod tests;
pub mod trees;
pub mod trend;
pub mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::report::file;
use crate::stage::tables::{ReportError, Tables};
use crate::store::Store;

use report::Report;
use surroundings::Surroundings;

/// The name of the page.
pub const HTML: &str = "report.html";
/// The name of the tables as Markdown.
pub const MARKDOWN: &str = "report.md";
/// The name of the tables as LaTeX.
pub const LATEX: &str = "report.tex";

/// Writes the page into `folder`, and says where it is. `run` is the folder of the run.
///
/// # Errors
/// When the store cannot be read, or the file not be written.
pub fn write_html(
    tables: &Tables<'_>,
    store: &Store,
    run: &Path,
    folder: &Path,
) -> Result<PathBuf, ReportError> {
    let report = Report::read(tables, store, Surroundings::read(run))?;
    write(folder, HTML, &html::page(&report))
}

/// Writes the tables as Markdown into `folder`, and says where they are.
///
/// # Errors
/// When the file cannot be written.
pub fn write_markdown(tables: &Tables<'_>, folder: &Path) -> Result<PathBuf, ReportError> {
    write(folder, MARKDOWN, &markdown::tables(tables))
}

/// Writes the tables as LaTeX into `folder`, and says where they are.
///
/// # Errors
/// When the file cannot be written.
pub fn write_latex(tables: &Tables<'_>, folder: &Path) -> Result<PathBuf, ReportError> {
    write(folder, LATEX, &latex::tables(tables))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, ReportError> {
    let path = folder.join(name);
    match fs::create_dir_all(folder).and_then(|()| file::replace(&path, text)) {
        Ok(()) => Ok(path),
        Err(source) => Err(ReportError::Write { path, source }),
    }
}
