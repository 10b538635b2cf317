//! Finding and ending what a subject left behind.
//!
//! The launcher is the reaper of orphans: whatever way a process takes to get away from its parent (a
//! session of its own, a double fork), it becomes the launcher's child. So when the launcher has no
//! children, nothing is left.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, kill_process, pidfd_open, waitid,
};

/// How long a killed process may take to end before the launcher gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reaps what has ended. Whether nothing is left.
pub fn reap() -> bool {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Kills and reaps all that descends from this process. Whether nothing is left.
pub fn kill() -> bool {
    let begin = Instant::now();
    while !reap() {
        if begin.elapsed() > PATIENCE {
            return false;
        }
        let all = list();
        for &pid in &all {
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
        // The first is a child of this process: wait until it has ended. What was born meanwhile is
        // met in the next round. Killed processes have no children any more, so rounds get shorter.
        if let Some(Ok(child)) = all.first().map(|&pid| pidfd_open(pid, PidfdFlags::empty())) {
            let mut fds = [PollFd::new(&child, PollFlags::IN)];
            let _ = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 100_000_000 }));
        }
    }
    true
}

/// The number of processes that descend from this one.
pub fn count() -> usize {
    list().len()
}

/// All processes that descend from this one, its children first.
fn list() -> Vec<Pid> {
    let mut found = vec![getpid()];
    let mut parents = None;
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        match children(parent) {
            Some(children) => found.extend(children),
            None => {
                let parents = parents.get_or_insert_with(parents_of_all);
                let of = |(&child, &its): (&Pid, &Pid)| (its == parent).then_some(child);
                let mut children: Vec<Pid> = parents.iter().filter_map(of).collect();
                children.sort_by_key(|pid| pid.as_raw_nonzero());
                found.extend(children);
            }
        }
        next += 1;
    }
    found.remove(0);
    found
}

/// The children of a process, if the kernel tells them (it usually does, `CONFIG_PROC_CHILDREN`).
/// A process that has ended has none.
fn children(parent: Pid) -> Option<Vec<Pid>> {
    let parent = parent.as_raw_nonzero();
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Some(Vec::new()) };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(pid)),
            // The thread has ended, or there is no such file.
            Err(_) if thread.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

/// The parent of each process of the system.
fn parents_of_all() -> HashMap<Pid, Pid> {
    let parent = |entry: fs::DirEntry| {
        let child = pid(entry.file_name().to_str()?)?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name, in parentheses, may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        Some((child, pid(fields.split_ascii_whitespace().nth(1)?)?))
    };
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    entries.flatten().filter_map(parent).collect()
}

fn pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}
