//! The corpora of subjects: a grammar derives all that its `corpus/accept.txt` holds, each in exactly one
//! way, and nothing of `corpus/reject.txt`. So a change of a grammar cannot lose real inputs unseen.

use std::path::Path;
use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::grammar::format;
use grambench::parse::Parser;

/// The inputs in a file of a corpus: a line each, without comments and empty lines.
fn inputs(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let inputs: Vec<String> = lines.map(str::to_owned).collect();
    assert!(inputs.len() > 10, "{} holds something", file.display());
    inputs
}

/// What is wrong with the corpus of the subject in FOLDER, by its grammar.
fn wrong(folder: &Path, name: &str) -> Vec<String> {
    let file = folder.join(format!("{name}.ebnf"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let read = format::read(&Source::new(file.display().to_string(), text), None)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let parser = Parser::new(Arc::new(read.grammar));
    let mut wrong = Vec::new();
    for input in inputs(&folder.join("corpus/accept.txt")) {
        match parser.parse(input.as_bytes()).map(|forest| forest.count_trees()) {
            Ok(Some(1)) => {}
            Ok(_) => wrong.push(format!("{name}: ambiguous: {input}")),
            Err(_) => wrong.push(format!("{name}: not derived: {input}")),
        }
    }
    for input in inputs(&folder.join("corpus/reject.txt")) {
        if parser.recognizes(input.as_bytes()) {
            wrong.push(format!("{name}: derived: {input}"));
        }
    }
    wrong
}

#[test]
fn grammars_derive_what_their_corpora_accept_and_nothing_that_they_reject() {
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let mut found = Vec::new();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&subjects).expect("the folder of subjects is there") {
        let folder = entry.expect("it can be listed").path();
        if folder.join("corpus").is_dir() {
            let name = folder.file_name().and_then(|name| name.to_str()).expect("a plain name").to_owned();
            found.extend(wrong(&folder, &name));
            names.push(name);
        }
    }
    assert!(names.iter().any(|name| name == "find") && names.iter().any(|name| name == "grep"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}
