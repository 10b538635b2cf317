//! A program that is trusted, run unconfined until nothing of it is left: what a user starts for a purpose of their own, and the
//! scripts that build programs under test.
//!
//! It is run by a helper process ([`super::launcher`]) that is the reaper of its orphans, and ends all of them when its socket
//! closes, in whatever way this process ends.

use std::ffi::OsString;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::launcher;
use super::orphans;
use super::running::{self, Ticket};
use super::signal;

/// What is to be started, and how.
pub(super) struct Start<'a> {
    /// The executable that is the helper process.
    pub(super) launcher: &'a Path,
    /// The program with its words.
    pub(super) words: &'a [OsString],
    /// The folder in which it works.
    pub(super) folder: &'a Path,
    /// What is in its environment besides: a variable and a folder each.
    pub(super) environment: &'a [(&'static str, &'a Path)],
    /// In the environment of all that it starts: this variable, with this folder.
    pub(super) mark: (&'static str, &'a Path),
    /// Where goes what it writes.
    pub(super) output: OwnedFd,
    /// How long it may take to end it with all that it started, before what is left is killed.
    pub(super) patience: Duration,
}

/// A trusted program that runs. Dropping it ends it with all that it started.
pub(super) struct Trusted {
    child: Child,
    socket: UnixStream,
    pidfd: OwnedFd,
    mark: (&'static str, PathBuf),
    patience: Duration,
    status: Option<ExitStatus>,
    _ticket: Ticket,
}

impl Trusted {
    /// Starts a program.
    ///
    /// # Errors
    /// When it cannot be started, or this process is about to end.
    pub(super) fn start(start: Start<'_>) -> io::Result<Self> {
        let Start { launcher, words, folder, environment, mark, output, patience } = start;
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(launcher);
        command
            .args([launcher::WORD, launcher::SCRIPT])
            .args(words)
            .current_dir(folder)
            .envs(environment.iter().copied())
            .env(mark.0, mark.1)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(output.try_clone()?))
            .stderr(Stdio::from(output))
            .process_group(0);
        let mut child = command.spawn()?;
        let entered = running::enter(&child, &socket, mark, Vec::new());
        let entered = entered
            .and_then(|ticket| Ok((ticket, pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?)));
        match entered {
            Ok((ticket, pidfd)) => {
                let mark = (mark.0, mark.1.to_owned());
                Ok(Self { child, socket, pidfd, mark, patience, status: None, _ticket: ticket })
            }
            Err(error) => {
                let _ = child.kill().and_then(|()| child.wait());
                Err(error)
            }
        }
    }

    /// Ends it, if it has not ended by itself. How it ended.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let _ = self.socket.shutdown(Shutdown::Both);
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let time = Timespec {
            tv_sec: self.patience.as_secs().cast_signed(),
            tv_nsec: i64::from(self.patience.subsec_nanos()),
        };
        if !matches!(poll(&mut fds, Some(&time)), Ok(1..)) {
            // The group is killed before its leader is reaped, so that it is still this one.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            orphans::kill(self.mark.0, &self.mark.1);
        }
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

impl AsFd for Trusted {
    /// Can be read from when the program has ended.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

impl Drop for Trusted {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// How a program ended, in words.
pub(super) fn shown(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (_, Some(number)) => signal::name(number).map_or_else(|| format!("signal {number}"), str::to_owned),
        _ => status.to_string(),
    }
}
