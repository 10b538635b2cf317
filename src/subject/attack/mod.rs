//! Attempts to get out of the sandbox: does it hold on this machine?
//!
//! Each attack is tried for real, by this program itself, which is started with [`WORD`] and the name of the attack in the
//! place of a program under test. What is attacked is made for the purpose ([`Bait`]): a folder with
//! files, sockets that somebody listens on, and the process that asks. Nothing of the user's is touched when an attack
//! succeeds.

mod attempts;
mod bait;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

pub use self::attempts::ATTACKS;
pub use self::bait::Bait;
use super::confinement::Confinement;
use super::execution::{Ending, Request, RunLimits};
use super::launcher::view;
use super::pool::{Pool, RunError};

/// The argument that makes the program attack.
pub const WORD: &str = "__attack";

/// The exit codes of an attack.
const POSSIBLE: u8 = 90;
const DENIED: u8 = 91;
const UNTRIED: u8 = 92;

/// An attempt to do what a program under test must not do.
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// What is tried.
    pub what: &'static str,
    /// What prevents it.
    pub prevented_by: Prevention,
    /// Tries it, from inside.
    attempt: fn(&Bait) -> Attempt,
}

/// What prevents an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prevention {
    /// Landlock, the filter of system calls, or rights that were given up.
    AnySandbox,
    /// Namespaces alone. Without them it is possible.
    Namespaces,
}

impl Prevention {
    /// Whether programs that are confined in this way should fail with it.
    pub fn is_promised(self, confinement: Confinement) -> bool {
        match confinement {
            Confinement::None => false,
            Confinement::Landlock => self == Self::AnySandbox,
            Confinement::Namespaces => true,
        }
    }
}

/// What came of an attempt, as the attacker sees it: it worked, it was denied, or it could not be tried.
pub enum Attempt {
    /// It worked.
    Worked,
    /// It was denied: by what error.
    Denied(String),
    /// It could not be tried here: why.
    Untried(String),
}

impl<T, E: Into<io::Error>> From<Result<T, E>> for Attempt {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(_) => Self::Worked,
            Err(error) => Self::Denied(error.into().to_string()),
        }
    }
}

/// What came of an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttackOutcome {
    /// It worked.
    Possible,
    /// It did not: why.
    Denied(String),
    /// It cannot be tried here: why.
    Untried(String),
}

impl Attack {
    /// Has a program of `pool` try it.
    ///
    /// # Errors
    /// When no program can be run.
    pub fn run(&self, pool: &Pool, bait: &Bait) -> Result<AttackOutcome, RunError> {
        let failed = |error: io::Error| RunError::Launcher(error.to_string());
        let program = std::env::current_exe().map_err(failed)?;
        let bait_text = serde_json::to_string(bait).map_err(|error| failed(error.into()))?;
        let argv: Vec<OsString> =
            vec![program.clone().into(), WORD.into(), self.name.into(), bait_text.into()];
        let reads: Vec<PathBuf> = vec![view::beside(&program), bait.folder.clone()];
        let limits = RunLimits { memory: None, ..RunLimits::default() };
        let request = Request { program, argv, limits, reads: reads.into(), ..Request::default() };
        bait.renew().map_err(failed)?;
        let ran = match pool.run(&request) {
            // The one that starts programs was hit.
            Err(RunError::Killed { .. }) => return Ok(AttackOutcome::Possible),
            other => other?,
        };
        let words = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        Ok(match ran.ending {
            _ if bait.is_hit() => AttackOutcome::Possible,
            Ending::Exited(code) if code == i32::from(DENIED) => AttackOutcome::Denied(words),
            Ending::Exited(code) if code == i32::from(UNTRIED) => AttackOutcome::Untried(words),
            Ending::Exited(code) if code == i32::from(POSSIBLE) => AttackOutcome::Possible,
            other => {
                AttackOutcome::Untried(format!("{other}: {}", String::from_utf8_lossy(&ran.stderr).trim()))
            }
        })
    }
}

/// The attacker's whole life: called by the program when [`WORD`] is its first argument.
pub fn main() -> ExitCode {
    let mut words = std::env::args().skip(2);
    let attack = words.next().and_then(|name| ATTACKS.iter().find(|attack| attack.name == name));
    let bait = words.next().and_then(|text| serde_json::from_str::<Bait>(&text).ok());
    let (Some(attack), Some(bait)) = (attack, bait) else {
        eprintln!("this is started by `grambench check sandbox`");
        return ExitCode::from(2);
    };
    let (code, words) = match (attack.attempt)(&bait) {
        Attempt::Worked => (POSSIBLE, String::new()),
        Attempt::Denied(reason) => (DENIED, reason),
        Attempt::Untried(reason) => (UNTRIED, reason),
    };
    println!("{words}");
    ExitCode::from(code)
}
