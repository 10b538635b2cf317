//! The examples of docs/subject.md are true: they load, build, and are fit for use.

use std::sync::Arc;

use crate::programs::settings;
use grambench::base::budget::Interrupt;
use grambench::subject::manifest::Manifest;
use grambench::subject::pool::Pool;
use grambench::subject::prepare::{Silent, prepare};
use grambench::subject::prepared::Prepared;
use grambench::subject::worker::Policy;

const PAGE: &str = include_str!("../../docs/subject.md");

/// The fenced blocks that are files: name and content.
fn files() -> Vec<(&'static str, String)> {
    let mut files = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("```").and_then(|rest| rest.split_once(" file=")) else {
            continue;
        };
        let content = lines.by_ref().take_while(|line| *line != "```");
        files.push((name.1, content.map(|line| format!("{line}\n")).collect()));
    }
    files
}

#[test]
fn every_example_is_fit_for_use() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("triple");
    std::fs::create_dir(&folder).unwrap();
    let pool = Arc::new(Pool::new(settings(parent.path())).unwrap());
    let mut manifests = 0;
    for (name, content) in files() {
        std::fs::write(folder.join(name), content).unwrap();
        if name != "subject.toml" {
            continue;
        }
        manifests += 1;
        let manifest = Manifest::load(&folder).unwrap_or_else(|error| panic!("{error}"));
        let cache = parent.path().join("cache");
        let build = prepare(
            &manifest,
            &cache,
            env!("CARGO_BIN_EXE_grambench").as_ref(),
            &Interrupt::new(),
            &mut Silent,
        )
        .unwrap();
        let subject = Prepared { manifest: Arc::new(manifest), build, pool: Arc::clone(&pool) };
        for finding in subject.check(&Policy::default()).unwrap() {
            assert!(finding.is_fit, "{finding}");
        }
    }
    assert_eq!(manifests, 2);
}
