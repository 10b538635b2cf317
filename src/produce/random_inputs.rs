//! Random inputs of the whole grammar: all producers take turns, so that no single one's habits decide what is common.

use std::sync::Arc;

use crate::base::limits::{Exceeded, Limits};
use crate::base::random_stream::RandomStream;
use crate::grammar::{Grammar, Lexis, NonterminalId};
use crate::parse::Parser;

use super::{Producer, ProducerError, ProducerSession, producer};

/// The producers, in the order of their turns.
const PRODUCERS: [&str; 3] = ["uniform", "coverage", "limit"];

/// After this many inputs in a row that do not parse a producer has no more turns: `uniform` keeps no words apart.
const MOST_UNPARSED: usize = 200;

/// The producers that work on the grammar: `uniform` does not on all.
///
/// # Errors
/// When the user interrupts.
pub fn all_producers(
    grammar: &Arc<Grammar>,
    words: Option<&Lexis>,
    depth: u32,
    limits: &Limits,
) -> Result<Vec<Box<dyn Producer>>, Exceeded> {
    let mut found = Vec::new();
    for name in PRODUCERS {
        match producer(name, grammar, words, depth, limits) {
            Ok(producer) => found.push(producer),
            Err(
                ProducerError::Unknown(_)
                | ProducerError::Uncountable(_)
                | ProducerError::TooManyPaths { .. },
            ) => {}
        }
    }
    if limits.interrupt.is_raised() {
        return Err(Exceeded::Interrupted);
    }
    Ok(found)
}

/// Random inputs of a grammar.
pub struct RandomInputs<'a> {
    parser: &'a Parser,
    start: NonterminalId,
    sessions: Vec<Box<dyn ProducerSession + 'a>>,
    next: usize,
}

impl<'a> RandomInputs<'a> {
    /// Inputs of the parser's grammar by these producers in turn.
    pub fn new(parser: &'a Parser, producers: &'a [Box<dyn Producer>]) -> Self {
        let sessions = producers.iter().map(|producer| producer.begin()).collect();
        Self { parser, start: parser.grammar().start(), sessions, next: 0 }
    }

    /// The next one; `None` when no producer has any.
    ///
    /// # Errors
    /// When a limit on parsing is reached.
    pub fn draw(&mut self, stream: &mut RandomStream) -> Result<Option<Vec<u8>>, Exceeded> {
        while !self.sessions.is_empty() {
            self.next %= self.sessions.len();
            for _ in 0..MOST_UNPARSED {
                let mut text = Vec::new();
                if self.sessions[self.next].produce(self.start, stream, &mut text).is_err() {
                    break;
                }
                if self.parser.recognizes(&text)? {
                    self.next += 1;
                    return Ok(Some(text));
                }
            }
            drop(self.sessions.remove(self.next));
        }
        Ok(None)
    }
}
