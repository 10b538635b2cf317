//! The corpora of subjects: a grammar derives all that its `corpus/accept.txt` holds, a line each, and
//! the whole files in `corpus/accept/`, and nothing of `corpus/reject.txt`. So a change of a
//! grammar cannot lose real inputs unseen. It derives each in exactly one way.

use std::path::Path;
use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::grammar::format;
use grambench::parse::Parser;
use grambench::subject::manifest::Manifest;

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The inputs in a file of a corpus: a line each, without comments and empty lines.
fn lines(file: &Path) -> Vec<String> {
    let lines = text(file);
    let lines = lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let inputs: Vec<String> = lines.map(str::to_owned).collect();
    assert!(inputs.len() > 10, "{} holds something", file.display());
    inputs
}

/// The inputs that are a file each, if there are any.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| text(&entry.expect("it can be listed").path())).collect()
}

/// What is wrong with the corpus of the subject in FOLDER, by its grammar.
fn wrong(folder: &Path) -> Vec<String> {
    let manifest = Manifest::load(folder).unwrap_or_else(|errors| panic!("{errors}"));
    let source = Source::new(manifest.grammar.display().to_string(), text(&manifest.grammar));
    let grammar = format::read(&source, None).unwrap_or_else(|errors| panic!("{errors}")).grammar;
    let parser = Parser::new(Arc::new(grammar));
    let corpus = folder.join("corpus");
    let mut wrong = Vec::new();
    for input in lines(&corpus.join("accept.txt")).into_iter().chain(files(&corpus.join("accept"))) {
        match parser.parse(input.as_bytes()) {
            Ok(forest) if forest.count_trees() == Some(1) => {}
            Ok(_) => wrong.push(format!("{}: ambiguous: {input}", manifest.name)),
            Err(error) => wrong.push(format!("{}: not derived: {input}\n{error}", manifest.name)),
        }
    }
    for input in lines(&corpus.join("reject.txt")) {
        if parser.recognizes(input.as_bytes()) {
            wrong.push(format!("{}: derived: {input}", manifest.name));
        }
    }
    wrong
}

#[test]
fn grammars_derive_what_their_corpora_accept_and_nothing_that_they_reject() {
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let mut found = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&subjects).expect("the folder of subjects is there") {
        let folder = entry.expect("it can be listed").path();
        if folder.join("corpus").is_dir() {
            found.extend(wrong(&folder));
            count += 1;
        }
    }
    assert!(count >= 3, "find, grep and lua have one");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
