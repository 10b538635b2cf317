//! Several launchers, so that several programs under test can run at once.
//!
//! A launcher is started when the first request needs it. One that dies is started again, once; the
//! request is repeated then. Waiting here blocks the calling thread for as long as a subject runs,
//! so a pool must never be used from a thread of rayon's.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::execution::{Outcome, Request};
use super::launcher::{
    self,
    wire::{Message, Reply, Setup},
};
use super::scratch::ScratchRoot;
use super::survivors;

/// How long a launcher may take for what is not the subject's doing.
const GRACE: Duration = Duration::from_secs(20);

/// Why a run has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The program could not be started.
    #[error("cannot start `{}`: {}", program.display(), io::Error::from_raw_os_error(*error))]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// The system's error number.
        error: i32,
    },
    /// Programs cannot be confined here. The text says what to do.
    #[error("{0}")]
    NoSandbox(String),
    /// The launcher cannot work.
    #[error("the process that starts programs under test failed: {0}")]
    Launcher(String),
    /// The launcher died of this run, and did so again.
    #[error("`{}` killed the process that started it", program.display())]
    Killed {
        /// The program.
        program: PathBuf,
    },
    /// The pool was stopped.
    #[error("stopped")]
    Stopped,
}

/// How a pool works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The number of programs that run at once.
    pub workers: usize,
    /// Whether programs are confined.
    pub sandbox: bool,
    /// The executable that becomes a launcher when it is started with [`launcher::WORD`].
    pub launcher: PathBuf,
    /// Where scratch folders are made.
    pub scratch: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 1,
            sandbox: true,
            // Not the path of the executable: that may be replaced while this process runs.
            launcher: PathBuf::from("/proc/self/exe"),
            scratch: std::env::temp_dir(),
        }
    }
}

/// Workers that run programs. Dropping the pool ends them, and with them all they run.
pub struct Pool {
    settings: Settings,
    // Before the root, so that launchers are gone when it is removed.
    state: Mutex<State>,
    changed: Condvar,
    root: ScratchRoot,
}

/// What the threads that use a pool share.
#[derive(Default)]
struct State {
    /// Workers that nobody uses, with their numbers.
    idle: Vec<(usize, Worker)>,
    /// Numbers of workers that nobody uses and that are not started.
    unstarted: Vec<usize>,
    /// The sockets of all workers that are started, by number.
    sockets: Vec<Option<UnixStream>>,
    stopped: bool,
}

impl Pool {
    /// A pool without any launcher yet.
    ///
    /// # Errors
    /// When the scratch folder cannot be made.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let root = ScratchRoot::new(&settings.scratch)?;
        let workers = settings.workers.max(1);
        let state = State {
            unstarted: (0..workers).rev().collect(),
            sockets: (0..workers).map(|_| None).collect(),
            ..State::default()
        };
        Ok(Self { settings, root, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// The number of programs that run at once.
    pub fn workers(&self) -> usize {
        self.settings.workers.max(1)
    }

    /// The folder below which programs may write.
    pub fn scratch(&self) -> &Path {
        self.root.path()
    }

    /// Runs a program as soon as a worker is free, and waits for its end.
    ///
    /// # Errors
    /// When it cannot be started, confined or watched.
    pub fn run(&self, request: &Request) -> Result<Outcome, RunError> {
        let (number, mut worker) = self.acquire()?;
        let result = self.run_with(number, &mut worker, request);
        self.release(number, worker);
        result
    }

    /// Ends all that runs. Every run that is under way or asked for from now on is an error.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        for socket in state.sockets.iter().flatten() {
            // A launcher whose socket is closed kills what it runs.
            let _ = socket.shutdown(std::net::Shutdown::Both);
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a worker that nobody uses: its number, and its launcher if that was started before.
    fn acquire(&self) -> Result<(usize, Option<Worker>), RunError> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Err(RunError::Stopped);
            }
            if let Some((number, worker)) = state.idle.pop() {
                return Ok((number, Some(worker)));
            }
            if let Some(number) = state.unstarted.pop() {
                return Ok((number, None));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn release(&self, number: usize, worker: Option<Worker>) {
        let mut state = self.lock();
        match worker {
            Some(worker) => state.idle.push((number, worker)),
            None => {
                state.sockets[number] = None;
                state.unstarted.push(number);
            }
        }
        self.changed.notify_one();
    }

    fn run_with(
        &self,
        number: usize,
        worker: &mut Option<Worker>,
        request: &Request,
    ) -> Result<Outcome, RunError> {
        let mut reason = None;
        for _ in 0..2 {
            let running = match worker {
                Some(running) => running,
                None => worker.insert(self.start(number)?),
            };
            reason = match running.ask(request) {
                Ok(Reply::Ran(outcome)) => return Ok(outcome),
                Ok(Reply::NotStarted(error)) => {
                    return Err(RunError::NotStarted { program: request.program.clone(), error });
                }
                Ok(Reply::Broken(reason) | Reply::NoSandbox(reason)) => Some(reason),
                Ok(Reply::Ready) => Some("it is out of step".into()),
                // It died, or cannot move.
                Err(_) => None,
            };
            // It may run half of what it was asked, and hold the scratch folder.
            *worker = None;
            if self.lock().stopped {
                return Err(RunError::Stopped);
            }
        }
        Err(match reason {
            Some(reason) => RunError::Launcher(reason),
            None => RunError::Killed { program: request.program.clone() },
        })
    }

    fn start(&self, number: usize) -> Result<Worker, RunError> {
        let failed = |error: io::Error| RunError::Launcher(error.to_string());
        let scratch = self.root.worker(number).map_err(failed)?;
        let mut worker = Worker::start(&self.settings.launcher, scratch.clone()).map_err(failed)?;
        {
            let mut state = self.lock();
            if state.stopped {
                return Err(RunError::Stopped);
            }
            state.sockets[number] = Some(worker.socket.try_clone().map_err(failed)?);
        }
        match worker.set_up(Setup { scratch, sandbox: self.settings.sandbox }).map_err(failed)? {
            Reply::Ready => Ok(worker),
            Reply::NoSandbox(reason) => Err(RunError::NoSandbox(reason)),
            Reply::Broken(reason) => Err(RunError::Launcher(reason)),
            _ => Err(RunError::Launcher("it is out of step".into())),
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A launcher, seen from the program.
struct Worker {
    socket: UnixStream,
    process: Child,
    scratch: PathBuf,
    buffer: Vec<u8>,
    /// How long an answer is waited for.
    patience: Duration,
}

impl Worker {
    fn start(executable: &Path, scratch: PathBuf) -> io::Result<Self> {
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

    fn set_up(&mut self, setup: Setup) -> io::Result<Reply> {
        self.expect_within(GRACE)?;
        setup.send(&self.socket)?;
        self.answer()
    }

    fn ask(&mut self, request: &Request) -> io::Result<Reply> {
        // The launcher ends what takes too long. This is for a launcher that cannot: one that a
        // subject has stopped, say.
        self.expect_within(request.limits.timeout.saturating_add(GRACE))?;
        request.send(&self.socket)?;
        self.answer()
    }

    fn answer(&mut self) -> io::Result<Reply> {
        match Reply::receive(&self.socket, &mut self.buffer) {
            Ok(Some(reply)) => Ok(reply),
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

impl Drop for Worker {
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
