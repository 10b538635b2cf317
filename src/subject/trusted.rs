//! A program that is trusted, run unconfined until nothing of it is left: what a user starts for a purpose of their own.
//!
//! It is run by a helper process ([`super::launcher`]) that is the reaper of its orphans, and ends all of them when its socket
//! closes, in whatever way this process ends.

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
use super::pool::OWN_EXECUTABLE;
use super::running::{self, Ticket};
use super::signal;

/// How long the kernel may take to end what runs.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// A trusted program that runs. Dropping it ends it with all that it started.
pub(super) struct Trusted {
    child: Child,
    socket: UnixStream,
    pidfd: OwnedFd,
    /// In the environment of all that it starts: this variable, with this folder.
    mark: (&'static str, PathBuf),
    status: Option<ExitStatus>,
    _ticket: Ticket,
}

impl Trusted {
    /// Starts `words` in `folder`, with what it writes going to `output`, and the variable and folder of `mark` in its environment.
    ///
    /// # Errors
    /// When it cannot be started, or this process is about to end.
    pub(super) fn start(
        words: &[String],
        folder: &Path,
        output: std::fs::File,
        mark: (&'static str, &Path),
    ) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(OWN_EXECUTABLE);
        command
            .args([launcher::WORD, launcher::SCRIPT])
            .args(words)
            .current_dir(folder)
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
                Ok(Self { child, socket, pidfd, mark, status: None, _ticket: ticket })
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
        let time = Timespec { tv_sec: LAST_MOMENTS.as_secs().cast_signed(), tv_nsec: 0 };
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
