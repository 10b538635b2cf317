//! The corpora of subjects, and of grammars that several subjects share: a grammar derives all that its `corpus/accept.txt` holds, a line each, and
//! the whole files in `corpus/accept/`, and nothing of `corpus/reject.txt`. So a change of a
//! grammar cannot lose real inputs unseen. It derives each in exactly one way.

use std::path::{Path, PathBuf};
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

/// What is wrong with a corpus, by its grammar.
fn wrong(name: &str, grammar: &Path, corpus: &Path) -> Vec<String> {
    let source = Source::new(grammar.display().to_string(), text(grammar));
    let grammar = format::read(&source, None).unwrap_or_else(|errors| panic!("{errors}")).grammar;
    let parser = Parser::new(Arc::new(grammar));
    let mut wrong = Vec::new();
    for input in lines(&corpus.join("accept.txt")).into_iter().chain(files(&corpus.join("accept"))) {
        match parser.parse(input.as_bytes()) {
            Ok(forest) if forest.count_trees() == Some(1) => {}
            Ok(_) => wrong.push(format!("{name}: ambiguous: {input}")),
            Err(error) => wrong.push(format!("{name}: not derived: {input}\n{error}")),
        }
    }
    for input in lines(&corpus.join("reject.txt")) {
        if parser.recognizes(input.as_bytes()).expect("the inputs are short") {
            wrong.push(format!("{name}: derived: {input}"));
        }
    }
    wrong
}

/// The folders in FOLDER, by name.
fn folders(folder: &str) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let paths = entries.expect("the folder is there").map(|entry| entry.expect("it can be listed").path());
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut found: Vec<(String, PathBuf)> = paths.filter_map(|path| Some((name(&path)?, path))).collect();
    found.sort();
    found
}

#[test]
fn grammars_derive_what_their_corpora_accept_and_nothing_that_they_reject() {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for (name, folder) in folders("subjects") {
        let corpus = folder.join("corpus");
        if corpus.is_dir() {
            let manifest = Manifest::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
            for grammar in &manifest.grammars {
                let own = corpus.join(&grammar.name);
                let (name, corpus) = match own.is_dir() {
                    true => (format!("{name} {}", grammar.name), own),
                    false => (name.clone(), corpus.clone()),
                };
                found.extend(wrong(&name, &grammar.file, &corpus));
                names.push(name);
            }
        }
    }
    let grammars = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    for (name, corpus) in folders("grammars/corpus") {
        found.extend(wrong(&name, &grammars.join(format!("{name}.ebnf")), &corpus));
        names.push(name);
    }
    assert_eq!(
        names,
        [
            "find manual",
            "find tailored",
            "find independent",
            "grep manual",
            "grep tailored",
            "grep independent",
            "lua",
            "rhino",
            "clojure",
            "ecmascript"
        ]
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
}
