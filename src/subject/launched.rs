//! A launcher, seen from the program that started it.
//!
//! Dropping it ends it, and with it all that it runs.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::launcher::{
    self,
    wire::{Message, Reply, Setup},
};
use super::survivors;

/// How long a launcher may take for what is not the subject's doing.
const GRACE: Duration = Duration::from_secs(20);

/// A launcher, seen from the program.
pub struct Launched {
    socket: UnixStream,
    process: Child,
    scratch: PathBuf,
    buffer: Vec<u8>,
    /// How long an answer is waited for.
    patience: Duration,
}

impl Launched {
    /// Starts one whose programs are to work in `scratch`.
    ///
    /// # Errors
    /// When there is no such executable, or no more processes.
    pub fn start(executable: &Path, scratch: PathBuf) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        // What the launcher has in its environment, all programs under test have, and nothing else.
        let process = Command::new(executable)
            .arg0("grambench")
            .arg(launcher::WORD)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &scratch)
            .env(survivors::SCRATCH, &scratch)
            .env("LC_ALL", "C")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .spawn()?;
        Ok(Self { socket, process, scratch, buffer: Vec::new(), patience: Duration::ZERO })
    }

    /// Has it confine itself, if `sandbox` says so.
    ///
    /// # Errors
    /// When it is gone, or does not answer.
    pub fn set_up(&mut self, sandbox: bool) -> io::Result<Reply> {
        let setup = Setup { scratch: self.scratch.clone(), sandbox };
        self.talk(&setup, Duration::ZERO)
    }

    /// A second handle on the socket: who shuts it down ends the launcher and all it runs.
    ///
    /// # Errors
    /// When there are no more file descriptors.
    pub fn socket(&self) -> io::Result<UnixStream> {
        self.socket.try_clone()
    }

    /// Says something that the launcher answers after `time` at most.
    ///
    /// # Errors
    /// When it is gone, or does not answer.
    pub fn talk<Q: Message, A: Message>(&mut self, question: &Q, time: Duration) -> io::Result<A> {
        // The launcher ends what takes too long. This is for a launcher that cannot: one that a
        // subject has stopped, say.
        self.expect_within(time.saturating_add(GRACE))?;
        question.send(&self.socket)?;
        match A::receive(&self.socket, &mut self.buffer) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended without an answer")),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                // It does not react to anything; so it is not asked to end either.
                self.process.kill()?;
                Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"))
            }
            Err(error) => Err(error),
        }
    }

    fn expect_within(&mut self, patience: Duration) -> io::Result<()> {
        if self.patience != patience {
            self.socket.set_read_timeout(Some(patience))?;
            self.patience = patience;
        }
        Ok(())
    }

    /// Waits until the launcher has ended, if it does so within `time`.
    fn has_ended_within(&mut self, time: Duration) -> bool {
        let Ok(pidfd) = pidfd_open(Pid::from_child(&self.process), PidfdFlags::empty()) else {
            return false;
        };
        let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
        let time = Timespec { tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX), tv_nsec: 0 };
        matches!(poll(&mut fds, Some(&time)), Ok(1..))
    }
}

impl Drop for Launched {
    /// Ends the launcher and all it runs.
    fn drop(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        if !self.has_ended_within(GRACE) {
            let _ = self.process.kill();
        }
        if !self.process.wait().is_ok_and(|status| status.success()) {
            // It was killed, or gave up, and so could not clean up.
            survivors::kill(survivors::SCRATCH, &self.scratch);
        }
    }
}
