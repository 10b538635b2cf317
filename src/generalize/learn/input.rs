//! Inputs with their trees, and other texts in the place of parts of them.

use std::rc::Rc;

use crate::base::id::IdVec;
use crate::base::limits::Exceeded;
use crate::parse::Parser;
use crate::tree::{NodeId, Tree};

use super::super::Example;
use super::super::ddset::Splicer;

/// An input and its derivation tree.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) text: Vec<u8>,
    pub(super) tree: Tree,
    pub(super) spans: IdVec<NodeId, (usize, usize)>,
    order: IdVec<NodeId, usize>,
}

impl Input {
    /// An input; `None` when it is none of the grammar.
    ///
    /// # Errors
    /// When it takes too much to parse.
    pub(super) fn parse(parser: &Parser, text: Vec<u8>) -> Result<Option<Rc<Self>>, Exceeded> {
        let Some(tree) = parser.first_tree(&text)? else { return Ok(None) };
        let spans = tree.spans(parser.grammar());
        let mut order = IdVec::filled(0, spans.len());
        for (place, node) in tree.preorder(tree.root()).enumerate() {
            order[node] = place;
        }
        Ok(Some(Rc::new(Self { text, tree, spans, order })))
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
