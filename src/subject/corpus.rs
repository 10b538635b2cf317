//! Inputs of a subject that people wrote: the files in the folders that its manifest names under `corpus`.
//!
//! A file whose name ends in `.txt` holds an input on each line; empty lines, and those that begin with `#`, are none.
//! Any other file is one input. Most of such collections are of test suites, so not all that is in them has to be of the grammar.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The inputs in `folder` and the folders in it, by the names of the files.
///
/// # Errors
/// When something cannot be read: with its path.
pub fn inputs(folder: &Path) -> Result<Vec<Vec<u8>>, (PathBuf, io::Error)> {
    let mut inputs = Vec::new();
    for file in files(folder)? {
        let text = fs::read(&file).map_err(|error| (file.clone(), error))?;
        if file.extension().is_some_and(|extension| extension == "txt") {
            inputs.extend(lines(&text).map(<[u8]>::to_vec));
        } else {
            inputs.push(text);
        }
    }
    Ok(inputs)
}

/// The inputs in a file that has one on each line.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| (folder.clone(), error))?;
        for entry in entries {
            let path = entry.map_err(|error| (folder.clone(), error))?.path();
            if path.is_dir() { &mut open } else { &mut files }.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_text_files_and_whole_other_files_are_inputs() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("c.txt"), "# words\none\n\ntwo # not a comment\r\n").unwrap();
        fs::write(folder.path().join("b/a.lua"), "x = 1\n# y\n").unwrap();
        let expected: [&[u8]; 3] = [b"x = 1\n# y\n", b"one", b"two # not a comment"];
        assert_eq!(inputs(folder.path()).unwrap(), expected);
        let missing = folder.path().join("none");
        assert_eq!(inputs(&missing).unwrap_err().0, missing);
    }
}
