//! What is asked of one run of a program, and what came of it.
//!
//! Pure data, shared by the launcher, the pool and the verdict rules.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{serial, signal};
use crate::oracle::evidence;

/// What one run may use. A limit that is absent does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunLimits {
    /// Processor time of all processes of the run together: how long a run may take, whatever else the machine does.
    pub timeout: Duration,
    /// Wall-clock time, against programs that wait for something. It is generous: under a load a run takes longer.
    pub wall: Duration,
    /// Processor time of each process, in whole seconds (rounded up).
    pub cpu: Option<Duration>,
    /// Address space of each process, in bytes.
    pub memory: Option<u64>,
    /// Size of each file that is written, in bytes.
    pub file_size: Option<u64>,
    /// Bytes that may be written to standard output, and as many to standard error.
    pub output: u64,
    /// Processes alive at once, the program itself included.
    pub processes: Option<u32>,
}

impl RunLimits {
    const TIMEOUT: Duration = Duration::from_secs(5);

    /// The default limits, but for the time that a run may take.
    pub fn of_timeout(timeout: Duration) -> Self {
        Self { timeout, wall: Self::wall_of(timeout), ..Self::default() }
    }

    /// The limit of wall-clock time that belongs to one of processor time: ten times as long, and not less than ten seconds.
    pub fn wall_of(timeout: Duration) -> Duration {
        timeout.saturating_mul(10).max(Duration::from_secs(10))
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            timeout: Self::TIMEOUT,
            wall: Self::wall_of(Self::TIMEOUT),
            cpu: None,
            memory: Some(2 << 30),
            file_size: Some(64 << 20),
            output: 1 << 20,
            processes: Some(64),
        }
    }
}

/// One run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The program's absolute path.
    #[serde(with = "serial::path")]
    pub program: PathBuf,
    /// Its arguments. The first one is the name under which the program sees itself.
    pub argv: Vec<OsString>,
    /// What is added to the environment.
    pub environment: Vec<(OsString, OsString)>,
    /// What it reads from standard input.
    #[serde(with = "serde_bytes")]
    pub stdin: Vec<u8>,
    /// A file that it finds in its scratch folder: name and content.
    #[serde(with = "serial::file")]
    pub file: Option<(String, Vec<u8>)>,
    /// What it may use.
    pub limits: RunLimits,
    /// What it reads of folders that are hidden from programs under test. Only who starts a launcher needs to know.
    #[serde(skip)]
    pub reads: Arc<[PathBuf]>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The program ended with this code.
    Exited(i32),
    /// A signal ended it.
    Signaled(i32),
    /// It was killed after its wall-clock time.
    TimedOut,
    /// It was killed after its processor time.
    OutOfCpu,
    /// It wrote more than it may, and was killed.
    OutputLimit,
    /// It started more processes than it may, and all of them were killed.
    ProcessLimit,
}

impl Ending {
    /// Whether its time was over.
    pub fn is_timeout(self) -> bool {
        matches!(self, Self::TimedOut | Self::OutOfCpu)
    }

    /// The exit code that a shell would report, if the program ended by itself: 128 and the signal's
    /// number when a signal ended it.
    pub fn shell_code(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Signaled(number) => Some(128 + number),
            _ => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit {code}"),
            Self::Signaled(number) => match signal::name(*number) {
                Some(name) => f.write_str(name),
                None => write!(f, "signal {number}"),
            },
            Self::TimedOut => f.write_str(evidence::WALL_TIME),
            Self::OutOfCpu => f.write_str("timeout"),
            Self::OutputLimit => f.write_str(evidence::TOO_MUCH_OUTPUT),
            Self::ProcessLimit => f.write_str("process limit exceeded"),
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutcome {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output, cut at the limit.
    #[serde(with = "serde_bytes")]
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, cut at the limit.
    #[serde(with = "serde_bytes")]
    pub stderr: Vec<u8>,
    /// How long it took.
    pub wall: Duration,
}
