//! The folders in which subjects may write: one root per process, one folder below it per worker.
//!
//! The root is removed when its owner drops it. An owner that was killed cannot, so whoever makes a root
//! first removes those that are dead. An owner holds a lock on a file in its root as long as it lives,
//! which the system releases whatever way it ends: a root whose lock can be had is dead. (Process numbers
//! would not do: they are used again.)

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::survivors;

/// What the names of all roots begin with.
const PREFIX: &str = "grambench-";
/// The locked file in a root.
const LOCK: &str = "lock";
/// The age at which a root without a lock file counts as dead: its owner ended between two calls.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder for this process's workers, removed in the end.
#[derive(Debug)]
pub struct ScratchRoot {
    folder: tempfile::TempDir,
    _lock: File,
}

impl ScratchRoot {
    /// A new root below `parent`, after removing the dead ones there.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let place = |error: io::Error| {
            let said = format!("{error}, in `{}`; TMPDIR may name another folder", parent.display());
            io::Error::new(error.kind(), said)
        };
        Self::make_in(parent).map_err(place)
    }

    fn make_in(parent: &Path) -> io::Result<Self> {
        remove_dead(parent);
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(parent.canonicalize()?)?;
        // The file gets its name when it is locked, so that nobody ever finds it unlocked.
        let unnamed = folder.path().join("new");
        let lock = File::create_new(&unnamed)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }

    /// The root's path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes the folder of worker `number`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn worker(&self, number: usize) -> io::Result<PathBuf> {
        self.make(&format!("worker-{number}"))
    }

    /// Makes the folder of worker `number` of the crew: of those that outlive an input.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn of_crew(&self, number: usize) -> io::Result<PathBuf> {
        self.make(&format!("crew-{number}"))
    }

    fn make(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        Ok(path)
    }
}

/// Removes the roots below `parent` whose owners are dead, and kills what they left running. What cannot
/// be removed stays: another user's, or a race with somebody who does the same.
fn remove_dead(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) && is_dead(&entry.path()) {
            survivors::kill(survivors::SCRATCH, &entry.path());
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_dead(root: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(root) else { return false };
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return false;
    }
    match File::open(root.join(LOCK)) {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
        Err(_) => metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > ABANDONED)),
    }
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
    fn dead_roots_are_removed_and_living_ones_are_not() {
        let parent = tempfile::tempdir().unwrap();
        let living = ScratchRoot::new(parent.path()).unwrap();
        let dead = parent.path().join("grambench-1-dead");
        fs::create_dir_all(dead.join("worker-0")).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        let young = parent.path().join("grambench-2-without-a-lock-yet");
        fs::create_dir(&young).unwrap();
        let other = parent.path().join("something-else");
        fs::create_dir(&other).unwrap();

        let next = ScratchRoot::new(parent.path()).unwrap();
        assert!(living.path().exists() && next.path().exists() && young.exists() && other.exists());
        assert!(!dead.exists());
        let gone = living.path().to_path_buf();
        drop(living);
        assert!(!gone.exists());
    }
}
