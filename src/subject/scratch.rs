//! The folders in which subjects may write: one root per process, one folder below it per worker.
//!
//! The root is removed when its owner drops it. An owner that was killed cannot, so whoever makes a root
//! first removes those that are dead. A folder is only ever removed when it is certain that grambench made it: each root
//! has an entry in a register (`register`), which says where it is and which folder of the file system it is, and holds
//! the same random token as a file in the root. The owner holds a lock on the entry as long as it lives,
//! which the system releases whatever way it ends. (Process numbers would not do: they are used again.)

mod register;

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::rand::{GetRandomFlags, getrandom};

use self::register::{Entry, Register};
use super::launcher::privilege::NOBODY;
use super::running::{self, Ticket};

/// What the names of all roots begin with, for people to know them by.
const PREFIX: &str = "grambench-";

/// A folder for this process's workers, removed in the end.
#[derive(Debug)]
pub struct ScratchRoot {
    path: PathBuf,
    /// `None` where there is no register. Should this process be killed, its root is nobody's business then.
    _entry: Option<Entry>,
    /// So that it is removed too when the process has to end without dropping this.
    _ticket: Ticket,
    /// Numbers the folders that take the place of others.
    replaced: AtomicU64,
}

impl ScratchRoot {
    /// A new root below `parent`, after removing the dead ones that the user's register knows of.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let place = |error: io::Error| {
            let said = format!("{error}, in `{}`; TMPDIR may name another folder", parent.display());
            io::Error::new(error.kind(), said)
        };
        Self::make_in(parent, Register::of_user().as_ref()).map_err(place)
    }

    fn make_in(parent: &Path, register: Option<&Register>) -> io::Result<Self> {
        if let Some(register) = register {
            register.remove_dead();
        }
        // Root's programs run as another user, who has to get to what is theirs.
        let mode = if is_root() { 0o711 } else { 0o700 };
        let mut random = [0; 8];
        getrandom(&mut random, GetRandomFlags::empty())?;
        let random = u64::from_ne_bytes(random);
        let name = format!("{PREFIX}{}-{random:x}", std::process::id());
        let path = parent.canonicalize()?.join(name);
        // Without an entry, nobody but this process removes it.
        let mut entry = register.and_then(|register| register.enter(&path).ok());
        fs::DirBuilder::new().mode(mode).create(&path)?;
        if let Some(entry) = &mut entry {
            // Where it cannot be said, such as on a full disk, the next process leaves alone what is in the folder.
            let _ = entry.made(&path);
        }
        let entered = entry.as_ref().map(|entry| entry.path().to_path_buf());
        let ticket = running::enter_folders(std::iter::once(path.clone()).chain(entered).collect());
        Ok(Self { path, _entry: entry, _ticket: ticket, replaced: AtomicU64::new(0) })
    }

    /// The root's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder of worker `number`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn worker(&self, number: usize) -> io::Result<PathBuf> {
        self.make(&format!("worker-{number}"))
    }

    /// Makes the folder of worker `number` of the persistent workers, which outlive an input.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn persistent_worker(&self, number: usize) -> io::Result<PathBuf> {
        self.make(&format!("persistent-{number}"))
    }

    /// Makes an empty folder. One of that name which a program has made useless is replaced, by one of another name if it cannot
    /// be removed.
    fn make(&self, name: &str) -> io::Result<PathBuf> {
        if running::is_over() {
            return Err(io::Error::other("stopped"));
        }
        let mut path = self.path.join(name);
        if path.symlink_metadata().is_ok() && remove(&path).is_err() {
            let number = self.replaced.fetch_add(1, Ordering::Relaxed);
            path = self.path.join(format!("{name}-{number}"));
        }
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        if is_root() {
            // Without the right to do so, programs cannot write to it, and say so.
            let _ = chown(&path, Some(NOBODY), Some(NOBODY));
        }
        Ok(path)
    }
}

impl Drop for ScratchRoot {
    fn drop(&mut self) {
        // One that is gone was removed because the process is about to end.
        if let Err(error) = remove(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            let path = self.path.display();
            eprintln!("warning: `{path}` cannot be removed: {error}; remove it by hand");
        }
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Removes a folder with all that is in it, whatever rights to it a program took away. What a root is known by goes last:
/// whoever removes it may be killed.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_all(&entry.path())?;
        }
    }
    remove_all(path)
}

fn remove_all(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_accessible(path)?;
            fs::remove_dir_all(path)
        }
        other => other,
    }
}

/// Gives the owner all rights to a folder and to those in it. Links are not followed.
fn make_accessible(path: &Path) -> io::Result<()> {
    let mut waiting = vec![path.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_folder_can_be_made_is_said() {
        let error = ScratchRoot::new(Path::new("/no/such")).err().unwrap().to_string();
        assert!(error.ends_with(", in `/no/such`; TMPDIR may name another folder"), "{error}");
    }

    #[test]
    fn a_folder_that_a_program_made_useless_is_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let root = ScratchRoot::make_in(parent.path(), None).unwrap();
        let folder = root.worker(0).unwrap();
        fs::create_dir_all(folder.join("a/b")).unwrap();
        for path in [folder.join("a/b"), folder.join("a"), folder] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
        }
        assert_eq!(fs::read_dir(root.worker(0).unwrap()).unwrap().count(), 0);
        let gone = root.path().to_path_buf();
        drop(root);
        assert!(!gone.exists());
    }
}
