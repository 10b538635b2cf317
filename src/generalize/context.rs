//! Plants patterns into random contexts, without building a grammar for it.
//!
//! From the start symbol a random way is taken to the pattern's nonterminal, at each step one of the
//! rules and positions from which it can be reached; all else is produced at random. (The papers
//! specialize the grammar for this: their reaching grammar, "Input Algebras", section 3.)

use crate::base::stream::Stream;
use crate::grammar::{Grammar, NonterminalId, Symbol};
use crate::pattern::{Pattern, PatternNode};
use crate::produce::{Producer, Unproductive};

use super::Planter;
use super::cheapest::{Cheapest, Edge, Frame};

/// Plants patterns into random contexts.
pub struct RandomContext<'a> {
    grammar: &'a Grammar,
    producer: &'a dyn Producer,
    cheapest: Cheapest<'a>,
    limit: usize,
}

impl<'a> RandomContext<'a> {
    /// Contexts of `grammar` that are chosen freely down to depth `limit`; what is beside the way is
    /// filled by `producer`.
    pub fn new(grammar: &'a Grammar, producer: &'a dyn Producer, limit: usize) -> Self {
        Self { grammar, producer, cheapest: Cheapest::new(grammar), limit }
    }

    fn pass(&self, frame: &mut Frame, edge: Edge, stream: &mut Stream) -> Result<(), Unproductive> {
        let symbols = &self.grammar.rule(edge.rule).symbols;
        let is_inside_word = self.producer.is_inside_word(self.grammar.rule(edge.rule).lhs);
        let mut write = |symbols: &[Symbol]| {
            let mut joined = Joined::new(self.producer);
            for &symbol in symbols {
                let mut text = Vec::new();
                match symbol {
                    Symbol::Literal(literal) => text.extend_from_slice(self.grammar.literal(literal)),
                    Symbol::Class(class) => {
                        let class = self.grammar.class(class);
                        let c = class.nth(stream.below(class.len())).ok_or(Unproductive::Nothing)?;
                        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    Symbol::Nonterminal(inner) => self.producer.produce(inner, stream, &mut text)?,
                }
                joined.push(&text, !is_inside_word);
            }
            Ok(joined.text)
        };
        let left = write(&symbols[..edge.position])?;
        let right = write(&symbols[edge.position + 1..])?;
        frame.grow(&left, right);
        Ok(())
    }
}

impl Planter for RandomContext<'_> {
    fn plant(&mut self, pattern: &Pattern, stream: &mut Stream) -> Option<Vec<u8>> {
        let target = pattern.characteristic();
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
        let text = random_instance(self.grammar, pattern, self.producer, stream).ok()?;
        let mut whole = Joined::new(self.producer);
        for part in frame.parts(&text) {
            whole.push(part, true);
        }
        Some(whole.text)
    }
}

/// The text of a pattern with something at random at its open nodes; the same at those with one number.
///
/// # Errors
/// When a nonterminal derives nothing.
pub fn random_instance(
    grammar: &Grammar,
    pattern: &Pattern,
    producer: &dyn Producer,
    stream: &mut Stream,
) -> Result<Vec<u8>, Unproductive> {
    let fill = |nonterminal| {
        let mut text = Vec::new();
        producer.produce(nonterminal, stream, &mut text).ok()?;
        Some(text)
    };
    let mut joined = Joined::new(producer);
    write_instance(grammar, pattern, fill, &mut joined).ok_or(Unproductive::Nothing)?;
    Ok(joined.text)
}

/// The text of a pattern with its open nodes filled. Bound nodes with one number get one text.
pub(super) fn instantiate(
    grammar: &Grammar,
    pattern: &Pattern,
    producer: &dyn Producer,
    fill: impl FnMut(NonterminalId) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut joined = Joined::new(producer);
    write_instance(grammar, pattern, fill, &mut joined)?;
    Some(joined.text)
}

fn write_instance(
    grammar: &Grammar,
    pattern: &Pattern,
    mut fill: impl FnMut(NonterminalId) -> Option<Vec<u8>>,
    joined: &mut Joined<'_>,
) -> Option<()> {
    let mut bound: Vec<(u32, Vec<u8>)> = Vec::new();
    for node in pattern.preorder() {
        match pattern.node(node) {
            PatternNode::Rule(..) => {}
            PatternNode::Literal(literal) => joined.push(grammar.literal(*literal), false),
            PatternNode::Char(c) => joined.push(c.encode_utf8(&mut [0; 4]).as_bytes(), false),
            PatternNode::Abstract(nonterminal) => joined.push(&fill(*nonterminal)?, true),
            PatternNode::Bound(nonterminal, number) => {
                match bound.iter().find(|(known, _)| known == number) {
                    Some((_, known)) => joined.push(known, true),
                    None => {
                        let new = fill(*nonterminal)?;
                        joined.push(&new, true);
                        bound.push((*number, new));
                    }
                }
            }
        }
    }
    Some(())
}

/// A text that is put together from parts, whose words are kept apart.
pub(super) struct Joined<'a> {
    producer: &'a dyn Producer,
    pub(super) text: Vec<u8>,
    /// Whether the last part was something new.
    is_new: bool,
}

impl<'a> Joined<'a> {
    /// The empty text.
    pub(super) fn new(producer: &'a dyn Producer) -> Self {
        Self { producer, text: Vec::new(), is_new: false }
    }

    /// Adds a part. On either side of what `is_new` stands a separator if one is needed; all else stood there
    /// before.
    pub(super) fn push(&mut self, part: &[u8], is_new: bool) {
        self.is_new |= is_new;
        if part.is_empty() {
            return;
        }
        if self.is_new && !self.text.is_empty() {
            let separator = self.producer.separator(&self.text, part);
            self.text.extend_from_slice(separator);
        }
        self.text.extend_from_slice(part);
        self.is_new = is_new;
    }
}
