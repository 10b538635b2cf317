//! Finding and ending what a subject left behind.
//!
//! The launcher is the reaper of orphans: whatever way a process takes to get away from its parent (a
//! session of its own, a double fork), it becomes the launcher's child. So when the launcher has no
//! children, nothing is left.
//!
//! As the first process of a PID namespace it can kill all others at once, without a list that is out of date
//! when it is made: no process starts another while it is being killed. Elsewhere it makes lists until nothing is left.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, kill_process, kill_process_group,
    pidfd_open, waitid,
};

/// How long a killed process may take to end before the launcher gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// All processes that this one may signal, but for itself: as the first of a namespace, those of the namespace.
const ALL: nix::unistd::Pid = nix::unistd::Pid::from_raw(-1);

/// Whether this is the first process of a PID namespace.
pub fn is_first() -> bool {
    getpid().is_init()
}

/// How a program has ended.
pub struct Ended {
    pub status: WaitIdStatus,
    /// Whether it left no process behind. Otherwise, what it left is dying.
    pub is_alone: bool,
}

/// Reaps a child that has ended, and kills what it left behind, so that it writes nothing any more.
pub fn end(leader: Pid) -> Result<Ended, Errno> {
    let is_first = is_first();
    if !is_first {
        // Its group can be named as long as it is not reaped.
        signal(leader);
    }
    let status = loop {
        match waitid(WaitId::Pid(leader), WaitIdOptions::EXITED) {
            Ok(Some(status)) => break status,
            Ok(None) => return Err(Errno::CHILD),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    };
    // With its end, all that it left has become this process's children.
    let is_alone = reap();
    if is_first && !is_alone {
        signal(leader);
    }
    Ok(Ended { status, is_alone })
}

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

/// Kills the process group of `leader`, or all that descends from this process where that is as easy.
pub fn signal(leader: Pid) {
    if is_first() {
        // There may be none.
        let _ = nix::sys::signal::kill(ALL, nix::sys::signal::SIGKILL);
    } else {
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Kills and reaps all that descends from this process. Whether nothing is left.
pub fn kill() -> bool {
    let begin = Instant::now();
    while !reap() {
        if begin.elapsed() > PATIENCE {
            return false;
        }
        if is_first() {
            let _ = nix::sys::signal::kill(ALL, nix::sys::signal::SIGKILL);
            // One of them at least is about to end.
            let _ = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            continue;
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
    match fs::read_dir("/proc") {
        // All that is there but this one.
        Ok(entries) if is_first() => entries.flatten().filter_map(number).count().saturating_sub(1),
        _ => list().len(),
    }
}

/// The processor time that the processes which descend from this one have used, with that of their children which they
/// have waited for. Nothing is lost of others that have ended: this process waits for none while a program runs.
pub fn processor_time() -> Duration {
    let all = match fs::read_dir("/proc") {
        Ok(entries) if is_first() => {
            entries.flatten().filter_map(number).filter(|&pid| pid != getpid()).collect()
        }
        _ => list(),
    };
    Duration::from_millis(all.into_iter().filter_map(ticks).sum::<u64>() * 1000 / TICKS)
}

/// How many parts of a second the kernel counts processor time in: for programs, the same on all machines.
const TICKS: u64 = 100;

/// The processor time of a process and of its children that it has waited for: `proc_pid_stat(5)`.
fn ticks(pid: Pid) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name, in parentheses, may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_ascii_whitespace().skip(11).take(4);
    Some(times.filter_map(|time| time.parse::<u64>().ok()).sum())
}

/// The process that an entry of `/proc` is about, if it is about one.
fn number(entry: fs::DirEntry) -> Option<Pid> {
    pid(entry.file_name().to_str()?)
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
