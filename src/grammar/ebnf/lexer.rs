//! Cuts the text of a grammar into lexemes.
//!
//! A mistake inside a lexeme is reported here, and reading goes on behind it, so that one text can
//! show several mistakes.

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::super::check::MOST_ERRORS;
use super::super::class::CharClass;
use super::super::model::Name;
use super::super::spelling::{self, Escape};
use super::syntax::Span;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Name(Name),
    Literal(Vec<u8>),
    Class(CharClass),
    /// `@word`
    Directive(String),
    Word(String),
    /// `::=`
    Define,
    Bar,
    Open,
    Close,
    Star,
    Plus,
    Question,
    Colon,
    Comma,
    /// What was reported as wrong already.
    Bad,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub kind: Kind,
    pub span: Span,
}

/// The lexemes of a text, the last of which is [`Kind::End`], and what is wrong.
pub(super) fn lex(source: &Arc<Source>) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    let mut lexer = Lexer { source, at: 0, lexemes: Vec::new(), errors: Vec::new() };
    // A byte order mark is no part of the text.
    if source.text().starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.errors.len() < MOST_ERRORS && lexer.lexeme() {}
    let end = source.text().len();
    lexer.lexemes.push(Lexeme { kind: Kind::End, span: end..end });
    (lexer.lexemes, lexer.errors)
}

struct Lexer<'a> {
    source: &'a Arc<Source>,
    at: usize,
    lexemes: Vec<Lexeme>,
    errors: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source.text()[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: Kind, length: usize) {
        self.lexemes.push(Lexeme { kind, span: self.at..self.at + length });
        self.at += length;
    }

    fn error(&mut self, message: impl Into<String>, span: Span, label: impl Into<String>, help: &str) {
        if self.errors.len() == MOST_ERRORS {
            return;
        }
        self.errors.push(Diagnostic::error(message).at(self.source, span, label).help(help));
    }

    /// Reads one lexeme, space or comment; `false` at the end.
    fn lexeme(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        match first {
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '#' => self.at += rest.find('\n').unwrap_or(rest.len()),
            '<' => self.name(),
            '"' | '\'' => self.literal(first),
            '[' => self.class(),
            '|' => self.push(Kind::Bar, 1),
            '(' => self.push(Kind::Open, 1),
            ')' => self.push(Kind::Close, 1),
            '*' => self.push(Kind::Star, 1),
            '+' => self.push(Kind::Plus, 1),
            '?' => self.push(Kind::Question, 1),
            ',' => self.push(Kind::Comma, 1),
            ':' if rest.starts_with("::=") => self.push(Kind::Define, 3),
            ':' if !rest.starts_with(":=") => self.push(Kind::Colon, 1),
            ':' => self.almost_define(2),
            '-' if rest.starts_with("->") => self.almost_define(2),
            '=' => self.almost_define(1),
            '@' => {
                let length = 1 + word_length(&rest[1..]);
                self.push(Kind::Directive(rest[1..length].to_owned()), length);
            }
            c if is_word(c) => {
                let length = word_length(rest);
                self.push(Kind::Word(rest[..length].to_owned()), length);
            }
            ';' => {
                let help = "a definition ends where the next one begins; remove the `;`";
                self.error("a definition has no terminator", self.at..self.at + 1, "", help);
                self.at += 1;
            }
            c => {
                let help = match c {
                    '/' => "a comment begins with `#`",
                    '{' => "a repetition is written `( ... )*`",
                    ']' => "a class begins with `[`; text is written in quotes",
                    '>' => "a name begins with `<`; text is written in quotes",
                    _ => "text is written in quotes",
                };
                let span = self.at..self.at + c.len_utf8();
                self.error(format!("unexpected character `{}`", spelling::shown(c)), span, "", help);
                // What was meant as a comment is no part of the grammar.
                let comment = rest.starts_with("//").then(|| rest.find('\n').unwrap_or(rest.len()));
                self.push(Kind::Bad, comment.unwrap_or(c.len_utf8()));
            }
        }
        true
    }

    /// Something that means `::=` elsewhere.
    fn almost_define(&mut self, length: usize) {
        let span = self.at..self.at + length;
        self.error("a definition is written with `::=`", span, "expected `::=`", "");
        self.push(Kind::Define, length);
    }

    fn name(&mut self) {
        let rest = self.rest();
        let length = 1 + rest[1..].find(['<', '>', '"', '\n']).unwrap_or(rest.len() - 1);
        if !rest[length..].starts_with('>') {
            let span = self.at..self.at + rest[..length].trim_end().len();
            let help = "a `<` that is text is written in quotes: \"<\"";
            self.error("this name has no closing `>`", span, "", help);
            return self.push(Kind::Bad, length);
        }
        match spelling::name(&rest[1..length]) {
            Ok(name) => self.push(Kind::Name(name), length + 1),
            Err(why) => {
                self.error(format!("a name cannot {why}"), self.at..self.at + length + 1, "", "");
                self.push(Kind::Bad, length + 1);
            }
        }
    }

    fn literal(&mut self, quote: char) {
        let start = self.at;
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            match self.peek() {
                None | Some('\n') => {
                    let help = "a line break in a literal is written `\\n`";
                    self.error("this literal has no closing quote", start..self.at, "begins here", help);
                    self.lexemes.push(Lexeme { kind: Kind::Bad, span: start..self.at });
                    return;
                }
                Some(c) if c == quote => break,
                Some('\\') => match self.escape("") {
                    Some(Escape::Byte(byte)) => bytes.push(byte),
                    Some(Escape::Character(c)) => {
                        bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes())
                    }
                    None => {}
                },
                Some(c) => {
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    self.at += c.len_utf8();
                }
            }
        }
        self.at += 1;
        self.lexemes.push(Lexeme { kind: Kind::Literal(bytes), span: start..self.at });
    }

    /// Reads an escape; reports it and reads on behind it when it is none.
    fn escape(&mut self, special: &str) -> Option<Escape> {
        match spelling::escape(self.rest(), special) {
            Ok((escape, length)) => {
                self.at += length;
                Some(escape)
            }
            Err(wrong) => {
                let text = &self.rest()[..wrong.length];
                let span = self.at..self.at + wrong.length;
                self.error(format!("`{text}` is no escape"), span, "", wrong.help);
                self.at += wrong.length;
                None
            }
        }
    }

    fn class(&mut self) {
        let start = self.at;
        self.at += 1;
        let negated = self.peek() == Some('^');
        self.at += usize::from(negated);
        let first = self.at;
        let mut ranges = Vec::new();
        let errors = self.errors.len();
        loop {
            let from = self.at;
            match self.peek() {
                None | Some('\n') => {
                    let help = "a line break in a class is written `\\n`, a `[` that is text \"[\"";
                    self.error("this class has no closing `]`", start..self.at, "begins here", help);
                    self.lexemes.push(Lexeme { kind: Kind::Bad, span: start..self.at });
                    return;
                }
                Some(']') => break,
                Some('-') if from != first && !self.rest().starts_with("-]") => {
                    let help = "write `\\-` for the character, or put it first or last";
                    self.error("this `-` has no character before it", from..from + 1, "", help);
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let Some(low) = self.class_character() else { continue };
            let high = if self.rest().starts_with('-')
                && !self.rest()[1..].starts_with([']', '\n'])
                && self.at + 1 < self.source.text().len()
            {
                self.at += 1;
                let Some(high) = self.class_character() else { continue };
                high
            } else {
                low
            };
            if high < low {
                let help = format!("did you mean `{}`?", &CharClass::new([(high, low)]).to_string());
                let span = from..self.at;
                self.error("this range is empty: its end comes before its beginning", span, "", &help);
            }
            ranges.push((low, high));
        }
        self.at += 1;
        let class = CharClass::new(ranges);
        let class = if negated { class.complement() } else { class };
        if class.is_empty() && self.errors.len() == errors {
            let help =
                "any character is `[^]`; a nonterminal that derives nothing is declared with `@nothing`";
            self.error("no character is in this class", start..self.at, "", help);
        }
        self.lexemes.push(Lexeme { kind: Kind::Class(class), span: start..self.at });
    }

    /// One character of a class; `None` when what stands here was reported.
    fn class_character(&mut self) -> Option<char> {
        let from = self.at;
        match self.peek()? {
            '\\' => match self.escape("[]-^")? {
                Escape::Character(c) => Some(c),
                Escape::Byte(byte) if byte.is_ascii() => Some(char::from(byte)),
                Escape::Byte(byte) => {
                    let help = format!("write `\\u{{{byte:x}}}` for the character of that number");
                    self.error("a class holds characters, and this byte is none", from..self.at, "", &help);
                    None
                }
            },
            '[' => {
                let help = "write `\\[` for the character";
                self.error("a `[` inside a class", from..from + 1, "", help);
                self.at += 1;
                None
            }
            c => {
                self.at += c.len_utf8();
                Some(c)
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|c| !is_word(c) && c != '-').unwrap_or(text.len())
}
