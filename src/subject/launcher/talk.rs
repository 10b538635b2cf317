//! The messages between the program and a launcher that keeps one program running.
//!
//! The messages of the kept program itself are passed on unchanged: the launcher knows where a
//! message of it ends and nothing else.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::subject::execution::Ending;
use crate::subject::serial;

/// What a kept program is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// A file that it finds in its scratch folder: name and content.
    #[serde(with = "serial::file")]
    pub file: Option<(String, Vec<u8>)>,
    /// The message for it.
    #[serde(with = "serde_bytes")]
    pub message: Vec<u8>,
    /// How long it may take to answer, in wall-clock time.
    pub timeout: Duration,
    /// How long its answer may be, in bytes.
    pub most: u64,
}

/// What came of the start of a program that is kept, and of each question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// It said something, after this time.
    Said {
        /// What.
        #[serde(with = "serde_bytes")]
        message: Vec<u8>,
        /// How long that took.
        wall: Duration,
    },
    /// It said nothing. Nothing of it is left.
    Lost {
        /// Why.
        loss: Loss,
        /// The end of what it wrote to standard error.
        #[serde(with = "serde_bytes")]
        words: Vec<u8>,
    },
    /// It could not be started: the system's error number.
    NotStarted(i32),
    /// The launcher cannot go on: why.
    Broken(String),
}

/// Why a kept program says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// Its time was over.
    TimedOut,
    /// It ended.
    Ended(Ending),
    /// It closed its standard output.
    Closed,
    /// It announced a message of this many bytes, which is more than it may say.
    TooLong(u64),
    /// It said more than one thing at once.
    TooMuch,
    /// It started more processes than it may.
    TooManyProcesses,
}

#[cfg(test)]
mod tests {
    use super::super::channel::{read, round_trip};
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
            let _ = read::<Question>(&bytes);
            let _ = read::<Report>(&bytes);
        }
    }
}
