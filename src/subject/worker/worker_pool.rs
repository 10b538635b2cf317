//! The workers that live at one time.
//!
//! A worker judges for whoever needs one like it, one input at a time, and is kept until somebody needs
//! one again. It ends when it has judged as many inputs as it may, says that it is stale, does not answer
//! as it should, has had nothing to do for a while, or has to make room: a Java virtual machine takes
//! hundreds of megabytes, so that the number of those that live is bounded.
//!
//! Each has a launcher of its own, and so the confinement of any program under test, a scratch folder
//! of its own, and an end: whatever becomes of this process, nothing of a worker is left.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::protocol;
use crate::subject::execution::{Ending, Request, RunLimits, RunOutcome};
use crate::subject::launched::{Launched, Starter};
use crate::subject::launcher::channel::MOST_REASON;
use crate::subject::launcher::talk::{self, Loss, Report};
use crate::subject::launcher::wire::Order;
use crate::subject::pool::RunError;
use crate::subject::scratch::ScratchRoot;

/// A worker that has had nothing to do for this long is ended when the pool is used next.
const MOST_IDLE: Duration = Duration::from_secs(60);
/// After this many consecutive failed starts, none is tried for a while.
const MOST_FAILURES: u32 = 2;
/// How long that is at first; after each further failure it is twice as long. What kept a worker from starting may
/// pass, a lack of memory for instance, and one by one its inputs take many times as long.
const PAUSE: Duration = Duration::from_secs(60);
/// How much longer than the text in it an answer may be: a character takes up to six in JSON.
const ESCAPED: u64 = 6;

/// What a worker is: those at the same post are as good as each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkerSpec {
    /// The program's absolute path.
    pub program: PathBuf,
    /// The words that start it, its name among them.
    pub argv: Vec<OsString>,
    /// How long its start may take.
    pub start_timeout: Duration,
    /// The number of inputs after which it is ended.
    pub restart_after: u32,
    /// What it reads of folders that are hidden from programs under test.
    pub reads: Vec<PathBuf>,
    /// What it may use. The time is that of one input, and output what may be in each stream of an answer.
    pub limits: RunLimits,
}

/// An input for a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerInput {
    /// The file that it finds in its scratch folder: name and content.
    pub file: Option<(String, Vec<u8>)>,
    /// The words that are sent.
    pub arguments: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// It took longer than it may.
    TimedOut,
    /// It ended: how.
    Died(String),
    /// It did not keep to the protocol: what it did.
    ProtocolViolation(String),
    /// It could not be started: why.
    NotStarted {
        /// Why.
        reason: String,
        /// Whether this was tried just now; else it is what earlier attempts came to.
        is_new: bool,
    },
    /// No program can be run.
    Unable(RunError),
}

/// The workers that live.
pub struct WorkerPool {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Workers that nobody uses, the one that was used last at the end.
    idle: Vec<Idle>,
    /// Numbers of scratch folders that nobody uses.
    free: Vec<usize>,
    /// The sockets of the launchers of all that live, by number.
    sockets: HashMap<usize, UnixStream>,
    /// The posts at which starts failed.
    failures: HashMap<Arc<WorkerSpec>, Failures>,
    stopped: bool,
}

/// Starts at a post that failed, one after the other.
struct Failures {
    count: u32,
    /// Why the first did.
    reason: String,
    /// When the last did.
    last: Instant,
}

impl Failures {
    /// Whether no start is to be tried when the last failure was `ago`.
    fn forbid(&self, ago: Duration) -> bool {
        let more = self.count.checked_sub(MOST_FAILURES);
        more.is_some_and(|more| ago < PAUSE * 2u32.saturating_pow(more.min(10)))
    }
}

struct Idle {
    spec: Arc<WorkerSpec>,
    worker: Worker,
    since: Instant,
}

/// A worker that lives.
struct Worker {
    launched: Launched,
    /// The number of its scratch folder.
    number: usize,
    asked: u32,
}

impl WorkerPool {
    /// A pool of at most `most` workers, none of which lives yet.
    pub fn new(most: usize) -> Self {
        let state = State { free: (0..most.max(1)).rev().collect(), ..State::default() };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Has a worker for `spec` judge an input.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(
        &self,
        starter: &Starter,
        root: &ScratchRoot,
        spec: &Arc<WorkerSpec>,
        input: &WorkerInput,
    ) -> Result<RunOutcome, NoAnswer> {
        let mut worker = match self.acquire(spec)? {
            Slot::Reused(worker) => *worker,
            Slot::Free(number) => self.start(starter, root, spec, number)?,
        };
        worker.asked += 1;
        match worker.ask(spec, input) {
            Ok(answer) if !answer.is_stale && worker.asked < spec.restart_after => {
                self.keep(spec, worker);
                Ok(answer.outcome)
            }
            Ok(answer) => {
                self.dismiss(worker);
                Ok(answer.outcome)
            }
            Err(reason) => {
                self.dismiss(worker);
                if self.lock().stopped { Err(NoAnswer::Unable(RunError::Stopped)) } else { Err(reason) }
            }
        }
    }

    /// Ends all workers, whatever they do. No more are started.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        for socket in state.sockets.values() {
            // A launcher whose socket is closed kills what it runs.
            let _ = socket.shutdown(std::net::Shutdown::Both);
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a worker for `spec` that nobody uses, or for room for one.
    fn acquire(&self, spec: &Arc<WorkerSpec>) -> Result<Slot, NoAnswer> {
        self.end_idle();
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Err(NoAnswer::Unable(RunError::Stopped));
            }
            if let Some(at) = state.idle.iter().rposition(|idle| idle.spec == *spec) {
                return Ok(Slot::Reused(Box::new(state.idle.remove(at).worker)));
            }
            if let Some(failures) = state.failures.get(spec)
                && failures.forbid(failures.last.elapsed())
            {
                return Err(NoAnswer::NotStarted { reason: failures.reason.clone(), is_new: false });
            }
            if let Some(number) = state.free.pop() {
                return Ok(Slot::Free(number));
            }
            if !state.idle.is_empty() {
                let Idle { worker, .. } = state.idle.remove(0);
                state.sockets.remove(&worker.number);
                drop(state);
                let number = worker.number;
                drop(worker);
                return Ok(Slot::Free(number));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn keep(&self, spec: &Arc<WorkerSpec>, worker: Worker) {
        let mut state = self.lock();
        state.idle.push(Idle { spec: Arc::clone(spec), worker, since: Instant::now() });
        drop(state);
        self.changed.notify_one();
    }

    fn dismiss(&self, worker: Worker) {
        let number = worker.number;
        drop(worker);
        self.release(number);
    }

    /// The scratch folder with this number is used by nobody any more.
    fn release(&self, number: usize) {
        let mut state = self.lock();
        state.sockets.remove(&number);
        state.free.push(number);
        drop(state);
        self.changed.notify_one();
    }

    /// Ends those that have had nothing to do for a while.
    pub fn end_idle(&self) {
        let mut state = self.lock();
        let (old, young) =
            std::mem::take(&mut state.idle).into_iter().partition(|idle| idle.since.elapsed() > MOST_IDLE);
        state.idle = young;
        drop(state);
        let old: Vec<Idle> = old;
        old.into_iter().for_each(|idle| self.dismiss(idle.worker));
    }

    fn start(
        &self,
        starter: &Starter,
        root: &ScratchRoot,
        spec: &Arc<WorkerSpec>,
        number: usize,
    ) -> Result<Worker, NoAnswer> {
        let mut started = self.try_to_start(starter, root, spec, number);
        let mut state = self.lock();
        match &mut started {
            Ok(_) => {
                state.failures.remove(spec);
            }
            Err(_) if state.stopped => {
                drop(state);
                self.release(number);
                return Err(NoAnswer::Unable(RunError::Stopped));
            }
            Err(reason) => {
                if let NoAnswer::NotStarted { reason, is_new } = reason {
                    let none = || Failures { count: 0, reason: reason.clone(), last: Instant::now() };
                    let failures = state.failures.entry(Arc::clone(spec)).or_insert_with(none);
                    failures.count += 1;
                    failures.last = Instant::now();
                    // One that is tried after a pause and fails again is no news.
                    *is_new = failures.count <= MOST_FAILURES;
                }
                drop(state);
                self.release(number);
            }
        }
        started
    }

    fn try_to_start(
        &self,
        starter: &Starter,
        root: &ScratchRoot,
        spec: &WorkerSpec,
        number: usize,
    ) -> Result<Worker, NoAnswer> {
        let failed = |error: io::Error| NoAnswer::Unable(RunError::Launcher(error.to_string()));
        let scratch = root.persistent_worker(number).map_err(failed)?;
        let reads = spec.reads.clone();
        let launched = starter.start(&scratch, reads, |socket| {
            let mut state = self.lock();
            if state.stopped {
                return Err(RunError::Stopped);
            }
            state.sockets.insert(number, socket);
            Ok(())
        });
        let mut worker = Worker { launched: launched.map_err(NoAnswer::Unable)?, number, asked: 0 };
        worker.begin(spec).map_err(|reason| NoAnswer::NotStarted { reason, is_new: true })?;
        Ok(worker)
    }
}

/// What somebody who needs a worker gets.
enum Slot {
    /// A worker.
    Reused(Box<Worker>),
    /// The number of a scratch folder for one.
    Free(usize),
}

/// An answer, and whether no other should be asked of who gave it.
struct WorkerAnswer {
    outcome: RunOutcome,
    is_stale: bool,
}

impl Worker {
    /// Starts the program and waits until it is ready.
    fn begin(&mut self, spec: &WorkerSpec) -> Result<(), String> {
        let limits = RunLimits { timeout: spec.start_timeout, cpu: None, ..spec.limits.clone() };
        let request =
            Request { program: spec.program.clone(), argv: spec.argv.clone(), limits, ..Request::default() };
        let order = Order::Keep(Cow::Owned(request));
        let report: Report = self
            .launched
            .talk(&order, spec.start_timeout, 2 * MOST_REASON)
            .map_err(|error| error.to_string())?;
        match report {
            Report::Said { message, .. } => protocol::read_start(&message),
            Report::Lost { loss: Loss::TimedOut, words } => {
                let time = spec.start_timeout.as_secs_f64();
                Err(format!("it was not ready after {time} s{}", last_words(&words)))
            }
            Report::Lost { loss, words } => Err(format!("{}{}", lost(loss), last_words(&words))),
            Report::NotStarted(error) => Err(io::Error::from_raw_os_error(error).to_string()),
            Report::Broken(reason) => Err(reason),
        }
    }

    fn ask(&mut self, spec: &WorkerSpec, input: &WorkerInput) -> Result<WorkerAnswer, NoAnswer> {
        let id = u64::from(self.asked);
        let output = spec.limits.output;
        let asked = talk::Question {
            file: input.file.clone(),
            message: protocol::Question { id, arguments: &input.arguments }.message(),
            timeout: spec.limits.timeout,
            // One byte more than is wanted in each stream, and some for the rest.
            most: output.saturating_add(1).saturating_mul(2 * ESCAPED).saturating_add(1 << 16),
        };
        let most = usize::try_from(asked.most).unwrap_or(usize::MAX).saturating_add(MOST_REASON);
        let report = self.launched.talk(&asked, spec.limits.timeout, most);
        let (message, wall) = match report.map_err(|error| NoAnswer::Died(error.to_string()))? {
            Report::Said { message, wall } => (message, wall),
            Report::Lost { loss: Loss::TimedOut, .. } => return Err(NoAnswer::TimedOut),
            Report::Lost { loss: loss @ (Loss::TooLong(_) | Loss::TooMuch), .. } => {
                return Err(NoAnswer::ProtocolViolation(lost(loss)));
            }
            Report::Lost { loss, words } => {
                return Err(NoAnswer::Died(format!("{}{}", lost(loss), last_words(&words))));
            }
            Report::NotStarted(_) => return Err(NoAnswer::Died("it is out of step".into())),
            Report::Broken(reason) => return Err(NoAnswer::Died(reason)),
        };
        let answer = protocol::read_answer(&message, id).map_err(NoAnswer::ProtocolViolation)?;
        let (mut stdout, mut stderr) = (answer.stdout.into_bytes(), answer.stderr.into_bytes());
        let most = usize::try_from(output).unwrap_or(usize::MAX);
        let is_too_much = stdout.len() > most || stderr.len() > most;
        stdout.truncate(most);
        stderr.truncate(most);
        let ending = if is_too_much { Ending::OutputLimit } else { Ending::Exited(answer.exit) };
        Ok(WorkerAnswer { outcome: RunOutcome { ending, stdout, stderr, wall }, is_stale: answer.stale })
    }
}

/// What a worker did instead of an answer.
fn lost(loss: Loss) -> String {
    match loss {
        Loss::TimedOut => "it did not answer in time".into(),
        Loss::Ended(ending) => format!("it ended with {ending}"),
        Loss::Closed => "it closed its standard output".into(),
        Loss::TooLong(bytes) => format!("it began a message of {bytes} bytes"),
        Loss::TooMuch => "it said more than one thing".into(),
        Loss::TooManyProcesses => "it started too many processes".into(),
    }
}

/// The last line that a worker wrote to standard error, to stand after what became of it.
fn last_words(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    match text.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("; its last words: {}", line.trim()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_failures_a_start_is_tried_more_and_more_seldom_but_tried() {
        let forbids = |count, seconds| {
            let failures = Failures { count, reason: String::new(), last: Instant::now() };
            failures.forbid(Duration::from_secs(seconds))
        };
        assert!(!forbids(1, 0));
        assert!(forbids(2, 59) && !forbids(2, 60));
        assert!(forbids(3, 119) && !forbids(3, 120));
        assert!(forbids(u32::MAX, 61_000) && !forbids(u32::MAX, 62_000));
    }
}
