//! The tables of a campaign as data: docs/tables.md knows all of them with all their columns, each cell is of the type
//! that it says, and the inputs in them are the exact ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::*;
use grambench::stage::tables;
use grambench::store::Input;

/// A column, as docs/tables.md describes it.
#[derive(Debug)]
struct Column {
    name: String,
    kind: String,
    may_be_empty: bool,
}

/// The columns of each table, by the name of its file, as docs/tables.md has them.
fn documented() -> BTreeMap<String, Vec<Column>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tables.md");
    let mut tables: BTreeMap<String, Vec<Column>> = BTreeMap::new();
    let (mut table, mut is_list) = (None, false);
    for line in fs::read_to_string(page).unwrap().lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            table = heading.ends_with(".csv").then(|| heading.to_owned());
        }
        is_list = line == "| column | type | meaning |" || is_list && line.starts_with('|');
        let Some(table) = table.as_ref().filter(|_| is_list && line.starts_with("| `")) else { continue };
        let [_, name, kind, ..] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        tables.entry(table.clone()).or_default().push(Column {
            name: name.trim_matches('`').into(),
            kind: kind.trim_end_matches('?').into(),
            may_be_empty: kind.ends_with('?'),
        });
    }
    tables
}

/// What is wrong with a cell that is to be of this type.
fn wrong(column: &Column, cell: &str) -> Option<&'static str> {
    if cell.is_empty() {
        return (!column.may_be_empty && column.kind != "input").then_some("it is empty");
    }
    let is_decimal = |text: &str| text.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0);
    let is_right = match column.kind.as_str() {
        "integer" => cell.parse::<i64>().is_ok_and(|number| number >= 0 && number.to_string() == cell),
        "percentage" => {
            let decimals = cell.split_once('.').map(|(_, decimals)| decimals.len());
            is_decimal(cell) && decimals == Some(1) && cell.parse::<f64>().unwrap() <= 100.0
        }
        "decimal" => is_decimal(cell),
        "signed" => is_decimal(cell.trim_start_matches('-')),
        "digits" => {
            let mut groups = cell.split('_');
            let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
            column.name.ends_with("_text")
                && groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && is_number(first))
                && groups.all(|group| group.len() == 3 && is_number(group))
        }
        "yes/no" => matches!(cell, "yes" | "no"),
        "text" => true,
        "input" => {
            let input = Input::from_escaped(cell).map(|input| input.to_escaped());
            input.as_deref() == Ok(cell) && !cell.contains(char::is_control)
        }
        kind => panic!("docs/tables.md has the type {kind}"),
    };
    (!is_right).then_some("it is of another type")
}

/// Checks that the file of a table is as the documents say.
fn check(path: &Path) {
    let documented = documented();
    let table = path.file_name().unwrap().to_str().unwrap();
    let columns = documented.get(table).unwrap_or_else(|| panic!("docs/tables.md does not have {table}"));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(reader.headers().unwrap(), names, "docs/tables.md describes {table} with other columns");
    for row in reader.records() {
        let row = row.unwrap();
        for (column, cell) in columns.iter().zip(&row) {
            if let Some(wrong) = wrong(column, cell) {
                panic!("{}: {cell:?} as {column:?}: {wrong}; {row:?}", path.display());
            }
            assert!(column.name != "bug" || !cell.starts_with("total"), "{row:?}");
        }
    }
}

/// The tables in a folder, which has at least one.
fn tables_in(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let tables: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "csv")).collect();
    assert!(!tables.is_empty(), "{}", folder.display());
    tables
}

#[test]
fn the_reference_results_are_as_documented() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference");
    let newest = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    for run in fs::read_dir(newest).unwrap() {
        tables_in(&run.unwrap().path()).iter().for_each(|path| check(path));
    }
}

/// A subject whose inputs are all that is hard to write: it fails on an `a`, unless there is a backslash too.
fn nasty(lab: &Lab) -> PathBuf {
    lab.add_script_subject("nasty", "case $1 in *\\\\*) exit 0;; *a*) exit 3;; esac\n");
    lab.write(
        "subjects/nasty/digits.ebnf",
        "<start> ::= <part>+\n<part> ::= \"a\" | \"\\\\\" | \"\\\\x0d\" | \"\\r\" | \"\\n\" | \"\\t\" | \",\" | \"\\\"\" | \"é\" | \"\\x01\" | \"null\"\n",
    );
    lab.edit(
        "subjects/nasty/subject.toml",
        "\"102\"",
        "\",a\"\nexpression = '<start A> where <part A> is \"a\"'",
    );
    lab.edit("subjects/nasty/subject.toml", "\"12\"", "\",\"");
    lab.own_config(&["nasty-zero"], "produce.inputs = 50\n")
}

#[test]
fn every_table_is_as_documented_and_has_the_exact_inputs() {
    let lab = Lab::new();
    let config = nasty(&lab);
    lab.run(&config, "results", &[]).expect(0);
    let files: Vec<&str> = tables::all().into_iter().map(|table| table.file).collect();
    let documented = documented();
    assert_eq!(files.len(), documented.len(), "docs/tables.md has all tables and no others");
    for table in tables::all() {
        let Some(comparison) = table.compared else { continue };
        let columns: Vec<&str> = documented[table.file].iter().map(|column| column.name.as_str()).collect();
        for column in &columns {
            assert!(comparison.knows(column), "{} does not say how `{column}` is compared", table.file);
        }
        for column in comparison.needs().into_iter().chain(comparison.others.iter().copied()) {
            assert!(columns.contains(&column), "{} has no `{column}` to compare", table.file);
        }
    }
    for file in &files {
        check(&lab.path("results").join(file));
    }
    // An escape has an `a` and a backslash; read back, it is what the program says passes.
    let escapes = lab.rows("results", "errors.csv", &[("kind", "escape"), ("verdict", "pass")]);
    assert!(escapes.iter().any(|row| row["input"].contains(r"\\")), "{escapes:?}");
    for row in &escapes {
        let input = Input::from_escaped(&row["input"]).unwrap();
        let text = std::str::from_utf8(input.bytes()).unwrap();
        assert!(text.contains('a') && text.contains('\\'), "{row:?}");
    }

    // What is written is read by the other commands.
    let lines: String = escapes.iter().map(|row| format!("{}\n", row["input"])).collect();
    lab.write("inputs", &lines);
    let validate = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        lab.prepare(&mut command);
        command.args(["validate", "--pattern", "<part> is \"a\"", "--grammar"]);
        command.arg(lab.path("subjects/nasty/digits.ebnf")).arg("--lines").arg(lab.path("inputs")).args(more);
        Run::from(command.output().unwrap())
    };
    let run = validate(&["--escaped"]).expect(0);
    assert_eq!(run.stdout.lines().count(), escapes.len(), "{run:?}");
    lab.write("inputs", "a\\q\n");
    let run = validate(&["--escaped"]).expect(2);
    assert!(run.stderr.contains(r"`\q` is no escape") && run.stderr.contains("inputs:1:1"), "{run:?}");
}

/// Reads the tables of a folder, and writes the inputs of errors.csv as they are, in hexadecimal digits.
const PYTHON: &str = r#"
import csv, os, re, sys
folder = sys.argv[1]
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\"}
def unescape(cell):
    def byte(match):
        return ESCAPES.get(match[1]) or bytes.fromhex(match[1][1:].decode())
    return re.sub(rb"\\(x..|.)", byte, cell.encode())
for name in sorted(os.listdir(folder)):
    if not name.endswith(".csv"):
        continue
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, strict=True):
            assert None not in row and None not in row.values(), (name, row)
            if "repetition" in row:
                int(row["repetition"])
            if name == "errors.csv" and row["verdict"]:
                print(unescape(row["input"]).hex())
"#;

#[test]
fn python_reads_the_tables_and_the_exact_inputs() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let lab = Lab::new();
    let config = nasty(&lab);
    lab.run(&config, "results", &[]).expect(0);
    let output = Command::new("python3").args(["-c", PYTHON]).arg(lab.path("results")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let rows = lab.rows("results", "errors.csv", &[]).into_iter().filter(|row| !row["verdict"].is_empty());
    let wanted: Vec<String> =
        rows.map(|row| hexadecimal(Input::from_escaped(&row["input"]).unwrap().bytes())).collect();
    assert!(!wanted.is_empty());
    assert_eq!(found, wanted);
}
