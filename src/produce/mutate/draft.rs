//! A changed tree that is only written down, not built: what stands in the place of some of its nodes.

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::lexis::Pieces;
use crate::grammar::{Grammar, Lexis};
use crate::tree::{NodeId, Tree};

/// A part of what stands in the place of a node.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A text.
    Text(Vec<u8>),
    /// What stands at a node of the tree, with what is put into the places of nodes below it.
    Node(NodeId),
}

/// What stands in the places of nodes. Each change is written once: where the node comes again, in a copy, it is as it was.
pub(super) type Changes = FxHashMap<NodeId, Vec<Part>>;

/// A tree whose changes can be written.
pub(super) struct Draft<'a> {
    grammar: &'a Grammar,
    lexis: Option<&'a Lexis>,
    tree: &'a Tree,
    text: Vec<u8>,
    spans: IdVec<NodeId, (usize, usize)>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(grammar: &'a Grammar, lexis: Option<&'a Lexis>, tree: &'a Tree) -> Self {
        Self { grammar, lexis, tree, text: tree.text(grammar), spans: tree.spans(grammar) }
    }

    /// The text of the tree.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The text of a node.
    pub(super) fn text_of(&self, node: NodeId) -> &[u8] {
        let (begin, end) = self.spans[node];
        &self.text[begin..end]
    }

    /// The text with other parts in the places of nodes, and words kept apart around them.
    pub(super) fn write(&self, changes: &Changes) -> Vec<u8> {
        enum Step<'s> {
            /// A node; whether something else may stand in its place.
            Node(NodeId, bool),
            Text(&'s [u8]),
            Gap,
        }
        let mut above = BitSet::new();
        for &node in changes.keys() {
            let mut next = Some(node);
            while let Some(node) = next.filter(|&node| above.insert(node)) {
                next = self.tree.parent(node);
            }
        }
        let mut written = BitSet::new();
        let mut pieces = Pieces::default();
        let mut open = vec![Step::Node(self.tree.root(), true)];
        while let Some(step) = open.pop() {
            let (node, parts) = match step {
                Step::Text(text) => {
                    pieces.push(text);
                    continue;
                }
                Step::Gap => {
                    pieces.gap();
                    continue;
                }
                Step::Node(node, may_change) => (node, changes.get(&node).filter(|_| may_change)),
            };
            let parts = parts.filter(|_| written.insert(node));
            match parts {
                Some(parts) => {
                    let apart = self.has_gaps_around(node);
                    let inside = self.has_gaps_inside(node);
                    open.extend(apart.then_some(Step::Gap));
                    for (index, part) in parts.iter().enumerate().rev() {
                        open.push(match part {
                            Part::Text(text) => Step::Text(text),
                            Part::Node(other) => Step::Node(*other, false),
                        });
                        open.extend((inside && index > 0).then_some(Step::Gap));
                    }
                    open.extend(apart.then_some(Step::Gap));
                }
                None if above.contains(node) => {
                    open.extend(self.tree.children(node).iter().rev().map(|&child| Step::Node(child, true)));
                }
                None => pieces.push(self.text_of(node)),
            }
        }
        pieces.join(self.lexis)
    }

    /// Whether a node is a word, or made of words, or a gap.
    fn has_gaps_around(&self, node: NodeId) -> bool {
        let nonterminal = self.tree.nonterminal(self.grammar, node);
        self.lexis
            .zip(nonterminal)
            .is_some_and(|(lexis, id)| !lexis.is_lexical(id) || self.grammar.nonterminal(id).token.is_some())
    }

    /// Whether what stands below a node is made of words.
    fn has_gaps_inside(&self, node: NodeId) -> bool {
        let nonterminal = self.tree.nonterminal(self.grammar, node);
        self.lexis.zip(nonterminal).is_some_and(|(lexis, id)| !lexis.is_lexical(id))
    }
}
