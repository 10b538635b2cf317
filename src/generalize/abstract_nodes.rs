//! What of an input may vary: nodes that may be anything, and groups of nodes that may be anything as
//! long as all of the group are the same.

use std::collections::HashMap;
use std::sync::Arc;

use crate::pattern::Openness;
use crate::tree::{NodeId, Tree};

/// The nodes of a tree that may vary, in groups that vary together: most groups are one node. They are
/// in document order, by their first nodes; no node is below an other one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractNodes {
    groups: Vec<Arc<[NodeId]>>,
}

impl AbstractNodes {
    /// These groups.
    pub(super) fn new(groups: impl IntoIterator<Item = Arc<[NodeId]>>) -> Self {
        Self { groups: groups.into_iter().collect() }
    }

    /// The groups.
    pub fn groups(&self) -> impl Iterator<Item = &[NodeId]> {
        self.groups.iter().map(|group| &**group)
    }

    /// The number of nodes that may vary.
    pub fn len(&self) -> usize {
        self.groups().map(<[NodeId]>::len).sum()
    }

    /// Whether nothing may vary.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The sizes of the groups of two nodes or more, in document order.
    pub fn shared(&self) -> Vec<usize> {
        self.groups().map(<[NodeId]>::len).filter(|&size| size > 1).collect()
    }

    /// How the nodes of the subtree at `root` are open in its pattern. A node of which no equal is in the
    /// subtree is free there.
    pub fn below(&self, tree: &Tree, root: NodeId) -> HashMap<NodeId, Openness> {
        let is_below = |node: NodeId| {
            std::iter::successors(Some(node), |&node| tree.parent(node)).any(|above| above == root)
        };
        let mut open = HashMap::new();
        let mut number = 0;
        for group in self.groups() {
            let inside: Vec<NodeId> = group.iter().copied().filter(|&node| is_below(node)).collect();
            match inside.as_slice() {
                [] => {}
                [node] => {
                    open.insert(*node, Openness::Abstract);
                }
                nodes => {
                    number += 1;
                    open.extend(nodes.iter().map(|&node| (node, Openness::Bound(number))));
                }
            }
        }
        open
    }
}
