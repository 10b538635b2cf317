//! A launcher, seen from the program that started it.
//!
//! Dropping it ends it, and with it all that it runs.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cgroup::Cgroup;
use super::confinement::Confinement;
use super::launcher::channel::{Channel, MOST_REASON, Secret};
use super::launcher::wire::{Reply, Setup};
use super::launcher::{self, namespaces, view};
use super::orphans;
use super::pool::RunError;
use super::running::{self, Ticket};

/// How long a launcher may take for what is not the subject's doing.
const GRACE: Duration = Duration::from_secs(20);

/// How launchers are started.
pub struct Starter {
    executable: PathBuf,
    confinement: Confinement,
    /// Why there are no namespaces, once that is known.
    missing: OnceLock<String>,
    /// Reports which confinement is not available.
    notice_handler: OnceLock<NoticeHandler>,
}

/// Called with a message for the user.
pub type NoticeHandler = Box<dyn Fn(&str) + Send + Sync>;

impl Starter {
    /// Launchers that are `executable`, and confine themselves in this way.
    pub fn new(executable: PathBuf, confinement: Confinement) -> Self {
        Self { executable, confinement, missing: OnceLock::new(), notice_handler: OnceLock::new() }
    }

    /// How launchers confine themselves, as far as is known.
    pub fn confinement(&self) -> Confinement {
        match self.confinement {
            Confinement::Namespaces if self.missing.get().is_some() => Confinement::Landlock,
            other => other,
        }
    }

    /// Has `handler` called, at most once, when some confinement turns out not to be available. Only the first call counts.
    pub fn set_notice_handler(&self, handler: NoticeHandler) {
        let _ = self.notice_handler.set(handler);
    }

    /// Launchers have no namespaces of their own.
    fn has_no_namespaces(&self, reason: String) {
        if let (Some(handler), Ok(())) = (self.notice_handler.get(), self.missing.set(reason.clone())) {
            handler(&format!(
                "programs under test have no namespaces of their own ({reason}): what they do to the mode, \
                 owner and times of your files, and to the process that starts them, is not prevented; \
                 `grambench check sandbox` says more"
            ));
        }
    }

    /// Starts a launcher whose programs work in `scratch` and read, of what is hidden, `reads`. `register` is given
    /// its socket before anything is waited for: who shuts it down ends the launcher and all it runs.
    ///
    /// # Errors
    /// When there is no such executable, it cannot confine itself, or `register` says so.
    pub fn start(
        &self,
        scratch: &Path,
        reads: Vec<PathBuf>,
        mut register: impl FnMut(UnixStream) -> Result<(), RunError>,
    ) -> Result<Launched, RunError> {
        let failed = |error: io::Error| RunError::Launcher(error.to_string());
        let mut confinement = self.confinement();
        loop {
            let mut launched = Launched::spawn(&self.executable, scratch).map_err(failed)?;
            register(launched.channel.socket().try_clone().map_err(failed)?)?;
            match launched.set_up(confinement, &reads).map_err(failed)? {
                Reply::Ready => {
                    launched.reads = reads;
                    return Ok(launched);
                }
                Reply::NoNamespaces(reason) if confinement == Confinement::Namespaces => {
                    self.has_no_namespaces(reason);
                    confinement = Confinement::Landlock;
                }
                Reply::NoSandbox(reason) => return Err(RunError::NoSandbox(reason)),
                Reply::Broken(reason) | Reply::NoNamespaces(reason) => {
                    return Err(RunError::Launcher(reason));
                }
                _ => return Err(RunError::Launcher("it is out of step".into())),
            }
        }
    }
}

/// A launcher, seen from the program.
pub struct Launched {
    channel: Channel,
    process: Child,
    scratch: PathBuf,
    reads: Vec<PathBuf>,
    /// How long an answer is waited for.
    patience: Duration,
    /// The limits of all that it runs together, removed after it has ended.
    cgroup: Option<Cgroup>,
    /// So that it is ended too when the process has to end without dropping this.
    _ticket: Ticket,
}

impl Launched {
    fn spawn(executable: &Path, scratch: &Path) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        // What the launcher has in its environment, all programs under test have, and nothing else.
        let mut process = Command::new(executable)
            .arg0("grambench")
            .arg(launcher::WORD)
            .env_clear()
            .env("PATH", path)
            .env("HOME", scratch)
            .env(orphans::SCRATCH, scratch)
            .env("LC_ALL", "C")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            // Not the user's: a program under test that got hold of it could write there, or truncate it.
            .stderr(Stdio::null())
            .spawn()?;
        let cgroup = Cgroup::of(&process);
        let groups = cgroup.as_ref().map_or_else(Vec::new, |cgroup| cgroup.folders().to_vec());
        let entered = running::enter(&process, &socket, (orphans::SCRATCH, scratch), groups);
        let ticket = match entered {
            Ok(ticket) => ticket,
            Err(error) => {
                // It has not received anything yet, and so runs nothing.
                let _ = process.kill().and_then(|()| process.wait());
                return Err(error);
            }
        };
        Ok(Self {
            channel: Channel::new(socket),
            process,
            scratch: scratch.to_path_buf(),
            reads: Vec::new(),
            patience: Duration::ZERO,
            cgroup,
            _ticket: ticket,
        })
    }

    /// Has it confine itself.
    fn set_up(&mut self, confinement: Confinement, reads: &[PathBuf]) -> io::Result<Reply> {
        let mut secret = Secret::default();
        // So few bytes come whole, once the system has any.
        getrandom(&mut secret, GetRandomFlags::empty())?;
        let setup = Setup { scratch: self.scratch.clone(), confinement, reads: reads.to_vec(), secret };
        let mut reply = self.talk(&setup, Duration::ZERO, MOST_REASON)?;
        if reply == Reply::Unmapped {
            if let Err(error) = namespaces::write_maps(&self.process) {
                return Ok(Reply::NoNamespaces(error.to_string()));
            }
            self.channel.send(&setup)?;
            reply = self.listen(MOST_REASON)?;
        }
        self.channel.agree(secret);
        Ok(reply)
    }

    /// Whether its programs can read all of `reads`.
    pub fn shows(&self, reads: &[PathBuf]) -> bool {
        let shown = |path: &&PathBuf| self.reads.iter().any(|shown| path.starts_with(shown));
        reads.iter().filter(|path| view::is_hidden(path)).all(|path| shown(&path))
    }

    /// Whether the number of all its processes together is limited, and their memory.
    pub fn limits_together(&self) -> [bool; 2] {
        self.cgroup.as_ref().map_or([false; 2], Cgroup::limited)
    }

    /// What its programs can read of what is hidden.
    pub fn reads(&self) -> &[PathBuf] {
        &self.reads
    }

    /// Says something that the launcher answers after `time` at most, with at most this many bytes.
    ///
    /// # Errors
    /// When it is gone, does not answer, or what it says is no answer.
    pub fn talk<Q: Serialize, A: DeserializeOwned>(
        &mut self,
        question: &Q,
        time: Duration,
        most: usize,
    ) -> io::Result<A> {
        // The launcher ends what takes too long. This is for a launcher that cannot: one that a
        // subject has stopped, say.
        self.expect_within(time.saturating_add(GRACE))?;
        self.channel.send(question)?;
        self.listen(most)
    }

    fn listen<A: DeserializeOwned>(&mut self, most: usize) -> io::Result<A> {
        match self.channel.receive(most) {
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
            self.channel.socket().set_read_timeout(Some(patience))?;
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
        let _ = self.channel.socket().shutdown(std::net::Shutdown::Both);
        if !self.has_ended_within(GRACE) {
            let _ = self.process.kill();
        }
        if !self.process.wait().is_ok_and(|status| status.success()) {
            // It was killed, or gave up, and so could not clean up.
            orphans::kill(orphans::SCRATCH, &self.scratch);
        }
    }
}
