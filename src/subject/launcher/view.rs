//! The files that programs under test see, where the launcher has a mount namespace of its own.
//!
//! All of the system, read-only, but for what belongs to others: `/tmp`, `/run`, `/dev` and `/proc` are new and empty
//! or made anew, so that no socket, terminal, temporary file or process of anybody else is there. What programs need
//! of the old ones ([`Setup::reads`](super::wire::Setup)) is mounted at its place. The scratch folder, `/tmp` and `/dev/shm` can be
//! written; they are file systems in memory of limited size that end with the launcher.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, mount_remount,
    move_mount, open_tree,
};
use rustix::process::{getegid, geteuid};

use super::privilege::NOBODY;

/// Folders of the system that are replaced by empty ones.
const EMPTIED: [&str; 2] = ["/tmp", "/run"];
/// Devices that every program may use.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// Links that are found in `/dev`.
const LINKS: [(&str, &str); 4] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
];
/// What hardly any program under test has a business with, and root alone can read. Root's programs keep the right to read.
const SECRETS: [&str; 4] = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];
/// The size of a file system that programs may write to, and the number of its files.
const ROOM: &str = "size=1g,nr_inodes=200k";

/// A folder that programs may write to, and what of its top level is not theirs.
pub struct Writable {
    /// The folder.
    pub path: PathBuf,
    /// The names of entries that stay.
    pub kept: BTreeSet<OsString>,
}

/// Whether `path` lies in a folder that programs do not see unless it is among the paths that they read.
pub fn is_hidden(path: &Path) -> bool {
    EMPTIED.iter().map(Path::new).any(|base| path.starts_with(base) && path != base)
}

/// What a program is likely to read when it is given `path`: a folder, or what lies beside a file; the file alone if that
/// is a folder which is hidden as a whole.
pub fn beside(path: &Path) -> PathBuf {
    // Paths are compared name by name, and `a/..` does not lie in `a`.
    let has_parents = path.components().any(|part| part == Component::ParentDir);
    let resolved = if has_parents { path.canonicalize().ok() } else { None };
    let path = resolved.as_deref().unwrap_or(path);
    match path.parent() {
        Some(parent) if !path.is_dir() && !EMPTIED.iter().any(|base| Path::new(base) == parent) => {
            parent.into()
        }
        _ => path.into(),
    }
}

/// Makes the view. The first folder of the answer is the scratch folder.
///
/// # Errors
/// When the kernel does not allow a mount. The namespace is of no use then.
pub fn build(scratch: &Path, reads: &[PathBuf]) -> io::Result<Vec<Writable>> {
    // What is mounted here is never seen elsewhere.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    make_read_only()?;
    let mut trees = Vec::new();
    for path in outermost(reads.iter().filter(|path| is_hidden(path))) {
        match tree(path) {
            Ok(tree) => trees.push((path.clone(), tree, path.is_dir())),
            // What is not there, nobody can read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let devices: Vec<(PathBuf, OwnedFd)> = DEVICES
        .iter()
        .map(|name| Path::new("/dev").join(name))
        .filter_map(|path| Some((path.clone(), tree(&path).ok()?)))
        .collect();
    let blank = if geteuid().is_root() { tree(Path::new("/dev/null")).ok() } else { None };

    let mut writable = vec![Writable { path: scratch.to_path_buf(), kept: BTreeSet::new() }];
    for base in EMPTIED.map(Path::new).into_iter().filter(|base| is_real_folder(base)) {
        in_memory(base, "mode=1777", ROOM)?;
        let mut places = Places { base, kept: BTreeSet::new(), folders: Vec::new() };
        for (path, tree, is_folder) in trees.iter().filter(|(path, ..)| path.starts_with(base)) {
            places.make(path, *is_folder)?;
            put(tree, path)?;
        }
        // In a folder that is shown, it is there already.
        if scratch.starts_with(base) && !trees.iter().any(|(path, ..)| scratch.starts_with(path)) {
            places.make(scratch, true)?;
        }
        places.seal()?;
        writable.push(Writable { path: base.to_path_buf(), kept: places.kept });
    }
    in_memory(scratch, "mode=0700", ROOM)?;
    if let Some(blank) = blank {
        for path in SECRETS.map(Path::new).into_iter().filter(|path| path.exists()) {
            put(&tree_of(&blank)?, path)?;
        }
    }
    make_dev(&devices)?;
    writable.push(Writable { path: "/dev/shm".into(), kept: BTreeSet::new() });
    make_proc()?;
    Ok(writable)
}

/// The mount points below a folder that was emptied.
///
/// Each entry of its top level that leads to one is a mount point itself, and so cannot be moved or removed by a
/// program that may write to the folder.
struct Places<'a> {
    base: &'a Path,
    /// The names at the top level.
    kept: BTreeSet<OsString>,
    /// Those of them that were made to hold others.
    folders: Vec<PathBuf>,
}

impl Places<'_> {
    /// Makes a place for `path`, which lies in the base folder: a folder or a file to mount something on.
    fn make(&mut self, path: &Path, is_folder: bool) -> io::Result<()> {
        let inner = path.strip_prefix(self.base).map_err(io::Error::other)?;
        let Some(Component::Normal(first)) = inner.components().next() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "all of a folder that is to be empty"));
        };
        let top = self.base.join(first);
        let is_deeper = top != path;
        if self.kept.insert(first.to_owned()) && is_deeper {
            fs::create_dir(&top)?;
            in_memory(&top, "mode=0755", "size=64k,nr_inodes=1k")?;
            self.folders.push(top);
        }
        if is_folder {
            fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
        } else {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            File::create(path).map(drop)
        }
    }

    /// Nothing more is put into the entries of the top level.
    fn seal(&self) -> io::Result<()> {
        for folder in &self.folders {
            let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
            mount_remount(folder, flags, "")?;
        }
        Ok(())
    }
}

/// Those paths that lie in no other.
fn outermost<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<&'a PathBuf> {
    let mut paths: Vec<&PathBuf> = paths.collect();
    paths.sort_unstable();
    paths.dedup_by(|later, earlier| later.starts_with(earlier));
    paths
}

fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// A handle on what is at `path` now, whatever will be mounted over it.
fn tree(path: &Path) -> io::Result<OwnedFd> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(CWD, path, flags)?)
}

/// A further handle on what a handle stands for, which can be mounted once more.
fn tree_of(tree: &OwnedFd) -> io::Result<OwnedFd> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(tree, "", flags)?)
}

/// Mounts at `path` what a handle stands for.
fn put(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    Ok(move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// Mounts an empty file system in memory that belongs to the programs.
fn in_memory(path: &Path, mode: &str, room: &str) -> io::Result<()> {
    let (user, group) =
        if geteuid().is_root() { (NOBODY, NOBODY) } else { (geteuid().as_raw(), getegid().as_raw()) };
    let data = std::ffi::CString::new(format!("{mode},{room},uid={user},gid={group}"))?;
    Ok(mount("tmpfs", path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, data.as_c_str())?)
}

/// Makes all that is mounted read-only. Mode, owner, times and attributes of files are then out of reach, which Landlock
/// leaves alone. What cannot be changed stays: Landlock denies writing there too.
fn make_read_only() -> io::Result<()> {
    for line in fs::read("/proc/self/mountinfo")?.split(|&byte| byte == b'\n') {
        let mut fields = line.split(|&byte| byte == b' ');
        let (Some(path), Some(options)) = (fields.nth(4), fields.next()) else { continue };
        let mut flags = MountFlags::BIND | MountFlags::RDONLY;
        for option in options.split(|&byte| byte == b',') {
            // The kernel lets nobody take these away; those of access times are kept without being named.
            flags |= match option {
                b"nosuid" => MountFlags::NOSUID,
                b"nodev" => MountFlags::NODEV,
                b"noexec" => MountFlags::NOEXEC,
                _ => MountFlags::empty(),
            };
        }
        let _ = mount_remount(unescaped(path), flags, "");
    }
    Ok(())
}

/// A path as the kernel writes it into tables: a space, tab, line feed or backslash is a backslash and three octal digits.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| byte == b'\\').and_then(|digits| {
            digits.iter().try_fold(0u8, |value, digit| {
                value.checked_mul(8)?.checked_add(digit.checked_sub(b'0').filter(|digit| *digit < 8)?)
            })
        });
        path.push(octal.unwrap_or(byte));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(path).into()
}

fn make_dev(devices: &[(PathBuf, OwnedFd)]) -> io::Result<()> {
    in_memory(Path::new("/dev"), "mode=0755", "size=64k,nr_inodes=100")?;
    for (path, device) in devices {
        File::create(path)?;
        put(device, path)?;
    }
    for (target, link) in LINKS {
        symlink(target, link)?;
    }
    fs::create_dir("/dev/shm")?;
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    mount_remount("/dev", flags, "")?;
    in_memory(Path::new("/dev/shm"), "mode=1777", ROOM)
}

/// The processes of the namespace and no others; and no namespace can be made within it, in which a program would
/// have rights again.
fn make_proc() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    fs::write("/proc/sys/user/max_user_namespaces", "0")?;
    Ok(mount_remount("/proc", flags | MountFlags::BIND | MountFlags::RDONLY, "")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_tables_are_read() {
        assert_eq!(unescaped(br"/mnt/a\040b\134c\"), Path::new(r"/mnt/a b\c\"));
        assert_eq!(unescaped(br"/mnt/\9\777"), Path::new(r"/mnt/\9\777"));
    }

    #[test]
    fn of_nested_paths_the_outermost_is_enough() {
        let paths = ["/tmp/a/b", "/tmp/a", "/tmp/ab", "/tmp/a/c/d"].map(PathBuf::from);
        let found: Vec<&Path> = outermost(paths.iter()).into_iter().map(PathBuf::as_path).collect();
        assert_eq!(found, [Path::new("/tmp/a"), Path::new("/tmp/ab")]);
    }

    #[test]
    fn what_lies_beside_a_file_is_named_without_parents() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        assert_eq!(beside(&folder.join("a/b/../../file")), folder);
        assert_eq!(beside(&folder.join("a/../a/b")), folder.join("a/b"));
        assert_eq!(beside(&folder.join("a/none")), folder.join("a"));
    }

    #[test]
    fn only_what_lies_in_emptied_folders_is_hidden() {
        assert!(is_hidden(Path::new("/tmp/x")) && is_hidden(Path::new("/run/user/1000")));
        assert!(!is_hidden(Path::new("/tmpx")) && !is_hidden(Path::new("/usr/bin")));
    }
}
