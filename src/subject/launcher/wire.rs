//! The messages between the program and its launchers.
//!
//! How messages travel is the business of [`super::channel`]. Inside are the fields one after the other, numbers of fixed width in little-endian order and byte strings with their length before
//! them. Both sides are the same executable, so there are no versions. A hand-written form is used
//! because inputs and outputs are bytes that no text format carries without a cost.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use super::channel::Secret;
use crate::subject::confinement::Confinement;
use crate::subject::execution::{Ending, Limits, Outcome, Request};

/// What a launcher is told first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Its scratch folder.
    pub scratch: PathBuf,
    /// How it confines itself and its children.
    pub confinement: Confinement,
    /// What programs read of folders that are hidden from them.
    pub reads: Vec<PathBuf>,
    /// What is in all messages from now on.
    pub secret: Secret,
}

/// What a launcher is told after that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// To run a program once. It is answered by a [`Reply`].
    Run(Cow<'a, Request>),
    /// To start a program, which then answers questions. From then on the launcher does nothing else, and
    /// what it says are reports ([`super::talk`]), the first of them about the start.
    Keep(Cow<'a, Request>),
}

/// What a launcher says to a request, and, first of all, to its setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The launcher is set up.
    Ready,
    /// The launcher is the first process of new namespaces. Their maps are to be written, and the setup to be
    /// sent again.
    Unmapped,
    /// The launcher cannot have namespaces of its own: why. It ends.
    NoNamespaces(String),
    /// The run took place.
    Ran(Outcome),
    /// The program could not be started: the system's error number.
    NotStarted(i32),
    /// The launcher cannot confine itself: why.
    NoSandbox(String),
    /// The launcher cannot go on: why.
    Broken(String),
}

/// A frame that is being written.
pub struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    fn int(&mut self, value: i32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn long(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn option(&mut self, value: Option<u64>) {
        self.byte(u8::from(value.is_some()));
        self.long(value.unwrap_or_default());
    }

    pub(super) fn text(&mut self, value: &[u8]) {
        self.long(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }
}

/// A frame that is being read.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message that ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn int(&mut self) -> io::Result<i32> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(super) fn long(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn option(&mut self) -> io::Result<Option<u64>> {
        let present = self.byte()? != 0;
        let value = self.long()?;
        Ok(present.then_some(value))
    }

    pub(super) fn text(&mut self) -> io::Result<&'a [u8]> {
        let length = self.long()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn words(&mut self) -> io::Result<OsString> {
        Ok(OsString::from_vec(self.text()?.to_vec()))
    }

    pub(super) fn string(&mut self) -> io::Result<String> {
        String::from_utf8(self.text()?.to_vec()).map_err(|_| unknown("a text that is not UTF-8"))
    }
}

pub(super) fn unknown(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A message.
pub trait Message: Sized {
    /// Appends its fields.
    fn write(&self, writer: &mut Writer);

    /// Reads its fields from the content of a frame.
    ///
    /// # Errors
    /// When the bytes are no such message.
    fn read(bytes: &[u8]) -> io::Result<Self>;
}

impl Message for Setup {
    fn write(&self, writer: &mut Writer) {
        writer.text(self.scratch.as_os_str().as_bytes());
        writer.byte(match self.confinement {
            Confinement::None => 0,
            Confinement::Landlock => 1,
            Confinement::Namespaces => 2,
        });
        writer.long(self.reads.len() as u64);
        for path in &self.reads {
            writer.text(path.as_os_str().as_bytes());
        }
        writer.bytes.extend_from_slice(&self.secret);
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader { bytes };
        Ok(Self {
            scratch: reader.words()?.into(),
            confinement: match reader.byte()? {
                0 => Confinement::None,
                1 => Confinement::Landlock,
                2 => Confinement::Namespaces,
                _ => return Err(unknown("an unknown confinement")),
            },
            reads: (0..reader.long()?).map(|_| Ok(reader.words()?.into())).collect::<io::Result<_>>()?,
            secret: reader.array()?,
        })
    }
}

impl Message for Request {
    fn write(&self, writer: &mut Writer) {
        let text = |writer: &mut Writer, text: &OsStr| writer.text(text.as_bytes());
        text(writer, self.program.as_os_str());
        writer.long(self.argv.len() as u64);
        for word in &self.argv {
            text(writer, word);
        }
        writer.long(self.environment.len() as u64);
        for (name, value) in &self.environment {
            text(writer, name);
            text(writer, value);
        }
        writer.text(&self.stdin);
        writer.byte(u8::from(self.file.is_some()));
        if let Some((name, content)) = &self.file {
            writer.text(name.as_bytes());
            writer.text(content);
        }
        let Limits { timeout, cpu, memory, file_size, output, processes } = &self.limits;
        writer.long(nanoseconds(*timeout));
        writer.option(cpu.map(nanoseconds));
        writer.option(*memory);
        writer.option(*file_size);
        writer.long(*output);
        writer.option(processes.map(u64::from));
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader { bytes };
        let program = reader.words()?.into();
        let argv = (0..reader.long()?).map(|_| reader.words()).collect::<io::Result<_>>()?;
        let environment =
            (0..reader.long()?).map(|_| Ok((reader.words()?, reader.words()?))).collect::<io::Result<_>>()?;
        let stdin = reader.text()?.to_vec();
        let file = match reader.byte()? {
            0 => None,
            _ => Some((reader.string()?, reader.text()?.to_vec())),
        };
        let limits = Limits {
            timeout: Duration::from_nanos(reader.long()?),
            cpu: reader.option()?.map(Duration::from_nanos),
            memory: reader.option()?,
            file_size: reader.option()?,
            output: reader.long()?,
            processes: reader.option()?.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        };
        Ok(Self { program, argv, environment, stdin, file, limits, reads: Default::default() })
    }
}

impl Message for Order<'_> {
    fn write(&self, writer: &mut Writer) {
        let (kind, request) = match self {
            Self::Run(request) => (0, request),
            Self::Keep(request) => (1, request),
        };
        writer.byte(kind);
        request.write(writer);
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader { bytes };
        let kind = reader.byte()?;
        let request = Cow::Owned(Request::read(reader.bytes)?);
        match kind {
            0 => Ok(Self::Run(request)),
            1 => Ok(Self::Keep(request)),
            _ => Err(unknown("an unknown order")),
        }
    }
}

impl Message for Reply {
    fn write(&self, writer: &mut Writer) {
        match self {
            Self::Ready => writer.byte(0),
            Self::Ran(outcome) => {
                writer.byte(1);
                let (kind, number) = match outcome.ending {
                    Ending::Exited(code) => (0, code),
                    Ending::Signaled(number) => (1, number),
                    Ending::TimedOut => (2, 0),
                    Ending::OutOfCpu => (3, 0),
                    Ending::OutputLimit => (4, 0),
                    Ending::ProcessLimit => (5, 0),
                };
                writer.byte(kind);
                writer.int(number);
                writer.long(nanoseconds(outcome.wall));
                writer.text(&outcome.stdout);
                writer.text(&outcome.stderr);
            }
            Self::NotStarted(number) => {
                writer.byte(2);
                writer.int(*number);
            }
            Self::Unmapped => writer.byte(5),
            Self::NoNamespaces(reason) => {
                writer.byte(6);
                writer.text(reason.as_bytes());
            }
            Self::NoSandbox(reason) => {
                writer.byte(3);
                writer.text(reason.as_bytes());
            }
            Self::Broken(reason) => {
                writer.byte(4);
                writer.text(reason.as_bytes());
            }
        }
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader { bytes };
        Ok(match reader.byte()? {
            0 => Self::Ready,
            1 => {
                let kind = reader.byte()?;
                let number = reader.int()?;
                let ending = match kind {
                    0 => Ending::Exited(number),
                    1 => Ending::Signaled(number),
                    2 => Ending::TimedOut,
                    3 => Ending::OutOfCpu,
                    4 => Ending::OutputLimit,
                    5 => Ending::ProcessLimit,
                    _ => return Err(unknown("an unknown ending")),
                };
                let wall = Duration::from_nanos(reader.long()?);
                let stdout = reader.text()?.to_vec();
                let stderr = reader.text()?.to_vec();
                Self::Ran(Outcome { ending, stdout, stderr, wall })
            }
            2 => Self::NotStarted(reader.int()?),
            3 => Self::NoSandbox(reader.string()?),
            4 => Self::Broken(reader.string()?),
            5 => Self::Unmapped,
            6 => Self::NoNamespaces(reader.string()?),
            _ => return Err(unknown("an unknown reply")),
        })
    }
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::channel::round_trip;
    use super::*;
    use proptest::prelude::*;

    fn words() -> impl Strategy<Value = OsString> {
        any::<Vec<u8>>().prop_map(OsString::from_vec)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_request_arrives_as_it_was_sent(
            program in words(),
            argv in prop::collection::vec(words(), 0..5),
            environment in prop::collection::vec((words(), words()), 0..3),
            stdin: Vec<u8>,
            file: Option<(String, Vec<u8>)>,
            cpu: Option<u32>,
            memory: Option<u64>,
            processes: Option<u32>,
        ) {
            let cpu = cpu.map(|seconds| Duration::from_secs(seconds.into()));
            let limits = Limits { cpu, memory, processes, ..Limits::default() };
            let reads = Default::default();
            let request = Request { program: program.into(), argv, environment, stdin, file, limits, reads };
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
                round_trip(&Reply::Ran(Outcome { ending, stdout: stdout.clone(), stderr: stderr.clone(), wall }));
            }
        }

        #[test]
        fn no_bytes_make_a_reader_panic(bytes: Vec<u8>) {
            let _ = Order::read(&bytes);
            let _ = Reply::read(&bytes);
            let _ = Setup::read(&bytes);
        }
    }
}
