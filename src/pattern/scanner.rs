//! Reads the words and signs of which patterns and expressions are made.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::grammar::{Grammar, NonterminalId};

use super::definitions::Definitions;
use super::formula_text::is_name_character;

/// Goes through a part of a source.
pub struct Scanner<'s> {
    /// The source.
    pub source: &'s Arc<Source>,
    /// Where it is, in bytes.
    pub at: usize,
    /// Where the part ends.
    pub end: usize,
    /// What the user may not have meant.
    pub warnings: Vec<Diagnostic>,
    /// Whether what is read stands in a gap between words.
    pub is_in_gap: bool,
    /// What else than the end may come next.
    pub may_follow: &'static str,
    /// The names met so far.
    pub definitions: Definitions,
}

impl<'s> Scanner<'s> {
    /// A scanner at the beginning of `span`.
    pub fn new(source: &'s Arc<Source>, span: Range<usize>) -> Self {
        Self {
            source,
            at: span.start,
            end: span.end,
            warnings: Vec::new(),
            is_in_gap: false,
            may_follow: "",
            definitions: Definitions::default(),
        }
    }

    /// What is left, without the space before it, which is passed over.
    pub fn rest(&mut self) -> &'s str {
        let source: &'s Source = self.source;
        let rest = &source.text()[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start()
    }

    /// Passes over `word` if it comes next.
    pub fn word(&mut self, word: &str) -> bool {
        let found = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name_character));
        if found {
            self.at += word.len();
        }
        found
    }

    /// Passes over `symbol` if it comes next.
    pub fn symbol(&mut self, symbol: char) -> bool {
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len_utf8();
        }
        found
    }

    /// The error that something else was expected here.
    pub fn expected(&mut self, expected: &str) -> Diagnostic {
        let rest = self.rest();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        let found = if length == 0 { "the end".to_owned() } else { format!("`{}`", &rest[..length]) };
        let span = self.at..self.at + length;
        Diagnostic::error(format!("expected {expected}, found {found}")).at(self.source, span, "")
    }

    /// Makes sure that nothing is left.
    ///
    /// # Errors
    /// When something is.
    pub fn expect_end(&mut self) -> Result<(), Diagnostic> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.expected(&format!("{}the end", self.may_follow)))
        }
    }

    /// What stands between `<` and `>`, and where, brackets included. The `>` of `->` closes nothing.
    pub fn bracketed(&mut self) -> Result<(&'s str, Range<usize>), Diagnostic> {
        let rest = self.rest();
        if !rest.starts_with('<') {
            return Err(self.expected("a nonterminal in angle brackets, such as `<item>`"));
        }
        let close = rest
            .char_indices()
            .find(|&(at, c)| c == '\n' || (c == '>' && !rest[..at].ends_with('-')))
            .filter(|&(_, c)| c == '>');
        let Some((close, _)) = close else {
            return Err(Diagnostic::error("`<` is never closed").at(
                self.source,
                self.at..self.at + 1,
                "opened here",
            ));
        };
        let span = self.at..self.at + close + 1;
        self.at = span.end;
        Ok((&rest[1..close], span))
    }

    /// The name of a formula.
    pub fn name(&mut self) -> Result<(String, Range<usize>), Diagnostic> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self
                .expected("a pattern, such as `<item E> is \"...\"`, or a formula, such as `X is E & !N`"));
        }
        let span = self.at..self.at + length;
        self.at = span.end;
        Ok((rest[..length].to_owned(), span))
    }

    /// `is formula`, up to the comma outside of parentheses that ends it: where the formula is.
    pub fn is_formula(&mut self) -> Result<Range<usize>, Diagnostic> {
        if !self.word("is") {
            return Err(self.expected("`is` and a formula"));
        }
        let start = self.at;
        let mut depth = 0_usize;
        let rest = &self.source.text()[start..self.end];
        let length = rest.find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        self.at = start + length.unwrap_or(rest.len());
        Ok(start..self.at)
    }
}

/// The nonterminal called `name`.
pub fn nonterminal(
    source: &Arc<Source>,
    name: &str,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<NonterminalId, Diagnostic> {
    grammar.find(name).ok_or_else(|| unknown(source, name, span, grammar))
}

/// The error that no nonterminal is called `name`.
pub fn unknown(source: &Arc<Source>, name: &str, span: Range<usize>, grammar: &Grammar) -> Diagnostic {
    let names: Vec<String> = grammar
        .nonterminals()
        .iter()
        .filter(|nonterminal| !nonterminal.is_helper())
        .map(|nonterminal| nonterminal.name.to_string())
        .collect();
    Diagnostic::error(format!("the grammar has no nonterminal `<{name}>`"))
        .at(source, span, "")
        .suggest(&format!("<{name}>"), names.iter().map(String::as_str))
}
