//! Ending what outlives the one who started it.
//!
//! A launcher leaves nothing behind, unless it is itself killed: by the kernel when memory runs out, or
//! by a subject that kills its parent. What it ran is then found by the scratch folder in its environment,
//! and what a build that was killed had started by the folder of the build.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// The environment variable that names the scratch folder.
pub const SCRATCH: &str = "TMPDIR";

/// Kills all processes in whose environment `variable` names a folder at or below `folder`, until none
/// is found.
pub fn kill(variable: &str, folder: &Path) {
    let mark = [variable.as_bytes(), b"=", folder.as_os_str().as_bytes()].concat();
    // Once more after the last: a process may have had a child while the list was being made.
    for _ in 0..100 {
        let marked = find(&mark);
        if marked.is_empty() {
            break;
        }
        for pid in marked {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn find(mark: &[u8]) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let marked = |entry: fs::DirEntry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        // Empty for a process that has ended.
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let is_marked = |variable: &[u8]| {
            variable.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        (pid != rustix::process::getpid() && environment.split(|&byte| byte == 0).any(is_marked))
            .then_some(pid)
    };
    entries.flatten().filter_map(marked).collect()
}
