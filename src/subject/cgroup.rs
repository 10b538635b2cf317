//! Limits of all processes of a launcher together: their number, and the memory that they and their files in memory take.
//!
//! The limits of a process (`setrlimit(2)`) know nothing of its children, of files in memory, or of what many
//! files come to. Control groups do (`cgroups(7)`), where the user may make one: as root, or where a part of the tree was delegated,
//! by `systemd-run --user --scope -p Delegate=yes`, for instance. Both versions of the interface are used.
//! Elsewhere, those limits do not hold, and `grambench check sandbox` says so.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most tasks (processes and threads) of one launcher.
const MOST_TASKS: u64 = 8192;

/// The control groups of one launcher, one for each kind of limit. Dropping it removes them.
#[derive(Debug)]
pub struct Cgroup {
    folders: Vec<PathBuf>,
    /// What is limited by them.
    controllers: Vec<&'static str>,
}

/// A limit: the controller that has it, its file in either version, and its value.
struct Limit {
    controller: &'static str,
    file: [&'static str; 2],
    value: u64,
}

impl Cgroup {
    /// Puts a launcher that was just started into new groups; `None` where no group can be made.
    pub fn of(launcher: &Child) -> Option<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("grambench-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut group = Self { folders: Vec::new(), controllers: Vec::new() };
        for limit in limits()? {
            if let Some((parent, version)) = place(limit.controller) {
                let folder = parent.join(&name);
                // Where it cannot be made, the others still can.
                if group.limit(folder, limit.file[version], limit.value, launcher.id()).is_ok() {
                    group.controllers.push(limit.controller);
                }
            }
        }
        (!group.folders.is_empty()).then_some(group)
    }

    /// Whether the number of all processes together is limited, and their memory.
    pub fn limited(&self) -> [bool; 2] {
        ["pids", "memory"].map(|controller| self.controllers.contains(&controller))
    }

    /// The folders of the groups.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn limit(&mut self, folder: PathBuf, file: &str, value: u64, process: u32) -> io::Result<()> {
        if !self.folders.contains(&folder) {
            fs::create_dir(&folder)?;
            self.folders.push(folder.clone());
        }
        fs::write(folder.join(file), value.to_string())?;
        fs::write(folder.join("cgroup.procs"), process.to_string())
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            // One that is not empty stays: a process that nobody could end is in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// What is limited: the number of tasks, and memory to half of what the machine has.
fn limits() -> Option<[Limit; 2]> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes: u64 = info
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.trim().parse().ok())?;
    Some([
        Limit { controller: "pids", file: ["pids.max", "pids.max"], value: MOST_TASKS },
        Limit { controller: "memory", file: ["memory.limit_in_bytes", "memory.max"], value: kibibytes * 512 },
    ])
}

/// The folder of this process's own group, in which a group with this controller can be made, and the place of the version
/// of the interface: 0 for the first, 1 for the second.
fn place(controller: &str) -> Option<(PathBuf, usize)> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = |is_mine: &dyn Fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            is_mine(controllers).then(|| path.trim_start_matches('/').to_owned())
        })
    };
    if let Some(path) = own(&|controllers| controllers.split(',').any(|name| name == controller)) {
        let folder = Path::new("/sys/fs/cgroup").join(controller).join(path);
        return folder.is_dir().then_some((folder, 0));
    }
    let folder = Path::new("/sys/fs/cgroup").join(own(&|controllers| controllers.is_empty())?);
    // Groups below have the controllers that this one hands down.
    let handed = fs::read_to_string(folder.join("cgroup.subtree_control")).ok()?;
    handed.split_ascii_whitespace().any(|name| name == controller).then_some((folder, 1))
}
