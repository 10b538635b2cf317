//! What is said to a worker, and what it answers: JSON in frames that the launcher takes care of.

use serde::{Deserialize, Serialize};

/// An input to judge. It lies in a file of the scratch folder.
#[derive(Debug, Serialize)]
pub struct Question<'a> {
    /// Its number; the answer has the same.
    pub id: u64,
    /// The words that a fresh process would be given.
    pub arguments: &'a [String],
}

/// What a fresh process would have ended with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Answer {
    /// The number of the question.
    pub id: u64,
    /// The exit code.
    pub exit: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Whether the worker is of no further use.
    #[serde(default)]
    pub stale: bool,
}

/// What a worker says first.
#[derive(Debug, Deserialize)]
struct Start {
    ready: bool,
}

impl Question<'_> {
    /// The message.
    pub fn message(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a number and texts can be written")
    }
}

/// Whether a worker's first message says that it is ready.
///
/// # Errors
/// What is wrong with it.
pub fn read_start(message: &[u8]) -> Result<(), String> {
    match serde_json::from_slice(message) {
        Ok(Start { ready: true }) => Ok(()),
        Ok(Start { ready: false }) => Err("it is not ready".into()),
        Err(error) => Err(not(&format!("`{{\"ready\": true}}`: {error}"), message)),
    }
}

/// The answer to question `id`.
///
/// # Errors
/// What is wrong with it.
pub fn read_answer(message: &[u8], id: u64) -> Result<Answer, String> {
    let answer: Answer =
        serde_json::from_slice(message).map_err(|error| not(&format!("an answer: {error}"), message))?;
    match answer.id {
        own if own == id => Ok(answer),
        other => Err(format!("it answered question {other} when asked question {id}")),
    }
}

/// That `message` is not what was expected.
fn not(expected: &str, message: &[u8]) -> String {
    const MOST: usize = 60;
    let text = String::from_utf8_lossy(message);
    let shown = match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    };
    format!("{shown} is not {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_are_written_and_read() {
        let arguments = ["--js".to_owned(), "in \"put\".js".to_owned()];
        let message = Question { id: 7, arguments: &arguments }.message();
        assert_eq!(message, br#"{"id":7,"arguments":["--js","in \"put\".js"]}"#);
        assert_eq!(read_start(br#"{"ready": true, "version": 3}"#), Ok(()));
        let answer = br#"{"id": 7, "exit": 1, "stdout": "a\u0000", "stderr": "\ufffd"}"#;
        let expected =
            Answer { id: 7, exit: 1, stdout: "a\0".into(), stderr: "\u{fffd}".into(), stale: false };
        assert_eq!(read_answer(answer, 7), Ok(expected));
        let stale = br#"{"id": 7, "exit": 1, "stdout": "", "stderr": "", "stale": true}"#;
        assert!(read_answer(stale, 7).unwrap().stale);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |message: &str| read_answer(message.as_bytes(), 7).unwrap_err();
        let other = error(r#"{"id": 6, "exit": 1, "stdout": "", "stderr": ""}"#);
        assert_eq!(other, "it answered question 6 when asked question 7");
        assert!(error(r#"{"id": 7, "stdout": "", "stderr": ""}"#).contains("missing field `exit`"));
        assert!(error(&"x".repeat(100)).starts_with("\"xxx"), "{}", error(&"x".repeat(100)));
        assert_eq!(read_start(br#"{"ready": false}"#), Err("it is not ready".into()));
        assert!(read_start(b"hello").unwrap_err().starts_with("\"hello\" is not `{\"ready\": true}`: "));
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes: Vec<u8>, id: u64) {
            let _ = read_answer(&bytes, id);
            let _ = read_start(&bytes);
        }
    }
}
