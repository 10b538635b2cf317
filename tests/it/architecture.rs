//! The layers hold: a lower one never imports a higher one, every file says what it is for, and none
//! grows past what one noun needs.

use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest to the highest. A layer may use those before it.
const LAYERS: [&str; 21] = [
    "base",
    "grammar",
    "tree",
    "parse",
    "pattern",
    "automaton",
    "transform",
    "validate",
    "produce",
    "oracle",
    "inflate",
    "reduce",
    "generalize",
    "subject",
    "store",
    "report",
    "stage",
    "page",
    "compare",
    "campaign",
    "cli",
];

/// Layers that do not know each other although one is lower.
const STRANGERS: [(&str, &str); 5] = [
    ("report", "store"),
    ("store", "subject"),
    ("oracle", "grammar"),
    ("transform", "oracle"),
    ("produce", "oracle"),
];

fn source_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 50, "the sources were found");
    files
}

/// The layer that a file belongs to; `None` for the roots of the library and the program.
fn layer_of(file: &Path) -> Option<usize> {
    let inner = file.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = inner.components().next().unwrap().as_os_str().to_str().unwrap();
    if inner.components().count() == 1 {
        return None;
    }
    let layer = LAYERS.iter().position(|&layer| layer == first);
    assert!(layer.is_some(), "{first} is no layer: give it a place in the order");
    layer
}

/// The code of a file without its tests: these may look up at what they test with.
fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

fn is_test_file(file: &Path) -> bool {
    file.file_stem()
        .is_some_and(|stem| ["tests", "laws", "arbitrary", "sample"].iter().any(|name| stem == *name))
}

/// The layers that a text imports: `crate::layer`, also within braces and in paths.
fn imported(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let names = rest.strip_prefix('{').map_or(vec![rest], |inner| inner.split(',').collect());
            for name in names {
                let word: String =
                    name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                found.extend(LAYERS.iter().position(|&layer| layer == word));
            }
        }
    }
    found
}

#[test]
fn a_lower_layer_never_imports_a_higher_one() {
    let mut wrong = Vec::new();
    for file in source_files() {
        let Some(layer) = layer_of(&file).filter(|_| !is_test_file(&file)) else { continue };
        let text = fs::read_to_string(&file).unwrap();
        for used in imported(shipped(&text)) {
            let strangers = STRANGERS.contains(&(LAYERS[layer], LAYERS[used]));
            if used > layer || strangers {
                wrong.push(format!("{} imports {}", file.display(), LAYERS[used]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in source_files() {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} has no module comment", file.display());
    }
}

#[test]
fn no_file_outgrows_its_noun() {
    for file in source_files() {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 600, "{} has {lines} lines", file.display());
        let stem = file.file_stem().unwrap().to_str().unwrap();
        assert!(
            !["util", "utils", "helper", "helpers", "misc", "common", "imp"].contains(&stem),
            "{stem} says nothing"
        );
    }
}

#[test]
fn only_the_subject_layer_starts_processes() {
    for file in source_files() {
        let text = fs::read_to_string(&file).unwrap();
        let spawns = shipped(&text).contains("process::Command") || shipped(&text).contains("Command::new(");
        let allowed = layer_of(&file).is_some_and(|layer| LAYERS[layer] == "subject");
        assert!(allowed || !spawns, "{} starts processes", file.display());
    }
}
