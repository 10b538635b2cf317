//! Reads the texts of patterns: `<item> is "\"\": <elt>" | "\"x\": <elt>"`.
//!
//! What stands in quotes is parsed as [`super::parts`] says. When it has several trees the first one is
//! taken, as for inputs, with a warning that shows how they differ, unless the user says which is
//! meant: `<s> is "aab" choice 2`.

use std::ops::Range;

use crate::base::diagnostic::Diagnostic;
use crate::base::id::IdVec;
use crate::grammar::lexis::is_gap;
use crate::grammar::spelling::{Escape, escape};
use crate::grammar::{Grammar, NonterminalId};

use super::constraint::Constraint;
use super::expression::{NamedPattern, PatternId};
use super::formula_text::read_condition;
use super::model::{Openness, Pattern, PatternNode};
use super::outline::differences;
use super::parts::{Choices, Parts, PartsError, Placeholder};
use super::scanner::{Scanner, nonterminal};

/// What a pattern is called that is an expression by itself.
const LONE_NAME: &str = "F";

/// The number of trees of an ambiguous text that are shown.
const MOST_SHOWN: usize = 4;

/// Braces in braces beyond this are refused: reading them is recursive.
const DEEPEST: usize = 20;

/// The maximum number of texts that braces may make of one.
const MOST_TEXTS: usize = 1_000;

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

    /// The rest of `<item> is "text"` that is an expression by itself.
    pub fn lone_pattern(
        &mut self,
        grammar: &Grammar,
        root: NonterminalId,
        head: Range<usize>,
    ) -> Result<IdVec<PatternId, NamedPattern>, Diagnostic> {
        let alternatives = self.is_texts(grammar, root)?;
        self.definitions.define(LONE_NAME, root, alternatives, self.source, head)?;
        self.expect_end()?;
        std::mem::take(&mut self.definitions).finish(&[])
    }

    /// `is "text" | "text"`.
    pub fn is_texts(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Vec<Pattern>, Diagnostic> {
        if !self.word("is") {
            return Err(self.expected("`is` and the pattern's text in quotes"));
        }
        let mut alternatives = self.texts(grammar, root)?;
        while self.symbol('|') {
            alternatives.extend(self.texts(grammar, root)?);
        }
        Ok(alternatives)
    }

    /// `"text"`, and which of its trees is meant if need be: `"text" choice 2`. Parts of a text may stand side by side, some with
    /// letters in either case,
    /// and those in braces are alternatives, so that it may be several: `{"a" | "b"} " <elt>"`.
    /// A constraint may stand behind: `"<$int:1> <$int:2>" if int($1) < int($2)`.
    fn texts(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Vec<Pattern>, Diagnostic> {
        let texts = self.unconstrained(grammar, root)?;
        if self.is_in_gap || !self.word("if") {
            return Ok(texts);
        }
        self.may_follow = "`&`, `|`, `,` or ";
        let begin = self.at;
        let constraint = self.constraint()?;
        for pattern in &texts {
            self.check_numbers(pattern, &constraint, begin..self.at)?;
        }
        Ok(texts.into_iter().map(|pattern| pattern.constrained(Some(constraint.clone()))).collect())
    }

    /// Makes sure that a pattern has the numbers of its constraint, if that can be known already: names to which it refers may
    /// have more.
    fn check_numbers(
        &self,
        pattern: &Pattern,
        constraint: &Constraint,
        span: Range<usize>,
    ) -> Result<(), Diagnostic> {
        if pattern.conditions().next().is_some() {
            return Ok(());
        }
        let own: Vec<u32> = pattern.nodes().iter().filter_map(PatternNode::number).collect();
        match constraint.numbers().into_iter().find(|number| !own.contains(number)) {
            None => Ok(()),
            Some(number) => Err(Diagnostic::error(format!("`${number}` stands for no text of the pattern"))
                .at(self.source, span, "")
                .help(format!("a placeholder binds it, such as `<$name:{number}>`"))),
        }
    }

    /// The texts, before a constraint.
    fn unconstrained(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Vec<Pattern>, Diagnostic> {
        self.rest();
        let open = self.at;
        let sequences = self.sequences(grammar, 0)?;
        let text = open..open + self.source.text()[open..self.at].trim_end().len();
        let choices = sequences.into_iter().map(|sequence| self.choices(grammar, root, sequence, &text));
        let choices: Vec<Choices> = choices.collect::<Result<_, _>>()?;
        self.may_follow = "`|`, `,`, `choice`, `if` or ";
        if self.word("choice") {
            self.may_follow = "`|`, `,`, `if` or ";
            return match &choices[..] {
                [choices] => Ok(vec![self.chosen(choices, text)?]),
                _ => Err(Diagnostic::error("these are several texts, and each has trees of its own")
                    .at(self.source, text, "")
                    .help("write them one by one to choose between the trees of one: `\"...\" choice 2 | \"...\"`")),
            };
        }
        for choices in choices.iter().filter(|choices| choices.is_ambiguous()) {
            self.warnings.push(self.ambiguous(grammar, choices, text.clone()));
        }
        Ok(choices.iter().map(Choices::first).collect())
    }

    /// Texts in quotes and alternatives in braces, one behind the other: all the texts that this makes. Recursion is as
    /// deep as [`DEEPEST`].
    fn sequences(&mut self, grammar: &Grammar, depth: usize) -> Result<Vec<Sequence>, Diagnostic> {
        let mut all = vec![Sequence::new()];
        let mut is_first = true;
        loop {
            let next = self.rest().chars().next();
            let open = self.at;
            let more = match next {
                Some(quote @ ('"' | '\'')) => vec![self.quoted(grammar, quote, false)?],
                Some('%') => vec![self.in_either_case(grammar)?],
                Some('{') if depth < DEEPEST => {
                    self.at += 1;
                    let mut more = self.sequences(grammar, depth + 1)?;
                    while self.symbol('|') {
                        more.extend(self.sequences(grammar, depth + 1)?);
                    }
                    if !self.symbol('}') {
                        let error = self.expected("`|` or `}`");
                        return Err(error.at(self.source, open..open + 1, "opened here"));
                    }
                    more
                }
                _ if is_first => return Err(self.expected("the pattern's text in quotes")),
                _ => return Ok(all),
            };
            is_first = false;
            if all.len() * more.len() > MOST_TEXTS {
                return Err(Diagnostic::error(format!("this makes more than {MOST_TEXTS} texts"))
                    .at(self.source, open..self.at, "")
                    .help(
                        "give what stands in braces a name of its own, and a placeholder that asks for it",
                    ));
            }
            let longer = all.iter().flat_map(|first| more.iter().map(|more| [&first[..], more].concat()));
            all = longer.collect();
        }
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

    /// What stands between two words: `<" ">`, of which `<` has been read. As a gap of each kind that derives it.
    fn gap(&mut self, grammar: &Grammar, open: usize) -> Result<Vec<Pattern>, Diagnostic> {
        let gaps: Vec<NonterminalId> =
            grammar.nonterminals().ids().filter(|&nonterminal| is_gap(grammar, nonterminal)).collect();
        if gaps.is_empty() || self.is_in_gap {
            let what = if self.is_in_gap {
                "a gap has no gaps in it"
            } else {
                "the grammar skips nothing between words"
            };
            return Err(Diagnostic::error(what)
                .at(self.source, open..self.at + 1, "what stands between words is written so")
                .help("write `\\<` for a `<` of the text"));
        }
        let begin = self.at;
        let mut patterns = Vec::new();
        let mut error = None;
        for gap in gaps {
            let warnings = self.warnings.len();
            self.at = begin;
            self.is_in_gap = true;
            let read = self.texts(grammar, gap);
            self.is_in_gap = false;
            let read_failed = read.is_err();
            match read {
                Ok(_) if !self.symbol('>') => {
                    return Err(self.expected("`>`").at(self.source, open..open + 1, "opened here"));
                }
                Ok(mut texts) => patterns.extend(texts.pop().map(|pattern| (pattern, self.at))),
                Err(found) => error = error.or(Some(found)),
            }
            if read_failed {
                self.warnings.truncate(warnings);
            }
        }
        match (patterns.first(), error) {
            (None, Some(error)) => Err(error),
            (first, _) => {
                self.at = first.map_or(self.at, |(_, end)| *end);
                Ok(patterns.into_iter().map(|(pattern, _)| pattern).collect())
            }
        }
    }

    /// Text whose letters are in either case, as ABNF has it (RFC 7405, section 2.1): `%i"text"`.
    fn in_either_case(&mut self, grammar: &Grammar) -> Result<Sequence, Diagnostic> {
        let rest = self.rest();
        match rest.strip_prefix("%i").and_then(|text| text.chars().next()) {
            Some(quote @ ('"' | '\'')) => {
                self.at += "%i".len();
                self.quoted(grammar, quote, true)
            }
            _ => Err(self.expected("`%i` and text in quotes, whose letters are in either case")),
        }
    }

    /// The text between quotes.
    fn quoted(&mut self, grammar: &Grammar, quote: char, either_case: bool) -> Result<Sequence, Diagnostic> {
        let source = self.source;
        let open = self.at;
        let mut sequence = Sequence::new();
        let character = |c: char| Token::Text { bytes: c.to_string().into_bytes(), either_case };
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
            let token = match c {
                c if c == quote => return Ok(sequence),
                '\\' => match escape(rest, "<") {
                    Ok((escaped, length)) => {
                        self.at = from + length;
                        match escaped {
                            Escape::Byte(byte) => Token::Text { bytes: vec![byte], either_case },
                            Escape::Character(c) => character(c),
                        }
                    }
                    Err(error) => {
                        return Err(Diagnostic::error("this is no escape")
                            .at(source, from..from + error.length, "")
                            .help(error.help));
                    }
                },
                '<' if source.text()[self.at..self.end].starts_with('"') => {
                    Token::Placeholder(Placeholder::Gap(self.gap(grammar, from)?))
                }
                '<' => {
                    self.at = from;
                    let (name, span) =
                        self.bracketed().map_err(|error| error.help("write `\\<` for a `<` of the text"))?;
                    let (nonterminal, openness) = self.placeholder(grammar, name, span)?;
                    Token::Placeholder(Placeholder::Open(nonterminal, openness))
                }
                c => character(c),
            };
            sequence.push((token, from));
        }
    }

    /// The trees of a text, which was read in `span`.
    fn choices(
        &self,
        grammar: &Grammar,
        root: NonterminalId,
        sequence: Sequence,
        span: &Range<usize>,
    ) -> Result<Choices, Diagnostic> {
        let source = self.source;
        let mut parts = Parts::new(grammar);
        for (token, origin) in sequence {
            match token {
                Token::Text { bytes, either_case: true } => parts.text_in_either_case(&bytes, origin),
                Token::Text { bytes, either_case: false } => parts.text(&bytes, origin),
                Token::Placeholder(placeholder) => parts.placeholder(placeholder, origin),
            }
        }
        let close = span.end - 1;
        parts.parse(root).map_err(|error| match error {
            PartsError::Wrong(at, expected) => {
                let from = parts.origin(at).unwrap_or(close);
                let length = source.text()[from..].chars().next().map_or(0, char::len_utf8);
                let message = match self.is_in_gap {
                    true => "this is nothing that is skipped between words".to_owned(),
                    false => format!("the pattern's text is no {}", grammar.name(root)),
                };
                Diagnostic::error(message).at(source, from..from + length, format!("expected {expected}"))
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

/// A part of a text.
#[derive(Clone)]
enum Token {
    Text { bytes: Vec<u8>, either_case: bool },
    Placeholder(Placeholder),
}

/// A text, with where each part comes from in the source.
type Sequence = Vec<(Token, usize)>;

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
