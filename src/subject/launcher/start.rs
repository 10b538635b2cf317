//! Starting a program by `posix_spawn`, which needs no copy of this process.
//!
//! Not by the standard library, although that uses `posix_spawn` too: it leaves the signals of the program to the C library, which
//! then asks for each of them how it is handled before it resets it. When all are named at once, that is half the system calls of a
//! start, and a signal that somebody above ignores is not ignored by the program.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::subject::execution::Request;

/// How programs are started: all that is the same for each.
pub struct Starter {
    /// A process group of its own, no signal blocked, and all as they are for a new process.
    attributes: PosixSpawnAttr,
    /// What a request's environment is added to.
    environment: BTreeMap<OsString, OsString>,
    /// The last descriptors that programs had as their standard streams, and what makes them so. Most have the same numbers.
    streams: RefCell<Option<(Numbers, PosixSpawnFileActions)>>,
}

/// The numbers of three descriptors.
type Numbers = [Option<RawFd>; 3];

impl Starter {
    /// Starts in the environment of this process.
    pub fn new() -> Result<Self, nix::Error> {
        let mut attributes = PosixSpawnAttr::init()?;
        attributes.set_flags(
            PosixSpawnFlags::POSIX_SPAWN_SETPGROUP
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK,
        )?;
        attributes.set_pgroup(nix::unistd::Pid::from_raw(0))?;
        attributes.set_sigmask(&SigSet::empty())?;
        let mut signals = SigSet::all();
        // Nobody changes what they do.
        signals.remove(Signal::SIGKILL);
        signals.remove(Signal::SIGSTOP);
        attributes.set_sigdefault(&signals)?;
        let environment = std::env::vars_os().collect();
        Ok(Self { attributes, environment, streams: RefCell::default() })
    }

    /// Starts what is asked, with these as its standard streams; one that is left out is this process's own. An error is the
    /// system's; text with a zero byte in it is an invalid argument.
    pub fn start(&self, request: &Request, streams: [Option<&OwnedFd>; 3]) -> Result<Pid, Errno> {
        let program = c_string(request.program.as_os_str())?;
        let words = request.argv.iter().map(OsString::as_os_str);
        let mut arguments = words.map(c_string).collect::<Result<Vec<_>, _>>()?;
        if arguments.is_empty() {
            arguments.push(program.clone());
        }
        let environment = self.environment(request)?;
        let numbers = streams.map(|stream| stream.map(AsRawFd::as_raw_fd));
        let mut known = self.streams.borrow_mut();
        let actions = match known.take_if(|(last, _)| *last == numbers) {
            Some((_, actions)) => actions,
            None => actions(numbers)?,
        };
        let (_, actions) = known.insert((numbers, actions));
        let pid =
            posix_spawn(&*program, actions, &self.attributes, &arguments, &environment).map_err(errno)?;
        Pid::from_raw(pid.as_raw()).ok_or(Errno::SRCH)
    }

    /// What the program finds in its environment: each name once, with the request's value where that has one.
    fn environment(&self, request: &Request) -> Result<Vec<CString>, Errno> {
        let own = self.environment.iter();
        let asked = request.environment.iter().map(|(name, value)| (name, value));
        let merged: BTreeMap<&OsString, &OsString> = own.chain(asked).collect();
        let variable = |(name, value): (&OsString, &OsString)| {
            let mut text = name.clone();
            text.push("=");
            text.push(value);
            c_string(&text)
        };
        merged.into_iter().map(variable).collect()
    }
}

/// Makes these descriptors the standard streams; one that is left out stays what it is.
fn actions(numbers: Numbers) -> Result<PosixSpawnFileActions, Errno> {
    let mut actions = PosixSpawnFileActions::init().map_err(errno)?;
    for (number, stream) in numbers.into_iter().zip(0..) {
        if let Some(number) = number {
            actions.add_dup2(number, stream).map_err(errno)?;
        }
    }
    Ok(actions)
}

fn c_string(text: &OsStr) -> Result<CString, Errno> {
    CString::new(text.as_bytes()).map_err(|_| Errno::INVAL)
}

fn errno(error: nix::Error) -> Errno {
    Errno::from_raw_os_error(error as i32)
}
