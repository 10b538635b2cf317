//! What of this process has to go before it ends, in whatever way: the launchers that live, with all they run, and the
//! folders that only this process uses.
//!
//! Whoever starts a launcher or makes such a folder enters it here, and takes it out when it is gone. So a process
//! that is to end at once can end all of them from any thread, without those that own them: these may be busy, or wait for
//! one of them. All are ended at the same time, and only then waited for.

use std::collections::BTreeMap;
use std::fs;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::orphans;

/// How long launchers may take to end by themselves once their sockets are closed. They then kill what they run.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the kernel may take to end those that were killed.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

static RUNNING: Mutex<Running> =
    Mutex::new(Running { is_over: false, next: 0, launchers: BTreeMap::new(), folders: BTreeMap::new() });

struct Running {
    /// Whether nothing may be started any more.
    is_over: bool,
    next: u64,
    launchers: BTreeMap<u64, Launcher>,
    folders: BTreeMap<u64, Vec<PathBuf>>,
}

/// A launcher that lives.
struct Launcher {
    socket: UnixStream,
    pidfd: OwnedFd,
    /// In the environment of all that it runs: this variable, with this folder.
    mark: (&'static str, PathBuf),
    /// Its control groups.
    groups: Vec<PathBuf>,
}

/// Something that is entered; dropping it takes it out.
#[derive(Debug)]
pub struct Ticket(u64);

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut running = running();
        running.launchers.remove(&self.0);
        running.folders.remove(&self.0);
    }
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    fn ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next)
    }
}

/// Whether this process is about to end, so that nothing is to be started or made any more.
pub fn is_over() -> bool {
    running().is_over
}

/// Enters a process that ends, with all it runs, when its `socket` is shut down. In the environment of what it runs, a
/// variable names a folder: the `mark`. `groups` are removed after its end.
///
/// # Errors
/// When this process is about to end; the other one then ends by itself, as nobody holds its socket.
pub fn enter(
    process: &Child,
    socket: &UnixStream,
    mark: (&'static str, &Path),
    groups: Vec<PathBuf>,
) -> std::io::Result<Ticket> {
    let socket = socket.try_clone()?;
    let pidfd = pidfd_open(Pid::from_child(process), PidfdFlags::empty())?;
    let mut running = running();
    if running.is_over {
        return Err(std::io::Error::other("stopped"));
    }
    let ticket = running.ticket();
    running.launchers.insert(ticket.0, Launcher { socket, pidfd, mark: (mark.0, mark.1.to_owned()), groups });
    Ok(ticket)
}

/// Enters folders and files that nobody needs after the end of this process. The first are removed first.
pub fn enter_folders(paths: Vec<PathBuf>) -> Ticket {
    let mut running = running();
    let ticket = running.ticket();
    running.folders.insert(ticket.0, paths);
    ticket
}

/// Ends all that runs and removes the folders. For a process that is about to end: nothing can be started after this.
///
/// It takes as long as the kernel needs to end the programs; four seconds at most where one of them cannot be ended.
pub fn end_all() {
    // Whoever comes second waits for the first: when it returns, all is done.
    static ENDING: Mutex<()> = Mutex::new(());
    let _ending = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let (launchers, folders) = {
        let mut running = running();
        running.is_over = true;
        (std::mem::take(&mut running.launchers), std::mem::take(&mut running.folders))
    };
    for launcher in launchers.values() {
        let _ = launcher.socket.shutdown(Shutdown::Both);
    }
    if !have_ended(&launchers, PATIENCE) {
        for launcher in launchers.values() {
            let _ = pidfd_send_signal(&launcher.pidfd, Signal::KILL);
        }
        have_ended(&launchers, LAST_MOMENTS);
        for Launcher { mark: (variable, folder), .. } in launchers.values() {
            orphans::kill(variable, folder);
        }
    }
    for folder in launchers.values().flat_map(|launcher| &launcher.groups) {
        let _ = fs::remove_dir(folder);
    }
    for path in folders.values().flatten() {
        remove(path);
    }
}

/// Waits until all of them have ended. Whether they have, after `time`.
fn have_ended(launchers: &BTreeMap<u64, Launcher>, time: Duration) -> bool {
    let begin = Instant::now();
    launchers.values().all(|launcher| {
        let mut fds = [PollFd::new(&launcher.pidfd, PollFlags::IN)];
        loop {
            let left = time.saturating_sub(begin.elapsed());
            let left =
                Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: i64::from(left.subsec_nanos()) };
            match poll(&mut fds, Some(&left)) {
                Err(rustix::io::Errno::INTR) => {}
                result => return result.is_ok_and(|count| count > 0),
            }
        }
    })
}

/// Removes a folder or a file. A thread that has not noticed yet may put something into it meanwhile.
fn remove(path: &Path) {
    for _ in 0..10 {
        let removed = match path.is_dir() {
            true => super::scratch::remove(path),
            false => fs::remove_file(path),
        };
        if removed.is_ok() || path.symlink_metadata().is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
}
