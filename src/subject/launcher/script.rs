//! Running a script that is trusted, until nothing of it is left.
//!
//! A script that prepares a subject is not confined, but what it leaves running is ended with it: a build server, for
//! instance, that would keep memory and files. This process is the reaper of orphans, as a launcher is, and so no process gets
//! away from it. When the socket that is its standard input closes, it ends the script too.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, set_child_subreaper};

use super::descendants;

/// Runs a program with arguments; ends as it does.
pub fn main(mut words: impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
    let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
    set_child_subreaper(Some(getpid()))?;
    let mut script = Command::new(program).args(words).stdin(Stdio::null()).spawn()?;
    let pidfd = pidfd_open(Pid::from_child(&script), PidfdFlags::empty())?;
    let socket = io::stdin();
    let mut fds =
        [PollFd::new(&pidfd, PollFlags::IN), PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::empty())];
    while let Err(error) = poll(&mut fds, None) {
        if error != Errno::INTR {
            return Err(error.into());
        }
    }
    if fds[0].revents().is_empty() {
        script.kill()?;
    }
    let status = script.wait()?;
    descendants::kill();
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        kill_process(getpid(), signal)?;
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}
