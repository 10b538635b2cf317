//! The tables for the terminal: our figures beside the papers', what is unresolved in the open,
//! and where the files are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::store::{Equality, Side, Size, Variant};

use super::errors;
use super::grid::{Grid, shorten};
use super::key::{Key, plug_ins};
use super::paper::{self, AccuracyTable, PaperShare};
use super::producing;
use super::recognizing;
use super::results::Results;
use super::statistics::Share;
use super::table::cell;
use super::total::{TOTAL, TOTAL_IN_PRINT};
use super::transformers;

/// No line is longer.
const WIDTH: usize = 120;

/// What a run ends with, as text. `files` are the tables that [`super::write_all`] wrote.
pub fn summary(results: &Results, files: &[PathBuf]) -> String {
    let parts = [
        producing_text(results),
        recognizing_text(results),
        transformers_text(results),
        errors_text(results),
    ];
    let mut text = String::new();
    for part in parts.into_iter().chain([files_text(files)]).filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &part;
    }
    text
}

fn producing_text(results: &Results) -> String {
    let rows = producing::rows(results);
    if rows.is_empty() {
        return String::new();
    }
    let labels = Labels::of(rows.iter().map(|row| &row.key));
    let mut grid = Grid::new([
        "bug",
        "F: failed",
        "%",
        "interval",
        "paper",
        "not F: passed",
        "%",
        "interval",
        "paper",
        "unresolved",
    ]);
    let unresolved = |fail: Option<producing::Tally>, pass: Option<producing::Tally>| {
        let text = |tally: Option<producing::Tally>| tally.map_or("?".into(), |t| t.unresolved.to_string());
        format!("{} + {}", text(fail), text(pass))
    };
    for row in &rows {
        let label = labels.of_row(&row.key);
        if row.fail.is_none() && row.pass.is_none() {
            grid.remark(label, &row.error);
            continue;
        }
        let mut cells = vec![label];
        cells.extend(share_cells(row.fail.map(|tally| tally.share)));
        cells.push(cell(row.paper.map(|row| &row.fail.percent)));
        cells.extend(share_cells(row.pass.map(|tally| tally.share)));
        cells.push(cell(row.paper.map(|row| &row.pass.percent)));
        cells.push(unresolved(row.fail, row.pass));
        grid.push(cells);
    }
    grid.rule();
    for total in producing::totals(&rows) {
        let mut cells = vec![labels.of_total(total.variant)];
        cells.extend(share_cells(Some(total.fail.share)));
        cells.push(cell(total.paper.as_ref().map(|row| &row.fail.percent)));
        cells.extend(share_cells(Some(total.pass.share)));
        cells.push(cell(total.paper.as_ref().map(|row| &row.pass.percent)));
        cells.push(unresolved(Some(total.fail), Some(total.pass)));
        grid.push(cells);
    }
    let mut notes = String::new();
    if rows.iter().any(|row| row.paper.is_some()) {
        grid.push(printed_total(paper::producing(), 1));
        notes = note_on_totals("I", paper::producing());
    }
    format!(
        "Producing: inputs of F that failed, inputs of not F that passed (Table I of the paper)\n\n{}{notes}",
        grid.to_text(WIDTH)
    )
}

fn recognizing_text(results: &Results) -> String {
    let rows = recognizing::rows(results);
    if rows.is_empty() {
        return String::new();
    }
    let labels = Labels::of(rows.iter().map(|row| &row.key));
    let mut grid = Grid::new([
        "bug",
        "inputs",
        "accepted",
        "%",
        "interval",
        "paper",
        "rejected",
        "%",
        "interval",
        "paper",
        "unresolved",
    ]);
    let push = |grid: &mut Grid,
                label: String,
                source: &str,
                tally: recognizing::Tally,
                row: Option<&paper::Accuracy>| {
        let mut cells = vec![label, source.to_owned()];
        cells.extend(share_cells(Some(tally.fail)));
        cells.push(cell(row.map(|row| &row.fail.percent)));
        cells.extend(share_cells(Some(tally.pass)));
        cells.push(cell(row.map(|row| &row.pass.percent)));
        cells.push(tally.unresolved.to_string());
        grid.push(cells);
    };
    for row in &rows {
        let label = labels.of_row(&row.key);
        match row.tally {
            Some(tally) => push(&mut grid, label, row.source.as_str(), tally, row.paper),
            None => grid.remark(label, &format!("{:>8}  {}", row.source.as_str(), row.error)),
        }
    }
    grid.rule();
    for total in recognizing::totals(&rows) {
        let label = labels.of_total(total.variant);
        push(&mut grid, label, total.source.as_str(), total.tally, total.paper.as_ref());
    }
    let mut notes = String::new();
    if rows.iter().any(|row| row.paper.is_some()) {
        grid.push(printed_total(paper::recognizing(), 2));
        notes = note_on_totals("II", paper::recognizing());
    }
    format!(
        "Recognizing: failing inputs that F accepts, passing inputs that F rejects (Table II of the paper)\n\n\
         {}{notes}",
        grid.to_text(WIDTH)
    )
}

/// Only where transformers are compared: a campaign about bugs with one transformer is about the bugs.
fn transformers_text(results: &Results) -> String {
    let rows = transformers::rows(results);
    let names: BTreeSet<&str> = rows.iter().map(transformers::Row::transformer).collect();
    if names.len() < 2 && rows.iter().all(|row| row.planned.expression.is_none()) {
        return String::new();
    }
    let keys: Vec<Key<'_>> = rows.iter().map(|row| Key::of(row.planned)).collect();
    let mut labels = Labels::of(keys.iter());
    // The transformer has a column.
    labels.differ[2] = false;
    let size = |size: Option<Size>| {
        size.map_or("-".into(), |size| format!("{} / {}", size.nonterminals, size.rules))
    };
    let answer = |equality: Option<Equality>| equality.map_or("-", transformers::word).to_owned();
    let mut grid = Grid::new(["expression", "transformer", "base", "F", "not F", "complement", "agrees"]);
    for (row, key) in rows.iter().zip(&keys) {
        let label = format!("{}{}", row.name(), labels.but_for_the_bug(key));
        match row.made {
            Some(made) if made.failures().count() < 2 => grid.push(vec![
                label,
                row.transformer().to_owned(),
                size(Some(made.base)),
                size(row.size(Side::F)),
                size(row.size(Side::NotF)),
                answer(row.counts().and_then(|counts| counts.complement)),
                answer(row.counts().and_then(|counts| counts.reference)),
            ]),
            _ => grid.remark(label, &format!("{}: {}", row.transformer(), row.error)),
        }
    }
    format!(
        "Specializing: nonterminals / rules; whether F and not F have all derivations of the base grammar together,\n\
         and each as many as with `automaton`, by counting those of each length\n\n{}",
        grid.to_text(WIDTH)
    )
}

/// Counts, percentage and interval.
fn share_cells(share: Option<Share>) -> [String; 3] {
    [
        cell(share.map(|share| format!("{}/{}", share.hits, share.of))),
        cell(share.and_then(Share::percent)),
        cell(share.and_then(Share::interval).map(|(low, high)| format!("{low}-{high}"))),
    ]
}

/// The line with the printed total of `table`, whose figures begin after `first` columns.
fn printed_total(table: &AccuracyTable, first: usize) -> Vec<String> {
    let printed = table.printed_total();
    let mut cells = vec![TOTAL_IN_PRINT.to_owned()];
    cells.resize(first + 9, String::new());
    cells[first + 3] = printed.fail.percent.clone();
    cells[first + 7] = printed.pass.percent.clone();
    cells
}

/// Says where the printed total of the paper's `table` does not follow from its rows.
fn note_on_totals(name: &str, table: &AccuracyTable) -> String {
    let sentence = |(column, printed, sum): (usize, &PaperShare, PaperShare)| {
        format!(
            "Table {name} prints {} % of {} inputs as the total of column {column}; its rows come to {} % of {}.\n",
            printed.percent, printed.inputs, sum.percent, sum.inputs
        )
    };
    table.wrong_totals().into_iter().map(sentence).collect()
}

/// How rows are told apart on the terminal: by the bug, and by what differs between them.
struct Labels {
    repeated: bool,
    /// Which kinds of plug-in differ.
    differ: [bool; 4],
}

impl Labels {
    fn of<'a>(keys: impl Iterator<Item = &'a Key<'a>>) -> Self {
        let mut repeated = false;
        let mut names: [BTreeSet<&str>; 4] = Default::default();
        for key in keys {
            repeated |= key.repetition > 1;
            for (names, name) in names.iter_mut().zip(plug_ins(key.variant)) {
                names.extend(name);
            }
        }
        Self { repeated, differ: names.map(|names| names.len() > 1) }
    }

    fn of_row(&self, key: &Key<'_>) -> String {
        format!("{}{}", key.bug, self.but_for_the_bug(key))
    }

    fn but_for_the_bug(&self, key: &Key<'_>) -> String {
        let repetition = if self.repeated { format!(" #{}", key.repetition) } else { String::new() };
        format!("{repetition}{}", self.of_variant(key.variant))
    }

    fn of_total(&self, variant: &Variant) -> String {
        format!("{TOTAL}{}", self.of_variant(variant))
    }

    fn of_variant(&self, variant: &Variant) -> String {
        let names = plug_ins(variant).into_iter().zip(self.differ);
        names
            .filter(|&(_, differ)| differ)
            .filter_map(|(name, _)| name)
            .map(|name| format!(" {name}"))
            .collect()
    }
}

/// How often each kind of thing went wrong, and in words what concerns more than one task.
fn errors_text(results: &Results) -> String {
    let rows = errors::rows(results);
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.task.is_empty() && row.input.is_none()) {
        let about = [row.subject, row.bug].into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>();
        let about = if about.is_empty() { String::new() } else { format!(" {}", about.join(", ")) };
        text += &shorten(&format!("{}{about}: {}", row.kind, row.detail), WIDTH);
        text.push('\n');
    }
    match results.troubles.iter().filter(|trouble| trouble.is_disagreement).count() {
        0 => {}
        1 => text += "A worker judged one input otherwise than a process of its own.\n",
        count => {
            text += &format!("Workers judged {count} inputs otherwise than processes of their own.\n");
        }
    }
    let counts: Vec<String> = [
        ("error", "errors"),
        ("unfit", "unfit"),
        ("flaky", "flaky"),
        ("warning", "warnings"),
        ("escape", "escapes"),
        ("mistake", "mistakes"),
    ]
    .into_iter()
    .filter_map(|(kind, many)| match rows.iter().filter(|row| row.kind == kind).count() {
        0 => None,
        1 => Some(format!("1 {kind}")),
        count => Some(format!("{count} {many}")),
    })
    .collect();
    if !counts.is_empty() {
        text += &format!("In errors.csv: {}.\n", counts.join(", "));
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
