//! A launcher's scratch folder: entered once, emptied between runs.
//!
//! Emptying neither recurses nor holds a path in memory, since a subject may nest folders deeper than
//! any path is long: a folder inside a folder is first moved up to the top under a new name. An
//! empty scratch folder costs one look.

use std::ffi::{CStr, CString};
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, SeekFrom, openat, renameat, seek, unlinkat};
use rustix::io::Errno;

/// The scratch folder, which is also the current folder.
pub struct Folder {
    path: PathBuf,
    fd: OwnedFd,
    /// Numbers the names under which nested folders are moved up.
    moved: u64,
}

/// What is in a folder: a name, and whether it is a folder itself.
type Entry = (CString, bool);

impl Folder {
    /// Makes `path` the current folder and empties it.
    pub fn enter(path: &Path) -> io::Result<Self> {
        let fd = open(path)?;
        std::env::set_current_dir(path)?;
        let mut folder = Self { path: path.to_path_buf(), fd, moved: 0 };
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
        loop {
            seek(&self.fd, SeekFrom::Start(0))?;
            let entries = match list(&self.fd) {
                // Somebody who is not confined removed the folder itself.
                Err(Errno::NOENT) => return self.restore(),
                other => other?,
            };
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
