//! Reads the texts of patterns: `<item> is "\"\": <elt>" | "\"x\": <elt>"`.
//!
//! What stands in quotes is parsed as [`super::parts`] says. When it has several trees the first one is
//! taken, as for inputs, with a warning that shows how they differ, unless the user says which is
//! meant: `<s> is "aab" choice 2`.

use std::ops::Range;

use crate::base::diagnostic::Diagnostic;
use crate::grammar::spelling::{Escape, escape};
use crate::grammar::{Grammar, NonterminalId};

use super::formula_text::read_condition;
use super::model::{Openness, Pattern};
use super::outline::differences;
use super::parts::{Choices, Parts, PartsError};
use super::scanner::{Scanner, nonterminal};

/// The number of trees of an ambiguous text that are shown.
const MOST_SHOWN: usize = 4;

impl Scanner<'_> {
    /// `<item E> is "text"`: takes note of the definition, and says its name and where its head is.
    pub fn definition(&mut self, grammar: &Grammar) -> Result<(String, Range<usize>), Diagnostic> {
        let (head, span) = self.bracketed()?;
        let Some((base, name)) = head.rsplit_once(' ') else {
            return Err(Diagnostic::error("the pattern has no name")
                .at(self.source, span, "")
                .help(format!("write for instance `<{head} E> is \"...\"`")));
        };
        let base_span = span.start + 1..span.start + 1 + base.len();
        let nonterminal = nonterminal(self.source, base, base_span, grammar)?;
        let alternatives = self.is_texts(grammar, nonterminal)?;
        self.definitions.define(name, nonterminal, alternatives, self.source, span.clone())?;
        Ok((name.to_owned(), span))
    }

    /// `is "text" | "text"`.
    pub fn is_texts(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Vec<Pattern>, Diagnostic> {
        let mut alternatives = vec![self.is_text(grammar, root)?];
        while self.symbol('|') {
            alternatives.push(self.text(grammar, root)?);
        }
        Ok(alternatives)
    }

    /// `is "text"`.
    pub fn is_text(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Pattern, Diagnostic> {
        if !self.word("is") {
            return Err(self.expected("`is` and the pattern's text in quotes"));
        }
        self.text(grammar, root)
    }

    /// `"text"`, and which of its trees is meant if need be: `"text" choice 2`.
    fn text(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Pattern, Diagnostic> {
        let quote = match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return Err(self.expected("the pattern's text in quotes")),
        };
        let open = self.at;
        let choices = self.pattern_text(grammar, root, quote)?;
        let text = open..self.at;
        if self.word("choice") {
            return self.chosen(&choices, text);
        }
        if choices.is_ambiguous() {
            self.warnings.push(self.ambiguous(grammar, &choices, text));
        }
        Ok(choices.first())
    }

    /// The tree of a number: `choice 2`.
    fn chosen(&mut self, choices: &Choices, text: Range<usize>) -> Result<Pattern, Diagnostic> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let span = self.at..self.at + length;
        let Ok(number) = rest[..length].parse::<usize>() else {
            return Err(self.expected("the number of a choice, such as `choice 2`"));
        };
        self.at += length;
        let Some(all) = choices.all() else {
            let most = Choices::MOST;
            return Err(Diagnostic::error(format!("there are more than {most} trees to choose from"))
                .at(self.source, text, "of this text")
                .help(
                    "leave out `choice` to take the first one, or have placeholders for more of the text",
                ));
        };
        match number.checked_sub(1).and_then(|index| all.into_iter().nth(index)) {
            Some(pattern) => Ok(pattern),
            None => Err(Diagnostic::error(format!("there is no choice {number}"))
                .at(self.source, span, "choices are counted from 1")
                .at(self.source, text, trees(choices))),
        }
    }

    /// The warning that a text has several trees, with some of them.
    fn ambiguous(&self, grammar: &Grammar, choices: &Choices, text: Range<usize>) -> Diagnostic {
        let quoted = self.source.text()[text.clone()].to_owned();
        let mut warning = Diagnostic::warning("the pattern's text is ambiguous; its first tree is taken");
        warning = warning.at(self.source, text, trees(choices));
        let Some(all) = choices.all() else { return warning };
        for (index, outline) in differences(grammar, &all[..all.len().min(MOST_SHOWN)]).iter().enumerate() {
            warning = warning.help(format!("choice {}: {outline}", index + 1));
        }
        if all.len() > MOST_SHOWN {
            warning = warning.help(format!("and so on up to choice {}", all.len()));
        }
        warning.help(format!("choose one: `{quoted} choice 2`"))
    }

    /// What stands in the angle brackets of a placeholder: `elt`, `$elt:1`, `elt X & !Y`, `$elt:1 X`.
    fn placeholder(
        &mut self,
        grammar: &Grammar,
        whole: &str,
        span: Range<usize>,
    ) -> Result<(NonterminalId, Openness), Diagnostic> {
        let source = self.source;
        let wrong_number = || {
            Diagnostic::error("a bound node has a number")
                .at(source, span.clone(), "")
                .help("write for instance `<$name:1>`")
        };
        let (name, number, condition) = match whole.strip_prefix('$').and_then(|rest| rest.rsplit_once(':')) {
            Some((name, rest)) => {
                let (number, condition) = rest.split_once(' ').map_or((rest, None), |(a, b)| (a, Some(b)));
                (name, Some(number.parse().map_err(|_| wrong_number())?), condition)
            }
            // The nonterminal is the longest beginning that is a name.
            None if grammar.find(whole).is_some() => (whole, None, None),
            None => {
                let mut places = whole.char_indices().rev().filter(|&(_, c)| c == ' ').map(|(at, _)| at);
                match places.find(|&at| grammar.find(&whole[..at]).is_some()) {
                    Some(at) => (&whole[..at], None, Some(&whole[at + 1..])),
                    None => (whole.split(' ').next().unwrap_or(whole), None, None),
                }
            }
        };
        let nonterminal = nonterminal(source, name, span.clone(), grammar)
            .map_err(|error| error.help("write `\\<` for a `<` of the text"))?;
        let Some(condition) = condition else {
            return Ok((nonterminal, number.map_or(Openness::Abstract, Openness::Bound)));
        };
        let condition = part_of(whole, condition, &span);
        let condition = read_condition(source, condition, &mut self.definitions)?;
        Ok((nonterminal, Openness::Where(number, condition)))
    }

    /// The text between quotes.
    fn pattern_text(
        &mut self,
        grammar: &Grammar,
        root: NonterminalId,
        quote: char,
    ) -> Result<Choices, Diagnostic> {
        let source = self.source;
        let open = self.at;
        let mut parts = Parts::new(grammar);
        self.at += 1;
        loop {
            let rest = &source.text()[self.at..self.end];
            let Some(c) = rest.chars().next() else {
                return Err(Diagnostic::error("the pattern's text is never closed").at(
                    source,
                    open..open + 1,
                    "opened here",
                ));
            };
            let from = self.at;
            self.at += c.len_utf8();
            match c {
                c if c == quote => break,
                '\\' => match escape(rest, "<") {
                    Ok((escaped, length)) => {
                        self.at = from + length;
                        match escaped {
                            Escape::Byte(byte) => parts.text(&[byte], from),
                            Escape::Character(c) => parts.text(c.encode_utf8(&mut [0; 4]).as_bytes(), from),
                        }
                    }
                    Err(error) => {
                        return Err(Diagnostic::error("this is no escape")
                            .at(source, from..from + error.length, "")
                            .help(error.help));
                    }
                },
                '<' => {
                    self.at = from;
                    let (name, span) =
                        self.bracketed().map_err(|error| error.help("write `\\<` for a `<` of the text"))?;
                    let (nonterminal, openness) = self.placeholder(grammar, name, span.clone())?;
                    parts.placeholder(nonterminal, openness, span.start);
                }
                c => parts.text(c.encode_utf8(&mut [0; 4]).as_bytes(), from),
            }
        }
        let close = self.at - 1;
        parts.parse(root).map_err(|error| match error {
            PartsError::Wrong(at, expected) => {
                let from = parts.origin(at).unwrap_or(close);
                let length = source.text()[from..].chars().next().map_or(0, char::len_utf8);
                let name = grammar.name(root);
                Diagnostic::error(format!("the pattern's text is no {name}")).at(
                    source,
                    from..from + length,
                    format!("expected {expected}"),
                )
            }
            PartsError::Exceeded(exceeded) => {
                let first = parts.origin(0).unwrap_or(close);
                Diagnostic::error(format!("the pattern's text cannot be parsed: {exceeded}")).at(
                    source,
                    first..close,
                    "",
                )
            }
        })
    }
}

/// Where a part of a placeholder that stands in `span` is.
fn part_of(whole: &str, part: &str, span: &Range<usize>) -> Range<usize> {
    let start = span.start + 1 + (part.as_ptr() as usize - whole.as_ptr() as usize);
    start..start + part.len()
}

/// How many trees there are.
fn trees(choices: &Choices) -> String {
    match choices.all() {
        Some(all) if all.len() == 1 => "one tree".to_owned(),
        Some(all) => format!("{} trees", all.len()),
        None => format!("more than {} trees", Choices::MOST),
    }
}
