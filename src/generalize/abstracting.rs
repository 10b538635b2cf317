//! Abstraction: which nodes of the input may vary, all others staying as they are.
//!
//! From the root down, large nodes before small ones. A node that may vary is done with, together with
//! all below it; under one that may not, its children are asked about. (ISSTA 2020, section 4.1.) What
//! follows keeps that cheap:
//!
//! - A node is only screened: [isolation](super::isolation) makes sure.
//! - Nodes of one and the same text, one above the other, are a chain, as in a grammar that has a
//!   nonterminal for each precedence. The top of a chain is tried first, then its bottom: where that
//!   may not vary, nothing in between may. Otherwise the highest that may is found by bisection.
//! - What may stand between words (`@skip`) is tried first and all at once, and what is empty in the
//!   input last and all at once.
//! - Tokens vary as a whole or not at all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::grammar::{HelperKind, Role};
use crate::oracle::Halt;
use crate::tree::NodeId;

use super::ddset::{Generalization, NodeGroup, Substitution};
use super::trial::{TrialOutcome, TrialSize};

/// A repetition that is judged less often is examined more closely.
const LEAST_RESOLVED_RATE: f64 = 0.6;

/// What is still to be asked about.
#[derive(Default)]
struct Work {
    /// By length, then from left to right.
    nodes: BinaryHeap<(usize, Reverse<usize>, NodeId)>,
    /// Nodes that derive the empty string here.
    empty: Vec<NodeGroup>,
}

impl Generalization<'_, '_, '_> {
    /// Finds the nodes of the whole tree that may vary, and groups of nodes that may vary together.
    pub(super) fn abstract_all(&mut self) -> Result<(), Halt> {
        let tree = self.example.tree;
        let mut skips = Vec::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            if self.is_skip(node) {
                skips.push(self.group([node]));
            } else if !self.is_token(node) {
                open.extend(tree.children(node).iter().rev());
            }
        }
        let [good, _] = self.settle(skips)?;
        self.spaces.extend(good.iter().flat_map(|group| group.iter().copied()));
        self.explore([tree.root()])?;
        self.share()
    }

    /// Finds the nodes that may vary among those of the subtrees at `roots`.
    pub(super) fn explore(&mut self, roots: impl IntoIterator<Item = NodeId>) -> Result<(), Halt> {
        let tree = self.example.tree;
        let mut work = Work::default();
        for root in roots {
            self.add(root, &mut work);
        }
        while let Some((.., top)) = work.nodes.pop() {
            let chain = self.chain(top);
            let found = self.highest(&chain)?;
            if let Some(found) = found {
                self.open(self.group([chain[found]]));
            }
            for (level, &node) in chain[..found.unwrap_or(chain.len())].iter().enumerate() {
                if !self.is_token(node) {
                    let next = chain.get(level + 1);
                    for &child in tree.children(node).iter().filter(|&child| Some(child) != next) {
                        self.add(child, &mut work);
                    }
                }
            }
        }
        while !work.empty.is_empty() {
            let [good, bad] = self.settle(std::mem::take(&mut work.empty))?;
            for group in good {
                self.open(group);
            }
            for &node in bad.iter().flat_map(|group| group.iter()) {
                if !self.is_token(node) {
                    for &child in tree.children(node) {
                        self.add(child, &mut work);
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, node: NodeId, work: &mut Work) {
        if self.example.tree.rule(node).is_none() {
            return;
        }
        if self.is_skip(node) {
            if self.spaces.contains(node) {
                self.open(self.group([node]));
            }
        } else if self.is_empty(node) {
            work.empty.push(self.group([node]));
        } else {
            work.nodes.push((self.text_of(node).len(), Reverse(self.order[node]), node));
        }
    }

    /// A node, and those below it with the same text.
    fn chain(&self, top: NodeId) -> Vec<NodeId> {
        let tree = self.example.tree;
        let mut chain = vec![top];
        let mut node = top;
        while !self.is_token(node) {
            let mut filled = tree.children(node).iter().copied().filter(|&child| !self.is_empty(child));
            match (filled.next(), filled.next()) {
                (Some(child), None) if tree.rule(child).is_some() && !self.is_skip(child) => node = child,
                _ => break,
            }
            chain.push(node);
        }
        chain
    }

    /// The highest of a chain that may vary.
    fn highest(&mut self, chain: &[NodeId]) -> Result<Option<usize>, Halt> {
        if self.may_vary(chain[0])? {
            return Ok(Some(0));
        }
        let (mut bad, mut good) = (0, chain.len() - 1);
        if good == 0 || !self.may_vary(chain[good])? {
            return Ok(None);
        }
        while good - bad > 1 {
            let middle = bad.midpoint(good);
            if self.may_vary(chain[middle])? {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Ok(Some(good))
    }

    /// Screens whether a node may vary.
    fn may_vary(&mut self, node: NodeId) -> Result<bool, Halt> {
        let group = self.group([node]);
        let nonterminal = self.nonterminal(&group);
        let place = self.spans[node];
        let known = self.evidence.texts(place, nonterminal);
        let first = known.into_iter().map(|text| vec![(group.clone(), text)]).collect();
        let (failing, refuting): (bool, Vec<Vec<Substitution>>) =
            match self.vary(std::slice::from_ref(&group), TrialSize::screening(self.settings), first)? {
                TrialOutcome::Holds(strings) => {
                    if strings == 1 {
                        self.fixed.insert(node);
                    }
                    let varies = !self.is_often_unresolved_repetition(&group);
                    if !varies {
                        self.does_not_vary(&group, None);
                    }
                    (varies, Vec::new())
                }
                TrialOutcome::Refuted(substitutions) => {
                    for (_, fill) in &substitutions {
                        self.likely.remember(nonterminal, fill);
                    }
                    self.does_not_vary(&group, Some(&substitutions));
                    (false, vec![substitutions])
                }
                TrialOutcome::Unclear(unresolved) => {
                    self.does_not_vary(&group, unresolved.last().map(Vec::as_slice));
                    (false, unresolved)
                }
            };
        for substitutions in refuting {
            let whole = self.splicer().splice_groups(&substitutions);
            for (_, fill) in &substitutions {
                self.evidence.tried(self.example.parser, place, fill, &whole);
            }
        }
        Ok(failing)
    }

    /// Whether a group is a repetition that the program often refuses, such as a list of arguments of
    /// which there must be one. Its parts may vary at their places, and be refused less.
    fn is_often_unresolved_repetition(&self, group: &NodeGroup) -> bool {
        let role = self.example.grammar.nonterminal(self.nonterminal(group)).role;
        matches!(role, Role::Helper(_))
            && !self.is_empty(group[0])
            && self.resolved_rate(group) < LEAST_RESOLVED_RATE
    }

    /// Whether a node is what may stand between words.
    pub(super) fn is_skip(&self, node: NodeId) -> bool {
        let grammar = self.example.grammar;
        self.example
            .tree
            .nonterminal(grammar, node)
            .is_some_and(|id| grammar.nonterminal(id).role == Role::Helper(HelperKind::Skip))
    }
}
