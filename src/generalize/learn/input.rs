//! Inputs with their trees, and other texts in the place of parts of them.

use std::rc::Rc;

use crate::base::id::IdVec;
use crate::base::limits::Exceeded;
use crate::grammar::Grammar;
use crate::parse::{ParseError, Parser};
use crate::tree::{NodeId, Tree};

use super::super::Example;
use super::super::ddset::Splicer;

/// The most trees of an input that is ambiguous; of one that has more, the first one stands for all.
const MOST_TREES: usize = 16;

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
    /// When it takes too much to parse.
    pub(super) fn parse(parser: &Parser, text: Vec<u8>) -> Result<Option<Rc<Self>>, Exceeded> {
        let forest = match parser.parse(&text) {
            Ok(forest) => forest,
            Err(ParseError::Syntax(_)) => return Ok(None),
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
