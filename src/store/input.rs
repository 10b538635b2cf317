//! Inputs as text.
//!
//! An input is bytes; most are UTF-8. Wherever it is written as text (in records, in tables, on the terminal) it is
//! escaped in one way, so that the same bytes can be read again: a backslash is `\\`, a line feed `\n`, a
//! carriage return `\r`, a tab `\t`, and each byte of another control character, or of none at all, is `\xHH`. All
//! other characters stand for themselves. So an input is one line, and no two inputs are the same text.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The bytes of an input.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Input(pub Box<[u8]>);

impl Input {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The number of characters; a byte that belongs to no character counts as one.
    pub fn chars(&self) -> usize {
        self.0.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
    }

    /// As text on one line, from which [`Self::from_escaped`] makes the same bytes.
    pub fn to_escaped(&self) -> String {
        self.written(|text, c| match c {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
                    push_byte(text, byte);
                }
            }
            c => text.push(c),
        })
    }

    /// The input that [`Self::to_escaped`] wrote as `text`. Characters that it escapes may stand for themselves.
    ///
    /// # Errors
    /// When `text` has an escape that it does not write: where it begins, and what is wrong.
    pub fn from_escaped(text: &str) -> Result<Self, EscapeError> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(index) = rest.find('\\') {
            bytes.extend_from_slice(&rest.as_bytes()[..index]);
            let (escape, begin) = (&rest[index + 1..], text.len() - rest.len() + index);
            let (byte, length) = match escape.as_bytes().first() {
                Some(b'\\') => (b'\\', 1),
                Some(b'n') => (b'\n', 1),
                Some(b'r') => (b'\r', 1),
                Some(b't') => (b'\t', 1),
                Some(b'x') => match escape.get(1..3).and_then(hexadecimal) {
                    Some(byte) => (byte, 3),
                    None => return Err(EscapeError { begin, escape: "\\x".into() }),
                },
                _ => return Err(EscapeError { begin, escape: format!("\\{}", first(escape)) }),
            };
            bytes.push(byte);
            rest = &escape[length..];
        }
        bytes.extend_from_slice(rest.as_bytes());
        Ok(Self(bytes.into()))
    }

    fn written(&self, write: impl Fn(&mut String, char)) -> String {
        let mut text = String::with_capacity(self.0.len());
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                write(&mut text, c);
            }
            for &byte in chunk.invalid() {
                push_byte(&mut text, byte);
            }
        }
        text
    }
}

fn push_byte(text: &mut String, byte: u8) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    text.push_str("\\x");
    text.push(DIGITS[usize::from(byte >> 4)]);
    text.push(DIGITS[usize::from(byte & 15)]);
}

/// Two hexadecimal digits.
fn hexadecimal(digits: &str) -> Option<u8> {
    // `from_str_radix` takes a sign as well.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

/// A backslash that begins no escape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{escape}` is no escape; there are `\\\\`, `\\n`, `\\r`, `\\t` and `\\xHH` with two hexadecimal digits"
)]
pub struct EscapeError {
    /// Where the backslash is, in bytes.
    pub begin: usize,
    /// The backslash, and what stands behind it.
    pub escape: String,
}

/// The first character of `text`, for a message.
fn first(text: &str) -> &str {
    &text[..text.chars().next().map_or(0, char::len_utf8)]
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_escaped())
    }
}

impl<T: AsRef<[u8]> + ?Sized> From<&T> for Input {
    fn from(bytes: &T) -> Self {
        Self(bytes.as_ref().into())
    }
}

impl From<Box<[u8]>> for Input {
    fn from(bytes: Box<[u8]>) -> Self {
        Self(bytes)
    }
}

impl From<Vec<u8>> for Input {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl Serialize for Input {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_escaped())
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_escaped(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back_from_their_text(bytes: Vec<u8>) {
            let input = Input::from(&bytes);
            let text = input.to_escaped();
            prop_assert!(!text.contains(char::is_control), "{}", text);
            prop_assert_eq!(Input::from_escaped(&text).unwrap(), input.clone());
            let json = serde_json::to_string(&input).unwrap();
            prop_assert_eq!(serde_json::from_str::<Input>(&json).unwrap(), input);
        }

        #[test]
        fn any_text_is_an_input_or_an_error(text in "[\\\\xanrté0-9+]*") {
            if let Ok(input) = Input::from_escaped(&text) {
                prop_assert_eq!(Input::from_escaped(&input.to_escaped()).unwrap(), input);
            }
        }
    }

    #[test]
    fn an_input_is_written_on_one_line() {
        for (bytes, text) in [
            (&br"find . -regex '\('"[..], r"find . -regex '\\('"),
            (b"a\nb\t\r\xc3\xa9", r"a\nb\t\ré"),
            (b"\0\x1b[0m\xff\xc3(", r"\x00\x1b[0m\xff\xc3("),
            (b"\\x0d\r", r"\\x0d\r"),
            (b"\xc2\x85", r"\xc2\x85"),
        ] {
            assert_eq!(Input::from(bytes).to_escaped(), text);
        }
        assert_eq!(Input::from(b"a\xff\xffb").chars(), 4);
        // What a person writes may be read as well.
        assert_eq!(Input::from_escaped("a\n\\x41\\t").unwrap(), Input::from("a\nA\t"));
        let error = Input::from_escaped(r"ab\q").unwrap_err();
        assert_eq!((error.begin, error.escape.as_str()), (2, r"\q"));
        assert_eq!(Input::from_escaped(r"\x+1").unwrap_err().begin, 0);
        assert_eq!(Input::from_escaped("é\\").unwrap_err().escape, "\\");
    }
}
