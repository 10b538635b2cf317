//! Why an input does not parse: where, what was found there, and what would have been right.
//!
//! The place is the furthest that makes sense: what stands before it begins some string of the
//! language, and with the character that stands there it does not any more. What was expected is
//! looked up by parsing the part before the place once more and then making all reductions, whatever
//! might follow. Each state that is reached so can go on, and what it can go on with is expected.
//!
//! That is a list of terminals if it is a short one. Otherwise it is put in the grammar's larger
//! words: the symbols that stand next in the rules which have begun already.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{Grammar, NonterminalId, Symbol};

use super::alphabet::decode;
use super::index::{ItemId, ProductionId, StateId, VariableId};
use super::parser::Parser;
use super::productions::{Meaning, RhsSymbol};
use super::run::{Outcome, Run};
use super::semantics::Recognition;

/// The most expectations that are listed.
const MOST_LISTED: usize = 8;

/// What stands where the input goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A character.
    Char(char),
    /// A byte that begins no character.
    Byte(u8),
    /// Nothing: the input ends too early.
    End,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(c) => write!(f, "{:?}", c.to_string()),
            Self::Byte(byte) => write!(f, "byte {byte:#04x}, which is not UTF-8"),
            Self::End => f.write_str("end of the input"),
        }
    }
}

/// Something that would have been right. Ordered as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// A literal, or what is missing of one that has begun.
    Literal {
        /// What is missing.
        missing: Vec<u8>,
        /// The part that was read already.
        read: Vec<u8>,
    },
    /// A character of a class, in the notation of grammars.
    Class(String),
    /// What a nonterminal derives; its name in brackets.
    Nonterminal(String),
    /// The end of the input.
    End,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal { missing, read } if read.is_empty() => quote(missing, f),
            Self::Literal { missing, read } => {
                quote(missing, f)?;
                f.write_str(" (of ")?;
                quote(&[&read[..], missing].concat(), f)?;
                f.write_str(")")
            }
            Self::Class(text) | Self::Nonterminal(text) => f.write_str(text),
            Self::End => f.write_str("end of the input"),
        }
    }
}

fn quote(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match std::str::from_utf8(bytes) {
        Ok(text) => write!(f, "{text:?}"),
        Err(_) => write!(f, "\"{}\"", bytes.escape_ascii()),
    }
}

/// Why there is no forest of an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The grammar does not derive it.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It is too long or too ambiguous.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

impl ParseError {
    /// This error as a diagnostic. `source` is the input under the name that its user knows.
    pub fn diagnostic(&self, source: &Arc<Source>) -> Diagnostic {
        match self {
            Self::Syntax(error) => error.diagnostic(source),
            Self::Exceeded(exceeded) => Diagnostic::error(exceeded.to_string()).at(source, 0..0, ""),
        }
    }

    /// Where the input goes wrong, when the grammar does not derive it.
    pub fn syntax(&self) -> Option<&SyntaxError> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Exceeded(_) => None,
        }
    }
}

/// An input that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    offset: usize,
    line: usize,
    column: usize,
    /// Where the place is in the text of the input, when what is not UTF-8 was replaced.
    text_offset: usize,
    found: Found,
    expected: Vec<Expected>,
    unlisted: usize,
}

impl SyntaxError {
    /// The error of a run that failed at `offset`.
    ///
    /// # Errors
    /// When what was expected takes too long to find.
    pub(super) fn new(
        parser: &Parser,
        input: &[u8],
        offset: usize,
        meter: &mut Meter,
    ) -> Result<Self, Exceeded> {
        let before = String::from_utf8_lossy(&input[..offset]);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let found = match (decode(input, offset), input.get(offset)) {
            (Some(c), _) => Found::Char(c),
            (None, Some(&byte)) => Found::Byte(byte),
            (None, None) => Found::End,
        };
        let mut expected: Vec<Expected> = expected(parser, input, offset, meter)?.into_iter().collect();
        let unlisted = expected.len().saturating_sub(MOST_LISTED);
        expected.truncate(MOST_LISTED);
        Ok(Self {
            offset,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            text_offset: before.len(),
            found,
            expected,
            unlisted,
        })
    }

    /// How many bytes of the input are right.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column, in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What stands there.
    pub fn found(&self) -> Found {
        self.found
    }

    /// What would have been right, in order, up to a handful.
    pub fn expected(&self) -> &[Expected] {
        &self.expected
    }

    /// How many more things would have been right.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    /// This error as a diagnostic. `source` is the input under the name that its user knows.
    pub fn diagnostic(&self, source: &Arc<Source>) -> Diagnostic {
        let length = match self.found {
            // A line break is shown as the end of its line.
            Found::Char('\n') | Found::End => 0,
            Found::Char(c) => c.len_utf8(),
            Found::Byte(_) => char::REPLACEMENT_CHARACTER.len_utf8(),
        };
        let diagnostic = Diagnostic::error(format!("unexpected {}", self.found)).at(
            source,
            self.text_offset..self.text_offset + length,
            self.expectation(),
        );
        match source.text().get(self.text_offset..) {
            Some("\n" | "\r\n") => diagnostic.help("the input ends with a line break; leave it out"),
            _ => diagnostic,
        }
    }

    /// "expected this, that or something else".
    fn expectation(&self) -> String {
        let Some((last, others)) = self.expected.split_last() else {
            return "nothing can stand here".to_owned();
        };
        let others: Vec<String> = others.iter().map(Expected::to_string).collect();
        let others = others.join(", ");
        match (others.is_empty(), self.unlisted) {
            (true, _) => format!("expected {last}"),
            (false, 0) => format!("expected {others} or {last}"),
            (false, unlisted) => format!("expected {others}, {last} or {unlisted} others"),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, found, .. } = self;
        write!(f, "line {line}, column {column}: unexpected {found}, {}", self.expectation())
    }
}

impl std::error::Error for SyntaxError {}

/// Everything that can follow the first `offset` bytes of `input`.
fn expected(
    parser: &Parser,
    input: &[u8],
    offset: usize,
    meter: &mut Meter,
) -> Result<BTreeSet<Expected>, Exceeded> {
    // What stands behind the place must not forbid that a word ends there.
    let mut run = Run::new(parser, &input[..offset], Recognition, meter);
    if run.run(offset)? != Outcome::Paused {
        return Ok(BTreeSet::new());
    }
    run.reduce_before_anything(offset)?;
    let states: BTreeSet<StateId> = run.frontier.iter().map(|&top| run.gss[top].state).collect();
    let mut listing =
        Listing { parser, meter, short: BTreeSet::new(), large: BTreeSet::new(), seen: BTreeSet::new() };
    if offset == 0 && parser.derives_nothing() {
        listing.short.insert(Expected::End);
        listing.large.insert(Expected::End);
    }
    for state in states {
        listing.add_state(state)?;
    }
    let Listing { short, large, .. } = listing;
    Ok(if short.len() <= MOST_LISTED || short.len() <= large.len() { short } else { large })
}

/// What is expected, in two ways.
struct Listing<'a> {
    parser: &'a Parser,
    meter: &'a mut Meter,
    /// In terminals.
    short: BTreeSet<Expected>,
    /// In the symbols of rules that have begun.
    large: BTreeSet<Expected>,
    /// Variables without a name that were looked into.
    seen: BTreeSet<VariableId>,
}

impl Listing<'_> {
    fn add_state(&mut self, state: StateId) -> Result<(), Exceeded> {
        let Parser { plan, productions, automaton, .. } = self.parser;
        for &item in &automaton.kernels[state] {
            match productions.rhs[item] {
                RhsSymbol::End(ProductionId::ACCEPT) => {
                    self.short.insert(Expected::End);
                    self.large.insert(Expected::End);
                }
                RhsSymbol::End(_) => {}
                RhsSymbol::Set(_) => {
                    let terminal = self.terminal(item)?;
                    self.short.extend(terminal.clone());
                    self.large.extend(terminal);
                }
                RhsSymbol::Variable(variable) => self.add_by_name(variable)?,
            }
        }
        for &member in &automaton.closures[automaton.states[state].closure].members {
            for &production in &productions.of[member] {
                let terminal = self.terminal(plan.productions[production].first)?;
                self.short.extend(terminal);
            }
        }
        Ok(())
    }

    /// Adds a variable by its name; one without a name by what can begin there.
    fn add_by_name(&mut self, variable: VariableId) -> Result<(), Exceeded> {
        let Parser { plan, productions, .. } = self.parser;
        let mut open = vec![variable];
        while let Some(variable) = open.pop() {
            if let Meaning::Nonterminal(nonterminal) = productions.meanings[variable]
                && has_name(&plan.grammar, nonterminal)
            {
                self.large.insert(Expected::Nonterminal(plan.grammar.name(nonterminal).to_string()));
                continue;
            }
            if !self.seen.insert(variable) {
                continue;
            }
            for &production in &productions.of[variable] {
                let first = plan.productions[production].first;
                match productions.rhs[first] {
                    RhsSymbol::Variable(variable) => open.push(variable),
                    RhsSymbol::Set(_) => {
                        let terminal = self.terminal(first)?;
                        self.large.extend(terminal);
                    }
                    RhsSymbol::End(_) => {}
                }
            }
        }
        Ok(())
    }

    /// The terminal that an item has next, if it has one next.
    fn terminal(&mut self, item: ItemId) -> Result<Option<Expected>, Exceeded> {
        let Parser { plan, productions, .. } = self.parser;
        let Some(terminal) = productions.terminals[item] else {
            self.meter.spend(1)?;
            return Ok(None);
        };
        Ok(match terminal {
            (Symbol::Literal(literal), before) => {
                let literal = plan.grammar.literal(literal);
                // A copy is made, and compared with others.
                self.meter.spend(20 + literal.len() as u64)?;
                let (read, missing) = literal.split_at(before as usize);
                Some(Expected::Literal { missing: missing.into(), read: read.into() })
            }
            (Symbol::Class(class), _) => {
                let class = plan.grammar.class(class);
                self.meter.spend(20 + 20 * class.ranges().len() as u64)?;
                Some(Expected::Class(class.to_string()))
            }
            (Symbol::Nonterminal(_), _) => None,
        })
    }
}

/// Whether a nonterminal's name says something to the user of the grammar.
fn has_name(grammar: &Grammar, nonterminal: NonterminalId) -> bool {
    !grammar.nonterminal(nonterminal).is_helper()
}
