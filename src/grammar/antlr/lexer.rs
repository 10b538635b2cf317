//! Cuts the text of an ANTLR grammar into lexemes.
//!
//! Brackets mean two things: in rules of the lexer a set of characters, elsewhere arguments in the target
//! language. As in ANTLR itself, the first letter of the rule's name decides. So do braces: behind
//! `options`, `tokens` and `channels` they are a block, elsewhere an action, whose end is found by counting
//! braces outside of strings and comments.

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::super::check::MOST_ERRORS;
use super::super::class::CharClass;
use super::super::spelling;
use super::escape::{Escape, escape};
use super::syntax::{Span, is_lexical};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Word(String),
    Literal(String),
    Set(CharClass),
    /// `[...]` outside of lexer rules
    Arguments,
    /// `{...}`
    Action,
    /// `{...}?`
    Predicate,
    /// Punctuation: `:`, `+=`, `->` and the like.
    Sign(&'static str),
    /// What was reported as wrong already.
    Bad,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub kind: Kind,
    pub span: Span,
}

/// The longer ones first.
const SIGNS: [&str; 24] = [
    "::", "->", "+=", "..", ":", ";", "|", "(", ")", "*", "+", "?", "=", ",", "~", ".", "#", "@", "<", ">",
    "}", "{", "!", "^",
];

/// The lexemes of a text, the last of which is [`Kind::End`], and what is wrong. Spans begin at `base`.
pub(super) fn lex(source: &Arc<Source>, base: usize) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    let mut lexer =
        Lexer { source, base, at: 0, rule: None, block: false, lexemes: Vec::new(), errors: Vec::new() };
    if source.text().starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.errors.len() < MOST_ERRORS && lexer.lexeme() {}
    let end = base + source.text().len();
    lexer.lexemes.push(Lexeme { kind: Kind::End, span: end..end });
    (lexer.lexemes, lexer.errors)
}

struct Lexer<'a> {
    source: &'a Arc<Source>,
    base: usize,
    at: usize,
    /// Whether the rule that is open is one of the lexer; `None` between rules.
    rule: Option<bool>,
    /// Whether a block of options or names is open.
    block: bool,
    lexemes: Vec<Lexeme>,
    errors: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source.text()[self.at..]
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let from = self.base + self.at;
        self.lexemes.push(Lexeme { kind, span: from..from + length });
        self.at += length;
    }

    fn error(&mut self, message: impl Into<String>, length: usize, help: &str) {
        let error = Diagnostic::error(message).at(self.source, self.at..self.at + length, "");
        self.errors.push(error.help(help));
    }

    /// Reads one lexeme, space or comment; `false` at the end.
    fn lexeme(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        match first {
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '/' if rest.starts_with("//") => self.at += rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(length) => self.at += length + 4,
                None => {
                    self.error("this comment has no closing `*/`", 2, "");
                    self.at += rest.len();
                }
            },
            '\'' => self.literal(),
            '"' => {
                let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 1);
                let length = if rest[end..].starts_with('"') { end + 1 } else { end };
                self.error("a literal stands in single quotes", length, "write `'...'`");
                self.push(Kind::Bad, length);
            }
            '[' if self.rule == Some(true) => self.set(),
            '[' => self.nested('[', ']', "these arguments have no closing `]`"),
            '{' if self.block => self.push(Kind::Sign("{"), 1),
            '{' => self.nested('{', '}', "this action has no closing `}`"),
            c if is_word(c) => self.word(),
            c => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                Some(sign) => {
                    match sign {
                        ";" if !self.block => self.rule = None,
                        "}" => self.block = false,
                        _ => {}
                    }
                    self.push(Kind::Sign(sign), sign.len());
                }
                None => {
                    let shown = spelling::shown(c);
                    let help = "text is written in single quotes";
                    self.error(format!("unexpected character `{shown}`"), c.len_utf8(), help);
                    self.push(Kind::Bad, c.len_utf8());
                }
            },
        }
        true
    }

    fn word(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        let opens = rest[length..].trim_start().starts_with('{');
        if matches!(word, "options" | "tokens" | "channels") && opens {
            self.block = true;
        } else if self.rule.is_none() && !self.block {
            const BETWEEN: [&str; 12] = [
                "fragment",
                "public",
                "private",
                "protected",
                "grammar",
                "lexer",
                "parser",
                "mode",
                "import",
                "catch",
                "finally",
                "options",
            ];
            // `@header` is no rule either.
            let named_action =
                matches!(self.lexemes.last(), Some(Lexeme { kind: Kind::Sign("@" | "::"), .. }));
            if !BETWEEN.contains(&word) && !named_action && !rest[length..].trim_start().starts_with("::") {
                self.rule = Some(is_lexical(word));
            }
        }
        self.push(Kind::Word(word.to_owned()), length);
    }

    fn literal(&mut self) {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        let mut wrong = false;
        // The first half of a surrogate pair, which waits for the other; and whether one was alone.
        let (mut half, mut is_alone): (Option<u32>, bool) = (None, false);
        loop {
            match self.rest().chars().next() {
                None | Some('\n' | '\r') => {
                    let length = self.at - start;
                    self.at = start;
                    self.error(
                        "this literal has no closing quote",
                        length,
                        "a line break in a literal is written `\\n`",
                    );
                    return self.push(Kind::Bad, length);
                }
                Some('\'') => break,
                Some('\\') => match (self.escape(false), half.take()) {
                    (Some(Escape::Surrogate(low @ 0xdc00..)), Some(high)) => {
                        text.extend(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
                    }
                    (Some(Escape::Surrogate(high)), before) => {
                        is_alone |= before.is_some() || high >= 0xdc00;
                        half = Some(high).filter(|_| high < 0xdc00);
                    }
                    (Some(Escape::Character(c)), before) => {
                        is_alone |= before.is_some();
                        text.push(c);
                    }
                    _ => wrong = true,
                },
                Some(c) => {
                    is_alone |= half.take().is_some();
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        is_alone |= half.is_some();
        let length = self.at + 1 - start;
        self.at = start;
        if is_alone && !wrong {
            // Half a pair is no character: nothing is this text.
            return self.push(Kind::Set(CharClass::new([])), length);
        }
        if text.is_empty() && !wrong {
            self.error("a literal cannot be empty", length, "leave it out, or make what is optional `x?`");
            wrong = true;
        }
        self.push(if wrong { Kind::Bad } else { Kind::Literal(text) }, length);
    }

    /// Reads an escape; reports it and reads on behind it when it is none.
    fn escape(&mut self, in_set: bool) -> Option<Escape> {
        match escape(self.rest(), in_set) {
            Ok((escape, length)) => {
                self.at += length;
                Some(escape)
            }
            Err(wrong) => {
                let text = &self.rest()[..wrong.length];
                let message = if text.starts_with("\\p") || text.starts_with("\\P") {
                    format!("there is no property `{text}`")
                } else {
                    format!("`{text}` is no escape")
                };
                self.error(message, wrong.length, &wrong.help);
                self.at += wrong.length;
                None
            }
        }
    }

    fn set(&mut self) {
        let start = self.at;
        self.at += 1;
        let errors = self.errors.len();
        let mut class = CharClass::new([]);
        // The character before, with its place, while it may begin a range.
        let mut low: Option<(u32, usize)> = None;
        let mut has_surrogates = false;
        loop {
            let from = self.at;
            let rest = self.rest();
            match rest.chars().next() {
                None | Some('\n' | '\r') => {
                    let length = self.at - start;
                    self.at = start;
                    let help = "a line break in a set is written `\\n`, a `[` that is text `'['`";
                    self.error("this set has no closing `]`", length, help);
                    return self.push(Kind::Bad, length);
                }
                Some(']') => break,
                Some('-') if low.is_some() && !rest.starts_with("-]") => {
                    self.at += 1;
                    let Some((high, (low, from))) = self.set_character(&mut class).zip(low.take()) else {
                        low = None;
                        continue;
                    };
                    if high < low {
                        let length = self.at - from;
                        self.at = from;
                        self.error("this range is empty: its end comes before its beginning", length, "");
                        self.at = from + length;
                    }
                    has_surrogates |= SURROGATES.contains(&high);
                    class = class.union(&characters(low, high));
                }
                Some(_) => {
                    low = self.set_character(&mut class).map(|c| (c, from));
                    if let Some((c, _)) = low {
                        has_surrogates |= SURROGATES.contains(&c);
                        class = class.union(&characters(c, c));
                    }
                }
            }
        }
        let length = self.at + 1 - start;
        self.at = start;
        if class.is_empty() && !has_surrogates && self.errors.len() == errors {
            self.error("no character is in this set", length, "any character is `.`");
        }
        let wrong = self.errors.len() > errors;
        self.push(if wrong { Kind::Bad } else { Kind::Set(class) }, length);
    }

    /// The number of one character of a set; `None` when it was a property, which is added to `class`, or wrong.
    fn set_character(&mut self, class: &mut CharClass) -> Option<u32> {
        match self.rest().chars().next()? {
            '\n' | '\r' => None,
            '\\' => match self.escape(true)? {
                Escape::Character(c) => Some(u32::from(c)),
                Escape::Surrogate(half) => Some(half),
                Escape::Class(more) => {
                    *class = class.union(&more);
                    None
                }
            },
            c => {
                self.at += c.len_utf8();
                Some(u32::from(c))
            }
        }
    }

    /// Something in the target language, up to the bracket that closes it.
    fn nested(&mut self, open: char, close: char, message: &str) {
        let rest = self.rest();
        let Some(length) = nested_length(rest, open, close) else {
            self.error(message, 1, "brackets in strings and comments do not count, all others must match");
            return self.push(Kind::Bad, rest.len());
        };
        if open == '[' {
            return self.push(Kind::Arguments, length);
        }
        // `{...} ?` with a space would be an action and a stray operator.
        match rest[length..].starts_with('?') {
            true => self.push(Kind::Predicate, length + 1),
            false => self.push(Kind::Action, length),
        }
    }
}

/// The halves of surrogate pairs, which are no characters.
const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;

/// The characters with these numbers and those between; halves of surrogate pairs are none.
fn characters(low: u32, high: u32) -> CharClass {
    let low = if SURROGATES.contains(&low) { SURROGATES.end() + 1 } else { low };
    let high = if SURROGATES.contains(&high) { SURROGATES.start() - 1 } else { high };
    let ends = char::from_u32(low).zip(char::from_u32(high));
    CharClass::new(ends)
}

/// How long the text up to the bracket is that closes the first one.
fn nested_length(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        at += match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/")? + 4,
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '"' | '\'' => string_length(rest, c),
            _ => {
                if c == open {
                    depth += 1;
                } else if c == close {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                c.len_utf8()
            }
        };
    }
    None
}

/// How long a string is. A quote that is not closed on its line is only a quote: an apostrophe.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    1
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_ends_at_the_brace_that_closes_it() {
        let length = |text: &str| nested_length(text, '{', '}');
        assert_eq!(length("{}x"), Some(2));
        assert_eq!(length("{ if (x) { y(); } } z }"), Some(19));
        assert_eq!(length("{ s = \"}\\\"}\"; c = '}'; /* } */ } "), Some(32));
        assert_eq!(length("{ // }\n} "), Some(8));
        assert_eq!(length("{ don't }\n'"), Some(9));
        assert_eq!(length("{ {"), None);
    }
}
