//! Making edits in the tree, which were found to fail, and keeping what is known of its nodes.

use crate::grammar::{RuleId, Symbol};
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::super::minimal::Frame;
use super::super::places::Places;
use super::{Edit, Workpiece};

/// For more edits than this all places are found anew, which costs as much as the tree is large. Each edit alone costs as much as it is deep
/// in the tree.
const MOST_ONE_BY_ONE: usize = 16;

impl Workpiece<'_> {
    /// Makes these edits, which were found to fail. Says which nodes are expanded by other rules now, and which nodes
    /// they became.
    pub(in crate::reduce) fn apply_all(&mut self, edits: &[Edit]) -> Vec<(NodeId, NodeId)> {
        let text = self.splices(edits).map(|splices| self.spliced(&splices));
        let mut expanded = Vec::new();
        let mut is_known = edits.len() <= MOST_ONE_BY_ONE;
        for &edit in edits {
            // An edit of what another one took out has no effect, but on what is not in the tree.
            is_known &= self.places.is_live(edit.node());
            let new = if is_known { self.edit_and_measure(edit) } else { self.edit(edit) };
            if let Edit::Shorten(old, _) = edit {
                expanded.push((old, new));
            }
        }
        if !is_known {
            self.places = Places::new(self.grammar, &self.tree);
        }
        self.text = text.unwrap_or_else(|| self.tree.text(self.grammar));
        self.check_text();
        expanded
    }

    /// Makes an edit that leads to this text. Says which node then stands where the edited one stood.
    pub(super) fn apply(&mut self, edit: Edit, text: Vec<u8>) -> NodeId {
        self.text = text;
        let new = if self.places.is_live(edit.node()) {
            self.edit_and_measure(edit)
        } else {
            let new = self.edit(edit);
            self.places = Places::new(self.grammar, &self.tree);
            new
        };
        self.check_text();
        new
    }

    /// What was made of the text is what was made of the tree.
    fn check_text(&self) {
        debug_assert!(self.text == self.tree.text(self.grammar));
    }

    /// Puts copies of `tree` into the places of `nodes`, which leads to this text. Says which nodes they became.
    pub(super) fn put(&mut self, nodes: &[NodeId], tree: &Tree, text: Vec<u8>) -> Vec<NodeId> {
        self.text = text;
        let is_known = nodes.len() <= MOST_ONE_BY_ONE;
        let mut put = |&node: &NodeId| {
            let new = self.tree.replace(node, tree, tree.root());
            if is_known {
                self.places.remove(&self.tree, node, &[]);
                self.places.add(self.grammar, &self.tree, new);
                self.places.changed(self.grammar, &self.tree, self.tree.parent(new));
            }
            new
        };
        let new = nodes.iter().map(&mut put).collect();
        if !is_known {
            self.places = Places::new(self.grammar, &self.tree);
        }
        self.check_text();
        new
    }

    /// Puts a part of `node` in a frame into its place, which leads to this text. Says which node stands there then.
    pub(super) fn put_around(&mut self, node: NodeId, frame: &Frame, part: NodeId, text: Vec<u8>) -> NodeId {
        self.text = text;
        let new = frame.put_around(&mut self.tree, node, part);
        self.places.remove(&self.tree, node, &[part]);
        self.places.add(self.grammar, &self.tree, new);
        self.places.changed(self.grammar, &self.tree, self.tree.parent(new));
        self.check_text();
        new
    }

    /// Makes an edit of a node that is in the tree, and finds out what it changes.
    fn edit_and_measure(&mut self, edit: Edit) -> NodeId {
        // What goes, and what of it stays elsewhere.
        let (gone, kept) = match edit {
            Edit::Hoist(node, descendant) => (vec![node], vec![descendant]),
            Edit::Empty(node) | Edit::Minimal(node) | Edit::Character(node, _) => (vec![node], Vec::new()),
            Edit::Shorten(node, rule) => {
                let kept = self.kept(node, rule).into_iter().flatten().flatten();
                (vec![node], kept.map(|index| self.tree.children(node)[index]).collect())
            }
            Edit::DropFirst(node, place) => {
                let second = self.second_element(node, place).map(<[_]>::to_vec).unwrap_or_default();
                (self.tree.children(node)[place + 1 - second.len()..=place].to_vec(), second)
            }
        };
        let new = self.edit(edit);
        for node in gone {
            self.places.remove(&self.tree, node, &kept);
        }
        let below = match edit {
            Edit::DropFirst(node, _) => Some(node),
            _ => {
                self.places.add(self.grammar, &self.tree, new);
                self.tree.parent(new)
            }
        };
        self.places.changed(self.grammar, &self.tree, below);
        new
    }

    fn edit(&mut self, edit: Edit) -> NodeId {
        match edit {
            Edit::Hoist(node, descendant) => {
                self.tree.hoist(node, descendant);
                descendant
            }
            Edit::Empty(node) | Edit::Minimal(node) => {
                let minimal = self
                    .tree
                    .nonterminal(self.grammar, node)
                    .and_then(|nonterminal| self.minimal.tree(self.grammar, nonterminal))
                    .expect("only nonterminals that derive something are in a tree");
                self.tree.replace(node, &minimal, minimal.root())
            }
            Edit::Character(node, c) => {
                let mut builder = TreeBuilder::new();
                let leaf = builder.leaf(Label::Char(c));
                self.tree.replace(node, &builder.finish(leaf), leaf)
            }
            Edit::Shorten(node, rule) => self.shorten(node, rule),
            Edit::DropFirst(node, place) => {
                let second = self.second_element(node, place).map(<[_]>::to_vec).unwrap_or_default();
                let first = self.tree.children(node)[place + 1 - second.len()..=place].to_vec();
                // What is taken out of the repetition goes first: then that is replaced by its own rest.
                for (old, new) in first.into_iter().zip(second) {
                    self.tree.hoist(old, new);
                }
                node
            }
        }
    }

    fn shorten(&mut self, node: NodeId, rule: RuleId) -> NodeId {
        let kept = self.kept(node, rule).expect("the candidate was made from these children");
        let children = self.tree.children(node).to_vec();
        // A tree of the new rule alone, with stand-ins for the children that it keeps.
        let mut builder = TreeBuilder::new();
        let leaves: Vec<NodeId> = self
            .grammar
            .rule(rule)
            .symbols
            .iter()
            .map(|symbol| match symbol {
                Symbol::Literal(literal) => builder.leaf(Label::Literal(*literal)),
                Symbol::Class(_) | Symbol::Nonterminal(_) => builder.node(rule, &[]),
            })
            .collect();
        let root = builder.node(rule, &leaves);
        let frame = builder.finish(root);
        let new = self.tree.replace(node, &frame, root);
        let stand_ins = self.tree.children(new).to_vec();
        for (stand_in, kept) in stand_ins.into_iter().zip(kept) {
            if let Some(index) = kept {
                self.tree.hoist(stand_in, children[index]);
            }
        }
        new
    }
}
