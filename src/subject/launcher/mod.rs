//! The helper process that runs subjects.
//!
//! The program starts itself again, with [`WORD`] as its first argument, once per worker. This helper
//! confines itself once and then serves one request after the other over the socket that is its standard input
//! ([`channel`], [`wire`]), or keeps one program that answers questions (`keep`, [`talk`]). What it starts inherits the
//! confinement, so that an execution costs little more than the bare start of a process (`run`).
//!
//! It confines itself in layers. It moves into [`namespaces`] of its own, where it sees no other processes and
//! its own view of the files ([`view`]); it gives up all rights (`privilege`); and it restricts itself by Landlock and a filter
//! of system calls (`sandbox`). Without namespaces, the other layers remain, and it becomes the reaper of orphans.
//!
//! It has one thread: a child that is not yet reaped can have no other process take its number.
//!
//! When the socket closes, because the program has ended in whatever way, the helper kills all that
//! descends from it and ends. It is in a session of its own, so that neither it nor a subject ever sees
//! the terminal or a Ctrl-C typed there.

pub mod channel;
mod descendants;
mod descriptors;
mod folder;
mod keep;
pub mod namespaces;
pub mod privilege;
mod run;
mod sandbox;
mod script;
mod start;
pub mod talk;
pub mod view;
pub mod wire;

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::process::{
    DumpableBehavior, Signal, getpid, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal, setsid,
};
use rustix::thread::set_no_new_privs;

use self::channel::{Channel, MOST};
use self::folder::Folder;
use self::run::{Halt, Runner};
use self::view::Writable;
use self::wire::{Order, Reply, Setup};
use super::confinement::Confinement;

/// The argument that makes the program a launcher.
pub const WORD: &str = "__launcher";
/// The argument after it that says that there are namespaces already.
const INSIDE: &str = "inside";
/// The argument after it that says that a trusted script is to be run, whose words follow.
pub const SCRIPT: &str = "script";

/// The launcher's whole life: called by the program when [`WORD`] is its first argument.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    let kind = words.next();
    let is = |word| kind.as_ref().is_some_and(|kind| kind == word);
    let result = if is(SCRIPT) { script::main(words) } else { serve(is(INSIDE)) };
    match result {
        Ok(code) => code,
        // The program was killed: there is nobody to report to.
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
            if descendants::kill() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        // Standard error leads nowhere: a program under test must not get hold of the user's. Whoever waits for an answer
        // sees that there is none.
        Err(_) => ExitCode::FAILURE,
    }
}

/// `is_inside` says whether this is the first process of new namespaces.
fn serve(is_inside: bool) -> io::Result<ExitCode> {
    descriptors::close_inherited()?;
    let mut channel = Channel::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    if is_inside {
        // The one that waits for this process has nothing else to do: when it is killed, so is this one.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        channel.send(&Reply::Unmapped)?;
    }
    let Some(setup) = channel.receive::<Setup>(MOST)? else { return Ok(ExitCode::SUCCESS) };
    if setup.confinement == Confinement::Namespaces && !is_inside {
        // What is not sure to be there is not waited for by anybody.
        return match namespaces::enter() {
            Ok(()) => namespaces::supervise(channel.socket()),
            Err(error) => {
                channel.send(&Reply::NoNamespaces(error.to_string()))?;
                Ok(ExitCode::SUCCESS)
            }
        };
    }
    let mut runner = match prepare(&setup) {
        Ok(runner) => runner,
        Err(reply) => {
            channel.send(&reply)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    channel.send(&Reply::Ready)?;
    channel.agree(setup.secret);
    while let Some(order) = channel.receive(MOST)? {
        let request = match order {
            Order::Run(request) => request,
            Order::Keep(request) => {
                keep::keep(runner, &request, &mut channel)?;
                return Ok(ExitCode::SUCCESS);
            }
        };
        let reply = match runner.run(&request, channel.as_fd()) {
            Ok(outcome) => Reply::Ran(outcome),
            Err(Halt::NotStarted(number)) => Reply::NotStarted(number),
            Err(Halt::Abandoned) => return Ok(ExitCode::SUCCESS),
            Err(Halt::Broken(reason)) => {
                descendants::kill();
                channel.send(&Reply::Broken(reason))?;
                return Ok(ExitCode::SUCCESS);
            }
        };
        channel.send(&reply)?;
        // After the answer, so that nobody waits for it.
        if let Err(error) = runner.tidy() {
            // The next request will be answered with the reason.
            let Some(_) = channel.receive::<Order<'_>>(MOST)? else { return Ok(ExitCode::SUCCESS) };
            channel.send(&Reply::Broken(format!("nothing can be run after what a run left: {error}")))?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes this process a launcher. The order matters: what a layer of the sandbox forbids comes before it.
fn prepare(setup: &Setup) -> Result<Runner, Reply> {
    let broken = |what: &str, error: io::Error| Reply::Broken(format!("{what}: {error}"));
    // Fails when the process leads a group already; then it has no part in the terminal's either.
    let _ = setsid();
    set_no_new_privs(true).map_err(|error| broken("no_new_privs", error.into()))?;
    let mut writable = vec![Writable { path: setup.scratch.clone(), kept: BTreeSet::new() }];
    if setup.confinement == Confinement::Namespaces {
        let failed = |error: io::Error| Reply::NoNamespaces(error.to_string());
        writable = view::build(&setup.scratch, &setup.reads).map_err(failed)?;
        // So that no output depends on the machine. It makes no harm if it cannot be.
        let _ = rustix::system::sethostname(b"localhost");
    } else {
        set_child_subreaper(Some(getpid())).map_err(|error| broken("no reaper of orphans", error.into()))?;
    }
    if setup.confinement.is_any() {
        privilege::give_up().map_err(|error| broken("no rights can be given up", error))?;
        // Nobody traces it, or opens its descriptors or memory by way of /proc.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .map_err(|error| broken("it cannot be made undumpable", error.into()))?;
    }
    let folders = Folder::enter(&writable).map_err(|error| broken("the scratch folder", error))?;
    let runner = Runner::new(folders, setup.confinement).map_err(|error| broken("/dev/null", error))?;
    if setup.confinement.is_any() {
        sandbox::confine(&writable, setup.confinement).map_err(Reply::NoSandbox)?;
    }
    Ok(runner)
}
