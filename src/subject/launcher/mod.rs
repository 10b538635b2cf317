//! The helper process that runs subjects.
//!
//! The program starts itself again, with [`WORD`] as its only argument, once per worker. This helper
//! confines itself once (`sandbox`), becomes the reaper of orphans, and then serves one request
//! after the other over the socket that is its standard input ([`wire`]), or keeps one program that answers
//! questions (`keep`, [`talk`]). What it starts inherits the
//! confinement, so that an execution costs little more than the bare start of a process (`run`).
//! It has one thread: a child that is not yet reaped can have no other process take its number.
//!
//! When the socket closes, because the program has ended in whatever way, the helper kills all that
//! descends from it and ends. It is in a session of its own, so that neither it nor a subject ever sees
//! the terminal or a Ctrl-C typed there.

mod descendants;
mod folder;
mod keep;
mod run;
mod sandbox;
pub mod talk;
pub mod wire;

use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::process::{getpid, set_child_subreaper, setsid};
use rustix::thread::set_no_new_privs;

use self::folder::Folder;
use self::run::{Halt, Runner};
use self::wire::{Message, Order, Reply, Setup};

/// The argument that makes the program a launcher.
pub const WORD: &str = "__launcher";

/// The launcher's whole life: called by the program when [`WORD`] is its first argument.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // The program was killed: there is nobody to tell.
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
            if descendants::kill() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("grambench: a launcher gave up: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut buffer = Vec::new();
    let Some(setup) = Setup::receive(&socket, &mut buffer)? else { return Ok(()) };
    let mut runner = match prepare(&setup) {
        Ok(runner) => runner,
        Err(reply) => return reply.send(&socket),
    };
    Reply::Ready.send(&socket)?;
    while let Some(order) = Order::receive(&socket, &mut buffer)? {
        let request = match order {
            Order::Run(request) => request,
            Order::Keep(request) => return keep::keep(runner, &request, &socket, &mut buffer),
        };
        let reply = match runner.run(&request, socket.as_fd()) {
            Ok(outcome) => Reply::Ran(outcome),
            Err(Halt::NotStarted(number)) => Reply::NotStarted(number),
            Err(Halt::Abandoned) => return Ok(()),
            Err(Halt::Broken(reason)) => {
                descendants::kill();
                return Reply::Broken(reason).send(&socket);
            }
        };
        reply.send(&socket)?;
        // After the answer, so that nobody waits for it.
        if let Err(error) = runner.tidy() {
            // The next request will be answered with the reason.
            let Some(_) = Order::receive(&socket, &mut buffer)? else { return Ok(()) };
            let reason = format!("the scratch folder cannot be emptied: {error}");
            return Reply::Broken(reason).send(&socket);
        }
    }
    Ok(())
}

/// Makes this process a launcher. The order matters: what the sandbox forbids comes before it.
fn prepare(setup: &Setup) -> Result<Runner, Reply> {
    let broken = |what: &str, error: io::Error| Reply::Broken(format!("{what}: {error}"));
    // Fails when the process leads a group already; then it has no part in the terminal's either.
    let _ = setsid();
    set_child_subreaper(Some(getpid())).map_err(|error| broken("no reaper of orphans", error.into()))?;
    set_no_new_privs(true).map_err(|error| broken("no_new_privs", error.into()))?;
    let folder = Folder::enter(&setup.scratch).map_err(|error| broken("the scratch folder", error))?;
    let runner = Runner::new(folder).map_err(|error| broken("/dev/null", error))?;
    if setup.sandbox {
        sandbox::confine(&setup.scratch).map_err(Reply::NoSandbox)?;
    }
    Ok(runner)
}
