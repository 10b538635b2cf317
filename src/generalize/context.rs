//! Samples inputs that hold a pattern in a random context, without building a grammar for it.
//!
//! From the start symbol a random way is taken to the pattern's nonterminal, at each step one of the
//! rules and positions from which it can be reached; all else is produced at random. (The papers
//! specialize the grammar for this: their reaching grammar, "Input Algebras", section 3.)

use crate::base::random_stream::RandomStream;
use crate::grammar::lexis::Pieces;
use crate::grammar::{Grammar, Lexis, NonterminalId, Symbol};
use crate::parse::Parser;
use crate::pattern::{Pattern, PatternNode};
use crate::produce::{Producer, Unproductive};

use super::ContextSampler;
use super::cheapest::{Cheapest, Edge, Frame, is_apart, pieces};

/// How often a context is drawn again because it hides the pattern.
const MOST_HIDDEN: usize = 50;

/// Samples inputs that hold a pattern in a random context.
pub struct RandomContextSampler<'a> {
    parser: &'a Parser,
    grammar: &'a Grammar,
    lexis: Option<&'a Lexis>,
    producer: &'a dyn Producer,
    cheapest: Cheapest<'a>,
    limit: usize,
}

impl<'a> RandomContextSampler<'a> {
    /// Contexts of the grammar of `parser` that are chosen freely down to depth `limit`; what is beside the way is
    /// filled by `producer`.
    pub fn new(parser: &'a Parser, producer: &'a dyn Producer, limit: usize) -> Self {
        let (grammar, lexis) = (&**parser.grammar(), parser.lexis());
        Self { parser, grammar, lexis, producer, cheapest: Cheapest::new(grammar, lexis), limit }
    }

    fn pass(&self, frame: &mut Frame, edge: Edge, stream: &mut RandomStream) -> Result<(), Unproductive> {
        let symbols = &self.grammar.rule(edge.rule).symbols;
        let apart = is_apart(self.grammar, self.lexis, edge.rule);
        let mut write = |symbols: &[Symbol]| {
            let mut result = Ok(());
            let pieces = pieces(apart, symbols, |symbol, text| match symbol {
                Symbol::Literal(literal) => text.extend_from_slice(self.grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = self.grammar.class(class);
                    match class.nth(stream.below(class.len())) {
                        Some(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                        None => result = Err(Unproductive::Nothing),
                    }
                }
                Symbol::Nonterminal(inner) => {
                    if let Err(error) = self.producer.produce(inner, stream, text) {
                        result = Err(error);
                    }
                }
            });
            result.map(|()| pieces)
        };
        let left = write(&symbols[..edge.position])?;
        let right = write(&symbols[edge.position + 1..])?;
        frame.grow(left, right);
        Ok(())
    }
}

impl RandomContextSampler<'_> {
    /// A random way from the start symbol to `target`.
    fn frame(&mut self, target: NonterminalId, stream: &mut RandomStream) -> Option<Frame> {
        let mut at = self.grammar.start();
        if !self.cheapest.reaches(at, target) {
            return None;
        }
        let depth = stream.below(self.limit + 1);
        let mut frame = Frame::default();
        for step in 0.. {
            let edges = if step < depth { self.cheapest.edges_toward(at, target) } else { Vec::new() };
            let may_end = at == target;
            if may_end && (edges.is_empty() || stream.below(2) == 0) {
                break;
            }
            let edge = match edges.as_slice() {
                [] => self.cheapest.next_edge(at, target)?,
                edges => *stream.pick(edges),
            };
            self.pass(&mut frame, edge, stream).ok()?;
            at = edge.to();
        }
        Some(frame)
    }
}

impl ContextSampler for RandomContextSampler<'_> {
    fn sample(&mut self, pattern: &Pattern, stream: &mut RandomStream) -> Option<Vec<u8>> {
        for _ in 0..MOST_HIDDEN {
            let frame = self.frame(pattern.characteristic(), stream)?;
            let text = random_instance(self.grammar, self.lexis, pattern, self.producer, stream).ok()?;
            let text = frame.close(&text, self.lexis);
            if !hides(self.parser, pattern, &text) {
                return Some(text);
            }
        }
        None
    }

    fn around(&mut self, target: NonterminalId, text: &[u8], stream: &mut RandomStream) -> Option<Vec<u8>> {
        Some(self.frame(target, stream)?.close(text, self.lexis))
    }
}

/// Whether a pattern that was put into a text does not occur in it: a comment that was produced before it ends where its line does, not
/// where it was meant to. Where a text is ambiguous, nobody can tell.
pub(super) fn hides(parser: &Parser, pattern: &Pattern, text: &[u8]) -> bool {
    parser.lexis().is_some()
        && parser.parse(text).is_ok_and(|forest| {
            !forest.is_ambiguous() && pattern.occurrences(parser.grammar(), &forest.first_tree()).is_empty()
        })
}

/// The text of a pattern with something at random at its open nodes; the same at those with one number.
///
/// # Errors
/// When a nonterminal derives nothing.
pub fn random_instance(
    grammar: &Grammar,
    lexis: Option<&Lexis>,
    pattern: &Pattern,
    producer: &dyn Producer,
    stream: &mut RandomStream,
) -> Result<Vec<u8>, Unproductive> {
    let fill = |nonterminal| {
        let mut text = Vec::new();
        producer.produce(nonterminal, stream, &mut text).ok()?;
        Some(text)
    };
    instantiate(grammar, lexis, pattern, fill).ok_or(Unproductive::Nothing)
}

/// The text of a pattern with its open nodes filled. Bound nodes with one number get one text.
pub(super) fn instantiate(
    grammar: &Grammar,
    lexis: Option<&Lexis>,
    pattern: &Pattern,
    mut fill: impl FnMut(NonterminalId) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut pieces = Pieces::default();
    let is_gap = |nonterminal| lexis.is_some_and(|lexis| lexis.is_gap(nonterminal));
    let mut bound: Vec<(u32, Vec<u8>)> = Vec::new();
    for node in pattern.preorder() {
        match pattern.node(node) {
            PatternNode::Rule(rule, _) => {
                if is_gap(grammar.rule(*rule).lhs) {
                    pieces.gap();
                }
            }
            PatternNode::Literal(literal) => pieces.push(grammar.literal(*literal)),
            PatternNode::Char(c) | PatternNode::Letter(c) => {
                pieces.push(c.encode_utf8(&mut [0; 4]).as_bytes())
            }
            // Which one, nobody says.
            PatternNode::AnyChar => return None,
            // What is filled in is drawn without regard to conditions.
            PatternNode::Abstract(nonterminal) | PatternNode::Where(nonterminal, None, _) => {
                pieces.push(&fill(*nonterminal)?);
                // What derives words ends with a gap, and what is one may be empty.
                if lexis.is_some_and(|lexis| !lexis.is_lexical(*nonterminal)) {
                    pieces.gap();
                }
            }
            PatternNode::Bound(nonterminal, number) | PatternNode::Where(nonterminal, Some(number), _) => {
                match bound.iter().find(|(known, _)| known == number) {
                    Some((_, known)) => pieces.push(known),
                    None => {
                        let new = fill(*nonterminal)?;
                        pieces.push(&new);
                        bound.push((*number, new));
                    }
                }
            }
        }
    }
    Some(pieces.join(lexis))
}
