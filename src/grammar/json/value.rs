//! JSON with places: a reader that keeps where each value stands, so that what a grammar says wrongly
//! can be pointed at, inside its strings too.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::super::spelling;

/// How deep values may nest; a grammar nests five deep.
const MOST_NESTED: usize = 64;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub value: Value,
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Object(Vec<(Text, Node)>),
    Array(Vec<Node>),
    String(String),
    /// Anything else, which has no place in a grammar.
    Other,
}

/// A key and where it stands, with its quotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub text: String,
    pub span: Range<usize>,
}

impl Node {
    /// What it is, with its article.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Object(_) => "an object",
            Value::Array(_) => "a list",
            Value::String(_) => "a string",
            Value::Other => "a number, truth value or null",
        }
    }
}

/// Reads a text as one JSON value.
///
/// # Errors
/// The first mistake.
pub(super) fn read(source: &Arc<Source>) -> Result<Node, Diagnostic> {
    let mut reader = Reader { source, text: source.text(), at: 0, depth: 0 };
    if reader.text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let node = reader.value()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.unexpected("the end of the text")),
    }
}

/// Finds where parts of a string's value are in the text.
pub(super) struct Locator<'a> {
    reader: Reader<'a>,
    /// Where the string ends, with its closing quote.
    end: usize,
    /// How many bytes of the value were read.
    length: usize,
}

impl<'a> Locator<'a> {
    /// For the string that stands at `span`.
    pub fn new(source: &'a Arc<Source>, span: &Range<usize>) -> Self {
        let reader = Reader { source, text: source.text(), at: span.start + 1, depth: 0 };
        Self { reader, end: span.end, length: 0 }
    }

    /// Where a part of the value is (in bytes of it), which begins where the last one ended or further behind.
    pub fn locate(&mut self, part: &Range<usize>) -> Range<usize> {
        let mut start = None;
        while self.reader.at + 1 < self.end && self.length < part.end {
            if self.length >= part.start {
                start.get_or_insert(self.reader.at);
            }
            match self.reader.character() {
                Ok(c) => self.length += c.len_utf8(),
                Err(_) => break,
            }
        }
        start.unwrap_or(self.reader.at)..self.reader.at
    }
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn error(&self, message: impl Into<String>, span: Range<usize>, help: &str) -> Diagnostic {
        let error = Diagnostic::error(message).at(self.source, span, "");
        error.help(help)
    }

    fn unexpected(&mut self, expected: &str) -> Diagnostic {
        let found = self.peek();
        let (what, length) = match found {
            None => ("the text ends".to_owned(), 0),
            Some(c) => (format!("found `{}`", spelling::shown(c)), c.len_utf8()),
        };
        let help = match found {
            Some('\'') => "strings stand in double quotes",
            Some('#' | '/') => "JSON has no comments",
            Some('(') => "a list stands in square brackets",
            Some(']' | '}') => "there is no comma after the last entry",
            _ => "",
        };
        self.error(format!("expected {expected}, {what}"), self.at..self.at + length, help)
    }

    fn value(&mut self) -> Result<Node, Diagnostic> {
        let first = self.peek();
        let start = self.at;
        let value = match first {
            Some('"') => Value::String(self.string()?),
            Some('{' | '[') if self.depth == MOST_NESTED => {
                let message = format!("values nest deeper than {MOST_NESTED}");
                return Err(self.error(message, start..start + 1, ""));
            }
            Some('{') => {
                self.depth += 1;
                let entries = self.entries('}', |reader| {
                    if reader.peek() != Some('"') {
                        return Err(reader.unexpected("a key in double quotes"));
                    }
                    let start = reader.at;
                    let text = reader.string()?;
                    let key = Text { text, span: start..reader.at };
                    if !reader.take(':') {
                        return Err(reader.unexpected("`:`"));
                    }
                    Ok((key, reader.value()?))
                })?;
                self.depth -= 1;
                Value::Object(entries)
            }
            Some('[') => {
                self.depth += 1;
                let items = self.entries(']', Self::value)?;
                self.depth -= 1;
                Value::Array(items)
            }
            Some(c) if c.is_ascii_alphanumeric() || c == '-' => {
                let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
                let rest = &self.text[start..];
                let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
                // Numbers, truth values and null have one and the same meaning here: none.
                if !is_scalar(&rest[..length]) {
                    let message = format!("`{}` is no JSON value", &rest[..length]);
                    return Err(self.error(message, start..start + length, "text stands in double quotes"));
                }
                self.at += length;
                Value::Other
            }
            _ => return Err(self.unexpected("a JSON value")),
        };
        Ok(Node { value, span: start..self.at })
    }

    /// What stands between an opening bracket, which is next, and `close`.
    fn entries<T>(
        &mut self,
        close: char,
        mut entry: impl FnMut(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        self.at += 1;
        let mut entries = Vec::new();
        if self.take(close) {
            return Ok(entries);
        }
        loop {
            entries.push(entry(self)?);
            if self.take(close) {
                return Ok(entries);
            }
            if !self.take(',') {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.text[self.at..].chars().next() {
                Some('"') => break,
                None | Some('\n') => {
                    let help = "a line break in a string is written `\\n`";
                    return Err(self.error("this string has no closing quote", start..self.at, help));
                }
                Some(_) => text.push(self.character()?),
            }
        }
        self.at += 1;
        Ok(text)
    }

    /// One character of a string, which may be escaped.
    fn character(&mut self) -> Result<char, Diagnostic> {
        let start = self.at;
        let mut rest = self.text[start..].chars();
        let first = rest.next();
        self.at += first.map_or(0, char::len_utf8);
        let escaped = match first {
            Some('\\') => rest.next(),
            Some(c) if !c.is_control() || c == '\u{7f}' || !c.is_ascii() => return Ok(c),
            _ => {
                return Err(self.error(
                    "a control character in a string",
                    start..self.at,
                    "write it as `\\u00..`",
                ));
            }
        };
        self.at += escaped.map_or(0, char::len_utf8);
        let wrong = |reader: &Self| {
            let help = "the escapes of JSON are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX";
            reader.error("this is no escape", start..reader.at, help)
        };
        Ok(match escaped {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let high = self.unit().ok_or_else(|| wrong(self))?;
                let units = if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    vec![high, self.unit().ok_or_else(|| wrong(self))?]
                } else {
                    vec![high]
                };
                match char::decode_utf16(units).collect::<Result<Vec<_>, _>>().as_deref() {
                    Ok(&[c]) => c,
                    _ => {
                        let help = "characters beyond \\uffff are written as a pair, high half first";
                        return Err(self.error("half of a surrogate pair", start..self.at, help));
                    }
                }
            }
            _ => return Err(wrong(self)),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }
}

fn is_scalar(word: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(node: &Node) -> serde_json::Value {
        match &node.value {
            Value::Object(entries) => {
                entries.iter().map(|(key, node)| (key.text.clone(), plain(node))).collect()
            }
            Value::Array(items) => items.iter().map(plain).collect(),
            Value::String(text) => text.clone().into(),
            Value::Other => serde_json::Value::Null,
        }
    }

    fn agrees(text: &str) -> bool {
        let theirs = serde_json::from_str::<serde_json::Value>(text).ok();
        let ours = read(&Source::new("g.json", text)).ok();
        fn without_scalars(value: serde_json::Value) -> serde_json::Value {
            match value {
                serde_json::Value::Object(map) => {
                    map.into_iter().map(|(key, value)| (key, without_scalars(value))).collect()
                }
                serde_json::Value::Array(items) => items.into_iter().map(without_scalars).collect(),
                serde_json::Value::String(text) => text.into(),
                _ => serde_json::Value::Null,
            }
        }
        ours.as_ref().map(plain) == theirs.map(without_scalars)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn any_text_is_read_as_another_reader_reads_it(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "\\", "u", "d83d", "\\ude00",
                    "\\u00e9", "\n", " ", "é", "1", "-0.5e3", "true", "null", "nul", "\"<b>\\n\"",
                    "{\"a\":", "[\"x\",", "\t", "\u{7f}",
                ]),
                0..10,
            )
        ) {
            let text: String = parts.concat();
            prop_assert!(agrees(&text), "{}", text);
        }

        #[test]
        fn a_part_of_a_string_is_found_in_the_text(before: String, part in "[^\u{0}]{1,4}", after: String) {
            let text = format!(" {}", serde_json::Value::from(format!("{before}{part}{after}")));
            let source = Source::new("g.json", text.as_str());
            let node = read(&source).expect("JSON");
            let (begin, end) = (before.len(), before.len() + part.len());
            let mut locator = Locator::new(&source, &node.span);
            locator.locate(&(0..begin));
            let place = locator.locate(&(begin..end));
            let found: String = serde_json::from_str(&format!("\"{}\"", &text[place])).expect("JSON");
            prop_assert_eq!(found, part);
        }
    }
}
