//! The model of a pattern: an abstract derivation tree.
//!
//! A node of a pattern is concrete (this very rule, or this very character), abstract (any subtree
//! of that nonterminal), bound (any subtree, and all with that number yield the same string), or has a
//! condition (any subtree at whose root it holds). The texts of bound nodes may be under a constraint. Children stand in the
//! order of the rule's symbols, as in a [`Tree`]. What a pattern matches is defined in [`super::matching`].

use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, LiteralId, NonterminalId, RuleId};
use crate::id_type;
use crate::tree::{Label, NodeId, Tree};

use super::condition::Condition;
use super::constraint::Constraint;
use super::expression::PatternId;

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
    /// This letter, a small one of ASCII, or the capital one, where the parent's rule has a class with both.
    Letter(char),
    /// Any character of the class that the parent's rule has here. No text of a pattern says this: it is in those that the
    /// program makes ([`super::ways`]).
    AnyChar,
    /// Any subtree of this nonterminal.
    Abstract(NonterminalId),
    /// Any subtree of this nonterminal; all nodes with the same number yield the same string.
    Bound(NonterminalId, u32),
    /// A subtree of this nonterminal at whose root the condition holds; with a number, it is bound as well.
    Where(NonterminalId, Option<u32>, Condition),
}

impl PatternNode {
    /// The nonterminal of an open node: one without children that stands for a subtree.
    pub fn open(&self) -> Option<NonterminalId> {
        match *self {
            Self::Abstract(nonterminal) | Self::Bound(nonterminal, _) | Self::Where(nonterminal, _, _) => {
                Some(nonterminal)
            }
            Self::Rule(..) | Self::Literal(_) | Self::Char(_) | Self::Letter(_) | Self::AnyChar => None,
        }
    }

    /// The number of a bound node.
    pub fn number(&self) -> Option<u32> {
        match *self {
            Self::Bound(_, number) => Some(number),
            Self::Where(_, number, _) => number,
            _ => None,
        }
    }

    /// What a node asks of the root of its subtree.
    pub fn condition(&self) -> Option<&Condition> {
        match self {
            Self::Where(_, _, condition) => Some(condition),
            _ => None,
        }
    }
}

/// A pattern.
///
/// It can be stored, and read back with the very same grammar.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Pattern {
    /// Children come before their parents; the root is the last.
    nodes: IdVec<PatternNodeId, PatternNode>,
    characteristic: NonterminalId,
    /// What is asked of the texts of bound nodes, those of names that conditions refer to included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
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
        openness: impl FnMut(NodeId, NonterminalId) -> Option<Openness>,
    ) -> Self {
        Self::from_tree_in_either_case(grammar, tree, root, openness, |_| false)
    }

    /// As [`Self::from_tree`] with those letters in either case of which `is_in_either_case` says so: their classes have both.
    ///
    /// # Panics
    /// When `root` is a terminal.
    pub fn from_tree_in_either_case(
        grammar: &Grammar,
        tree: &Tree,
        root: NodeId,
        mut openness: impl FnMut(NodeId, NonterminalId) -> Option<Openness>,
        is_in_either_case: impl Fn(NodeId) -> bool,
    ) -> Self {
        let part = |node, nonterminal| openness(node, nonterminal).map(Part::Open);
        Self::with_parts(grammar, tree, root, part, is_in_either_case)
    }

    /// As [`Self::from_tree`]; parts of other patterns may stand for nodes as well, and letters may be in either case.
    ///
    /// # Panics
    /// When `root` is a terminal.
    pub(super) fn with_parts<'p>(
        grammar: &Grammar,
        tree: &Tree,
        root: NodeId,
        mut part: impl FnMut(NodeId, NonterminalId) -> Option<Part<'p>>,
        is_in_either_case: impl Fn(NodeId) -> bool,
    ) -> Self {
        let characteristic = tree.nonterminal(grammar, root).expect("the root of a pattern is a nonterminal");
        let mut nodes = IdVec::new();
        let mut done: Vec<PatternNodeId> = Vec::new();
        let mut work = vec![(root, false)];
        while let Some((node, children_done)) = work.pop() {
            let pattern_node = match tree.label(node) {
                Label::Literal(literal) => PatternNode::Literal(literal),
                Label::Char(c) if is_in_either_case(node) => PatternNode::Letter(c.to_ascii_lowercase()),
                Label::Char(c) => PatternNode::Char(c),
                Label::Rule(rule) if children_done => {
                    let first = done.len() - tree.children(node).len();
                    PatternNode::Rule(rule, done.drain(first..).collect())
                }
                Label::Rule(rule) => {
                    let nonterminal = grammar.rule(rule).lhs;
                    match part(node, nonterminal) {
                        Some(Part::Open(openness)) => openness.of(nonterminal),
                        Some(Part::Pattern(pattern)) => {
                            done.push(copy(pattern, pattern.root(), &mut nodes));
                            continue;
                        }
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
        Self { nodes, characteristic, constraint: None }
    }

    /// The pattern with these nodes, children before their parents and in the order of the rules' symbols; the root is the
    /// last one.
    pub fn new(nodes: IdVec<PatternNodeId, PatternNode>, characteristic: NonterminalId) -> Self {
        Self { nodes, characteristic, constraint: None }
    }

    /// The pattern that is nothing but a placeholder: any subtree of a nonterminal, or some of them.
    pub fn placeholder(nonterminal: NonterminalId, openness: Openness) -> Self {
        Self::new(IdVec::from_iter([openness.of(nonterminal)]), nonterminal)
    }

    /// The pattern of one of its nodes with a nonterminal, and of what is below it.
    ///
    /// # Panics
    /// When the node is a terminal.
    pub(super) fn part(&self, grammar: &Grammar, node: PatternNodeId) -> Self {
        let characteristic = match self.node(node) {
            PatternNode::Rule(rule, _) => grammar.rule(*rule).lhs,
            open => open.open().expect("the node has a nonterminal"),
        };
        let mut nodes = IdVec::new();
        copy(self, node, &mut nodes);
        Self::new(nodes, characteristic)
    }

    /// The pattern with other nodes in place of some.
    #[must_use]
    pub(super) fn with_nodes(&self, other: impl FnMut(&PatternNode) -> PatternNode) -> Self {
        let nodes = self.nodes.iter().map(other).collect();
        Self { nodes, characteristic: self.characteristic, constraint: self.constraint.clone() }
    }

    /// The pattern with another constraint, or none.
    #[must_use]
    pub fn constrained(self, constraint: Option<Constraint>) -> Self {
        Self { constraint, ..self }
    }

    /// What it asks of the texts of bound nodes beyond their being equal.
    pub fn constraint(&self) -> Option<&Constraint> {
        self.constraint.as_ref()
    }

    /// The pattern with abstract nodes in place of bound ones, and without a constraint.
    #[must_use]
    pub fn unbound(&self) -> Self {
        let unbound = self.with_nodes(|node| match node {
            PatternNode::Bound(nonterminal, _) => PatternNode::Abstract(*nonterminal),
            PatternNode::Where(nonterminal, _, condition) => {
                PatternNode::Where(*nonterminal, None, condition.clone())
            }
            other => other.clone(),
        });
        unbound.constrained(None)
    }

    /// The pattern whose conditions have other names.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(PatternId) -> PatternId) -> Self {
        self.with_nodes(|node| match node {
            PatternNode::Where(nonterminal, number, condition) => {
                PatternNode::Where(*nonterminal, *number, condition.renamed(&name))
            }
            other => other.clone(),
        })
    }

    /// The conditions of its nodes.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.nodes.iter().filter_map(PatternNode::condition)
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

    /// The open nodes with the nodes of `tree` that stand for them, in document order, where the subtree at `node`
    /// has the rules and the characters of the pattern; nothing where it has not.
    pub fn open_nodes(&self, tree: &Tree, node: NodeId) -> Option<Vec<(PatternNodeId, NodeId)>> {
        let mut open = Vec::new();
        let mut work = vec![(self.root(), node)];
        while let Some((wanted, node)) = work.pop() {
            match (self.node(wanted), tree.label(node)) {
                (PatternNode::Rule(rule, wanted), Label::Rule(found)) if *rule == found => {
                    work.extend(wanted.iter().copied().zip(tree.children(node).iter().copied()).rev());
                }
                (PatternNode::Char(wanted), Label::Char(found)) if *wanted == found => {}
                (PatternNode::Letter(wanted), Label::Char(found)) if wanted.eq_ignore_ascii_case(&found) => {}
                (PatternNode::AnyChar, Label::Char(_)) | (PatternNode::Literal(_), Label::Literal(_)) => {}
                // The parent's rules are equal, so the nonterminals are.
                (
                    PatternNode::Abstract(_) | PatternNode::Bound(..) | PatternNode::Where(..),
                    Label::Rule(_),
                ) => {
                    open.push((wanted, node));
                }
                _ => return None,
            }
        }
        Some(open)
    }

    /// Whether the subtree of `tree` at `node` has the rules and the characters of the pattern. Open nodes are all
    /// taken as abstract here.
    pub fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        self.open_nodes(tree, node).is_some()
    }
}

/// Copies a node with all that is below it.
fn copy(
    pattern: &Pattern,
    node: PatternNodeId,
    nodes: &mut IdVec<PatternNodeId, PatternNode>,
) -> PatternNodeId {
    let mut done: Vec<PatternNodeId> = Vec::new();
    let mut work = vec![(node, false)];
    while let Some((node, children_done)) = work.pop() {
        let copy = match pattern.node(node) {
            PatternNode::Rule(rule, children) if children_done => {
                let first = done.len() - children.len();
                PatternNode::Rule(*rule, done.drain(first..).collect())
            }
            PatternNode::Rule(_, children) => {
                work.push((node, true));
                work.extend(children.iter().rev().map(|&child| (child, false)));
                continue;
            }
            other => other.clone(),
        };
        done.push(nodes.push(copy));
    }
    done.pop().expect("the node is the last that is done")
}

/// What stands for a node of a tree in a pattern.
pub(super) enum Part<'p> {
    /// An open node.
    Open(Openness),
    /// All of another pattern.
    Pattern(&'p Pattern),
}

/// In which way a node of a tree is left open in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openness {
    /// Any subtree.
    Abstract,
    /// Any subtree, equal in text to all others with this number.
    Bound(u32),
    /// A subtree at whose root the condition holds; with a number, it is bound as well.
    Where(Option<u32>, Condition),
}

impl Openness {
    fn of(self, nonterminal: NonterminalId) -> PatternNode {
        match self {
            Self::Abstract => PatternNode::Abstract(nonterminal),
            Self::Bound(number) => PatternNode::Bound(nonterminal, number),
            Self::Where(number, condition) => PatternNode::Where(nonterminal, number, condition),
        }
    }
}
