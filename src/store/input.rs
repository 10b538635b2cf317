//! Inputs as text.
//!
//! An input is bytes; most are UTF-8. In the store it is written as text from which the same bytes
//! can be read again: a backslash is doubled, and a byte that belongs to no character is `\xHH`. In
//! a report it is shown as it is, so that it can be copied, and only what no reader could see is
//! escaped; what is exact is the store.

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

    /// As text from which [`Self::from_lossless`] makes the same bytes.
    pub fn to_lossless(&self) -> String {
        self.written(|text, c| match c {
            '\\' => text.push_str("\\\\"),
            c => text.push(c),
        })
    }

    /// The input that [`Self::to_lossless`] wrote as `text`.
    ///
    /// # Errors
    /// When `text` has an escape that it does not write.
    pub fn from_lossless(text: &str) -> Result<Self, String> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(index) = rest.find('\\') {
            bytes.extend_from_slice(&rest.as_bytes()[..index]);
            let escape = &rest[index + 1..];
            if let Some(after) = escape.strip_prefix('\\') {
                bytes.push(b'\\');
                rest = after;
            } else if let Some(byte) =
                escape.strip_prefix('x').and_then(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok())
            {
                bytes.push(byte);
                rest = &escape[3..];
            } else {
                return Err(format!("no escape of an input begins with `\\{}`", first(escape)));
            }
        }
        bytes.extend_from_slice(rest.as_bytes());
        Ok(Self(bytes.into()))
    }

    /// As a person would want to see it: as it is, but for bytes that belong to no character and
    /// control characters other than line feed and tab, which are `\xHH`.
    pub fn shown(&self) -> String {
        self.written(|text, c| match c {
            '\n' | '\t' => text.push(c),
            c if c.is_control() => {
                for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
                    push_byte(text, byte);
                }
            }
            c => text.push(c),
        })
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

/// The first character of `text`, for a message.
fn first(text: &str) -> &str {
    &text[..text.chars().next().map_or(0, char::len_utf8)]
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_lossless())
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
        serializer.serialize_str(&self.to_lossless())
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_lossless(&String::deserialize(deserializer)?).map_err(D::Error::custom)
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
            prop_assert_eq!(Input::from_lossless(&input.to_lossless()).unwrap(), input.clone());
            let json = serde_json::to_string(&input).unwrap();
            prop_assert_eq!(serde_json::from_str::<Input>(&json).unwrap(), input);
        }

        #[test]
        fn any_text_is_an_input_or_an_error(text in "[\\\\xaé0-9]*") {
            if let Ok(input) = Input::from_lossless(&text) {
                prop_assert_eq!(Input::from_lossless(&input.to_lossless()).unwrap(), input);
            }
        }
    }

    #[test]
    fn what_is_shown_can_be_copied() {
        assert_eq!(Input::from(r"find . -regex '\('").shown(), r"find . -regex '\('");
        assert_eq!(Input::from("a\nb\té").shown(), "a\nb\té");
        assert_eq!(Input::from(b"\0\x1b[0m\xff\xc3(").shown(), r"\x00\x1b[0m\xff\xc3(");
        assert_eq!(Input::from(b"a\xff\xffb").chars(), 4);
        assert_eq!(Input::from("é\\").to_lossless(), r"é\\");
    }
}
