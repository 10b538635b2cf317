//! Where the nodes of a tree stand, and how large they are, in a tree that is edited again and again.
//!
//! Lengths and tokens of a node are those of its children, so an edit changes them for the new nodes and for the nodes above alone. Where a node
//! begins and how deep it is may change for all nodes at once: that is found when it is asked for, from the nearest node above of which it is
//! known since the last edit, and kept until the next one. So an edit costs what it takes out and puts in and the nodes above it, whatever the
//! size of the tree.

use std::cell::Cell;

use crate::base::id::{Id, IdVec};
use crate::grammar::Grammar;
use crate::tree::{Label, NodeId, Tree};

/// What is known of a node.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The node is in the tree. Of one that is not all else is 0.
    is_live: bool,
    /// Bytes below the node.
    length: u32,
    /// Tokens below the node, itself included: token nodes, and terminals outside of tokens.
    tokens: u32,
    location: Cell<Location>,
}

/// Where a node was when the tree had been edited some number of times.
#[derive(Clone, Copy, Debug, Default)]
struct Location {
    begin: u32,
    depth: u32,
    /// The number of edits; 0 where nothing was found yet.
    edition: u32,
}

/// The places of all nodes of a tree.
#[derive(Clone, Debug)]
pub(super) struct Places {
    of: IdVec<NodeId, Place>,
    /// One more than the number of edits.
    edition: u32,
}

impl Places {
    /// The places in a tree.
    pub(super) fn new(grammar: &Grammar, tree: &Tree) -> Self {
        let mut places = Self { of: IdVec::new(), edition: 1 };
        places.add(grammar, tree, tree.root());
        places
    }

    /// Whether a node is in the tree.
    pub(super) fn is_live(&self, node: NodeId) -> bool {
        self.of.get(node).is_some_and(|place| place.is_live)
    }

    /// The number of bytes below a node.
    pub(super) fn length(&self, node: NodeId) -> usize {
        self.of[node].length as usize
    }

    /// The number of tokens below a node.
    pub(super) fn tokens(&self, node: NodeId) -> usize {
        self.of[node].tokens as usize
    }

    /// Where the text of a node begins and ends.
    pub(super) fn span(&self, tree: &Tree, node: NodeId) -> (usize, usize) {
        let begin = self.location(tree, node).begin as usize;
        (begin, begin + self.length(node))
    }

    /// The distance of a node from the root.
    pub(super) fn depth(&self, tree: &Tree, node: NodeId) -> usize {
        self.location(tree, node).depth as usize
    }

    fn location(&self, tree: &Tree, node: NodeId) -> Location {
        let is_known = |location: Location| location.edition == self.edition;
        let mut known = self.of[node].location.get();
        if is_known(known) || !self.of[node].is_live {
            return known;
        }
        // Up to what is known, and down again.
        let (mut open, mut at) = (Vec::new(), node);
        while !is_known(known) {
            if let Some(parent) = tree.parent(at) {
                open.push(at);
                at = parent;
                known = self.of[at].location.get();
            } else {
                known = Location { begin: 0, depth: 0, edition: self.edition };
                self.of[at].location.set(known);
            }
        }
        while let Some(child) = open.pop() {
            known = self.child(tree, at, known, child);
            at = child;
        }
        known
    }

    /// Finds where a child is whose parent is known.
    fn child(&self, tree: &Tree, parent: NodeId, known: Location, child: NodeId) -> Location {
        let before = tree.children(parent).iter().take_while(|&&sibling| sibling != child);
        let begin = known.begin + before.map(|&sibling| self.of[sibling].length).sum::<u32>();
        let found = Location { begin, depth: known.depth + 1, edition: self.edition };
        self.of[child].location.set(found);
        found
    }

    /// The nodes below `from` are no longer in the tree, but for those below `kept`.
    pub(super) fn remove(&mut self, tree: &Tree, from: NodeId, kept: &[NodeId]) {
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if !kept.contains(&node) {
                self.of[node] = Place::default();
                open.extend(tree.children(node));
            }
        }
    }

    /// The nodes below `top` that were made since this was asked last are in the tree.
    ///
    /// # Panics
    /// When the text has 4 GiB or more.
    pub(super) fn add(&mut self, grammar: &Grammar, tree: &Tree, top: NodeId) {
        let first = self.of.len();
        self.of.extend(std::iter::repeat_n(Place::default(), tree.node_bound() - first));
        let (mut order, mut open) = (Vec::new(), vec![top]);
        while let Some(node) = open.pop() {
            if node.index() >= first {
                order.push(node);
                open.extend(tree.children(node));
            }
        }
        for node in order.into_iter().rev() {
            self.measure(grammar, tree, node);
        }
    }

    /// The tree was edited below this node, whose children are known. Measures it, and what is above it.
    pub(super) fn changed(&mut self, grammar: &Grammar, tree: &Tree, below: Option<NodeId>) {
        self.edition += 1;
        let mut next = below;
        while let Some(node) = next {
            let before = (self.of[node].length, self.of[node].tokens);
            self.measure(grammar, tree, node);
            let after = (self.of[node].length, self.of[node].tokens);
            next = if before == after { None } else { tree.parent(node) };
        }
    }

    /// Measures a node whose children are known.
    fn measure(&mut self, grammar: &Grammar, tree: &Tree, node: NodeId) {
        let children = tree.children(node);
        let length = match tree.label(node) {
            Label::Rule(_) => children.iter().map(|&child| u64::from(self.of[child].length)).sum::<u64>(),
            Label::Literal(literal) => grammar.literal(literal).len() as u64,
            Label::Char(c) => c.len_utf8() as u64,
        };
        let is_token =
            tree.nonterminal(grammar, node).is_none_or(|id| grammar.nonterminal(id).token.is_some());
        let below = || children.iter().map(|&child| self.of[child].tokens).sum();
        let tokens = if is_token { 1 } else { below() };
        let place = &mut self.of[node];
        place.is_live = true;
        place.length = u32::try_from(length).expect("an input is shorter than 4 GiB");
        place.tokens = tokens;
    }
}
