//! The messages between the program and a launcher that keeps one program running.
//!
//! What the kept program itself is told, and says, is passed on as it is: the launcher knows where a
//! message of it ends and nothing else.

use std::io;
use std::time::Duration;

use super::wire::{Message, Reader, Writer, nanoseconds, unknown};
use crate::subject::execution::Ending;

/// What a kept program is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// A file that it finds in its scratch folder: name and content.
    pub file: Option<(String, Vec<u8>)>,
    /// What it is told.
    pub message: Vec<u8>,
    /// How long it may take to answer, in wall-clock time.
    pub timeout: Duration,
    /// How long its answer may be, in bytes.
    pub most: u64,
}

/// What came of the start of a program that is kept, and of each question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// It said something, after this time.
    Said {
        /// What.
        message: Vec<u8>,
        /// How long that took.
        wall: Duration,
    },
    /// It said nothing. Nothing of it is left.
    Lost {
        /// Why.
        loss: Loss,
        /// The end of what it wrote to standard error.
        words: Vec<u8>,
    },
    /// It could not be started: the system's error number.
    NotStarted(i32),
    /// The launcher cannot go on: why.
    Broken(String),
}

/// Why a kept program says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Its time was over.
    TimedOut,
    /// It ended.
    Ended(Ending),
    /// It closed its standard output.
    Closed,
    /// It announced a message of so many bytes, which is more than it may say.
    TooLong(u64),
    /// It said more than one thing at once.
    TooMuch,
    /// It started more processes than it may.
    TooManyProcesses,
}

impl Message for Question {
    fn write(&self, writer: &mut Writer) {
        writer.byte(u8::from(self.file.is_some()));
        if let Some((name, content)) = &self.file {
            writer.text(name.as_bytes());
            writer.text(content);
        }
        writer.text(&self.message);
        writer.long(nanoseconds(self.timeout));
        writer.long(self.most);
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader::new(bytes);
        let file = match reader.byte()? {
            0 => None,
            _ => Some((reader.string()?, reader.text()?.to_vec())),
        };
        Ok(Self {
            file,
            message: reader.text()?.to_vec(),
            timeout: Duration::from_nanos(reader.long()?),
            most: reader.long()?,
        })
    }
}

impl Message for Report {
    fn write(&self, writer: &mut Writer) {
        match self {
            Self::Said { message, wall } => {
                writer.byte(0);
                writer.text(message);
                writer.long(nanoseconds(*wall));
            }
            Self::Lost { loss, words } => {
                writer.byte(1);
                let (kind, number) = match *loss {
                    Loss::TimedOut => (0, 0),
                    Loss::Ended(Ending::Signaled(signal)) => (1, i64::from(signal)),
                    Loss::Ended(ending) => (2, i64::from(ending.shell_code().unwrap_or_default())),
                    Loss::Closed => (3, 0),
                    Loss::TooLong(bytes) => (4, bytes.cast_signed()),
                    Loss::TooMuch => (5, 0),
                    Loss::TooManyProcesses => (6, 0),
                };
                writer.byte(kind);
                writer.long(number.cast_unsigned());
                writer.text(words);
            }
            Self::NotStarted(number) => {
                writer.byte(2);
                writer.long(i64::from(*number).cast_unsigned());
            }
            Self::Broken(reason) => {
                writer.byte(3);
                writer.text(reason.as_bytes());
            }
        }
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader::new(bytes);
        let code = |number: u64| i32::try_from(number.cast_signed()).map_err(|_| unknown("a large number"));
        Ok(match reader.byte()? {
            0 => {
                let message = reader.text()?.to_vec();
                Self::Said { message, wall: Duration::from_nanos(reader.long()?) }
            }
            1 => {
                let kind = reader.byte()?;
                let number = reader.long()?;
                let loss = match kind {
                    0 => Loss::TimedOut,
                    1 => Loss::Ended(Ending::Signaled(code(number)?)),
                    2 => Loss::Ended(Ending::Exited(code(number)?)),
                    3 => Loss::Closed,
                    4 => Loss::TooLong(number),
                    5 => Loss::TooMuch,
                    6 => Loss::TooManyProcesses,
                    _ => return Err(unknown("an unknown loss")),
                };
                Self::Lost { loss, words: reader.text()?.to_vec() }
            }
            2 => Self::NotStarted(code(reader.long()?)?),
            3 => Self::Broken(reader.string()?),
            _ => return Err(unknown("an unknown report")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::channel::round_trip;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn everything_arrives_as_it_was_sent(
            file: Option<(String, Vec<u8>)>,
            message: Vec<u8>,
            words: Vec<u8>,
            number: i32,
            most: u64,
            wall: u32,
        ) {
            let wall = Duration::from_nanos(wall.into());
            round_trip(&Question { file, message: message.clone(), timeout: wall, most });
            round_trip(&Report::Said { message, wall });
            round_trip(&Report::NotStarted(number));
            round_trip(&Report::Broken(number.to_string()));
            for loss in [
                Loss::TimedOut,
                Loss::Ended(Ending::Signaled(number)),
                Loss::Ended(Ending::Exited(number)),
                Loss::Closed,
                Loss::TooLong(most),
                Loss::TooMuch,
                Loss::TooManyProcesses,
            ] {
                round_trip(&Report::Lost { loss, words: words.clone() });
            }
        }

        #[test]
        fn no_bytes_make_a_reader_panic(bytes: Vec<u8>) {
            let _ = Question::read(&bytes);
            let _ = Report::read(&bytes);
        }
    }
}
