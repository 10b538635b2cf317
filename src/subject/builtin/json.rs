//! `json-check`: the example of "Input Algebras" (figures 1 and 2), a program that goes wrong on empty
//! keys unless some value is null.

use crate::oracle::Judgement;

use super::{judged, unreadable};

/// Fails when some item of an object has an empty key, and none anywhere has the value `null`.
pub(super) fn check(input: &[u8]) -> Judgement {
    match Reader::new(input).items() {
        Some(items) => {
            let empty_key = items.iter().any(|item| item.key.is_empty());
            let null_value = items.iter().any(|item| item.is_null);
            judged(empty_key && !null_value, "an empty key")
        }
        None => unreadable(),
    }
}

/// One item of an object, as far as it matters.
struct Item<'a> {
    key: &'a [u8],
    is_null: bool,
}

/// What is open around the place where the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Object,
    Array,
}

/// Reads a document from left to right, without recursion.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// All items of all objects, if the text is a document.
    fn items(mut self) -> Option<Vec<Item<'a>>> {
        let mut items = Vec::new();
        let mut open: Vec<Around> = Vec::new();
        'value: loop {
            self.blanks();
            if self.take(b"{") {
                self.blanks();
                if !self.take(b"}") {
                    open.push(Around::Object);
                    items.push(self.key()?);
                    continue 'value;
                }
            } else if self.take(b"[") {
                self.blanks();
                if !self.take(b"]") {
                    open.push(Around::Array);
                    continue 'value;
                }
            } else {
                self.scalar()?;
            }
            // A value ends here; so may those around it.
            loop {
                self.blanks();
                let Some(&around) = open.last() else {
                    return self.rest.is_empty().then_some(items);
                };
                if self.take(b",") {
                    if around == Around::Object {
                        self.blanks();
                        items.push(self.key()?);
                    }
                    continue 'value;
                }
                let close: &[u8] = if around == Around::Object { b"}" } else { b"]" };
                if !self.take(close) {
                    return None;
                }
                open.pop();
            }
        }
    }

    /// A key and its colon; looks ahead whether the value is `null`.
    fn key(&mut self) -> Option<Item<'a>> {
        let key = self.string()?;
        self.blanks();
        if !self.take(b":") {
            return None;
        }
        self.blanks();
        Some(Item { key, is_null: self.rest.starts_with(b"null") })
    }

    fn scalar(&mut self) -> Option<()> {
        if [&b"true"[..], b"false", b"null"].into_iter().any(|word| self.take(word)) {
            return Some(());
        }
        if self.rest.starts_with(b"\"") {
            return self.string().map(|_| ());
        }
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = &self.rest[digits..];
        (digits > 0).then_some(())
    }

    /// What is between two quotes. A backslash takes away the meaning of what follows.
    fn string(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.strip_prefix(b"\"")?;
        let mut end = 0;
        while *text.get(end)? != b'"' {
            end += if text[end] == b'\\' { 2 } else { 1 };
        }
        self.rest = &text[end + 1..];
        Some(&text[..end])
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn take(&mut self, word: &[u8]) -> bool {
        let found = self.rest.strip_prefix(word);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }
}
