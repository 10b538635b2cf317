//! The register of scratch roots: what grambench made, and so may remove.
//!
//! A folder of the user's with a file for each root, called after the root's token. It says which folder the root is: its path
//! and owner, and once it is made its device and number. The process that makes the root holds a lock on the file. The token is
//! also in the root. A root is removed only if nobody holds the lock and all of this is as it was; a folder that
//! merely looks like one never is, whatever its name, age or content.
//!
//! A process may be killed at any moment: so a root is entered before it is made, it has its token before anything else is
//! in it, and loses it last. What is killed in between leaves an empty folder at a path that is entered. That is removed as a
//! folder that must be empty.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};

use crate::subject::orphans;

/// The environment variable that names another folder for the register than the user's.
const STATE: &str = "XDG_STATE_HOME";
/// The link in a root that holds its token: unlike a file, it is there with its content or not at all.
const TOKEN: &str = ".token";

/// The register of a user.
#[derive(Debug)]
pub struct Register {
    folder: PathBuf,
}

/// The first line of a file of the register: where a root is to be.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Place {
    /// The bytes of its path.
    path: Vec<u8>,
    owner: u32,
}

/// The second line, once there is one: which folder it is.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Identity {
    device: u64,
    inode: u64,
}

/// A root that lives: dropping it takes it out of the register.
#[derive(Debug)]
pub struct Entry {
    path: PathBuf,
    /// Locked.
    file: File,
}

impl Register {
    /// The register of the user, in the folder for what programs remember; `None` if nothing says where that is.
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = set(STATE).or_else(|| Some(set("HOME")?.join(".local/state")))?;
        Some(Self { folder: state.join("grambench/scratch") })
    }

    /// Enters a root that this process is about to make.
    ///
    /// # Errors
    /// When the register cannot be written.
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
        let owner = rustix::process::geteuid().as_raw();
        write_line(&mut file, &Place { path: root.as_os_str().as_bytes().to_vec(), owner })?;
        fs::rename(unnamed, &path)?;
        Ok(Entry { path, file })
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
            match dead(&path, &mut file) {
                Some(Dead::Whole(root)) => {
                    orphans::kill(orphans::SCRATCH, &root);
                    if super::remove(&root).is_err() {
                        continue;
                    }
                }
                Some(Dead::Empty(root)) => {
                    let _ = fs::remove_dir(root);
                }
                None => {}
            }
            // Of a root that is gone, or was replaced by something else.
            let _ = fs::remove_file(&path);
        }
    }
}

/// A line of a file of the register, in one piece.
fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line).map_err(io::Error::other)?;
    text.push(b'\n');
    file.write_all(&text)
}

/// What is left of a root whose owner is dead.
enum Dead {
    /// It is certain that this folder is the one that was made, whatever is in it.
    Whole(PathBuf),
    /// There was no time to make sure. If the folder is empty, nothing is lost with it.
    Empty(PathBuf),
}

/// What a file of the register is about, if it is still there.
fn dead(entry: &Path, file: &mut File) -> Option<Dead> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let mut lines = text.lines();
    let place: Place = serde_json::from_str(lines.next()?).ok()?;
    let identity: Option<Identity> = lines.next().and_then(|line| serde_json::from_str(line).ok());
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(&place.path));
    let metadata = fs::symlink_metadata(&path).ok()?;
    let is_own = place.owner == rustix::process::geteuid().as_raw() && metadata.uid() == place.owner;
    if !metadata.is_dir() || !is_own {
        return None;
    }
    let found = Identity { device: metadata.dev(), inode: metadata.ino() };
    let has_token =
        fs::read_link(path.join(TOKEN)).is_ok_and(|token| entry.file_name() == Some(token.as_os_str()));
    match identity {
        Some(made) if made != found => None,
        Some(_) if has_token => Some(Dead::Whole(path)),
        Some(_) | None => Some(Dead::Empty(path)),
    }
}

impl Entry {
    /// The file of the register.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The root has been made: says which folder it is, there and here.
    ///
    /// # Errors
    /// When the register or the root cannot be written.
    pub fn made(&mut self, root: &Path) -> io::Result<()> {
        let metadata = fs::symlink_metadata(root)?;
        write_line(&mut self.file, &Identity { device: metadata.dev(), inode: metadata.ino() })?;
        let token = self.path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        symlink(token, root.join(TOKEN))
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
        let mut entry = register.enter(&root).unwrap();
        fs::create_dir(&root).unwrap();
        entry.made(&root).unwrap();
        // Dropped, the lock is released; the file that would be removed is another one.
        entry.path = folder.join("none");
        (register, root)
    }

    #[test]
    fn dead_roots_are_removed_and_living_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let (register, dead) = dead_root(folder.path());
        let living = folder.path().join("living");
        let mut entry = register.enter(&living).unwrap();
        fs::create_dir(&living).unwrap();
        register.remove_dead();
        entry.made(&living).unwrap();
        register.remove_dead();
        assert!(living.exists() && !dead.exists());
        drop(entry);
        assert_eq!(fs::read_dir(&register.folder).unwrap().count(), 0);
        register.remove_dead();
        assert!(living.exists(), "its owner is alive and only took it out");
    }

    /// Whenever a process is killed, the next one removes what it left, but never a folder in which something is.
    #[test]
    fn what_is_killed_while_it_makes_or_removes_its_root_leaves_nothing() {
        type Moment = fn(&Register, &Path) -> Entry;
        let moments: [(&str, Moment); 4] = [
            ("entered", |register, root| register.enter(root).unwrap()),
            ("made", |register, root| {
                let entry = register.enter(root).unwrap();
                fs::create_dir(root).unwrap();
                entry
            }),
            ("made and half a line written", |register, root| {
                let mut entry = register.enter(root).unwrap();
                fs::create_dir(root).unwrap();
                entry.file.write_all(b"{\"device\":").unwrap();
                entry
            }),
            ("its token removed", |register, root| {
                let mut entry = register.enter(root).unwrap();
                fs::create_dir(root).unwrap();
                entry.made(root).unwrap();
                fs::remove_file(root.join(TOKEN)).unwrap();
                entry
            }),
        ];
        for (what, moment) in moments {
            for is_used in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let register = Register { folder: folder.path().join("register") };
                let root = folder.path().join("root");
                let mut entry = moment(&register, &root);
                let is_there = root.exists();
                if is_there && is_used {
                    fs::write(root.join("kept"), "kept").unwrap();
                }
                // As in `dead_root`.
                entry.path = folder.path().join("none");
                drop(entry);
                register.remove_dead();
                assert_eq!(root.exists(), is_there && is_used, "{what}");
                assert_eq!(fs::read_dir(&register.folder).unwrap().count(), 0, "{what}");
            }
        }
    }

    #[test]
    fn what_is_not_certainly_a_dead_root_is_left_alone() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 5] = [
            ("another token", |root| {
                fs::remove_file(root.join(TOKEN)).unwrap();
                symlink("0", root.join(TOKEN)).unwrap();
            }),
            ("no token", |root| fs::remove_file(root.join(TOKEN)).unwrap()),
            ("another folder of the same name", |root| {
                let token = fs::read_link(root.join(TOKEN)).unwrap();
                fs::rename(root, root.with_extension("moved")).unwrap();
                fs::create_dir(root).unwrap();
                symlink(token, root.join(TOKEN)).unwrap();
            }),
            ("a link to a folder", |root| {
                let moved = root.with_extension("moved");
                fs::rename(root, &moved).unwrap();
                symlink(&moved, root).unwrap();
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
