//! Digests of files and folders: has something changed that a subject is made of?

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A digest of parts, none of which can be taken for the end of the one before it.
#[derive(Debug, Default)]
pub struct Digest(blake3::Hasher);

impl Digest {
    /// A digest of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds files and folders, which are named relative to `folder`: their names and contents, and
    /// whether they are programs. Folders with all that is in them; of links what they point to.
    ///
    /// # Errors
    /// The first that cannot be read, and why.
    pub fn add_files(&mut self, folder: &Path, names: &[String]) -> Result<(), (PathBuf, io::Error)> {
        walk(folder, names, |name, metadata| {
            self.add(name.as_os_str().as_bytes());
            if metadata.is_dir() {
                self.add(b"folder");
            } else {
                self.add_contents(&folder.join(name), metadata)?;
            }
            Ok(())
        })
    }

    /// Adds what is in a file, and whether it is a program; of a link what it points to.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn add_contents(&mut self, path: &Path, metadata: &fs::Metadata) -> io::Result<()> {
        if metadata.is_symlink() {
            self.add(b"link");
            self.add(fs::read_link(path)?.as_os_str().as_bytes());
        } else {
            self.add(if metadata.permissions().mode() & 0o111 == 0 { b"file" } else { b"program" });
            self.add(&fs::read(path)?);
        }
        Ok(())
    }

    /// Adds what the system says of a file without reading it: what it is, where it lies, its size and
    /// its times. No program can set the time of the last change of all, so nothing is overlooked.
    pub fn add_outside(&mut self, metadata: &fs::Metadata) {
        for number in [metadata.dev(), metadata.ino(), u64::from(metadata.mode()), metadata.size()] {
            self.add(&number.to_le_bytes());
        }
        for time in [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()] {
            self.add(&time.to_le_bytes());
        }
    }

    /// The digest, in hexadecimal digits.
    pub fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// Visits files and folders, which are named relative to `folder`, and all that is in them, each before
/// what is in it and in order of their names.
///
/// # Errors
/// The first that cannot be visited, and why.
pub fn walk(
    folder: &Path,
    names: &[String],
    mut visit: impl FnMut(&Path, &fs::Metadata) -> io::Result<()>,
) -> Result<(), (PathBuf, io::Error)> {
    // Not recursive: folders wait in a list. The last is visited first, in order of their names.
    let mut waiting: Vec<PathBuf> = names.iter().rev().map(PathBuf::from).collect();
    while let Some(name) = waiting.pop() {
        let path = folder.join(&name);
        let failed = |error| (path.clone(), error);
        let metadata = fs::symlink_metadata(&path).map_err(failed)?;
        visit(&name, &metadata).map_err(failed)?;
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).map_err(failed)?;
            let entries: io::Result<Vec<_>> =
                entries.map(|entry| Ok(name.join(entry?.file_name()))).collect();
            let mut entries = entries.map_err(failed)?;
            entries.sort_by(|one, other| other.cmp(one));
            waiting.extend(entries);
        }
    }
    Ok(())
}
