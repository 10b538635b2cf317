//! Inputs with their trees, and other texts in the place of parts of them.

use std::rc::Rc;

use crate::base::id::IdVec;
use crate::base::limits::{Exceeded, Limits, Sizes};
use crate::grammar::Grammar;
use crate::parse::{ParseError, Parser};
use crate::tree::{NodeId, Tree};

use super::super::Example;
use super::super::ddset::Splicer;

/// The most trees of an input that is ambiguous; of one that has more, the first one stands for all.
const MOST_TREES: usize = 16;

/// The fewest steps that are allowed for the given input, and how many times as many others may take.
const FEWEST_STEPS: u64 = 8_000_000;
const LARGER: u64 = 4;

/// What parsing one input may take, where the given one is such an input: enough for any that is not much longer or more ambiguous. A grammar may have
/// random inputs that take thousands of times as long, and a generalizer meets thousands of inputs.
pub(super) fn limits_like(parser: &Parser, given: &[u8]) -> Limits {
    let own = parser.limits();
    let of = |steps: u64| Limits {
        sizes: Sizes { steps: steps.min(own.sizes.steps), ..own.sizes },
        ..own.clone()
    };
    let is_enough = |steps: &u64| {
        let parsed = parser.parse_limited(given, usize::MAX, &of(*steps));
        !matches!(parsed, Err(ParseError::Exceeded(Exceeded::Steps(_))))
    };
    let tried = std::iter::successors(Some(FEWEST_STEPS), |steps| steps.checked_mul(LARGER));
    let enough = tried.take_while(|&steps| steps < own.sizes.steps).find(is_enough);
    of(enough.unwrap_or(own.sizes.steps).saturating_mul(LARGER))
}

/// An input and its derivation trees.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) text: Vec<u8>,
    /// The tree that it is changed by: the first one.
    pub(super) tree: Tree,
    others: Vec<Tree>,
    pub(super) spans: IdVec<NodeId, (usize, usize)>,
    order: IdVec<NodeId, usize>,
}

impl Input {
    /// An input; `None` when it is none of the grammar.
    ///
    /// # Errors
    /// When it takes more to parse than `limits` allow.
    pub(super) fn parse(
        parser: &Parser,
        text: Vec<u8>,
        limits: &Limits,
    ) -> Result<Option<Rc<Self>>, Exceeded> {
        let forest = match parser.parse_limited(&text, usize::MAX, limits) {
            Ok(Some(forest)) => forest,
            Ok(None) | Err(ParseError::Syntax(_)) => return Ok(None),
            Err(ParseError::Exceeded(exceeded)) => return Err(exceeded),
        };
        let mut trees =
            if forest.is_ambiguous() { forest.trees(MOST_TREES) } else { None }.unwrap_or_default();
        let tree = if trees.is_empty() { forest.first_tree() } else { trees.remove(0) };
        Ok(Some(Rc::new(Self::of(parser.grammar(), text, tree, trees))))
    }

    fn of(grammar: &Grammar, text: Vec<u8>, tree: Tree, others: Vec<Tree>) -> Self {
        let spans = tree.spans(grammar);
        let mut order = IdVec::filled(0, spans.len());
        for (place, node) in tree.preorder(tree.root()).enumerate() {
            order[node] = place;
        }
        Self { text, tree, others, spans, order }
    }

    /// Its trees.
    pub(super) fn trees(&self) -> impl Iterator<Item = &Tree> {
        std::iter::once(&self.tree).chain(&self.others)
    }

    /// The input with another one of its trees first.
    pub(super) fn with_first(&self, grammar: &Grammar, number: usize) -> Self {
        let mut others: Vec<Tree> = self.trees().cloned().collect();
        let tree = others.remove(number);
        Self::of(grammar, self.text.clone(), tree, others)
    }

    /// The text of a node.
    pub(super) fn text_of(&self, node: NodeId) -> &[u8] {
        let (begin, end) = self.spans[node];
        &self.text[begin..end]
    }

    /// The text with other texts at some nodes, none of which is below another one.
    pub(super) fn with(&self, example: Example<'_>, fills: &[(NodeId, Vec<u8>)]) -> Vec<u8> {
        let splicer =
            Splicer { text: &self.text, spans: &self.spans, order: &self.order, tree: &self.tree, example };
        splicer.splice(fills.iter().map(|(node, fill)| (*node, fill.as_slice())).collect())
    }

    /// The nodes of nonterminals, parents before children, from left to right.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        self.tree.preorder(self.tree.root()).filter(|&node| self.tree.rule(node).is_some()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::reduce::sample::grammar;

    #[test]
    fn what_takes_much_longer_to_parse_than_the_given_input_is_told_from_what_does_not() {
        let parser = Parser::new(Arc::new(grammar(&["word = x | word word"])));
        let of_length = |length: usize| vec![b'x'; length];
        let is_parsed = |length, given| {
            let limits = limits_like(&parser, &of_length(given));
            match Input::parse(&parser, of_length(length), &limits) {
                Ok(input) => input.is_some(),
                Err(exceeded) => {
                    assert_eq!(exceeded, Exceeded::Steps(limits.sizes.steps));
                    false
                }
            }
        };
        let shortest = (1..).map(|power| 1 << power).find(|&length| !is_parsed(length, 2)).unwrap();
        assert!(shortest > 100, "{shortest}");
        assert!(is_parsed(shortest, shortest));
    }
}
