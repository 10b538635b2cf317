//! Which nodes a forest has, in an order with children before parents.
//!
//! A deterministic parse makes its nodes in such an order, and all of them are needed; then there is
//! nothing to do but to look which derivations of the empty string are used.

use std::collections::HashMap;

use crate::base::id::Id;
use crate::grammar::NonterminalId;

use super::forest::{Choice, Forest, ForestNodeId};
use super::productions::{NONE, Omitted};
use super::raw::{RawAlternative, RawNode};
use crate::base::components::components;

/// The nodes of a forest in order.
#[derive(Debug, Default)]
pub(super) struct Order {
    nodes: Vec<ForestNodeId>,
    /// Where in `nodes` a cycle begins and ends, ascending.
    cycles: Vec<(usize, usize)>,
    /// For each raw node (rests too) on a cycle: the cycle, and the least height of its derivations,
    /// counting nodes on the cycle only.
    ranks: HashMap<u32, (u32, u32)>,
    is_ambiguous: bool,
    /// See [`Self::empty_nodes`].
    empty_nodes: u64,
}

impl Order {
    pub(super) fn new(forest: &Forest) -> Self {
        let mut order = Self::default();
        let Some(root) = forest.raw_id(forest.root()) else {
            order.add_empty(forest, vec![NonterminalId::new(forest.root().index())]);
            return order;
        };
        if forest.raw.is_plain && forest.plan.loops.is_empty() {
            order.add_plain(forest);
            return order;
        }
        let used = used(forest, root);
        let is_used = |raw: &u32| used[*raw as usize];
        let raws = 0..forest.raw.nodes.len() as u32;
        order.add_empty(forest, empty_roots(forest, raws.clone().filter(is_used)));
        if forest.raw.is_ordered {
            for raw in raws.filter(is_used) {
                order.add(forest, &[raw], !forest.loops(raw).is_empty());
            }
        } else {
            let next = |raw: usize, next: &mut Vec<u32>| {
                each_child(forest, raw as u32, |child| next.push(child));
            };
            components(used.len(), [root as usize], next, |group, is_cycle| {
                order.add(forest, group, is_cycle || !forest.loops(group[0]).is_empty());
            });
        }
        order
    }

    /// See [`Forest::groups`].
    pub(super) fn groups(&self) -> impl Iterator<Item = (&[ForestNodeId], bool)> {
        let mut cycles = self.cycles.iter().peekable();
        let mut next = 0;
        std::iter::from_fn(move || {
            let begin = next;
            let (end, is_cycle) = match cycles.next_if(|&&(first, _)| first == begin) {
                Some(&(_, end)) => (end, true),
                None => (begin + 1, false),
            };
            next = end;
            self.nodes.get(begin..end).map(|group| (group, is_cycle))
        })
    }

    pub(super) fn is_ambiguous(&self) -> bool {
        self.is_ambiguous
    }

    /// The nodes of the largest derivation tree of the empty string in the first tree.
    pub(super) fn empty_nodes(&self) -> u64 {
        self.empty_nodes
    }

    pub(super) fn is_cyclic(&self) -> bool {
        !self.cycles.is_empty()
    }

    /// Whether taking `choice` at `raw` cannot lead round a cycle.
    pub(super) fn descends(&self, raw: u32, choice: Choice) -> bool {
        let Some(&(cycle, rank)) = self.ranks.get(&raw) else { return true };
        choice.nodes.iter().all(|node| match self.ranks.get(node) {
            Some(&(other, below)) => other != cycle || below < rank,
            None => true,
        })
    }

    /// Adds everything, when all raw nodes are needed and each has one production.
    fn add_plain(&mut self, forest: &Forest) {
        let plan = &forest.plan;
        let mut used = vec![false; plan.productions.len()];
        for node in &forest.raw.nodes {
            used[node.alternative.production as usize] = true;
        }
        let all = || used.iter().enumerate().filter(|&(_, &used)| used).map(|(production, _)| production);
        self.is_ambiguous = all().any(|production| plan.readings[production].len() > 1);
        let omitted = all().flat_map(|production| plan.omits[production].iter().copied());
        self.add_empty(forest, plan.rests.nonterminals(&plan.grammar, omitted));
        let nonterminals = plan.grammar.nonterminals().len() as u32;
        let nodes = forest.raw.nodes.iter().zip(0..);
        let nodes = nodes
            .filter(|(node, _)| plan.productions[node.alternative.production as usize].lhs < nonterminals);
        self.nodes.extend(nodes.map(|(_, raw)| forest.id(raw)));
    }

    /// Adds the derivations of the empty string below `roots`.
    fn add_empty(&mut self, forest: &Forest, roots: Vec<NonterminalId>) {
        let empty = &forest.plan.empty;
        self.empty_nodes = roots.iter().map(|&root| empty.size(root)).max().unwrap_or(0);
        for (group, is_cycle) in empty.below(&forest.plan.grammar, roots) {
            let begin = self.nodes.len();
            self.nodes.extend(group.iter().map(|nonterminal| ForestNodeId::new(nonterminal.index())));
            self.is_ambiguous |= group.iter().any(|&nonterminal| empty.rules(nonterminal).len() > 1);
            if is_cycle {
                self.cycles.push((begin, self.nodes.len()));
            }
        }
    }

    /// Adds a group of nodes and rests.
    fn add(&mut self, forest: &Forest, group: &[u32], is_cycle: bool) {
        let begin = self.nodes.len();
        let nonterminals = forest.plan.grammar.nonterminals().len() as u32;
        for &raw in group {
            if forest.variable(raw) < nonterminals {
                self.nodes.push(forest.id(raw));
            }
            self.is_ambiguous = self.is_ambiguous || forest.only_choice(raw).is_none();
        }
        if is_cycle {
            let cycle = self.cycles.len() as u32;
            self.cycles.push((begin, self.nodes.len()));
            self.rank(forest, group, cycle);
        }
    }

    /// Finds the ranks of the members of a cycle.
    fn rank(&mut self, forest: &Forest, group: &[u32], cycle: u32) {
        const NEVER: u32 = u32::MAX;
        let members: HashMap<u32, usize> = group.iter().copied().zip(0..).collect();
        // How many nodes of each choice have no rank yet, and whose choices a node is in.
        let mut missing: Vec<Vec<usize>> = Vec::with_capacity(group.len());
        let mut uses: Vec<Vec<(usize, usize)>> = vec![Vec::new(); group.len()];
        for (user, &raw) in group.iter().enumerate() {
            let choices = forest.choices(raw).into_iter().enumerate();
            let counts = choices.map(|(index, choice)| {
                let inner = choice.nodes.iter().filter_map(|node| members.get(node));
                inner.map(|&node| uses[node].push((user, index))).count()
            });
            missing.push(counts.collect());
        }
        let mut ranks = vec![NEVER; group.len()];
        let mut ready: Vec<usize> = (0..group.len()).collect();
        for round in 0.. {
            // What is assigned in a round makes nothing ready before the next one.
            ready.retain(|&node| {
                let is_ready = ranks[node] == NEVER && missing[node].contains(&0);
                if is_ready {
                    ranks[node] = round;
                }
                is_ready
            });
            let found = std::mem::take(&mut ready);
            for &(user, index) in found.iter().flat_map(|&node| &uses[node]) {
                missing[user][index] -= 1;
                if missing[user][index] == 0 {
                    ready.push(user);
                }
            }
            if found.is_empty() {
                break;
            }
        }
        self.ranks.extend(group.iter().zip(ranks).map(|(&raw, rank)| (raw, (cycle, rank))));
    }
}

/// Calls `visit` with the children of all alternatives of a raw node.
fn each_child(forest: &Forest, raw: u32, mut visit: impl FnMut(u32)) {
    each_alternative(forest, raw, |alternative| {
        alternative.nodes.into_iter().filter(|&child| child != NONE).for_each(&mut visit);
    });
}

fn each_alternative(forest: &Forest, raw: u32, mut visit: impl FnMut(&RawAlternative)) {
    let mut next = Some(&forest.raw.nodes[raw as usize].alternative);
    while let Some(alternative) = next {
        visit(alternative);
        next = forest.raw.more.get(alternative.more as usize);
    }
}

/// Which raw nodes are part of a derivation from `root`.
fn used(forest: &Forest, root: u32) -> Vec<bool> {
    if forest.raw.is_plain {
        // Nodes of characters that were spelled out in bytes are nobody's children.
        let readings = |node: &RawNode| &forest.plan.readings[node.alternative.production as usize];
        return forest.raw.nodes.iter().map(|node| !readings(node).is_empty()).collect();
    }
    let mut used = vec![false; forest.raw.nodes.len()];
    let mut work = vec![root];
    used[root as usize] = true;
    while let Some(raw) = work.pop() {
        each_child(forest, raw, |child| {
            if !std::mem::replace(&mut used[child as usize], true) {
                work.push(child);
            }
        });
    }
    used
}

/// The nonterminals that derive the empty string somewhere in an alternative of these raw nodes.
fn empty_roots(forest: &Forest, raws: impl Iterator<Item = u32>) -> Vec<NonterminalId> {
    let plan = &forest.plan;
    let mut productions = vec![false; plan.productions.len()];
    let mut omitted: Vec<Omitted> = Vec::new();
    for raw in raws {
        each_alternative(forest, raw, |alternative| {
            if !std::mem::replace(&mut productions[alternative.production as usize], true) {
                let production = alternative.production as usize;
                omitted.extend(&plan.omits[production]);
                omitted.extend(plan.loop_omits.get(&plan.productions[production].lhs).into_iter().flatten());
            }
        });
    }
    plan.rests.nonterminals(&plan.grammar, omitted.into_iter())
}
