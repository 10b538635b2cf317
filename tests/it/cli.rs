//! Sessions with the program: tests/cmd holds what a user types, and what the program answers.

use crate::session;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything in `from`, in `to`.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn the_program_answers_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(root.join("tests/cmd")).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    assert!(pages.len() > 6);
    for page in pages {
        // Who has a folder beside the page works in a copy of it, where files may be written.
        let own = page.with_extension("");
        if own.is_dir() {
            let folder = tempfile::tempdir().unwrap();
            copy(&own, folder.path());
            session::check(&page, folder.path());
        } else {
            session::check(&page, root);
        }
    }
}

#[test]
fn validating_says_the_same_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let texts = ["{\"\": 1}", "[1, 2]", "{\"a\" 1}", "[{\"\": [null, null]}]"];
    let line =
        |number: usize| format!("{} ", texts[number * number % 7 % texts.len()].repeat(1 + number % 2));
    let lines: Vec<String> = (0..500).map(|number| line(number).trim_end().to_owned()).collect();
    fs::write(folder.path().join("lines.txt"), lines.join("\n")).unwrap();
    let mut files = Vec::new();
    for (number, text) in lines.iter().enumerate().take(60) {
        files.push(format!("{number}.json"));
        fs::write(folder.path().join(&files[number]), text).unwrap();
    }
    let mut with_a_gap = files.clone();
    with_a_gap.insert(40, "missing.json".to_owned());
    with_a_gap.insert(50, "missing as well.json".to_owned());
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars/json.ebnf");
    let validate = |jobs: &str, more: &[&str], inputs: &[String]| {
        let output = Command::new(env!("CARGO_BIN_EXE_grambench"))
            .args(["validate", "--pattern", "<item> is \"\\\"\\\": <elt>\"", "--jobs", jobs, "--grammar"])
            .arg(&grammar)
            .args(more)
            .args(inputs)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for more in [&[][..], &["--format", "json"], &["--explain"], &["--explain", "--format", "json"]] {
        let in_lines = [more, &["--lines", "lines.txt"]].concat();
        for (more, inputs, code, said) in
            [(&in_lines[..], &[][..], 1, 500), (more, &files[..], 1, 60), (more, &with_a_gap[..], 2, 40)]
        {
            let alone = validate("1", more, inputs);
            assert_eq!(alone.0, Some(code), "{}", alone.2);
            let answers = alone.1.lines().filter(|line| !line.starts_with(' ')).count();
            assert_eq!(answers, said, "{}", alone.1);
            assert_eq!(alone.2.contains("missing"), code == 2);
            assert!(!alone.2.contains("as well"), "the first that is wrong is told");
            assert!(validate("4", more, inputs) == alone, "{more:?}");
        }
    }
}
