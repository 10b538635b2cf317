//! Formulas as text.
//!
//! Two notations, which mix freely: operators (`E & !N`, `A -> B | C`) and functions
//! (`and(E,neg(N))`). From the tightest: `!`, `&`, `^` (xor), `|`, `->` (implies, to the right).
//! Words may stand for the operators: `not neg and xor or implies`. What is said of occurrences:
//! `E`, `at least 2 E`, `at most 2 E`, `exactly 2 E`, `E inside N`, `E before N`, `root E`, and of one occurrence
//! `some E with !(S before it) & !(it inside G)`.
//!
//! The condition of a placeholder is a formula as well, about its node: there `E` says that E occurs at that very
//! node, and `has E` that it occurs at or below it.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::Id;

use super::condition::Condition;
use super::definitions::Definitions;
use super::expression::{Bound, Formula, PatternId};
use super::surrounding::{Side, Surrounding};

/// Deeper nesting than this is refused: nobody writes it, and reading it is recursive.
const DEEPEST: usize = 200;

/// The maximum number of operators side by side in one formula: a formula nests once for each of them.
const MOST_JOINED: usize = 1_000;

/// Larger numbers of occurrences are refused: each takes a state of the automaton.
const MOST: u32 = 1_000;

const OPERATORS: &str = "`&`, `|`, `^`, `->` or the end";

/// Words that mean something in formulas, and so are no names.
pub const RESERVED: [&str; 18] = [
    "not", "neg", "and", "or", "xor", "implies", "true", "false", "at", "exactly", "inside", "before",
    "root", "where", "has", "some", "with", "it",
];

/// More conditions of one occurrence are refused: they are met in any order, and each order is a state of its own.
const MOST_REQUIRED: usize = 6;

const OF_OCCURRENCES: &str = "behind `with` stand `S before it`, `it before S`, `it inside S` and their negations, joined by `&`; \
    what else is to hold stands outside of parentheses around `some .. with ..`";

/// What a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A derivation tree.
    Tree,
    /// The node of a placeholder.
    Node,
}

/// Reads the formula in `span` of `source`, in which `names` stand for patterns.
///
/// # Errors
/// When it is no formula, or a name stands for nothing.
pub fn read_formula(
    source: &Arc<Source>,
    span: Range<usize>,
    names: &[String],
) -> Result<Formula, Diagnostic> {
    read_with(source, span, names, &mut |_| None)
}

/// As [`read_formula`]; what is no pattern's name may be the name of a formula, which `named` gives.
pub(super) fn read_with(
    source: &Arc<Source>,
    span: Range<usize>,
    names: &[String],
    named: &mut dyn FnMut(&str) -> Option<Result<Formula, Diagnostic>>,
) -> Result<Formula, Diagnostic> {
    let find = &mut |word: &str, _| names.iter().position(|name| name == word).map(PatternId::new);
    let place = Place::Tree;
    let at = span.start;
    Reader { source, end: span.end, at, place, find, names, named, depth: 0 }.whole()
}

/// Reads the condition of a placeholder in `span` of `source`. Its names may be defined later.
///
/// # Errors
/// When it is no condition.
pub(super) fn read_condition(
    source: &Arc<Source>,
    span: Range<usize>,
    definitions: &mut Definitions,
) -> Result<Condition, Diagnostic> {
    let find = &mut |word: &str, span| Some(definitions.used(word, source, span));
    let named = &mut |_: &str| None;
    let (place, at, end) = (Place::Node, span.start, span.end);
    let formula = Reader { source, end, at, place, find, names: &[], named, depth: 0 }.whole()?;
    let condition = Condition::of_formula(&formula);
    Ok(condition.expect("what is read about a node is a condition"))
}

/// A formula as text that reads back, given what its names are called.
pub(super) fn formula_text(formula: &Formula, place: Place, names: &dyn Fn(PatternId) -> String) -> String {
    let mut text = String::new();
    write(formula, place, names, 0, &mut text);
    text
}

/// `binding` is how tightly the surrounding operator binds.
fn write(
    formula: &Formula,
    place: Place,
    names: &dyn Fn(PatternId) -> String,
    binding: u8,
    text: &mut String,
) {
    let (own, left, operator, right): (u8, &Formula, &str, &Formula) = match formula {
        Formula::Constant(value) => return text.push_str(if *value { "true" } else { "false" }),
        Formula::Contains(name) if place == Place::Node => {
            return text.push_str(&format!("has {}", names(*name)));
        }
        Formula::Root(name) if place == Place::Node => return text.push_str(&names(*name)),
        Formula::Contains(name) => return text.push_str(&names(*name)),
        Formula::Count(bound, number, name) => {
            return text.push_str(&format!("{} {number} {}", bound.as_str(), names(*name)));
        }
        Formula::Inside(inner, outer) => {
            return text.push_str(&format!("{} inside {}", names(*inner), names(*outer)));
        }
        Formula::Before(first, second) => {
            return text.push_str(&format!("{} before {}", names(*first), names(*second)));
        }
        Formula::Root(name) => return text.push_str(&format!("root {}", names(*name))),
        Formula::Some(name, surroundings) if surroundings.is_empty() => return text.push_str(&names(*name)),
        Formula::Some(name, surroundings) => {
            let said: Vec<String> = surroundings.iter().map(|it| it.text(&names(it.name))).collect();
            let statement = format!("some {} with {}", names(*name), said.join(" & "));
            // What is joined to it by `&` would be taken as said of the occurrence.
            let (open, close) = if binding >= 3 { ("(", ")") } else { ("", "") };
            return text.push_str(&format!("{open}{statement}{close}"));
        }
        Formula::Not(inner) => {
            text.push('!');
            return write(inner, place, names, 4, text);
        }
        Formula::And(left, right) => (4, left, " & ", right),
        Formula::Xor(left, right) => (3, left, " ^ ", right),
        Formula::Or(left, right) => (2, left, " | ", right),
        Formula::Implies(left, right) => (1, left, " implies ", right),
    };
    // Equal operators need no brackets on the side on which they associate.
    let (of_left, of_right) = if own == 1 { (own, own - 1) } else { (own - 1, own) };
    if own <= binding {
        text.push('(');
    }
    write(left, place, names, of_left, text);
    text.push_str(operator);
    write(right, place, names, of_right, text);
    if own <= binding {
        text.push(')');
    }
}

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

struct Reader<'s, 'n> {
    source: &'s Arc<Source>,
    end: usize,
    at: usize,
    place: Place,
    /// The pattern of a name that stands somewhere.
    find: &'n mut dyn FnMut(&str, Range<usize>) -> Option<PatternId>,
    /// The names that there are.
    names: &'s [String],
    named: &'n mut dyn FnMut(&str) -> Option<Result<Formula, Diagnostic>>,
    depth: usize,
}

impl<'s> Reader<'s, '_> {
    fn whole(mut self) -> Result<Formula, Diagnostic> {
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
            let required = surroundings.iter().filter(|it| it.is_there).count();
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

    /// `S before it`, `it before S`, `it inside S`, or that it is not so.
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
        for span in open.iter().rev() {
            match self.next()? {
                (Token::Close, _) => {}
                (_, found) => {
                    return Err(self.unexpected(found, "`)`").at(self.source, span.clone(), "opened here"));
                }
            }
        }
        Ok(Surrounding { is_there, side, name })
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

/// Whether a pattern's name may hold this character.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

#[cfg(test)]
mod tests {
    use super::super::expression::Occurrence;
    use super::*;
    use crate::base::id::IdVec;
    use proptest::prelude::*;

    fn names() -> Vec<String> {
        ["A", "B", "C", "1"].map(String::from).to_vec()
    }

    fn read(text: &str) -> Result<Formula, Diagnostic> {
        read_formula(&Source::new("formula", text), 0..text.len(), &names())
    }

    fn write(formula: &Formula) -> String {
        formula_text(formula, Place::Tree, &|id| names()[id.index()].clone())
    }

    fn formula() -> impl Strategy<Value = Formula> {
        let pattern = || (0usize..4).prop_map(PatternId::new);
        let leaf = prop_oneof![
            4 => pattern().prop_map(Formula::Contains),
            1 => (0usize..3, 0u32..9, pattern()).prop_map(|(b, n, p)| Formula::Count(Bound::ALL[b], n, p)),
            1 => (pattern(), pattern()).prop_map(|(p, q)| Formula::Inside(p, q)),
            1 => (pattern(), pattern()).prop_map(|(p, q)| Formula::Before(p, q)),
            1 => pattern().prop_map(Formula::Root),
            1 => any::<bool>().prop_map(Formula::Constant),
        ];
        leaf.prop_recursive(5, 24, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Operator::And.join(a, b)),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Operator::Or.join(a, b)),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Operator::Xor.join(a, b)),
                (inner.clone(), inner).prop_map(|(a, b)| Operator::Implies.join(a, b)),
            ]
        })
    }

    #[test]
    fn both_notations_mean_the_same() {
        for (one, other) in [
            ("A & !B", "and(A,neg(B))"),
            ("A | B & C", "or(A, and(B, C))"),
            ("!(A & B & C)", "neg(and(A,B,C))"),
            ("A and not B or C xor 1", "A & !B | (C ^ 1)"),
            ("A -> B -> C", "implies(A, implies(B, C))"),
            ("A && B || C", "or(and(A,B),C)"),
            ("!at least 2 A & B inside C", "and(neg(at least 2 A), B inside C)"),
        ] {
            assert_eq!(read(one), read(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        let errors: Vec<String> = [
            "",
            "A &",
            "A B",
            "(A",
            "A & (B | D)",
            "and(A,",
            "A % B",
            "and",
            "A & a",
            "at 2 A",
            "exactly A",
            "A inside",
            "root (A)",
            "at most 9999 A",
        ]
        .into_iter()
        .map(|text| read(text).unwrap_err().to_string())
        .collect();
        insta::assert_snapshot!(errors.join("\n\n"));
        assert!(read(&"(".repeat(100_000)).is_err());
        assert!(read(&"!".repeat(100_001)).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_with_the_same_meaning(
            formula in formula(),
            spans in proptest::collection::vec((0usize..4, 0usize..6, 1usize..4), 0..8),
        ) {
            let mut occurrences: IdVec<PatternId, Vec<Occurrence>> = IdVec::filled(Vec::new(), 4);
            for (pattern, begin, length) in spans {
                let node = crate::tree::NodeId::new(begin);
                occurrences[PatternId::new(pattern)].push(Occurrence { node, begin, end: begin + length });
            }
            let text = write(&formula);
            let back = read(&text).unwrap();
            prop_assert_eq!(formula.holds(&occurrences), back.holds(&occurrences), "{}", text);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[AB1()!&|^, \\->a-z%é]{0,40}") {
            let _ = read(&text);
        }
    }
}
