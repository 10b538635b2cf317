//! The messages between the program and its launchers.
//!
//! How messages travel, and how they are written, is the business of [`super::channel`]. Both sides are the same
//! executable, so there are no versions.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::channel::Secret;
use crate::subject::confinement::Confinement;
use crate::subject::execution::{Request, RunOutcome};
use crate::subject::serial;

/// The first message to a launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Its scratch folder.
    #[serde(with = "serial::path")]
    pub scratch: PathBuf,
    /// How it confines itself and its children.
    pub confinement: Confinement,
    /// What programs read of folders that are hidden from them.
    #[serde(with = "serial::paths")]
    pub reads: Vec<PathBuf>,
    /// What is in all messages from now on.
    pub secret: Secret,
}

/// A later message to a launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order<'a> {
    /// To run a program once. It is answered by a [`Reply`].
    Run(Cow<'a, Request>),
    /// To start a program, which then answers questions. From then on the launcher does nothing else, and
    /// what it says are reports ([`super::talk`]), the first of them about the start.
    Keep(Cow<'a, Request>),
}

/// What a launcher says to a request, and, first of all, to its setup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// The launcher is set up.
    Ready,
    /// The launcher is the first process of new namespaces. Their maps are to be written, and the setup to be
    /// sent again.
    Unmapped,
    /// The launcher cannot have namespaces of its own: why. It ends.
    NoNamespaces(String),
    /// The run took place.
    Ran(RunOutcome),
    /// The program could not be started: the system's error number.
    NotStarted(i32),
    /// The launcher cannot confine itself: why.
    NoSandbox(String),
    /// The launcher cannot go on: why.
    Broken(String),
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::time::Duration;

    use super::super::channel::{read, round_trip};
    use super::*;
    use crate::subject::execution::{Ending, RunLimits};
    use proptest::prelude::*;

    fn words() -> impl Strategy<Value = OsString> {
        any::<Vec<u8>>().prop_map(OsString::from_vec)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_request_arrives_as_it_was_sent(
            program in words(),
            reads in prop::collection::vec(words(), 0..3),
            secret: [u8; 16],
            argv in prop::collection::vec(words(), 0..5),
            environment in prop::collection::vec((words(), words()), 0..3),
            stdin: Vec<u8>,
            file: Option<(String, Vec<u8>)>,
            cpu: Option<u32>,
            memory: Option<u64>,
            processes: Option<u32>,
        ) {
            let cpu = cpu.map(|seconds| Duration::from_secs(seconds.into()));
            let limits = RunLimits { cpu, memory, processes, ..RunLimits::default() };
            let (program, kept) = (program.into(), Default::default());
            let request = Request { program, argv, environment, stdin, file, limits, reads: kept };
            let reads = reads.into_iter().map(PathBuf::from).collect();
            let confinement = Confinement::Landlock;
            round_trip(&Setup { scratch: request.program.clone(), confinement, reads, secret });
            round_trip(&Order::Keep(Cow::Borrowed(&request)));
            round_trip(&Order::Run(Cow::Owned(request)));
        }

        #[test]
        fn any_outcome_arrives_as_it_was_sent(
            code: i32,
            stdout: Vec<u8>,
            stderr in prop::collection::vec(any::<u8>(), 0..100_000),
            wall: u32,
        ) {
            for ending in [
                Ending::Exited(code),
                Ending::Signaled(code),
                Ending::TimedOut,
                Ending::OutOfCpu,
                Ending::OutputLimit,
                Ending::ProcessLimit,
            ] {
                let wall = Duration::from_nanos(wall.into());
                round_trip(&Reply::Ran(RunOutcome { ending, stdout: stdout.clone(), stderr: stderr.clone(), wall }));
            }
        }

        #[test]
        fn no_bytes_make_a_reader_panic(bytes: Vec<u8>) {
            let _ = read::<Order<'_>>(&bytes);
            let _ = read::<Reply>(&bytes);
            let _ = read::<Setup>(&bytes);
        }
    }
}
