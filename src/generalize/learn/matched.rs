//! The classes in which the subtrees of a tree are, and where these stand.

use std::ops::Index;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::pattern::Side;
use crate::tree::{NodeId, Tree};

use super::hypothesis::ClassId;

/// The classes in which each subtree is, bound nodes apart.
pub(super) struct Matched {
    at: IdVec<NodeId, BitSet<ClassId>>,
    /// Of the classes that are looked for in subtrees, those in which it or a subtree of it is.
    within: IdVec<NodeId, BitSet<ClassId>>,
}

impl Matched {
    /// Nothing known yet of nodes with numbers below `most`.
    pub(super) fn new(most: usize) -> Self {
        Self { at: IdVec::filled(BitSet::new(), most), within: IdVec::filled(BitSet::new(), most) }
    }

    /// Says in which classes a node is, and which of those that are looked for in subtrees it has in its own.
    pub(super) fn set(&mut self, node: NodeId, at: BitSet<ClassId>, within: BitSet<ClassId>) {
        self.at[node] = at;
        self.within[node] = within;
    }

    /// Whether a node is in a class; a node of which nothing is known is in none.
    pub(super) fn is_in(&self, node: NodeId, class: ClassId) -> bool {
        self.at.get(node).is_some_and(|classes| classes.contains(class))
    }

    /// The classes, of those that are looked for in subtrees, that a node has at it or below.
    pub(super) fn within(&self, node: NodeId) -> &BitSet<ClassId> {
        &self.within[node]
    }
}

impl Index<NodeId> for Matched {
    type Output = BitSet<ClassId>;

    fn index(&self, node: NodeId) -> &BitSet<ClassId> {
        &self.at[node]
    }
}

/// Where the classes of a tree stand, in document order.
pub(super) struct Places<'t> {
    tree: &'t Tree,
    matched: &'t Matched,
    order: Vec<NodeId>,
    begins: IdVec<NodeId, usize>,
}

impl<'t> Places<'t> {
    pub(super) fn new(tree: &'t Tree, matched: &'t Matched) -> Self {
        let order: Vec<NodeId> = tree.preorder(tree.root()).collect();
        let most = order.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let mut begins = IdVec::filled(0, most);
        for (place, &node) in order.iter().enumerate() {
            begins[node] = place;
        }
        Self { tree, matched, order, begins }
    }

    /// Whether a class stands on one side of a node.
    pub(super) fn has(&self, class: ClassId, side: Side, node: NodeId) -> bool {
        let is_it = |at: &NodeId| self.matched.is_in(*at, class);
        let begin = self.begins[node];
        match side {
            Side::Before => {
                let mut before = self.order[..begin].iter().filter(|&at| is_it(at));
                before.any(|&at| self.begins[at] + self.tree.size(at) <= begin)
            }
            Side::Behind => self.order[begin + self.tree.size(node)..].iter().any(is_it),
            Side::Around => self.is_inside(class, node, &[]),
        }
    }

    /// Whether a class stands at a node or around it, with none of some boundaries between.
    pub(super) fn is_inside(&self, class: ClassId, node: NodeId, boundaries: &[ClassId]) -> bool {
        let is_in = |at: NodeId, class| self.matched.is_in(at, class);
        let mut path = std::iter::successors(Some(node), |&at| self.tree.parent(at));
        let end = path.find(|&at| is_in(at, class) || boundaries.iter().any(|&other| is_in(at, other)));
        end.is_some_and(|at| is_in(at, class))
    }
}
