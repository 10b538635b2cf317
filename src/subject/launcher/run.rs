//! One run of a program, from its start until nothing of it is left.
//!
//! The program is started by `posix_spawn` ([`Starter`]). The launcher then sleeps until something happens: the program ends (a pidfd),
//! writes, or takes input; its time is over; the program that asked goes away. Nothing is polled in
//! intervals but the number of processes and their processor time, and that only of runs that take longer than most.
//!
//! What a run may take is processor time, so that a verdict does not depend on what else the machine does. It is looked at
//! no sooner than it can be used up.
//!
//! The ends of the pipes that the program writes to stay open here as well. So the program's own end
//! wakes the launcher once (by the pidfd), not once more for each pipe that it closes.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, getrlimit, pidfd_open, prlimit, setrlimit};
use rustix::stdio::dup2_stdin;

use super::descendants::{self, Ended};
use super::folder::Folder;
use super::start::Starter;
use crate::subject::confinement::Confinement;
use crate::subject::execution::{Ending, Request, RunLimits, RunOutcome};

/// The processor time of a run is looked at not more often than this.
const SHORTEST_CHECK: Duration = Duration::from_millis(10);
/// When the processes of a run are first counted.
pub(super) const FIRST_COUNT: Duration = Duration::from_millis(10);
/// The longest time between two counts.
pub(super) const LONGEST_INTERVAL: Duration = Duration::from_millis(50);
const SIGXCPU: i32 = Signal::SIGXCPU as i32;
const SIGKILL: i32 = Signal::SIGKILL as i32;

/// Why a run has no outcome.
pub enum Halt {
    /// The program could not be started: the system's error number.
    NotStarted(i32),
    /// The one who asked is gone. Nothing is left of the run.
    Abandoned,
    /// The launcher is of no further use: why.
    Broken(String),
}

impl From<Errno> for Halt {
    fn from(error: Errno) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Runs programs, one after the other.
pub struct Runner {
    /// Where programs may write. The first is the scratch folder.
    folders: Vec<Folder>,
    /// The limits of the launcher itself, put back after each start.
    memory: Rlimit,
    file_size: Rlimit,
    tasks: Rlimit,
    /// Where the limit of processor time has to be worn, since the filter of system calls lets nobody set those of others.
    cpu: Option<Rlimit>,
    /// How many processors there are.
    processors: u32,
    /// The tables of objects of System V, where they are those of a namespace of the launcher's own.
    objects: Vec<File>,
    starter: Starter,
    chunk: Box<[u8]>,
    /// The pipes of the next run, made while nobody waits for it.
    outlets: Option<Outlets>,
    /// The descriptors of the last run: closed when nobody waits for it any more.
    spent: Option<(Outlets, OwnedFd)>,
}

impl Runner {
    /// A runner whose programs may write to `folders`, and work in the first. From here on, this process's standard input is
    /// `/dev/null`, for programs to inherit that read nothing: a descriptor that is not moved costs nothing.
    pub fn new(folders: Vec<Folder>, confinement: Confinement) -> io::Result<Self> {
        let is_worn = confinement == Confinement::Landlock;
        if is_worn {
            // So that the launcher does not end of a limit that it wears for a moment. Programs do not inherit this.
            SigSet::from(Signal::SIGXCPU).thread_block()?;
        }
        dup2_stdin(device("/dev/null")?)?;
        setrlimit(Resource::Core, core_limit())?;
        let [memory, file_size, tasks, cpu] =
            [Resource::As, Resource::Fsize, Resource::Nproc, Resource::Cpu].map(getrlimit);
        let cpu = is_worn.then_some(cpu);
        let tables = ["shm", "sem", "msg"].iter().filter(|_| descendants::is_first());
        let objects = tables.filter_map(|kind| File::open(format!("/proc/sysvipc/{kind}")).ok()).collect();
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get() as u32);
        Ok(Self {
            folders,
            memory,
            file_size,
            tasks,
            cpu,
            processors,
            objects,
            starter: Starter::new()?,
            chunk: vec![0; 1 << 16].into(),
            outlets: None,
            spent: None,
        })
    }

    /// Writes the file of a question into the scratch folder.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        match self.folders.first() {
            Some(scratch) => scratch.write(name, content),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Removes the files that the last run left. Objects of System V that it left are an error: they would be
    /// there for the next one.
    pub fn tidy(&mut self) -> io::Result<()> {
        self.spent = None;
        self.outlets = Outlets::new().ok();
        self.folders.iter_mut().try_for_each(Folder::empty)?;
        match self.objects.iter().any(has_objects) {
            true => Err(io::Error::other("objects of System V")),
            false => Ok(()),
        }
    }

    /// Runs what is asked. `control` is watched for the end of the one who asks.
    pub fn run(&mut self, request: &Request, control: BorrowedFd<'_>) -> Result<RunOutcome, Halt> {
        if let Some((name, content)) = &request.file {
            self.write(name, content)?;
        }
        let outlets = match self.outlets.take() {
            Some(outlets) => outlets,
            None => Outlets::new()?,
        };
        let (stdin_end, mut feed) = if request.stdin.is_empty() {
            (None, None)
        } else {
            let (end, pipe) = pipe_with(PipeFlags::CLOEXEC)?;
            fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
            (Some(end), Feed { pipe, rest: &request.stdin }.go_on())
        };

        let begin = Instant::now();
        let pid = self.spawn(request, [stdin_end.as_ref(), Some(&outlets.out.1), Some(&outlets.err.1)])?;
        let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
        // It must not be held open here; the other ends are, on purpose.
        drop(stdin_end);

        let mut collected = Collected {
            stdout: Vec::new(),
            stderr: Vec::new(),
            most: usize::try_from(request.limits.output).unwrap_or(usize::MAX),
        };
        let (cut, ended) = self.watch(
            pid,
            &pidfd,
            control,
            [&outlets.out.0, &outlets.err.0],
            &mut feed,
            &mut collected,
            request,
        )?;
        let wall = begin.elapsed();
        if !ended.is_alone && !descendants::kill() {
            return Err(Halt::Broken("processes of a program under test could not be killed".into()));
        }
        let status = ended.status;
        let ended = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Ending::Exited(code),
            // A program that ignores the first signal is killed a second later.
            // The kernel counts processor time in ticks, and may be a little early.
            (_, Some(SIGXCPU)) if request.limits.cpu.is_some() => Ending::OutOfCpu,
            (_, Some(SIGKILL)) if request.limits.cpu.is_some_and(|cpu| wall >= cpu) => Ending::OutOfCpu,
            (_, Some(number)) => Ending::Signaled(number),
            _ => return Err(Halt::Broken("a child ended in an unknown way".into())),
        };
        let ending = if collected.is_too_much() { Ending::OutputLimit } else { cut.unwrap_or(ended) };
        let Collected { mut stdout, mut stderr, most } = collected;
        stdout.truncate(most);
        stderr.truncate(most);
        self.spent = Some((outlets, pidfd));
        Ok(RunOutcome { ending, stdout, stderr, wall })
    }

    /// Starts the program with these as its standard streams; one that is left out is the launcher's own. The launcher
    /// wears the limits just as long, for the program to inherit.
    pub(super) fn spawn(&self, request: &Request, streams: [Option<&OwnedFd>; 3]) -> Result<Pid, Halt> {
        let limits = &request.limits;
        let wear = |resource, own: Rlimit, limit: Option<u64>| match limit {
            Some(limit) => {
                let current = Some(own.maximum.map_or(limit, |maximum| limit.min(maximum)));
                setrlimit(resource, Rlimit { current, ..own })
            }
            None => Ok(()),
        };
        wear(Resource::As, self.memory, limits.memory)?;
        wear(Resource::Fsize, self.file_size, limits.file_size)?;
        // Elsewhere, all processes of the user would count.
        let tasks = limits.processes.filter(|_| descendants::is_first()).map(most_tasks);
        if tasks.is_some() {
            wear(Resource::Nproc, self.tasks, tasks)?;
        }
        let seconds = limits.cpu.map(|cpu| cpu.as_secs() + u64::from(cpu.subsec_nanos() > 0));
        if let Some(own) = self.cpu {
            wear(Resource::Cpu, own, seconds)?;
        }
        let started = self.starter.start(request, streams);
        if let Some(own) = self.cpu {
            setrlimit(Resource::Cpu, own)?;
        }
        setrlimit(Resource::As, self.memory)?;
        setrlimit(Resource::Fsize, self.file_size)?;
        if tasks.is_some() {
            setrlimit(Resource::Nproc, self.tasks)?;
        }
        let pid = started.map_err(|error| Halt::NotStarted(error.raw_os_error()))?;
        if let Some(seconds) = seconds.filter(|_| self.cpu.is_none()) {
            // Not worn: the launcher would hit it. The child has not used any time worth speaking of.
            let limit = Rlimit { current: Some(seconds), maximum: Some(seconds + 1) };
            // It may have ended already.
            let _ = prlimit(Some(pid), Resource::Cpu, limit);
        }
        Ok(pid)
    }

    /// Waits until the program has ended, by itself or because it was killed; then the answer says why, and how it ended.
    #[expect(clippy::too_many_arguments, reason = "these are the parts of one run, not settings")]
    fn watch(
        &mut self,
        pid: Pid,
        pidfd: &OwnedFd,
        control: BorrowedFd<'_>,
        [stdout, stderr]: [&OwnedFd; 2],
        feed: &mut Option<Feed<'_>>,
        collected: &mut Collected,
        request: &Request,
    ) -> Result<(Option<Ending>, Ended), Halt> {
        let begin = Instant::now();
        let mut cut = None;
        let mut interval = FIRST_COUNT;
        let mut count_at = request.limits.processes.map(|_| interval);
        let RunLimits { timeout, wall, .. } = request.limits;
        let mut check_at = (timeout / self.processors).max(SHORTEST_CHECK);
        loop {
            let now = begin.elapsed();
            // A killed program is waited for, however long it takes to end.
            let wake_at = match cut {
                Some(_) => None,
                None => Some(count_at.unwrap_or(wall).min(check_at).min(wall)),
            };
            // The pidfd comes first: when it is found ready, what is found of the pipes, which are
            // looked at after it, is all that the program has written.
            let taking = feed.as_ref().map(|feed| &feed.pipe);
            let mut fds = [
                PollFd::new(pidfd, PollFlags::IN),
                PollFd::new(stdout, PollFlags::IN),
                PollFd::new(stderr, PollFlags::IN),
                PollFd::from_borrowed_fd(control, PollFlags::empty()),
                PollFd::new(taking.unwrap_or(pidfd), PollFlags::OUT),
            ];
            let used = if taking.is_some() { 5 } else { 4 };
            match poll(&mut fds[..used], wake_at.map(|at| timespec(at.saturating_sub(now))).as_ref()) {
                Err(Errno::INTR) => continue,
                other => other?,
            };
            let [ended, out, err, gone, take] = fds.each_ref().map(|fd| fd.revents());
            if !gone.is_empty() {
                descendants::kill();
                return Err(Halt::Abandoned);
            }
            if out.contains(PollFlags::IN) {
                collected.read(stdout, &mut self.chunk, true)?;
            }
            if err.contains(PollFlags::IN) {
                collected.read(stderr, &mut self.chunk, false)?;
            }
            if ended.contains(PollFlags::IN) {
                // What it left behind must not go on writing.
                let ended = descendants::end(pid)?;
                for (pipe, ready, is_stdout) in [(stdout, out, true), (stderr, err, false)] {
                    while ready.contains(PollFlags::IN) && has_more(pipe)? && !collected.is_too_much() {
                        collected.read(pipe, &mut self.chunk, is_stdout)?;
                    }
                }
                return Ok((cut, ended));
            }
            if cut.is_some() {
                continue;
            }
            if used == 5 && !take.is_empty() {
                *feed = feed.take().and_then(Feed::go_on);
            }
            let now = begin.elapsed();
            if collected.is_too_much() {
                cut = Some(Ending::OutputLimit);
            } else if now >= wall {
                cut = Some(Ending::TimedOut);
            } else if now >= check_at {
                match timeout.checked_sub(descendants::processor_time()).filter(|left| !left.is_zero()) {
                    Some(left) => check_at = now + (left / self.processors).max(SHORTEST_CHECK),
                    None => cut = Some(Ending::OutOfCpu),
                }
            } else if let (Some(at), Some(most)) = (count_at, request.limits.processes)
                && now >= at
            {
                if descendants::count() > most as usize {
                    cut = Some(Ending::ProcessLimit);
                }
                interval = (interval * 2).min(LONGEST_INTERVAL);
                count_at = Some(begin.elapsed() + interval);
            }
            if cut.is_some() {
                *feed = None;
                descendants::signal(pid);
            }
        }
    }
}

/// The pipes that a program writes to, each with the end that is read from and the one that is the program's.
struct Outlets {
    out: (OwnedFd, OwnedFd),
    err: (OwnedFd, OwnedFd),
}

impl Outlets {
    fn new() -> Result<Self, Errno> {
        Ok(Self { out: pipe_with(PipeFlags::CLOEXEC)?, err: pipe_with(PipeFlags::CLOEXEC)? })
    }
}

/// What a program is still to read.
struct Feed<'a> {
    pipe: OwnedFd,
    rest: &'a [u8],
}

impl Feed<'_> {
    /// Writes what the pipe takes. When all is written, or nobody reads any more, the pipe is closed.
    fn go_on(mut self) -> Option<Self> {
        while !self.rest.is_empty() {
            match rustix::io::write(&self.pipe, self.rest) {
                Ok(count) => self.rest = &self.rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Some(self),
                Err(_) => return None,
            }
        }
        None
    }
}

/// What a program has written.
struct Collected {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    most: usize,
}

impl Collected {
    /// Reads once from a pipe in which there is something.
    fn read(&mut self, pipe: &OwnedFd, chunk: &mut [u8], is_stdout: bool) -> Result<(), Halt> {
        let count = match rustix::io::read(pipe, &mut *chunk) {
            Err(Errno::INTR) => 0,
            other => other?,
        };
        let (stream, most) = (if is_stdout { &mut self.stdout } else { &mut self.stderr }, self.most);
        // One byte more than is wanted shows that there was too much.
        let room = most.saturating_add(1).saturating_sub(stream.len());
        stream.extend_from_slice(&chunk[..count.min(room)]);
        Ok(())
    }

    fn is_too_much(&self) -> bool {
        self.stdout.len() > self.most || self.stderr.len() > self.most
    }
}

/// A device, opened for reading. Where an ordinary file stands in its place, as is left by a command that writes its output there by
/// renaming, programs that are confined cannot write to it, and would be judged by what they do then.
fn device(path: &str) -> io::Result<File> {
    let file = File::options().read(true).open(path)?;
    match file.metadata()?.file_type().is_char_device() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a device, and has to be one")),
    }
}

fn has_more(pipe: &OwnedFd) -> Result<bool, Halt> {
    Ok(rustix::io::ioctl_fionread(pipe.as_fd())? > 0)
}

pub(super) fn timespec(duration: Duration) -> Timespec {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: i64::from(duration.subsec_nanos()) }
}

/// The kernel counts tasks, which threads are too, and a virtual machine has many. So this only keeps a run with too
/// many processes from flooding the machine before it is stopped.
fn most_tasks(processes: u32) -> u64 {
    128 + 16 * u64::from(processes)
}

/// Whether a table of the kernel has more lines than its heading.
fn has_objects(table: &File) -> bool {
    let mut text = [0; 1 << 10];
    let length = rustix::io::pread(table, &mut text, 0).unwrap_or_default();
    text[..length].iter().filter(|&&byte| byte == b'\n').count() > 1
}

/// A limit under which no memory image of a crashed program is ever written. Where images go to a
/// program instead of a file, that program is run even for a limit of 0, at a cost of many
/// milliseconds for each crash; a limit of 1 is the kernel's sign for not doing so (`core(5)`).
fn core_limit() -> Rlimit {
    let piped = std::fs::read("/proc/sys/kernel/core_pattern").is_ok_and(|text| text.starts_with(b"|"));
    let limit = Some(u64::from(piped));
    Rlimit { current: limit, maximum: limit }
}

#[cfg(test)]
mod tests {
    use super::device;

    #[test]
    fn an_ordinary_file_is_no_device() {
        assert!(device("/dev/null").is_ok());
        assert!(device("/etc/passwd").unwrap_err().to_string().contains("not a device"));
    }
}
