//! Reading formulas: operators by how tightly they bind, and statements about occurrences.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::expression::{Bound, Formula, PatternId};
use super::formula_text::{Place, RESERVED, is_name_character};
use super::surrounding::{Side, Surrounding};

/// Deeper nesting than this is refused: nobody writes it, and reading it is recursive.
const DEEPEST: usize = 200;

/// The maximum number of operators side by side in one formula: a formula nests once for each of them.
const MOST_JOINED: usize = 1_000;

/// More conditions of one occurrence are refused: they are met in any order, and each order is a state of its own.
const MOST_REQUIRED: usize = 6;

/// Larger numbers of occurrences are refused: each takes a state of the automaton.
const MOST: u32 = 1_000;

const OPERATORS: &str = "`&`, `|`, `^`, `->` or the end";

const OF_OCCURRENCES: &str = "behind `with` stand `S before it`, `it before S`, `it inside S`, `it inside S within R` and their negations, joined by `&`; \
    what else is to hold stands outside of parentheses around `some .. with ..`";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'s> {
    Word(&'s str),
    Open,
    Close,
    Comma,
    Not,
    Operator(Operator),
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Implies,
    Or,
    Xor,
    And,
}

impl Operator {
    fn join(self, left: Formula, right: Formula) -> Formula {
        let (left, right) = (Box::new(left), Box::new(right));
        match self {
            Self::Implies => Formula::Implies(left, right),
            Self::Or => Formula::Or(left, right),
            Self::Xor => Formula::Xor(left, right),
            Self::And => Formula::And(left, right),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "implies" => Self::Implies,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "and" => Self::And,
            _ => return None,
        })
    }
}

/// Reads a formula.
pub(super) struct Reader<'s, 'n> {
    pub(super) source: &'s Arc<Source>,
    pub(super) end: usize,
    pub(super) at: usize,
    pub(super) place: Place,
    /// The pattern of a name that stands somewhere.
    pub(super) find: &'n mut dyn FnMut(&str, Range<usize>) -> Option<PatternId>,
    /// The names that there are.
    pub(super) names: &'s [String],
    pub(super) named: &'n mut dyn FnMut(&str) -> Option<Result<Formula, Diagnostic>>,
    pub(super) depth: usize,
}

impl<'s> Reader<'s, '_> {
    /// The formula that the text is.
    pub(super) fn whole(mut self) -> Result<Formula, Diagnostic> {
        let formula = self.binary(0)?;
        match self.next()? {
            (Token::End, _) => Ok(formula),
            (_, span) => Err(self.unexpected(span, OPERATORS)),
        }
    }

    fn rest(&self) -> &'s str {
        &self.source.text()[self.at..self.end]
    }

    fn next(&mut self) -> Result<(Token<'s>, Range<usize>), Diagnostic> {
        let blank = self.rest().len() - self.rest().trim_start().len();
        self.at += blank;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok((Token::End, self.end..self.end));
        };
        let word = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        let doubled = |c| if rest[1..].starts_with(c) { 2 } else { 1 };
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            '!' => (Token::Not, 1),
            '^' => (Token::Operator(Operator::Xor), 1),
            '&' => (Token::Operator(Operator::And), doubled('&')),
            '|' => (Token::Operator(Operator::Or), doubled('|')),
            '-' if rest.starts_with("->") => (Token::Operator(Operator::Implies), 2),
            _ if word > 0 => (Token::Word(&rest[..word]), word),
            other => {
                let span = self.at..self.at + other.len_utf8();
                return Err(self.unexpected(span, "a pattern's name or an operator"));
            }
        };
        let span = self.at..self.at + length;
        self.at = span.end;
        Ok((token, span))
    }

    fn peek(&mut self) -> Result<(Token<'s>, Range<usize>), Diagnostic> {
        let at = self.at;
        let token = self.next();
        self.at = at;
        token
    }

    /// Reads operators that bind at least as tightly as the `least`th.
    fn binary(&mut self, least: u8) -> Result<Formula, Diagnostic> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let here = self.at..self.at;
            return Err(Diagnostic::error(format!("the formula is nested more than {DEEPEST} deep"))
                .at(self.source, here, "here")
                .help("give parts of it as formulas of their own"));
        }
        let mut left = self.operand()?;
        let mut joined = 0;
        loop {
            let operator = match self.peek()?.0 {
                Token::Operator(operator) => operator,
                Token::Word(word) => match Operator::of_word(word) {
                    Some(operator) => operator,
                    None => break,
                },
                _ => break,
            };
            if (operator as u8) < least {
                break;
            }
            self.next()?;
            joined += 1;
            if joined > MOST_JOINED {
                let here = self.at..self.at;
                let message = format!("more than {MOST_JOINED} operators stand side by side");
                return Err(Diagnostic::error(message)
                    .at(self.source, here, "here")
                    .help("give parts of the formula as formulas of their own"));
            }
            // Implication associates to the right, the others to the left.
            let tighter = if operator == Operator::Implies { operator as u8 } else { operator as u8 + 1 };
            let right = self.binary(tighter)?;
            left = operator.join(left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Formula, Diagnostic> {
        let mut negated = false;
        loop {
            let (token, span) = self.next()?;
            let formula = match token {
                Token::Not | Token::Word("not" | "neg") => {
                    negated = !negated;
                    continue;
                }
                Token::Open => {
                    let formula = self.binary(0)?;
                    self.expect_close(&span)?;
                    formula
                }
                Token::Word(word) => match Operator::of_word(word) {
                    Some(operator) if self.peek()?.0 == Token::Open => self.function(operator)?,
                    Some(_) => return Err(self.unexpected(span, "a pattern's name, `!` or `(`")),
                    None => self.statement(word, span)?,
                },
                _ => return Err(self.unexpected(span, "a pattern's name, `!` or `(`")),
            };
            return Ok(if negated { !formula } else { formula });
        }
    }

    /// `and(E, F, G)`: the operator over all arguments, from the left.
    fn function(&mut self, operator: Operator) -> Result<Formula, Diagnostic> {
        let (_, open) = self.next()?;
        let mut formula = self.binary(0)?;
        while self.peek()?.0 == Token::Comma {
            self.next()?;
            let argument = self.binary(0)?;
            formula = operator.join(formula, argument);
        }
        self.expect_close(&open)?;
        Ok(formula)
    }

    fn expect_close(&mut self, open: &Range<usize>) -> Result<(), Diagnostic> {
        match self.next()? {
            (Token::Close, _) => Ok(()),
            (_, span) => {
                Err(self.unexpected(span, "`)` or an operator").at(self.source, open.clone(), "opened here"))
            }
        }
    }

    /// A statement about occurrences, which begins with `word`.
    fn statement(&mut self, word: &str, span: Range<usize>) -> Result<Formula, Diagnostic> {
        match word {
            "true" => return Ok(Formula::Constant(true)),
            "false" => return Ok(Formula::Constant(false)),
            _ if self.place == Place::Node => return self.about_node(word, span),
            "root" => return Ok(Formula::Root(self.pattern()?)),
            "exactly" => return self.count(Bound::Exactly),
            "some" => return self.some(),
            "at" => {
                return match self.next()? {
                    (Token::Word("least"), _) => self.count(Bound::AtLeast),
                    (Token::Word("most"), _) => self.count(Bound::AtMost),
                    (_, span) => Err(self.unexpected(span, "`least` or `most`")),
                };
            }
            _ => {}
        }
        let Some(pattern) = (self.find)(word, span.clone()) else {
            return match (self.named)(word) {
                Some(formula) => formula,
                None => Err(self.unknown(word, span)),
            };
        };
        Ok(match self.peek()?.0 {
            Token::Word("inside") => {
                self.next()?;
                Formula::Inside(pattern, self.pattern()?)
            }
            Token::Word("before") => {
                self.next()?;
                Formula::Before(pattern, self.pattern()?)
            }
            _ => Formula::Contains(pattern),
        })
    }

    /// `E` or `has E`.
    fn about_node(&mut self, word: &str, span: Range<usize>) -> Result<Formula, Diagnostic> {
        if word == "has" {
            return Ok(Formula::Contains(self.pattern()?));
        }
        if RESERVED.contains(&word) {
            return Err(self
                .unexpected(span, "a pattern's name, or `has` and a pattern's name")
                .help("the condition of a placeholder says which patterns occur at its node, or below it"));
        }
        let found = (self.find)(word, span.clone());
        found.map(Formula::Root).ok_or_else(|| self.unknown(word, span))
    }

    /// `E with S before it & !(it inside G)`: what is said of one occurrence.
    fn some(&mut self) -> Result<Formula, Diagnostic> {
        let name = self.pattern()?;
        match self.next()? {
            (Token::Word("with"), _) => {}
            (_, span) => return Err(self.unexpected(span, "`with`")),
        }
        let mut surroundings = Vec::new();
        loop {
            let at = self.at;
            surroundings.push(self.surrounding()?);
            let required = surroundings.iter().filter(|it| it.is_there || it.within.is_some()).count();
            if required > MOST_REQUIRED {
                let message = format!("more than {MOST_REQUIRED} names must stand around one occurrence");
                return Err(Diagnostic::error(message).at(self.source, at..self.at, "here"));
            }
            match self.peek()?.0 {
                Token::Operator(Operator::And) | Token::Word("and") => self.next()?,
                _ => return Ok(Formula::Some(name, surroundings)),
            };
        }
    }

    /// `S before it`, `it before S`, `it inside S`, `it inside S within R`, or that it is not so.
    fn surrounding(&mut self) -> Result<Surrounding, Diagnostic> {
        let mut is_there = true;
        let mut open: Vec<Range<usize>> = Vec::new();
        let (side, name) = loop {
            match self.next()? {
                (Token::Not | Token::Word("not" | "neg"), _) => is_there = !is_there,
                (Token::Open, span) => open.push(span),
                (Token::Word("it"), _) => {
                    let side = match self.next()? {
                        (Token::Word("before"), _) => Side::Behind,
                        (Token::Word("inside"), _) => Side::Around,
                        (_, span) => return Err(self.unexpected(span, "`before` or `inside`")),
                    };
                    break (side, self.pattern()?);
                }
                (Token::Word(word), span) if !RESERVED.contains(&word) => {
                    let Some(name) = (self.find)(word, span.clone()) else {
                        return Err(self.unknown(word, span));
                    };
                    for expected in ["before", "it"] {
                        match self.next()? {
                            (Token::Word(word), _) if word == expected => {}
                            (_, span) => {
                                let error = self.unexpected(span, &format!("`{expected}`"));
                                return Err(error.help(OF_OCCURRENCES));
                            }
                        }
                    }
                    break (Side::Before, name);
                }
                (_, span) => {
                    return Err(self.unexpected(span, "`it` or a pattern's name").help(OF_OCCURRENCES));
                }
            }
        };
        let within = match self.peek()?.0 {
            Token::Word("within") if side == Side::Around => {
                self.next()?;
                Some(self.pattern()?)
            }
            _ => None,
        };
        for span in open.iter().rev() {
            match self.next()? {
                (Token::Close, _) => {}
                (_, found) => {
                    return Err(self.unexpected(found, "`)`").at(self.source, span.clone(), "opened here"));
                }
            }
        }
        Ok(Surrounding { is_there, side, name, within })
    }

    /// `2 E`: a number and a pattern's name.
    fn count(&mut self, bound: Bound) -> Result<Formula, Diagnostic> {
        let (token, span) = self.next()?;
        let number = match token {
            Token::Word(word) => word.parse::<u32>().ok().filter(|&number| number <= MOST),
            _ => None,
        };
        let Some(number) = number else {
            return Err(self.unexpected(span, &format!("a number up to {MOST}")));
        };
        Ok(Formula::Count(bound, number, self.pattern()?))
    }

    /// A pattern's name.
    fn pattern(&mut self) -> Result<PatternId, Diagnostic> {
        match self.next()? {
            (Token::Word(word), span) => match (self.find)(word, span.clone()) {
                Some(pattern) => Ok(pattern),
                None => Err(self.unknown(word, span)),
            },
            (_, span) => Err(self.unexpected(span, "a pattern's name")),
        }
    }

    fn unknown(&self, word: &str, span: Range<usize>) -> Diagnostic {
        let error = Diagnostic::error(format!("there is no pattern called `{word}`"))
            .at(self.source, span, "used here")
            .suggest(word, self.names.iter().map(String::as_str));
        let names = self.names.join(", ");
        if names.is_empty() { error } else { error.help(format!("the patterns are: {names}")) }
    }

    fn unexpected(&self, span: Range<usize>, expected: &str) -> Diagnostic {
        let found = match &self.source.text()[span.clone()] {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        };
        Diagnostic::error(format!("expected {expected}, found {found}")).at(self.source, span, "")
    }
}
