//! The model of a pattern: an abstract derivation tree.
//!
//! A node of a pattern is concrete (this very rule, or this very character), abstract (any subtree
//! of that nonterminal) or bound (any subtree, and all with that number yield the same string).
//! Children stand in the order of the rule's symbols, as in a [`Tree`].

use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, LiteralId, NonterminalId, RuleId};
use crate::id_type;
use crate::tree::{Label, NodeId, Tree};

id_type!(
    /// A node of a pattern.
    PatternNodeId
);

/// One node of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PatternNode {
    /// A nonterminal that was expanded by this very rule into children that match these.
    Rule(RuleId, Box<[PatternNodeId]>),
    /// The literal that the parent's rule has here anyway.
    Literal(LiteralId),
    /// This very character, where the parent's rule has a class.
    Char(char),
    /// Any subtree of this nonterminal.
    Abstract(NonterminalId),
    /// Any subtree of this nonterminal; all nodes with the same number yield the same string.
    Bound(NonterminalId, u32),
}

/// A pattern.
///
/// It can be stored, and read back with the very same grammar.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Pattern {
    /// Children come before their parents; the root is the last.
    nodes: IdVec<PatternNodeId, PatternNode>,
    characteristic: NonterminalId,
}

impl Pattern {
    /// The pattern of the subtree at `root` of a derivation tree, whose root is a nonterminal.
    ///
    /// `openness` says of each nonterminal node whether it stays concrete (`None`) or becomes a node
    /// without children.
    ///
    /// # Panics
    /// When `root` is a terminal.
    pub fn from_tree(
        grammar: &Grammar,
        tree: &Tree,
        root: NodeId,
        mut openness: impl FnMut(NodeId, NonterminalId) -> Option<Openness>,
    ) -> Self {
        let characteristic = tree.nonterminal(grammar, root).expect("the root of a pattern is a nonterminal");
        let mut nodes = IdVec::new();
        let mut done: Vec<PatternNodeId> = Vec::new();
        let mut work = vec![(root, false)];
        while let Some((node, children_done)) = work.pop() {
            let pattern_node = match tree.label(node) {
                Label::Literal(literal) => PatternNode::Literal(literal),
                Label::Char(c) => PatternNode::Char(c),
                Label::Rule(rule) if children_done => {
                    let first = done.len() - tree.children(node).len();
                    PatternNode::Rule(rule, done.drain(first..).collect())
                }
                Label::Rule(rule) => {
                    let nonterminal = grammar.rule(rule).lhs;
                    match openness(node, nonterminal) {
                        Some(Openness::Abstract) => PatternNode::Abstract(nonterminal),
                        Some(Openness::Bound(number)) => PatternNode::Bound(nonterminal, number),
                        None => {
                            work.push((node, true));
                            work.extend(tree.children(node).iter().rev().map(|&child| (child, false)));
                            continue;
                        }
                    }
                }
            };
            done.push(nodes.push(pattern_node));
        }
        Self { nodes, characteristic }
    }

    /// The pattern with abstract nodes in place of bound ones.
    #[must_use]
    pub fn unbound(&self) -> Self {
        let plain = |node: &PatternNode| match node {
            PatternNode::Bound(nonterminal, _) => PatternNode::Abstract(*nonterminal),
            other => other.clone(),
        };
        Self { nodes: self.nodes.iter().map(plain).collect(), characteristic: self.characteristic }
    }

    /// The nonterminal at the root, at whose nodes the pattern may occur.
    pub fn characteristic(&self) -> NonterminalId {
        self.characteristic
    }

    /// The root.
    pub fn root(&self) -> PatternNodeId {
        PatternNodeId::new(self.nodes.len() - 1)
    }

    /// All nodes, children before parents.
    pub fn nodes(&self) -> &IdVec<PatternNodeId, PatternNode> {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, id: PatternNodeId) -> &PatternNode {
        &self.nodes[id]
    }

    /// The nodes in document order: parents before children, from left to right.
    pub fn preorder(&self) -> impl Iterator<Item = PatternNodeId> + '_ {
        let mut open = vec![self.root()];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            if let PatternNode::Rule(_, children) = self.node(node) {
                open.extend(children.iter().rev());
            }
            Some(node)
        })
    }

    /// Whether the subtree of `tree` at `node` matches. Bound nodes are taken as abstract here;
    /// whether they yield equal strings is checked by [`Self::is_bound_equally`].
    pub fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        let mut work = vec![(self.root(), node)];
        while let Some((wanted, node)) = work.pop() {
            match (self.node(wanted), tree.label(node)) {
                (PatternNode::Rule(rule, wanted), Label::Rule(found)) if *rule == found => {
                    work.extend(wanted.iter().copied().zip(tree.children(node).iter().copied()));
                }
                (PatternNode::Char(wanted), Label::Char(found)) if *wanted == found => {}
                (PatternNode::Literal(_), Label::Literal(_)) => {}
                // The parent's rules are equal, so the nonterminals are.
                (PatternNode::Abstract(_) | PatternNode::Bound(..), Label::Rule(_)) => {}
                _ => return false,
            }
        }
        true
    }

    /// Whether, at a node that matches, all subtrees with the same number yield the same string.
    pub fn is_bound_equally(&self, grammar: &Grammar, tree: &Tree, node: NodeId) -> bool {
        let mut texts: Vec<(u32, Vec<u8>)> = Vec::new();
        self.bound_nodes(tree, node).into_iter().all(|(number, node)| {
            let mut text = Vec::new();
            tree.write_yield(grammar, node, &mut text);
            match texts.iter().find(|(known, _)| *known == number) {
                Some((_, known)) => *known == text,
                None => {
                    texts.push((number, text));
                    true
                }
            }
        })
    }

    /// All nodes of `tree` at which the pattern occurs, in document order.
    pub fn occurrences(&self, grammar: &Grammar, tree: &Tree) -> Vec<NodeId> {
        tree.preorder(tree.root())
            .filter(|&node| tree.nonterminal(grammar, node) == Some(self.characteristic))
            .filter(|&node| self.matches(tree, node) && self.is_bound_equally(grammar, tree, node))
            .collect()
    }
}

/// In which way a node of a tree is left open in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Openness {
    /// Any subtree.
    Abstract,
    /// Any subtree, equal in text to all others with this number.
    Bound(u32),
}
