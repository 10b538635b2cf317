//! A derivation tree in an arena.
//!
//! Every symbol of a rule has a node of its own: children stand in the order of the rule's symbols,
//! so that a path of child numbers means the same in a tree, in a rule and in a pattern. Nodes know
//! their parent, and replacing a subtree costs the size of the new subtree (nothing at all when it
//! is moved within the tree), whatever the size of the whole.
//!
//! All walks are loops: trees are as deep as inputs are long.

use crate::base::id::{Id, IdVec};
use crate::grammar::{CharClass, Grammar, LiteralId, NonterminalId, RuleId, Symbol};
use crate::id_type;

id_type!(
    /// A node of a derivation tree.
    NodeId
);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A nonterminal, expanded by this rule.
    Rule(RuleId),
    /// A literal terminal.
    Literal(LiteralId),
    /// A character that a class matched.
    Char(char),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    label: Label,
    /// The parent, or the node itself at a root.
    parent: NodeId,
    first_slot: u32,
    arity: u32,
}

/// A derivation tree.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: IdVec<NodeId, Node>,
    /// The children of all nodes, each node's in a row.
    slots: Vec<NodeId>,
    root: NodeId,
}

/// Builds a [`Tree`] from its leaves up.
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder {
    nodes: IdVec<NodeId, Node>,
    slots: Vec<NodeId>,
}

impl TreeBuilder {
    /// A builder without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a terminal.
    ///
    /// # Panics
    /// When `label` is a rule.
    pub fn leaf(&mut self, label: Label) -> NodeId {
        assert!(!matches!(label, Label::Rule(_)), "a rule is added with its children");
        self.add(label, &[])
    }

    /// Adds a nonterminal that was expanded by `rule` into `children`, which must have been added
    /// before and must have no parent yet.
    pub fn node(&mut self, rule: RuleId, children: &[NodeId]) -> NodeId {
        self.add(Label::Rule(rule), children)
    }

    fn add(&mut self, label: Label, children: &[NodeId]) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        let first_slot = u32::try_from(self.slots.len()).expect("a tree has fewer than 2^32 nodes");
        self.slots.extend_from_slice(children);
        for &child in children {
            self.nodes[child].parent = id;
        }
        self.nodes.push(Node { label, parent: id, first_slot, arity: children.len() as u32 })
    }

    /// The tree below `root`.
    pub fn finish(self, root: NodeId) -> Tree {
        Tree { nodes: self.nodes, slots: self.slots, root }
    }
}

impl Tree {
    /// The root.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// One more than the largest number of a node that is in the tree, or ever was.
    pub fn node_bound(&self) -> usize {
        self.nodes.len()
    }

    /// What a node is.
    pub fn label(&self, node: NodeId) -> Label {
        self.nodes[node].label
    }

    /// The children of a node, one for each symbol of its rule.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let Node { first_slot, arity, .. } = self.nodes[node];
        &self.slots[first_slot as usize..(first_slot + arity) as usize]
    }

    /// The parent of a node; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes[node].parent;
        (parent != node).then_some(parent)
    }

    /// The rule by which a node was expanded; `None` for terminals.
    pub fn rule(&self, node: NodeId) -> Option<RuleId> {
        match self.nodes[node].label {
            Label::Rule(rule) => Some(rule),
            Label::Literal(_) | Label::Char(_) => None,
        }
    }

    /// The nonterminal of a node; `None` for terminals.
    pub fn nonterminal(&self, grammar: &Grammar, node: NodeId) -> Option<NonterminalId> {
        self.rule(node).map(|rule| grammar.rule(rule).lhs)
    }

    /// The class that a letter of ASCII is of, if it might be in the other case as well.
    pub fn class_of_both_cases<'g>(&self, grammar: &'g Grammar, node: NodeId) -> Option<&'g CharClass> {
        let Label::Char(c) = self.label(node) else { return None };
        let parent = self.parent(node)?;
        let place = self.children(parent).iter().position(|&child| child == node)?;
        let Symbol::Class(class) = grammar.rule(self.rule(parent)?).symbols[place] else { return None };
        let class = grammar.class(class);
        let has_both = class.contains(c.to_ascii_lowercase()) && class.contains(c.to_ascii_uppercase());
        (c.is_ascii_alphabetic() && has_both).then_some(class)
    }

    /// The nodes of the subtree at `node`: parents before children, from left to right.
    pub fn preorder(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut open = vec![node];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(self.children(node).iter().rev());
            Some(node)
        })
    }

    /// The nodes of the subtree at `node`: children before parents, from left to right.
    pub fn postorder(&self, node: NodeId) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            order.push(node);
            open.extend(self.children(node));
        }
        order.reverse();
        order
    }

    /// The number of nodes of the subtree at `node`.
    pub fn size(&self, node: NodeId) -> usize {
        self.preorder(node).count()
    }

    /// Appends the text below `node` to `text`.
    pub fn write_yield(&self, grammar: &Grammar, node: NodeId, text: &mut Vec<u8>) {
        for node in self.preorder(node) {
            write_terminal(grammar, self.label(node), text);
        }
    }

    /// The text of the whole tree.
    pub fn text(&self, grammar: &Grammar) -> Vec<u8> {
        let mut text = Vec::new();
        self.write_yield(grammar, self.root, &mut text);
        text
    }

    /// Where the text of each node begins and ends, in bytes. Nodes that are no longer in the tree
    /// have empty spans.
    pub fn spans(&self, grammar: &Grammar) -> IdVec<NodeId, (usize, usize)> {
        let mut spans = IdVec::filled((0, 0), self.nodes.len());
        let mut text = Vec::new();
        let mut open = vec![(self.root, false)];
        while let Some((node, done)) = open.pop() {
            if done {
                spans[node].1 = text.len();
                continue;
            }
            spans[node].0 = text.len();
            write_terminal(grammar, self.label(node), &mut text);
            open.push((node, true));
            open.extend(self.children(node).iter().rev().map(|&child| (child, false)));
        }
        spans
    }

    /// Puts a copy of `other`'s subtree at `from` into the place of `node`, and says which node it
    /// became. Costs the size of the copy.
    pub fn replace(&mut self, node: NodeId, other: &Self, from: NodeId) -> NodeId {
        let copy = self.adopt(other, from);
        self.hang(node, copy);
        copy
    }

    /// Puts `descendant`, a node below `node`, into the place of `node`. Costs one step.
    pub fn hoist(&mut self, node: NodeId, descendant: NodeId) {
        self.hang(node, descendant);
    }

    /// A copy of the subtree at `node`, as a tree of its own.
    #[must_use]
    pub fn subtree(&self, node: NodeId) -> Self {
        let mut copy = Self { nodes: IdVec::new(), slots: Vec::new(), root: node };
        copy.root = copy.adopt(self, node);
        copy
    }

    /// The path from the root to `node`: the number of the child to follow at each step.
    pub fn path(&self, node: NodeId) -> Vec<usize> {
        let mut path = Vec::new();
        let mut node = node;
        while let Some(parent) = self.parent(node) {
            path.push(self.children(parent).iter().position(|&child| child == node).unwrap_or(0));
            node = parent;
        }
        path.reverse();
        path
    }

    /// The node at the end of `path`, if there is one.
    pub fn at(&self, path: &[usize]) -> Option<NodeId> {
        path.iter().try_fold(self.root, |node, &step| self.children(node).get(step).copied())
    }

    fn adopt(&mut self, other: &Self, from: NodeId) -> NodeId {
        let offset = self.nodes.len();
        // Preorder numbers: a node's copy is known before its children are met.
        let mut copies = vec![(from, None::<usize>)];
        let mut next = 0;
        while let Some((original, slot)) = copies.pop() {
            let id = NodeId::new(offset + next);
            next += 1;
            let children = other.children(original);
            let first_slot = self.slots.len();
            self.slots.resize(first_slot + children.len(), id);
            self.nodes.push(Node {
                label: other.label(original),
                parent: id,
                first_slot: u32::try_from(first_slot).expect("a tree has fewer than 2^32 nodes"),
                arity: children.len() as u32,
            });
            if let Some(slot) = slot {
                // Until it is filled, a slot holds its owner.
                self.nodes[id].parent = self.slots[slot];
                self.slots[slot] = id;
            }
            copies.extend(
                children.iter().enumerate().rev().map(|(index, &child)| (child, Some(first_slot + index))),
            );
        }
        NodeId::new(offset)
    }

    /// Makes `new` stand where `old` stood.
    fn hang(&mut self, old: NodeId, new: NodeId) {
        match self.parent(old) {
            None => {
                self.root = new;
                self.nodes[new].parent = new;
            }
            Some(parent) => {
                let Node { first_slot, arity, .. } = self.nodes[parent];
                for slot in &mut self.slots[first_slot as usize..(first_slot + arity) as usize] {
                    if *slot == old {
                        *slot = new;
                    }
                }
                self.nodes[new].parent = parent;
            }
        }
        if old != new {
            self.nodes[old].parent = old;
        }
    }
}

/// Trees are equal when they have the same shape and labels, whatever their node numbers.
impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        let mut left = self.preorder(self.root);
        let mut right = other.preorder(other.root);
        loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(a), Some(b))
                    if self.label(a) == other.label(b)
                        && self.children(a).len() == other.children(b).len() => {}
                _ => return false,
            }
        }
    }
}

impl Eq for Tree {}

fn write_terminal(grammar: &Grammar, label: Label, text: &mut Vec<u8>) {
    match label {
        Label::Rule(_) => {}
        Label::Literal(literal) => text.extend_from_slice(grammar.literal(literal)),
        Label::Char(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{GrammarBuilder, Name, Symbol};

    /// `<e> ::= "(" <e> ")" | "x"`
    fn nested() -> (Grammar, RuleId, RuleId) {
        let mut builder = GrammarBuilder::new();
        let e = builder.nonterminal(Name::base("e"));
        let [open, close, x] =
            ["(", ")", "x"].map(|text| builder.literal(text.as_bytes()).expect("not empty"));
        let nest = builder.rule(e, [open, Symbol::Nonterminal(e), close]);
        let leaf = builder.rule(e, [x]);
        (builder.finish(e), nest, leaf)
    }

    fn brackets(grammar: &Grammar, nest: RuleId, leaf: RuleId, depth: usize) -> Tree {
        let literal = |text: &str| {
            Label::Literal(LiteralId::new(
                ["(", ")", "x"].iter().position(|t| *t == text).expect("one of the three"),
            ))
        };
        assert_eq!(grammar.literals().len(), 3);
        let mut builder = TreeBuilder::new();
        let x = builder.leaf(literal("x"));
        let mut node = builder.node(leaf, &[x]);
        for _ in 0..depth {
            let open = builder.leaf(literal("("));
            let close = builder.leaf(literal(")"));
            node = builder.node(nest, &[open, node, close]);
        }
        builder.finish(node)
    }

    #[test]
    fn replacing_and_hoisting_change_the_text_there_only() {
        let (grammar, nest, leaf) = nested();
        let mut tree = brackets(&grammar, nest, leaf, 3);
        let inner = tree.at(&[1, 1]).expect("three levels");
        assert_eq!(tree.path(inner), [1, 1]);
        let new =
            tree.replace(inner, &brackets(&grammar, nest, leaf, 2), brackets(&grammar, nest, leaf, 2).root());
        assert_eq!(tree.text(&grammar), b"((((x))))");
        assert_eq!(tree.at(&[1, 1]), Some(new));
        let deep = tree.at(&[1, 1, 1, 1]).expect("five levels");
        tree.hoist(tree.root(), deep);
        assert_eq!(tree.text(&grammar), b"x");
        assert_eq!(tree.parent(tree.root()), None);
    }

    #[test]
    fn spans_are_those_of_the_text() {
        let (grammar, nest, leaf) = nested();
        let tree = brackets(&grammar, nest, leaf, 4);
        let text = tree.text(&grammar);
        let spans = tree.spans(&grammar);
        for node in tree.preorder(tree.root()) {
            let mut part = Vec::new();
            tree.write_yield(&grammar, node, &mut part);
            assert_eq!(&text[spans[node].0..spans[node].1], part);
        }
        assert_eq!(tree.subtree(tree.root()), tree);
    }

    #[test]
    fn a_very_deep_tree_needs_no_stack() {
        let (grammar, nest, leaf) = nested();
        let mut tree = brackets(&grammar, nest, leaf, 200_000);
        assert_eq!(tree.text(&grammar).len(), 400_001);
        assert_eq!(tree.postorder(tree.root()).len(), tree.size(tree.root()));
        let copy = tree.subtree(tree.root());
        let child = tree.children(tree.root())[1];
        tree.replace(child, &copy, copy.root());
        assert_eq!(tree.text(&grammar).len(), 400_003);
    }
}
