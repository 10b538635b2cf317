//! Where a hypothesis that rejects a tree nearly accepts it.

use crate::tree::{NodeId, Tree};

use super::hypothesis::{Alternative, ClassId, Want};
use super::matched::Matched;
use super::matching::{Matcher, is_met};

/// The number of nodes of a subtree that are looked at for a class that it should have in it.
const MOST_INNER: usize = 4;

/// A place at which a class is wanted and a tree is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// The class.
    pub(super) class: ClassId,
    /// The node.
    pub(super) node: NodeId,
}

impl Matcher<'_> {
    /// Places at which an alternative more would make the hypothesis accept a tree: those of one root class at one
    /// node, from the innermost to the outermost, for each such pair that comes near; the nearest pair first.
    pub(super) fn mismatches(&self, tree: &Tree, matched: &Matched) -> Vec<Vec<Mismatch>> {
        let mut found: Vec<(usize, usize, Vec<Mismatch>)> = Vec::new();
        let wanted = self.wanted(tree, matched);
        for (order, node) in tree.preorder(tree.root()).enumerate() {
            let Some(nonterminal) = tree.nonterminal(self.grammar, node) else { continue };
            for &root in &wanted {
                let may_stand = node == tree.root() || !self.hypothesis.is_anchored(root);
                let is_of_it = self.hypothesis.class(root).nonterminal == nonterminal;
                if may_stand && is_of_it && !matched[node].contains(root) {
                    let chain = self.near(tree, matched, root, node);
                    let size = chain.first().map_or(0, |place| tree.size(place.node));
                    found.push((size, order, chain));
                }
            }
        }
        found.sort_by_key(|(size, order, chain)| (*size, std::cmp::Reverse(chain.len()), *order));
        found.into_iter().map(|(.., chain)| chain).collect()
    }

    /// The root classes and what they need, without those that stand in a tree where something that is needed beside them does not.
    fn wanted(&self, tree: &Tree, matched: &Matched) -> Vec<ClassId> {
        let mut wanted = Vec::new();
        for &root in self.hypothesis.roots() {
            let needs = self.hypothesis.needs(root);
            let is_there = |class: ClassId| self.first(tree, matched, class).is_some();
            let all = std::iter::once(root).chain(needs.iter().copied());
            wanted.extend(all.filter(|&class| needs.is_empty() || !is_there(class)));
        }
        wanted
    }

    /// The places, from the innermost to the outermost, at one of which an alternative more would put a node into a class.
    pub(super) fn near(&self, tree: &Tree, matched: &Matched, class: ClassId, node: NodeId) -> Vec<Mismatch> {
        let mut chain = Vec::new();
        self.blame(tree, matched, class, node, &mut chain);
        chain.reverse();
        chain
    }

    /// The places, from the outermost to the innermost, at one of which an alternative more would do.
    fn blame(&self, tree: &Tree, matched: &Matched, class: ClassId, node: NodeId, chain: &mut Vec<Mismatch>) {
        let (mut class, mut node) = (class, node);
        loop {
            chain.push(Mismatch { class, node });
            let mut next: Option<(usize, ClassId, NodeId)> = None;
            for alternative in &self.hypothesis.class(class).alternatives {
                let Alternative::Rule(rule, wants) = alternative else { continue };
                if tree.rule(node) != Some(*rule) {
                    continue;
                }
                let mut unmet = wants
                    .iter()
                    .zip(tree.children(node))
                    .filter(|(want, child)| !is_met(want, tree, matched, **child));
                if let (Some((Want::In(wanted), &child)), None) = (unmet.next(), unmet.next()) {
                    let size = tree.size(child);
                    if next.is_none_or(|(known, ..)| size < known) {
                        next = Some((size, *wanted, child));
                    }
                }
            }
            match next {
                Some((_, wanted, child)) => (class, node) = (wanted, child),
                None => break,
            }
        }
        // Whatever is in a tree may be what is looked for there.
        for alternative in &self.hypothesis.class(class).alternatives {
            if let &Alternative::Has(inner, _) = alternative {
                let nonterminal = self.hypothesis.class(inner).nonterminal;
                let is_it = |&at: &NodeId| tree.nonterminal(self.grammar, at) == Some(nonterminal);
                let mut below: Vec<NodeId> = tree.preorder(node).skip(1).filter(is_it).collect();
                below.sort_by_key(|&at| std::cmp::Reverse(tree.size(at)));
                below.truncate(MOST_INNER);
                let chains = below.into_iter().map(|at| {
                    let mut chain = Vec::new();
                    self.blame(tree, matched, inner, at, &mut chain);
                    chain
                });
                let mut chains: Vec<Vec<Mismatch>> = chains.collect();
                // The deepest one is nearest.
                chains.sort_by_key(Vec::len);
                chain.extend(chains.into_iter().flatten());
            }
        }
    }
}
