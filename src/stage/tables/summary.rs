//! The tables for the terminal: our figures beside the papers', what is unresolved in the open,
//! and where the files are.

use std::path::{Path, PathBuf};

use crate::report::csv::Csv;
use crate::report::grid::in_lines;

use super::super::results::Results;
use super::{StageTable, Tables, WIDTH, errors};

/// What a run ends with, as text.
pub(super) fn of(tables: &Tables<'_>, files: &[PathBuf]) -> String {
    let results = tables.results;
    let screen = |(table, _): &(StageTable, Csv)| Some((table.screen?)(results, tables.totals(table)));
    let screens = tables.all.iter().filter_map(screen);
    let mut text = String::new();
    for part in screens.chain([errors_text(results), files_text(files)]).filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &part;
    }
    text
}

/// How often each kind of thing went wrong, and in words what concerns more than one task.
fn errors_text(results: &Results) -> String {
    let rows = errors::all(results);
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.task.is_empty() && row.input.is_none()) {
        let about = [row.subject, row.bug].into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>();
        let about = if about.is_empty() { String::new() } else { format!(" {}", about.join(", ")) };
        text += &in_lines(&format!("{}{about}: {}", row.kind, row.detail), WIDTH, 3);
    }
    match results.troubles.iter().filter(|trouble| trouble.is_disagreement).count() {
        0 => {}
        1 => text += "A worker judged one input differently from a fresh process.\n",
        count => {
            text += &format!("Workers judged {count} inputs differently from fresh processes.\n");
        }
    }
    let counts: Vec<String> = [
        ("error", "errors"),
        ("unfit", "unfit"),
        ("flaky", "flaky"),
        ("warning", "warnings"),
        ("escape", "escapes"),
        ("mistake", "mistakes"),
        ("other", "other failures"),
    ]
    .into_iter()
    .filter_map(|(kind, many)| match rows.iter().filter(|row| row.kind == kind).count() {
        0 => None,
        1 if kind == "other" => Some("1 other failure".to_owned()),
        1 => Some(format!("1 {kind}")),
        count => Some(format!("{count} {many}")),
    })
    .collect();
    if !counts.is_empty() {
        text += &in_lines(&format!("In errors.csv: {}.", counts.join(", ")), WIDTH, 3);
    }
    text
}

fn files_text(files: &[PathBuf]) -> String {
    let Some(folder) = files.first().and_then(|file| file.parent()) else { return String::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names: Vec<_> =
        files.iter().filter_map(|file| file.file_name()).map(|name| name.to_string_lossy()).collect();
    let mut lines = vec![String::new()];
    for (place, name) in names.iter().enumerate() {
        let name = if place + 1 < names.len() { format!(" {name},") } else { format!(" {name}") };
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + name.chars().count() <= WIDTH => *line += &name,
            _ => lines.push(name),
        }
    }
    format!("Tables in {}:\n {}\n", folder.display(), lines.join("\n "))
}
