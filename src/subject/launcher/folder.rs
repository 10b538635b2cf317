//! A folder that programs may write to: emptied between runs. The first of them is the scratch folder, which is
//! entered.
//!
//! Emptying neither recurses nor holds a path in memory, since a subject may nest folders deeper than
//! any path is long: a folder inside a folder is first moved up to the top under a new name. An
//! empty scratch folder costs one look.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, SeekFrom, openat, renameat, seek, unlinkat};
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
        let mode = Mode::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
        let kept = kept.iter().map(|name| CString::new(name.as_bytes())).collect::<Result<_, _>>()?;
        let mut folder = Self { path: path.clone(), fd, kept, mode, moved: 0 };
        folder.empty()?;
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
        // A program that took the rights to the folder away from itself took them from the launcher too.
        if Mode::from_raw_mode(rustix::fs::fstat(&self.fd)?.st_mode) != self.mode {
            rustix::fs::fchmod(&self.fd, self.mode)?;
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
        std::env::set_current_dir(&self.path)
    }
}

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
