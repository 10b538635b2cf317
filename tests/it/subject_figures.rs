//! The figures in the READMEs of subjects are those of the reference results: a line for each bug and grammar.
//!
//! `SESSIONS=overwrite cargo test subject_figures` writes them anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Row = BTreeMap<String, String>;

const REFERENCE: &str = "results/reference/2026-11-22";
const HEAD: &str = "| bug | grammar | abstract input | lines with the pattern that fail | lines without that pass | failing lines that \
                    the pattern covers: seen, neighbours |\n|---|---|---|---|---|---|\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rows(subject: &str, table: &str) -> Vec<Row> {
    let folder = format!("{subject}-grammars");
    let path: PathBuf = [REFERENCE, &folder, table].iter().collect();
    let mut reader = csv::Reader::from_path(root().join(path)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The lines of the table of a subject.
fn lines(subject: &str) -> String {
    let (producing, recognizing) = (rows(subject, "producing.csv"), rows(subject, "recognizing.csv"));
    let mut lines = String::new();
    for found in rows(subject, "abstracting.csv").iter().filter(|row| row["subject"] == subject) {
        let is_same =
            |row: &&Row| ["subject", "bug", "grammar"].iter().all(|&column| row[column] == found[column]);
        let of = |row: &Row, hits: &str, all: &str| format!("{} of {}", row[hits], row[all]);
        let produced = producing.iter().find(is_same).unwrap();
        let covered = |source: &str| {
            let row = recognizing.iter().filter(is_same).find(|row| row["source"] == source).unwrap();
            of(row, "fail_accepted", "fail_inputs")
        };
        lines += &format!(
            "| {} | {} | `{}` | {} | {} | {}, {} |\n",
            found["bug"].trim_start_matches(subject).trim_start_matches('-'),
            found["grammar"],
            found["compact"].replace('|', "\\|"),
            of(produced, "fail_failed", "fail_inputs"),
            of(produced, "pass_passed", "pass_inputs"),
            covered("seen"),
            covered("neighbours"),
        );
    }
    lines
}

#[test]
fn the_figures_of_a_subject_are_those_of_its_reference_results() {
    for subject in ["find", "grep"] {
        let path = root().join("subjects").join(subject).join("README.md");
        let text = std::fs::read_to_string(&path).unwrap();
        let begin = text.find(HEAD).unwrap_or_else(|| panic!("{}: the table is not there", path.display()))
            + HEAD.len();
        let end = begin + text[begin..].find("\n\n").unwrap() + 1;
        let expected = lines(subject);
        assert!(expected.lines().count() > 5, "each bug with each grammar");
        if std::env::var("SESSIONS").as_deref() == Ok("overwrite") {
            std::fs::write(&path, [&text[..begin], &expected, &text[end..]].concat()).unwrap();
        } else {
            assert_eq!(&text[begin..end], expected, "{}", path.display());
        }
    }
}
