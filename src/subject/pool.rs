//! Several launchers, so that several programs under test can run at once.
//!
//! Beside them it has a pool of persistent workers, processes that outlive the inputs that they judge.
//!
//! A launcher is started when the first request needs it. One that dies is started again, and the
//! request is repeated then: whatever ended it, no verdict on the input comes of it. Waiting here blocks the calling thread for as long as a subject runs,
//! so a pool must never be used from a thread of rayon's, of which there are as many as computing needs.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use super::confinement::Confinement;
use super::execution::{Request, RunOutcome};
pub use super::launched::NoticeHandler;
use super::launched::{Launched, Starter};
use super::launcher::wire::{Order, Reply};
use super::launcher::{channel, view};
use super::scratch::ScratchRoot;
use super::worker::worker_pool::{NoAnswer, WorkerInput, WorkerPool, WorkerSpec};
use crate::oracle::OracleError;

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
    /// The launcher died in each of several attempts.
    #[error(
        "the process that starts `{}` ended in each of {ATTEMPTS} attempts: something kills it",
        program.display()
    )]
    Killed {
        /// The program.
        program: PathBuf,
    },
    /// The pool was stopped.
    #[error("stopped")]
    Stopped,
}

impl From<RunError> for OracleError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Stopped => Self::Interrupted,
            error => Self::Broken(error.to_string()),
        }
    }
}

/// How often a request is made when launchers die of it. That is hardly ever the doing of the program: within
/// namespaces, it cannot be.
const ATTEMPTS: usize = 5;

/// How long is waited after a launcher that could not be started.
const PAUSE: Duration = Duration::from_millis(20);

pub use crate::base::program::OWN_EXECUTABLE;

/// How a pool works.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// The number of programs that run at once.
    pub workers: usize,
    /// How programs are confined.
    pub confinement: Confinement,
    /// The executable that becomes a launcher when it is started with `launcher::WORD`.
    pub launcher: PathBuf,
    /// Where scratch folders are made.
    pub scratch: PathBuf,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            workers: 1,
            confinement: Confinement::default(),
            launcher: PathBuf::from(OWN_EXECUTABLE),
            scratch: std::env::temp_dir(),
        }
    }
}

/// Workers that run programs. Dropping the pool ends them, and with them all they run.
pub struct Pool {
    settings: PoolSettings,
    // Before the root, so that launchers are gone when it is removed.
    state: Mutex<State>,
    changed: Condvar,
    /// Held together by all that runs, and alone by what is to run alone.
    quiet: RwLock<()>,
    worker_pool: WorkerPool,
    starter: Starter,
    root: ScratchRoot,
}

/// What the threads that use a pool share.
#[derive(Default)]
struct State {
    /// Workers that nobody uses, with their numbers.
    idle: Vec<(usize, Launched)>,
    /// Numbers of workers that nobody uses and that are not started.
    unstarted: Vec<usize>,
    /// The sockets of all workers that are started, by number.
    sockets: Vec<Option<UnixStream>>,
    /// How many threads wait for a worker.
    waiting: usize,
    stopped: bool,
}

impl Pool {
    /// A pool without any launcher yet.
    ///
    /// # Errors
    /// When the scratch folder cannot be made.
    pub fn new(settings: PoolSettings) -> io::Result<Self> {
        let root = ScratchRoot::new(&settings.scratch)?;
        let workers = settings.workers.max(1);
        let state = State {
            unstarted: (0..workers).rev().collect(),
            sockets: (0..workers).map(|_| None).collect(),
            ..State::default()
        };
        let worker_pool = WorkerPool::new(2 * workers);
        let starter = Starter::new(settings.launcher.clone(), settings.confinement);
        Ok(Self {
            settings,
            root,
            worker_pool,
            starter,
            state: Mutex::new(state),
            changed: Condvar::new(),
            quiet: RwLock::default(),
        })
    }

    /// The number of programs that run at once.
    pub fn workers(&self) -> usize {
        self.settings.workers.max(1)
    }

    /// Has `handler` called, at most once, when some confinement turns out not to be available.
    pub fn set_notice_handler(&self, handler: NoticeHandler) {
        self.starter.set_notice_handler(handler);
    }

    /// How programs are confined: what was asked for, or what of it this machine allows, once that is known.
    pub fn confinement(&self) -> Confinement {
        self.starter.confinement()
    }

    /// What is said of the limits that hold for all processes of a run together.
    ///
    /// # Errors
    /// When no program can be run.
    pub fn limits_together(&self) -> Result<[String; 2], RunError> {
        let (number, mut worker) = self.acquire()?;
        let started = match worker {
            Some(_) => Ok(()),
            None => self.start(number, Vec::new()).map(|started| worker = Some(started)),
        };
        let limits = worker.as_ref().map(Launched::limits_together);
        self.release(number, worker);
        started?;
        let [tasks, memory] = limits.unwrap_or_default();
        let said = |what: &str, holds| {
            let is = if holds { "limited" } else { "not limited: no control group can be made here" };
            format!("{what} of all processes of a run together: {is}")
        };
        Ok([said("the number", tasks), said("the memory", memory)])
    }

    /// The folder below which programs may write.
    pub fn scratch(&self) -> &Path {
        self.root.path()
    }

    /// Runs a program as soon as a worker is free, and waits for its end. If its time was over though something else ran at
    /// the same time, it runs once more, alone, and what comes of that counts: it may have been the load.
    ///
    /// # Errors
    /// When it cannot be started, confined or watched.
    pub fn run(&self, request: &Request) -> Result<RunOutcome, RunError> {
        let outcome = {
            let _shared = self.quiet.read().unwrap_or_else(PoisonError::into_inner);
            self.run_now(request)?
        };
        if self.workers() == 1 || !outcome.ending.is_timeout() {
            return Ok(outcome);
        }
        let _alone = self.quiet.write().unwrap_or_else(PoisonError::into_inner);
        self.run_now(request)
    }

    fn run_now(&self, request: &Request) -> Result<RunOutcome, RunError> {
        // Where nobody asks workers any more, nobody else would.
        self.worker_pool.end_idle();
        let (number, mut worker) = self.acquire()?;
        let result = self.run_with(number, &mut worker, request);
        self.release(number, worker);
        result
    }

    /// Has a worker for `spec` judge an input, and waits for its answer. A worker that nobody uses is
    /// taken; else one is started, in place of one at another post where there are too many.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(&self, spec: &Arc<WorkerSpec>, input: &WorkerInput) -> Result<RunOutcome, NoAnswer> {
        let _shared = self.quiet.read().unwrap_or_else(PoisonError::into_inner);
        self.worker_pool.ask(&self.starter, &self.root, spec, input)
    }

    /// Ends all that runs. Every run that is under way or asked for from now on is an error.
    pub fn stop(&self) {
        self.worker_pool.stop();
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
    fn acquire(&self) -> Result<(usize, Option<Launched>), RunError> {
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
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn release(&self, number: usize, worker: Option<Launched>) {
        let mut state = self.lock();
        match worker {
            Some(worker) => state.idle.push((number, worker)),
            None => {
                state.sockets[number] = None;
                state.unstarted.push(number);
            }
        }
        // To wake nobody would be a call of the system all the same.
        if state.waiting > 0 {
            self.changed.notify_one();
        }
    }

    fn run_with(
        &self,
        number: usize,
        worker: &mut Option<Launched>,
        request: &Request,
    ) -> Result<RunOutcome, RunError> {
        let output = usize::try_from(request.limits.output).unwrap_or(channel::MOST / 2);
        let most = output.saturating_mul(2).saturating_add(channel::MOST_REASON);
        let mut reason = None;
        for _ in 0..ATTEMPTS {
            let mut shown: Vec<PathBuf> = request.reads.to_vec();
            if let Some(running) = worker
                && !running.shows(&request.reads)
            {
                // What was mounted before is likely to be needed again.
                shown.extend_from_slice(running.reads());
                *worker = None;
            }
            let running = match worker {
                Some(running) => running,
                None => match self.start(number, shown) {
                    Ok(started) => worker.insert(started),
                    // The machine may be short of something for a moment.
                    Err(RunError::Launcher(why)) => {
                        reason = Some(why);
                        std::thread::sleep(PAUSE);
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            let order = Order::Run(Cow::Borrowed(request));
            reason = match running.talk(&order, request.limits.wall, most) {
                Ok(Reply::Ran(outcome)) => return Ok(outcome),
                Ok(Reply::NotStarted(error)) => {
                    return Err(RunError::NotStarted { program: request.program.clone(), error });
                }
                Ok(Reply::Broken(reason) | Reply::NoSandbox(reason) | Reply::NoNamespaces(reason)) => {
                    Some(reason)
                }
                Ok(Reply::Ready | Reply::Unmapped) => Some("it is out of step".into()),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Some(error.to_string()),
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

    fn start(&self, number: usize, mut reads: Vec<PathBuf>) -> Result<Launched, RunError> {
        let failed = |error: io::Error| RunError::Launcher(error.to_string());
        let scratch = self.root.worker(number).map_err(failed)?;
        reads.retain(|path| view::is_hidden(path));
        self.starter.start(&scratch, reads, |socket| {
            let mut state = self.lock();
            if state.stopped {
                return Err(RunError::Stopped);
            }
            state.sockets[number] = Some(socket);
            Ok(())
        })
    }
}

impl Drop for Pool {
    /// All launchers end at the same time; each is waited for when it is dropped after this.
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("settings", &self.settings).finish_non_exhaustive()
    }
}
