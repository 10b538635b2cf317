//! What is seen of a run that was ended from outside, in words that are the same wherever they are needed: the figures
//! count such runs apart, since they are about the limits as much as about the program.

use super::Judgement;

/// A run took too long by the clock on the wall, though it had not used up its processor time.
pub const WALL_TIME: &str = "timeout (wall-clock time)";
/// A run wrote too much.
pub const TOO_MUCH_OUTPUT: &str = "too much output";

/// The limit that ended a run before anything could be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// It waited too long.
    WallTime,
    /// It wrote too much.
    Output,
}

/// What a run that crashed is called: the signals by which the system or the program itself ends one for a mistake, and the exit
/// codes by which a shell tells of them.
const CRASHES: [&str; 14] = [
    "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS", "exit 132", "exit 133",
    "exit 134", "exit 135", "exit 136", "exit 139", "exit 159",
];

impl Judgement {
    /// Whether the program crashed.
    pub fn is_crash(&self) -> bool {
        self.evidence.split(", ").next().is_some_and(|ending| CRASHES.contains(&ending))
    }

    /// The limit that ended the run, if it is one that is counted apart.
    pub fn cut(&self) -> Option<Cut> {
        match &*self.evidence {
            WALL_TIME => Some(Cut::WallTime),
            TOO_MUCH_OUTPUT => Some(Cut::Output),
            _ => None,
        }
    }
}
