//! Which nodes a forest has, in an order with children before parents.
//!
//! A deterministic parse makes its nodes in such an order, and all of them are needed; then there is
//! nothing to do but to look which derivations of the empty string are used.

use std::collections::HashMap;

use crate::base::components::components;
use crate::base::id::{Id, IdVec};
use crate::grammar::NonterminalId;

use super::forest::{Choice, Forest, ForestNodeId};
use super::index::{CycleId, ProductionId, SppfNodeId};
use super::packed::{PackedNode, SymbolNode};
use super::productions::Omitted;

/// The nodes of a forest in order.
#[derive(Debug, Default)]
pub(super) struct Order {
    nodes: Vec<ForestNodeId>,
    /// Where in `nodes` a cycle begins and ends, ascending.
    cycles: IdVec<CycleId, (usize, usize)>,
    /// For each symbol node (rests too) on a cycle: the cycle, and the least height of its derivations,
    /// counting nodes on the cycle only.
    ranks: HashMap<SppfNodeId, (CycleId, u32)>,
    is_ambiguous: bool,
    /// See [`Self::empty_nodes`].
    empty_nodes: u64,
}

impl Order {
    pub(super) fn new(forest: &Forest) -> Self {
        let mut order = Self::default();
        let Some(root) = forest.packed_id(forest.root()) else {
            order.add_empty(forest, vec![NonterminalId::new(forest.root().index())]);
            return order;
        };
        if forest.packed.is_plain && forest.plan.loops.is_empty() {
            order.add_plain(forest);
            return order;
        }
        let used = used(forest, root);
        let is_used = |packed: &SppfNodeId| used[*packed];
        let all_packed = || forest.packed.nodes.ids().filter(is_used);
        order.add_empty(forest, empty_roots(forest, all_packed()));
        if forest.packed.is_ordered {
            for packed in all_packed() {
                order.add(forest, &[packed], !forest.loops(packed).is_empty());
            }
        } else {
            let next = |packed: SppfNodeId, next: &mut Vec<SppfNodeId>| {
                each_child(forest, packed, |child| next.push(child));
            };
            components(used.len(), [root], next, |group, is_cycle| {
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

    /// Whether taking `choice` at `packed` cannot lead round a cycle.
    pub(super) fn descends(&self, packed: SppfNodeId, choice: Choice) -> bool {
        let Some(&(cycle, rank)) = self.ranks.get(&packed) else { return true };
        choice.nodes.iter().flatten().all(|node| match self.ranks.get(node) {
            Some(&(other, below)) => other != cycle || below < rank,
            None => true,
        })
    }

    /// Adds everything, when all symbol nodes are needed and each has one production.
    fn add_plain(&mut self, forest: &Forest) {
        let plan = &forest.plan;
        let mut used: IdVec<ProductionId, bool> = IdVec::filled(false, plan.productions.len());
        for node in &forest.packed.nodes {
            used[node.alternative.production] = true;
        }
        let all = || used.ids().filter(|&production| used[production]);
        self.is_ambiguous = all().any(|production| plan.readings[production].len() > 1);
        let omitted = all().flat_map(|production| plan.omits[production].iter().copied());
        self.add_empty(forest, plan.rests.nonterminals(&plan.grammar, omitted));
        let nonterminals = plan.grammar.nonterminals().len();
        let nodes = forest.packed.nodes.entries();
        let nodes = nodes
            .filter(|(_, node)| plan.productions[node.alternative.production].lhs.index() < nonterminals);
        self.nodes.extend(nodes.map(|(packed, _)| forest.id(packed)));
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
    fn add(&mut self, forest: &Forest, group: &[SppfNodeId], is_cycle: bool) {
        let begin = self.nodes.len();
        let nonterminals = forest.plan.grammar.nonterminals().len();
        for &packed in group {
            if forest.variable(packed).index() < nonterminals {
                self.nodes.push(forest.id(packed));
            }
            self.is_ambiguous = self.is_ambiguous || forest.only_choice(packed).is_none();
        }
        if is_cycle {
            let cycle = self.cycles.push((begin, self.nodes.len()));
            self.rank(forest, group, cycle);
        }
    }

    /// Finds the ranks of the members of a cycle.
    fn rank(&mut self, forest: &Forest, group: &[SppfNodeId], cycle: CycleId) {
        let members: HashMap<SppfNodeId, usize> = group.iter().copied().zip(0..).collect();
        // How many nodes of each choice have no rank yet, and whose choices a node is in.
        let mut missing: Vec<Vec<usize>> = Vec::with_capacity(group.len());
        let mut uses: Vec<Vec<(usize, usize)>> = vec![Vec::new(); group.len()];
        for (user, &packed) in group.iter().enumerate() {
            let choices = forest.choices(packed).into_iter().enumerate();
            let counts = choices.map(|(index, choice)| {
                let inner = choice.nodes.iter().flatten().filter_map(|node| members.get(node));
                inner.map(|&node| uses[node].push((user, index))).count()
            });
            missing.push(counts.collect());
        }
        let mut ranks: Vec<Option<u32>> = vec![None; group.len()];
        let mut ready: Vec<usize> = (0..group.len()).collect();
        for round in 0.. {
            // What is assigned in a round makes nothing ready before the next one.
            ready.retain(|&node| {
                let is_ready = ranks[node].is_none() && missing[node].contains(&0);
                if is_ready {
                    ranks[node] = Some(round);
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
        self.ranks.extend(group.iter().zip(ranks).map(|(&packed, rank)| {
            let height = rank.expect("each node has a derivation that ends");
            (packed, (cycle, height))
        }));
    }
}

/// Calls `visit` with the children of all alternatives of a symbol node.
fn each_child(forest: &Forest, packed: SppfNodeId, mut visit: impl FnMut(SppfNodeId)) {
    each_alternative(forest, packed, |alternative| {
        alternative.nodes.into_iter().flatten().for_each(&mut visit);
    });
}

fn each_alternative(forest: &Forest, packed: SppfNodeId, mut visit: impl FnMut(&PackedNode)) {
    let mut next = Some(&forest.packed[packed].alternative);
    while let Some(alternative) = next {
        visit(alternative);
        next = forest.packed.after(alternative);
    }
}

/// Which symbol nodes are part of a derivation from `root`.
fn used(forest: &Forest, root: SppfNodeId) -> IdVec<SppfNodeId, bool> {
    if forest.packed.is_plain {
        // Nodes of characters that were spelled out in bytes are nobody's children.
        let readings = |node: &SymbolNode| &forest.plan.readings[node.alternative.production];
        return forest.packed.nodes.iter().map(|node| !readings(node).is_empty()).collect();
    }
    let mut used = IdVec::filled(false, forest.packed.nodes.len());
    let mut work = vec![root];
    used[root] = true;
    while let Some(packed) = work.pop() {
        each_child(forest, packed, |child| {
            if !std::mem::replace(&mut used[child], true) {
                work.push(child);
            }
        });
    }
    used
}

/// The nonterminals that derive the empty string somewhere in an alternative of these symbol nodes.
fn empty_roots(forest: &Forest, all_packed: impl Iterator<Item = SppfNodeId>) -> Vec<NonterminalId> {
    let plan = &forest.plan;
    let mut productions: IdVec<ProductionId, bool> = IdVec::filled(false, plan.productions.len());
    let mut omitted: Vec<Omitted> = Vec::new();
    for packed in all_packed {
        each_alternative(forest, packed, |alternative| {
            let production = alternative.production;
            if !std::mem::replace(&mut productions[production], true) {
                omitted.extend(&plan.omits[production]);
                omitted.extend(plan.loop_omits.get(&plan.productions[production].lhs).into_iter().flatten());
            }
        });
    }
    plan.rests.nonterminals(&plan.grammar, omitted.into_iter())
}
