//! Derivations of the empty string, which are the same everywhere in every input.
//!
//! The tables know no empty rules, so these derivations are worked out once for the grammar.

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::analysis;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

use crate::base::components::components;

/// How each nonterminal derives the empty string.
#[derive(Debug)]
pub(super) struct EmptyTrees {
    /// The rules by which each nonterminal derives the empty string, in order.
    rules: IdVec<NonterminalId, Vec<RuleId>>,
    /// The first of them that does not lead round a cycle.
    preferred: IdVec<NonterminalId, Option<RuleId>>,
    /// The nodes of the tree of the preferred rules; 0 if there is none, the largest number if it has more.
    sizes: IdVec<NonterminalId, u64>,
    /// The nonterminals that derive the empty string, children before parents, those of a cycle
    /// together; each group with whether it is a cycle.
    order: Vec<(Vec<NonterminalId>, bool)>,
}

impl EmptyTrees {
    pub(super) fn new(grammar: &Grammar) -> Self {
        let nullable = analysis::nullable(grammar);
        let mut rules: IdVec<NonterminalId, Vec<RuleId>> =
            IdVec::filled(Vec::new(), grammar.nonterminals().len());
        for nonterminal in nullable.iter() {
            rules[nonterminal] = grammar
                .rules_of(nonterminal)
                .iter()
                .copied()
                .filter(|&rule| children(grammar, rule).all(|c| c.is_some_and(|c| nullable.contains(c))))
                .collect();
        }
        let next = |nonterminal: NonterminalId, next: &mut Vec<NonterminalId>| {
            next.extend(rules[nonterminal].iter().flat_map(|&rule| children(grammar, rule).flatten()));
        };
        let mut order = Vec::new();
        let mut preferred = IdVec::filled(None, grammar.nonterminals().len());
        components(grammar.nonterminals().len(), nullable.iter(), next, |group, is_cycle| {
            prefer(grammar, &rules, group, &mut preferred);
            order.push((group.to_vec(), is_cycle));
        });
        let sizes = sizes(grammar, &preferred);
        Self { rules, preferred, sizes, order }
    }

    /// The rules by which `nonterminal` derives the empty string, in order.
    pub(super) fn rules(&self, nonterminal: NonterminalId) -> &[RuleId] {
        &self.rules[nonterminal]
    }

    /// The first of them that does not lead round a cycle; `None` when there are none.
    pub(super) fn preferred(&self, nonterminal: NonterminalId) -> Option<RuleId> {
        self.preferred[nonterminal]
    }

    /// The nodes of the first derivation tree of the empty string; 0 when there is none. They can be exponentially
    /// many; the largest number stands for larger ones.
    pub(super) fn size(&self, nonterminal: NonterminalId) -> u64 {
        self.sizes[nonterminal]
    }

    /// What the derivations of `roots` consist of, children before parents, those of a cycle
    /// together; each group with whether it is a cycle.
    pub(super) fn below(
        &self,
        grammar: &Grammar,
        roots: Vec<NonterminalId>,
    ) -> impl Iterator<Item = (&[NonterminalId], bool)> {
        let mut found = BitSet::new();
        let mut work = roots;
        while let Some(nonterminal) = work.pop() {
            if found.insert(nonterminal) {
                let rules = self.rules[nonterminal].iter();
                work.extend(rules.flat_map(|&rule| children(grammar, rule).flatten()));
            }
        }
        self.order
            .iter()
            .filter(move |(component, _)| found.contains(component[0]))
            .map(|(component, is_cycle)| (component.as_slice(), *is_cycle))
    }
}

/// The nonterminals of a rule; `None` for terminals.
fn children(grammar: &Grammar, rule: RuleId) -> impl Iterator<Item = Option<NonterminalId>> + '_ {
    grammar.rule(rule).symbols.iter().map(|&symbol| match symbol {
        Symbol::Nonterminal(nonterminal) => Some(nonterminal),
        Symbol::Literal(_) | Symbol::Class(_) => None,
    })
}

/// The sizes of the trees of preferred rules, in which nothing is below itself.
fn sizes(grammar: &Grammar, preferred: &IdVec<NonterminalId, Option<RuleId>>) -> IdVec<NonterminalId, u64> {
    let mut sizes = IdVec::filled(0, preferred.len());
    for root in preferred.ids() {
        let mut open = vec![root];
        while let Some(&nonterminal) = open.last() {
            let Some(rule) = preferred[nonterminal].filter(|_| sizes[nonterminal] == 0) else {
                open.pop();
                continue;
            };
            let before = open.len();
            open.extend(children(grammar, rule).flatten().filter(|&child| sizes[child] == 0));
            if open.len() == before {
                let size = |size: u64, child| size.saturating_add(sizes[child]);
                sizes[nonterminal] = children(grammar, rule).flatten().fold(1, size);
                open.pop();
            }
        }
    }
    sizes
}

/// Finds the preferred rule of each member of a component: the first whose children within the
/// component all have a derivation that is less deep than its own least one.
fn prefer(
    grammar: &Grammar,
    rules: &IdVec<NonterminalId, Vec<RuleId>>,
    component: &[NonterminalId],
    preferred: &mut IdVec<NonterminalId, Option<RuleId>>,
) {
    let members: HashMap<NonterminalId, usize> = component.iter().copied().zip(0..).collect();
    // How many symbols of each rule have no derivation yet, and whose they are.
    let mut missing: HashMap<RuleId, usize> = HashMap::new();
    let mut uses: Vec<Vec<(NonterminalId, RuleId)>> = vec![Vec::new(); component.len()];
    for &nonterminal in component {
        for &rule in &rules[nonterminal] {
            let inner = children(grammar, rule).flatten().filter_map(|child| members.get(&child));
            let inner = inner.map(|&child| uses[child].push((nonterminal, rule)));
            missing.insert(rule, inner.count());
        }
    }
    let first_ready = |nonterminal: NonterminalId, missing: &HashMap<RuleId, usize>| {
        rules[nonterminal].iter().copied().find(|rule| missing[rule] == 0)
    };
    // In each round those whose derivation is one level deeper than in the last.
    let mut ready: Vec<NonterminalId> = component.to_vec();
    while !ready.is_empty() {
        let mut found = Vec::new();
        for nonterminal in ready {
            if preferred[nonterminal].is_none()
                && let Some(rule) = first_ready(nonterminal, &missing)
            {
                preferred[nonterminal] = Some(rule);
                found.push(nonterminal);
            }
        }
        ready = Vec::new();
        for (nonterminal, rule) in found.iter().flat_map(|found| &uses[members[found]]) {
            if let Some(count) = missing.get_mut(rule) {
                *count -= 1;
                if *count == 0 {
                    ready.push(*nonterminal);
                }
            }
        }
    }
}
