//! A folder that programs may write to: emptied between runs. The first of them is the scratch folder, which is
//! entered.
//!
//! Emptying neither recurses nor holds a path in memory, since a subject may nest folders deeper than
//! any path is long: a folder inside a folder is first moved up to the top under a new name. An
//! empty scratch folder costs one listing, and one in memory not even that: its size says that it is empty.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, SeekFrom, fstat, fstatfs, openat, renameat, seek, unlinkat,
};
use rustix::io::Errno;

use super::view::Writable;

/// A folder that programs may write to.
pub struct Folder {
    path: PathBuf,
    fd: OwnedFd,
    /// What of its top level stays.
    kept: HashSet<CString>,
    /// Its mode, which a program may have changed.
    mode: Mode,
    /// Its size when it is empty, where that tells: in a `tmpfs`, whose folders grow with each name and shrink again. Where names
    /// are kept, one of them could have been exchanged for another.
    empty_size: Option<i64>,
    /// Numbers the names under which nested folders are moved up.
    moved: u64,
}

/// What is in a folder: a name, and whether it is a folder itself.
type Entry = (CString, bool);

impl Folder {
    /// Opens these folders, empties them, and makes the first the current one.
    pub fn enter(writable: &[Writable]) -> io::Result<Vec<Self>> {
        if let Some(scratch) = writable.first() {
            std::env::set_current_dir(&scratch.path)?;
        }
        writable.iter().map(Self::open).collect()
    }

    fn open(Writable { path, kept }: &Writable) -> io::Result<Self> {
        let fd = open(path)?;
        let mode = Mode::from_raw_mode(fstat(&fd)?.st_mode);
        let kept = kept.iter().map(|name| CString::new(name.as_bytes())).collect::<Result<_, _>>()?;
        let mut folder = Self { path: path.clone(), fd, kept, mode, empty_size: None, moved: 0 };
        folder.empty()?;
        if folder.kept.is_empty() && fstatfs(&folder.fd)?.f_type == TMPFS_MAGIC {
            folder.empty_size = Some(fstat(&folder.fd)?.st_size);
        }
        Ok(folder)
    }

    /// Writes a file that is not there yet.
    pub fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let mut file = std::fs::File::from(openat(&self.fd, name, flags, mode)?);
        file.write_all(content)
    }

    /// Removes all that is in it.
    pub fn empty(&mut self) -> io::Result<()> {
        let status = fstat(&self.fd)?;
        // A program that took the rights to the folder away from itself took them from the launcher too.
        if Mode::from_raw_mode(status.st_mode) != self.mode {
            rustix::fs::fchmod(&self.fd, self.mode)?;
        }
        // A folder that was removed has no links, and the size of an empty one.
        if self.empty_size == Some(status.st_size) && status.st_nlink > 0 {
            return Ok(());
        }
        loop {
            seek(&self.fd, SeekFrom::Start(0))?;
            let mut entries = match list(&self.fd) {
                // Somebody who is not confined removed the folder itself.
                Err(Errno::NOENT) => return self.restore(),
                other => other?,
            };
            entries.retain(|(name, _)| !self.kept.contains(name));
            if entries.is_empty() {
                return Ok(());
            }
            for (name, is_folder) in entries {
                if is_folder { self.dissolve(&name)? } else { unlinkat(&self.fd, &*name, AtFlags::empty())? }
            }
        }
    }

    /// Removes the folder `name` at the top, and moves the folders in it up to the top.
    fn dissolve(&mut self, name: &CStr) -> io::Result<()> {
        let inner = match openat(&self.fd, name, FOLDER, Mode::empty()) {
            Err(Errno::ACCESS) => {
                make_accessible(&self.fd, name)?;
                openat(&self.fd, name, FOLDER, Mode::empty())
            }
            other => other,
        }?;
        let mut entries = list(&inner);
        if entries == Err(Errno::ACCESS) {
            make_accessible(&self.fd, name)?;
            entries = list(&inner);
        }
        let entries = entries?;
        if !entries.is_empty() {
            make_accessible(&self.fd, name)?;
        }
        for (entry, is_folder) in entries {
            if is_folder {
                // A folder that cannot be written cannot be moved either: its parent is noted in it.
                make_accessible(&inner, &entry)?;
                self.moved += 1;
                match renameat(&inner, &*entry, &self.fd, format!(".moved-up-{}", self.moved)) {
                    // The name is taken by something of the subject's; another one will be free.
                    Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR | Errno::ISDIR) => {}
                    other => other?,
                }
            } else {
                unlinkat(&inner, &*entry, AtFlags::empty())?;
            }
        }
        match unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            // What could not be moved is met again in the next round.
            Err(Errno::NOTEMPTY) => Ok(()),
            other => Ok(other?),
        }
    }

    fn restore(&mut self) -> io::Result<()> {
        std::fs::create_dir(&self.path)?;
        self.fd = open(&self.path)?;
        self.empty_size = None;
        std::env::set_current_dir(&self.path)
    }
}

/// The type of a `tmpfs` (`statfs(2)`).
const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(rustix::fs::CWD, path, FOLDER, Mode::empty())?)
}

fn make_accessible(parent: impl AsFd, name: &CStr) -> io::Result<()> {
    // The name is a folder and not a link: nothing runs that could change it meanwhile.
    Ok(rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty())?)
}

/// What is in a folder whose position is at its start.
fn list(fd: impl AsFd) -> rustix::io::Result<Vec<Entry>> {
    let mut space = [MaybeUninit::uninit(); 4096];
    let mut entries = Vec::new();
    let mut reader = RawDir::new(fd.as_fd(), &mut space);
    while let Some(entry) = reader.next() {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let is_folder = match entry.file_type() {
            FileType::Unknown => {
                let stat = rustix::fs::statat(fd.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode) == FileType::Directory
            }
            kind => kind == FileType::Directory,
        };
        entries.push((name.to_owned(), is_folder));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    /// What a program does to its folder: with one of a few names, or two.
    #[derive(Clone, Copy, Debug)]
    enum Deed {
        File(u8),
        Folder(u8),
        Link(u8, u8),
        Rename(u8, u8),
        Remove(u8),
    }

    impl Deed {
        /// Tries it: what is in the way prevents it.
        fn try_in(self, folder: &Path) {
            let path = |name: u8| folder.join(name.to_string());
            let _ = match self {
                Self::File(name) => fs::write(path(name), "x"),
                Self::Folder(name) => fs::create_dir_all(path(name).join("inner")),
                Self::Link(from, to) => fs::hard_link(path(from), path(to)),
                Self::Rename(from, to) => fs::rename(path(from), path(to)),
                Self::Remove(name) => fs::remove_dir_all(path(name)).or_else(|_| fs::remove_file(path(name))),
            };
        }
    }

    fn deeds() -> impl Strategy<Value = Vec<Deed>> {
        let name = || 0..3u8;
        let deed = prop_oneof![
            name().prop_map(Deed::File),
            name().prop_map(Deed::Folder),
            (name(), name()).prop_map(|(from, to)| Deed::Link(from, to)),
            (name(), name()).prop_map(|(from, to)| Deed::Rename(from, to)),
            name().prop_map(Deed::Remove),
        ];
        proptest::collection::vec(deed, 0..12)
    }

    /// Does them in a folder there, which is then emptied; whether its size told anything.
    fn empties(parent: &Path, runs: &[Vec<Deed>]) -> bool {
        let folder = tempfile::tempdir_in(parent).unwrap();
        let writable = Writable { path: folder.path().to_owned(), kept: Default::default() };
        let mut emptied = Folder::open(&writable).unwrap();
        for deeds in runs {
            deeds.iter().for_each(|deed| deed.try_in(folder.path()));
            emptied.empty().unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "after {deeds:?}");
        }
        emptied.empty_size.is_some()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn whatever_programs_leave_is_gone(runs in proptest::collection::vec(deeds(), 1..4)) {
            empties(&std::env::temp_dir(), &runs);
            if let Ok(status) = rustix::fs::statfs("/dev/shm")
                && status.f_type == TMPFS_MAGIC
            {
                prop_assert!(empties(Path::new("/dev/shm"), &runs));
            }
        }
    }
}
