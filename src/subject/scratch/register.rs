//! The register of scratch roots: what grambench made, and so may remove.
//!
//! A folder of the user's with a file for each root, called after the root's token. It says which folder the root is: its path,
//! device and number, and its owner. The process that made the root holds a lock on the file. The token is also in the root.
//! A root is removed only if nobody holds the lock and all of this is as it was; a folder that
//! merely looks like one never is, whatever its name, age or content.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};

use crate::subject::orphans;

/// The environment variable that names another folder for the register than the user's.
const STATE: &str = "XDG_STATE_HOME";
/// The file in a root that holds its token.
const TOKEN: &str = ".token";

/// The register of a user.
#[derive(Debug)]
pub struct Register {
    folder: PathBuf,
}

/// What a file of the register says of a root.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Root {
    /// The bytes of its path.
    path: Vec<u8>,
    device: u64,
    inode: u64,
    owner: u32,
}

/// A root that lives: dropping it takes it out of the register.
#[derive(Debug)]
pub struct Entry {
    path: PathBuf,
    _lock: File,
}

impl Register {
    /// The register of the user, in the folder for what programs remember; `None` if nothing says where that is.
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = set(STATE).or_else(|| Some(set("HOME")?.join(".local/state")))?;
        Some(Self { folder: state.join("grambench/scratch") })
    }

    /// Enters a root that this process has just made.
    ///
    /// # Errors
    /// When the register or the root cannot be written.
    pub fn enter(&self, root: &Path) -> io::Result<Entry> {
        let mut random = [0; 16];
        getrandom(&mut random, GetRandomFlags::empty())?;
        let token = format!("{:032x}", u128::from_ne_bytes(random));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let path = self.folder.join(&token);
        // The file gets its name when it is locked and whole, so that nobody ever finds it otherwise.
        let unnamed = self.folder.join(format!("{token}.new"));
        let mut file = File::options().read(true).write(true).create_new(true).open(&unnamed)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let text = serde_json::to_vec(&Root::of(root)?).map_err(io::Error::other)?;
        file.write_all(&text)?;
        fs::write(root.join(TOKEN), &token)?;
        fs::rename(unnamed, &path)?;
        Ok(Entry { path, _lock: file })
    }

    /// Removes the roots whose owners are dead, and kills what they left running. What is not certainly one of them is left
    /// alone, and so is what cannot be removed.
    pub fn remove_dead(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            // Between the two, another process may have done the same: then there is nothing left to do.
            let Ok(mut file) = File::open(&path) else { continue };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            if let Some(root) = certain(&path, &mut file) {
                orphans::kill(orphans::SCRATCH, &root);
                if super::remove(&root).is_err() {
                    continue;
                }
            }
            // Of a root that is gone, or was replaced by something else.
            let _ = fs::remove_file(&path);
        }
    }
}

impl Root {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let (device, inode, owner) = (metadata.dev(), metadata.ino(), metadata.uid());
        Ok(Self { path: path.as_os_str().as_bytes().to_vec(), device, inode, owner })
    }
}

/// The root that a file of the register is about, if it is still the one that was entered.
fn certain(entry: &Path, file: &mut File) -> Option<PathBuf> {
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    let entered: Root = serde_json::from_slice(&text).ok()?;
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(&entered.path));
    let token = fs::read(path.join(TOKEN)).ok()?;
    let is_same = Root::of(&path).is_ok_and(|found| found == entered)
        && entered.owner == rustix::process::geteuid().as_raw()
        && entry.file_name().is_some_and(|name| name.as_bytes() == token);
    is_same.then_some(path)
}

impl Entry {
    /// The file of the register.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A register, and a root in it whose owner is dead: with the lock released, but neither file removed.
    fn dead_root(folder: &Path) -> (Register, PathBuf) {
        let register = Register { folder: folder.join("register") };
        let root = folder.join("root");
        fs::create_dir(&root).unwrap();
        let mut entry = register.enter(&root).unwrap();
        // Dropped, the lock is released; the file that would be removed is another one.
        entry.path = folder.join("none");
        (register, root)
    }

    #[test]
    fn dead_roots_are_removed_and_living_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let (register, dead) = dead_root(folder.path());
        let living = folder.path().join("living");
        fs::create_dir(&living).unwrap();
        let entry = register.enter(&living).unwrap();
        register.remove_dead();
        assert!(living.exists() && !dead.exists());
        drop(entry);
        assert_eq!(fs::read_dir(&register.folder).unwrap().count(), 0);
        register.remove_dead();
        assert!(living.exists(), "its owner is alive and only took it out");
    }

    #[test]
    fn what_is_not_certainly_a_dead_root_is_left_alone() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 5] = [
            ("another token", |root| fs::write(root.join(TOKEN), "0").unwrap()),
            ("no token", |root| fs::remove_file(root.join(TOKEN)).unwrap()),
            ("another folder of the same name", |root| {
                let token = fs::read(root.join(TOKEN)).unwrap();
                fs::rename(root, root.with_extension("moved")).unwrap();
                fs::create_dir(root).unwrap();
                fs::write(root.join(TOKEN), token).unwrap();
            }),
            ("a link to a folder", |root| {
                let moved = root.with_extension("moved");
                fs::rename(root, &moved).unwrap();
                std::os::unix::fs::symlink(&moved, root).unwrap();
            }),
            ("a file", |root| {
                fs::remove_dir_all(root).unwrap();
                fs::write(root, "kept").unwrap();
            }),
        ];
        for (what, change) in changes {
            let folder = tempfile::tempdir().unwrap();
            let (register, root) = dead_root(folder.path());
            fs::write(root.join("kept"), "kept").unwrap();
            change(&root);
            register.remove_dead();
            let kept = [root.join("kept"), root.with_extension("moved").join("kept"), root];
            assert!(
                kept.iter().any(|path| fs::read(path).is_ok_and(|text| text == b"kept") || path.is_dir()),
                "{what}"
            );
        }
    }

    #[test]
    fn a_register_that_cannot_be_read_removes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (register, root) = dead_root(folder.path());
        let entry = fs::read_dir(&register.folder).unwrap().next().unwrap().unwrap().path();
        fs::write(entry, "{").unwrap();
        register.remove_dead();
        assert!(root.exists());
    }
}
