//! One program that is kept running and answers questions: a worker, as its launcher sees it.
//!
//! The program reads messages from its standard input and writes messages to its standard output, each a
//! length of four bytes, the most significant first, and as many bytes. Its first message says that it is
//! ready. Then it gets a question when the one before is answered, and finds in its scratch folder what
//! belongs to the question and nothing else. When it does not answer in time, or in any other way does
//! not keep to this, all of it is killed, and the launcher ends: whoever wants to go on starts another
//! one.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::channel::{Channel, MOST};
use super::descendants;
use super::run::{FIRST_COUNT, Halt, LONGEST_INTERVAL, Runner, timespec};
use super::talk::{Loss, Question, Report};
use crate::subject::execution::{Ending, Request};

/// How long the first message may be.
const MOST_AT_START: u64 = 1 << 16;
/// How much is kept of what the program writes to standard error.
const MOST_WORDS: usize = 2_000;
/// How long a program that has closed its standard output may take to end.
const LAST_MOMENTS: Duration = Duration::from_secs(1);

/// Starts what is asked, whose time limit is that of the start, and serves questions until the socket
/// closes or the program says nothing any more.
pub fn keep(mut runner: Runner, request: &Request, channel: &mut Channel) -> io::Result<()> {
    let mut kept = match Kept::start(&runner, request) {
        Ok(kept) => kept,
        Err(halt) => return fail(halt, channel),
    };
    let mut asked =
        Question { file: None, message: Vec::new(), timeout: request.limits.timeout, most: MOST_AT_START };
    loop {
        let report = match kept.say(&asked.message, &asked, channel.as_fd()) {
            Ok(report) => report,
            Err(halt) => return fail(halt, channel),
        };
        channel.send(&report)?;
        if !matches!(report, Report::Said { .. }) {
            return Ok(());
        }
        // After the answer, so that nobody waits for it.
        let tidied = runner.tidy();
        asked = match channel.receive::<Question>(MOST) {
            Ok(Some(question)) => question,
            Ok(None) => {
                descendants::kill();
                return Ok(());
            }
            Err(error) => {
                descendants::kill();
                return Err(error);
            }
        };
        let written = match &asked.file {
            Some((name, content)) => runner.write(name, content),
            None => Ok(()),
        };
        if let Err(error) = tidied.and(written) {
            let reason = format!("the scratch folder cannot be used: {error}");
            return fail(Halt::Broken(reason), channel);
        }
        asked.message = framed(&asked.message);
    }
}

/// Ends all that was started, and says why.
fn fail(halt: Halt, channel: &mut Channel) -> io::Result<()> {
    descendants::kill();
    match halt {
        Halt::NotStarted(number) => channel.send(&Report::NotStarted(number)),
        Halt::Abandoned => Ok(()),
        Halt::Broken(reason) => channel.send(&Report::Broken(reason)),
    }
}

fn framed(message: &[u8]) -> Vec<u8> {
    // A message that is longer than 4 GiB has not come through the socket.
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], message].concat()
}

/// Why there is no message.
enum Silence {
    /// The program says nothing any more.
    Lost(Loss),
    /// The run has no outcome.
    Halted(Halt),
}

impl<E: Into<Halt>> From<E> for Silence {
    fn from(error: E) -> Self {
        Self::Halted(error.into())
    }
}

/// The program.
struct Kept {
    pid: Pid,
    pidfd: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    /// Closed when the program has closed its end.
    stderr: Option<OwnedFd>,
    processes: Option<u32>,
    /// The end of what it wrote to standard error.
    words: Vec<u8>,
}

impl Kept {
    fn start(runner: &Runner, request: &Request) -> Result<Self, Halt> {
        let cloexec = PipeFlags::CLOEXEC;
        let (stdin_end, stdin) = pipe_with(cloexec)?;
        let (stdout, stdout_end) = pipe_with(cloexec)?;
        let (stderr, stderr_end) = pipe_with(cloexec)?;
        for pipe in [&stdin, &stdout, &stderr] {
            fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        // The program's own ends are closed here when it has started.
        let ends = [stdin_end, stdout_end, stderr_end];
        let pid = runner.spawn(request, ends.each_ref().map(Some))?;
        drop(ends);
        let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
        let processes = request.limits.processes;
        Ok(Self { pid, pidfd, stdin, stdout, stderr: Some(stderr), processes, words: Vec::new() })
    }

    /// Writes `bytes`, and waits for a message.
    fn say(&mut self, bytes: &[u8], asked: &Question, control: BorrowedFd<'_>) -> Result<Report, Halt> {
        let begin = Instant::now();
        let loss = match self.converse(bytes, asked, control) {
            Ok(message) => return Ok(Report::Said { message, wall: begin.elapsed() }),
            Err(Silence::Halted(halt)) => return Err(halt),
            Err(Silence::Lost(loss)) => loss,
        };
        descendants::signal(self.pid);
        let ended = descendants::end(self.pid)?;
        if !ended.is_alone && !descendants::kill() {
            return Err(Halt::Broken("processes of a worker could not be killed".into()));
        }
        let loss = match (loss, ended.status.exit_status(), ended.status.terminating_signal()) {
            (Loss::Ended(_), Some(code), _) => Loss::Ended(Ending::Exited(code)),
            (Loss::Ended(_), _, Some(number)) => Loss::Ended(Ending::Signaled(number)),
            _ => loss,
        };
        self.listen()?;
        Ok(Report::Lost { loss, words: std::mem::take(&mut self.words) })
    }

    fn converse(
        &mut self,
        mut rest: &[u8],
        asked: &Question,
        control: BorrowedFd<'_>,
    ) -> Result<Vec<u8>, Silence> {
        let begin = Instant::now();
        let mut deadline = asked.timeout;
        let mut received = Vec::new();
        let mut is_open = true;
        let mut interval = FIRST_COUNT;
        let mut count_at = self.processes.map(|_| interval);
        loop {
            let wake_at = count_at.map_or(deadline, |at| at.min(deadline));
            let none = PollFlags::empty();
            let (out, take) = (if is_open { PollFlags::IN } else { none }, !rest.is_empty());
            let mut fds = [
                PollFd::new(&self.pidfd, PollFlags::IN),
                PollFd::from_borrowed_fd(control, none),
                // A pipe that is closed is always ready: it is not looked at.
                PollFd::new(self.stderr.as_ref().unwrap_or(&self.pidfd), PollFlags::IN),
                PollFd::new(if is_open { &self.stdout } else { &self.pidfd }, out),
                PollFd::new(
                    if take { &self.stdin } else { &self.pidfd },
                    if take { PollFlags::OUT } else { none },
                ),
            ];
            match poll(&mut fds, Some(&timespec(wake_at.saturating_sub(begin.elapsed())))) {
                Err(Errno::INTR) => continue,
                other => other?,
            };
            let has_ended = fds[0].revents().contains(PollFlags::IN);
            if !fds[1].revents().is_empty() {
                return Err(Halt::Abandoned.into());
            }
            self.listen()?;
            if take {
                rest = write(&self.stdin, rest);
            }
            if is_open {
                is_open = read(&self.stdout, |bytes| received.extend_from_slice(bytes))?;
            }
            if has_ended {
                // What it left behind must not go on writing. The group can still be named, since its
                // leader is not reaped.
                descendants::signal(self.pid);
                let most = usize::try_from(asked.most).unwrap_or(usize::MAX);
                while is_open && received.len() <= most && rustix::io::ioctl_fionread(&self.stdout)? > 0 {
                    is_open = read(&self.stdout, |bytes| received.extend_from_slice(bytes))?;
                }
            }
            if let Some(message) = message(&mut received, asked.most) {
                return message.map_err(Silence::Lost);
            }
            if has_ended {
                return Err(Silence::Lost(Loss::Ended(Ending::Exited(0))));
            }
            let now = begin.elapsed();
            if !is_open && count_at.is_some() {
                // It usually is about to end, which says more.
                (count_at, deadline) = (None, deadline.min(now + LAST_MOMENTS));
            }
            if now >= deadline {
                return Err(Silence::Lost(if is_open { Loss::TimedOut } else { Loss::Closed }));
            }
            if let (Some(at), Some(most)) = (count_at, self.processes)
                && now >= at
            {
                if descendants::count() > most as usize {
                    return Err(Silence::Lost(Loss::TooManyProcesses));
                }
                interval = (interval * 2).min(LONGEST_INTERVAL);
                count_at = Some(begin.elapsed() + interval);
            }
        }
    }

    /// Reads what is there of standard error, and keeps the end of it.
    fn listen(&mut self) -> Result<(), Halt> {
        let words = &mut self.words;
        let Some(stderr) = &self.stderr else { return Ok(()) };
        let is_open = read(stderr, |bytes| {
            words.extend_from_slice(bytes);
            words.drain(..words.len().saturating_sub(MOST_WORDS));
        })?;
        if !is_open {
            self.stderr = None;
        }
        Ok(())
    }
}

/// Takes a whole message out of what was received, if there is one.
fn message(received: &mut Vec<u8>, most: u64) -> Option<Result<Vec<u8>, Loss>> {
    let (head, content) = received.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*head);
    if u64::from(length) > most {
        return Some(Err(Loss::TooLong(length.into())));
    }
    match content.len().cmp(&(length as usize)) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal => Some(Ok(received.split_off(4))),
        std::cmp::Ordering::Greater => Some(Err(Loss::TooMuch)),
    }
}

/// Writes what the pipe takes; what is left. Nothing is when nobody reads any more.
fn write<'a>(pipe: &OwnedFd, mut rest: &'a [u8]) -> &'a [u8] {
    while !rest.is_empty() {
        match rustix::io::write(pipe, rest) {
            Ok(count) => rest = &rest[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => break,
            Err(_) => return &[],
        }
    }
    rest
}

/// Reads what is in the pipe, up to some amount. Whether the other end is open.
fn read(pipe: &OwnedFd, mut take: impl FnMut(&[u8])) -> Result<bool, Halt> {
    let mut chunk = [0; 1 << 14];
    for _ in 0..64 {
        match rustix::io::read(pipe, &mut chunk) {
            Ok(0) => return Ok(false),
            Ok(count) => take(&chunk[..count]),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}
