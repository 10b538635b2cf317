//! Sessions with the program: tests/cmd holds what a user types, and what the program answers.

use crate::session;

use std::fs;
use std::path::{Path, PathBuf};

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
