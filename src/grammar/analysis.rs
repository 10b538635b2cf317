//! What can be known of a grammar without parsing or producing anything.
//!
//! All analyses are least fixpoints over the rules, computed with a worklist in time linear in the
//! size of the grammar (Knuth 1977 for the cheapest derivations).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};

use super::model::{Grammar, NonterminalId, RuleId, Symbol};

/// The nonterminals that derive the empty string.
pub fn nullable(grammar: &Grammar) -> BitSet<NonterminalId> {
    derivable(grammar, |symbol| matches!(symbol, Symbol::Nonterminal(_)))
}

/// The nonterminals that derive at least one string.
pub fn productive(grammar: &Grammar) -> BitSet<NonterminalId> {
    derivable(grammar, |symbol| match symbol {
        Symbol::Class(class) => !grammar.class(class).is_empty(),
        Symbol::Literal(_) | Symbol::Nonterminal(_) => true,
    })
}

/// The nonterminals with a derivation that uses only `allowed` symbols.
fn derivable(grammar: &Grammar, allowed: impl Fn(Symbol) -> bool) -> BitSet<NonterminalId> {
    let mut missing: IdVec<RuleId, usize> = IdVec::new();
    let uses = uses(grammar);
    let mut found = BitSet::new();
    let mut work: Vec<NonterminalId> = Vec::new();
    for (_, rule) in grammar.rules().entries() {
        let possible = rule.symbols.iter().all(|&symbol| allowed(symbol));
        let count = rule.symbols.iter().filter(|symbol| matches!(symbol, Symbol::Nonterminal(_))).count();
        missing.push(if possible { count } else { usize::MAX });
        if possible && count == 0 && found.insert(rule.lhs) {
            work.push(rule.lhs);
        }
    }
    while let Some(nonterminal) = work.pop() {
        for &(rule, _) in &uses[nonterminal] {
            if missing[rule] == usize::MAX {
                continue;
            }
            missing[rule] -= 1;
            let lhs = grammar.rule(rule).lhs;
            if missing[rule] == 0 && found.insert(lhs) {
                work.push(lhs);
            }
        }
    }
    found
}

/// For each nonterminal where it is used: the rules, and the position in each, in order.
pub fn uses(grammar: &Grammar) -> IdVec<NonterminalId, Vec<(RuleId, usize)>> {
    let mut uses = IdVec::filled(Vec::new(), grammar.nonterminals().len());
    for (id, rule) in grammar.rules().entries() {
        for (position, &symbol) in rule.symbols.iter().enumerate() {
            if let Symbol::Nonterminal(nonterminal) = symbol {
                uses[nonterminal].push((id, position));
            }
        }
    }
    uses
}

/// The nonterminals that occur in some derivation that begins with `from`, itself included.
pub fn reachable(grammar: &Grammar, from: NonterminalId) -> BitSet<NonterminalId> {
    let mut found = BitSet::from_iter([from]);
    let mut work = vec![from];
    while let Some(nonterminal) = work.pop() {
        for &rule in grammar.rules_of(nonterminal) {
            for &symbol in &grammar.rule(rule).symbols {
                if let Symbol::Nonterminal(next) = symbol
                    && found.insert(next)
                {
                    work.push(next);
                }
            }
        }
    }
    found
}

/// The nonterminals that the start symbol, what may be skipped, the lexer, and what their tokens exclude need.
pub fn used(grammar: &Grammar) -> BitSet<NonterminalId> {
    let mut used = reachable(grammar, grammar.start());
    for other in grammar.skip().into_iter().chain(grammar.lexer()) {
        used.union_with(&reachable(grammar, other));
    }
    loop {
        let excepted: Vec<NonterminalId> = used
            .iter()
            .filter_map(|id| grammar.nonterminal(id).token.as_ref())
            .flat_map(|token| token.except.iter().copied())
            .filter(|&id| !used.contains(id))
            .collect();
        if excepted.is_empty() {
            return used;
        }
        for id in excepted {
            used.union_with(&reachable(grammar, id));
        }
    }
}

/// The nonterminals that occur inside a derivation of themselves: A =>+ .. A ..
pub fn recursive(grammar: &Grammar) -> BitSet<NonterminalId> {
    in_cycles(grammar, |_, _| true)
}

/// The nonterminals that derive just themselves: A =>+ A. An input with such a nonterminal has
/// infinitely many derivation trees.
pub fn cyclic(grammar: &Grammar) -> BitSet<NonterminalId> {
    let alone = Alone::new(grammar);
    in_cycles(grammar, |rule, position| alone.can_be(rule, position))
}

/// Which symbols of rules can be all that is left of their rule, when the others derive the empty string.
pub struct Alone<'a> {
    grammar: &'a Grammar,
    nullable: BitSet<NonterminalId>,
    /// How many symbols of each rule do not derive the empty string.
    kept: IdVec<RuleId, usize>,
}

impl<'a> Alone<'a> {
    /// Those of a grammar. Linear in its size.
    pub fn new(grammar: &'a Grammar) -> Self {
        let nullable = nullable(grammar);
        let is_kept = |symbol: &&Symbol| !is_one_of(&nullable, **symbol);
        let kept = grammar.rules().iter().map(|rule| rule.symbols.iter().filter(is_kept).count()).collect();
        Self { grammar, nullable, kept }
    }

    /// Whether all symbols of a rule but the one at `position` can derive the empty string.
    pub fn can_be(&self, rule: RuleId, position: usize) -> bool {
        match self.kept[rule] {
            0 => true,
            1 => !is_one_of(&self.nullable, self.grammar.rule(rule).symbols[position]),
            _ => false,
        }
    }
}

fn is_one_of(nonterminals: &BitSet<NonterminalId>, symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Nonterminal(nonterminal) if nonterminals.contains(nonterminal))
}

/// The nonterminals on a cycle of the graph that has an edge from a rule's left-hand side to the
/// nonterminal at each position that `edge` accepts.
fn in_cycles(grammar: &Grammar, edge: impl Fn(RuleId, usize) -> bool) -> BitSet<NonterminalId> {
    let mut next: IdVec<NonterminalId, Vec<NonterminalId>> =
        IdVec::filled(Vec::new(), grammar.nonterminals().len());
    for (id, rule) in grammar.rules().entries() {
        for (position, &symbol) in rule.symbols.iter().enumerate() {
            if let Symbol::Nonterminal(nonterminal) = symbol
                && edge(id, position)
            {
                next[rule.lhs].push(nonterminal);
            }
        }
    }
    components(&next)
        .into_iter()
        .filter(|component| component.len() > 1 || next[component[0]].contains(&component[0]))
        .flatten()
        .collect()
}

/// The strongly connected components of a graph (Tarjan 1972, with an explicit stack).
fn components<I: Id>(next: &IdVec<I, Vec<I>>) -> Vec<Vec<I>> {
    const NEW: usize = usize::MAX;
    let mut order: IdVec<I, usize> = IdVec::filled(NEW, next.len());
    let mut low: IdVec<I, usize> = IdVec::filled(0, next.len());
    let mut open: Vec<I> = Vec::new();
    let mut is_open: BitSet<I> = BitSet::new();
    let mut components = Vec::new();
    let mut count = 0;
    for root in next.ids() {
        if order[root] != NEW {
            continue;
        }
        let mut calls: Vec<(I, usize)> = vec![(root, 0)];
        while let Some(&(node, edge)) = calls.last() {
            if edge == 0 {
                order[node] = count;
                low[node] = count;
                count += 1;
                open.push(node);
                is_open.insert(node);
            }
            if let Some(&target) = next[node].get(edge) {
                let top = calls.len() - 1;
                calls[top].1 += 1;
                if order[target] == NEW {
                    calls.push((target, 0));
                } else if is_open.contains(target) {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                let mut component = Vec::new();
                while let Some(member) = open.pop() {
                    is_open.remove(member);
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                components.push(component);
            }
        }
    }
    components
}

/// The cheapest derivations of a grammar under some measure.
#[derive(Clone, Debug)]
pub struct Cheapest {
    /// The cost of the cheapest derivation of each nonterminal; `None` when it derives nothing.
    pub cost: IdVec<NonterminalId, Option<u64>>,
    /// The cost of the cheapest derivation that begins with each rule.
    pub rule_cost: IdVec<RuleId, Option<u64>>,
}

/// The least height of a derivation tree: a rule without nonterminals has height 1.
pub fn least_height(grammar: &Grammar) -> Cheapest {
    cheapest(grammar, |_| 1, u64::max)
}

/// The least length, in bytes, of what is derived.
pub fn least_length(grammar: &Grammar) -> Cheapest {
    cheapest(
        grammar,
        |rule| {
            grammar
                .rule(rule)
                .symbols
                .iter()
                .map(|&symbol| match symbol {
                    Symbol::Literal(literal) => grammar.literal(literal).len() as u64,
                    Symbol::Class(class) => grammar.class(class).nth(0).map_or(0, |c| c.len_utf8() as u64),
                    Symbol::Nonterminal(_) => 0,
                })
                .sum()
        },
        |a, b| a.saturating_add(b),
    )
}

/// The least number of nodes of a derivation tree that stand for nonterminals.
pub fn least_size(grammar: &Grammar) -> Cheapest {
    cheapest(grammar, |_| 1, |a, b| a.saturating_add(b))
}

/// Knuth's generalization of Dijkstra's algorithm: a rule costs its `own` cost plus the costs of its
/// nonterminals, joined by `join`, which must not decrease.
fn cheapest(grammar: &Grammar, own: impl Fn(RuleId) -> u64, join: impl Fn(u64, u64) -> u64) -> Cheapest {
    let uses = uses(grammar);
    let productive = productive(grammar);
    let mut cost: IdVec<NonterminalId, Option<u64>> = IdVec::filled(None, grammar.nonterminals().len());
    let mut rule_cost: IdVec<RuleId, Option<u64>> = IdVec::filled(None, grammar.rules().len());
    let mut missing: IdVec<RuleId, usize> = IdVec::new();
    let mut joined: IdVec<RuleId, u64> = IdVec::filled(0, grammar.rules().len());
    let mut queue = BinaryHeap::new();
    for (id, rule) in grammar.rules().entries() {
        let count = rule.symbols.iter().filter(|symbol| matches!(symbol, Symbol::Nonterminal(_))).count();
        missing.push(count);
        let possible = rule.symbols.iter().all(|symbol| match symbol {
            Symbol::Class(class) => !grammar.class(*class).is_empty(),
            Symbol::Nonterminal(nonterminal) => productive.contains(*nonterminal),
            Symbol::Literal(_) => true,
        });
        if possible && count == 0 {
            queue.push((Reverse(own(id)), Reverse(id)));
        }
        if !possible {
            missing[id] = usize::MAX;
        }
    }
    while let Some((Reverse(price), Reverse(rule))) = queue.pop() {
        rule_cost[rule] = Some(price);
        let lhs = grammar.rule(rule).lhs;
        if cost[lhs].is_some() {
            continue;
        }
        cost[lhs] = Some(price);
        for &(user, _) in &uses[lhs] {
            if missing[user] == usize::MAX {
                continue;
            }
            missing[user] -= 1;
            joined[user] = join(joined[user], price);
            if missing[user] == 0 {
                queue.push((Reverse(own(user).saturating_add(joined[user])), Reverse(user)));
            }
        }
    }
    Cheapest { cost, rule_cost }
}

#[cfg(test)]
mod tests {
    use super::super::model::{GrammarBuilder, Name};
    use super::*;

    /// `<s> ::= <a> <b> | "x"`, `<a> ::= "" | <a> "y" | <a>`, `<b> ::= "zz" <b> | <a> <a>`, and
    /// `<dead> ::= <dead> "w"`, which nothing uses.
    fn example() -> Grammar {
        let mut builder = GrammarBuilder::new();
        let [s, a, b, dead] = ["s", "a", "b", "dead"].map(|name| builder.nonterminal(Name::base(name)));
        let [x, y, z, w] =
            ["x", "y", "zz", "w"].map(|text| builder.literal(text.as_bytes()).expect("not empty"));
        let nonterminal = Symbol::Nonterminal;
        builder.rule(s, [nonterminal(a), nonterminal(b)]);
        builder.rule(s, [x]);
        builder.rule(a, []);
        builder.rule(a, [nonterminal(a), y]);
        builder.rule(a, [nonterminal(a)]);
        builder.rule(b, [z, nonterminal(b)]);
        builder.rule(b, [nonterminal(a), nonterminal(a)]);
        builder.rule(dead, [nonterminal(dead), w]);
        builder.finish(s)
    }

    fn names(grammar: &Grammar, set: &BitSet<NonterminalId>) -> Vec<String> {
        set.iter().map(|id| grammar.name(id).text()).collect()
    }

    #[test]
    fn each_analysis_finds_its_nonterminals() {
        let grammar = example();
        assert_eq!(names(&grammar, &nullable(&grammar)), ["s", "a", "b"]);
        assert_eq!(names(&grammar, &productive(&grammar)), ["s", "a", "b"]);
        assert_eq!(names(&grammar, &reachable(&grammar, grammar.start())), ["s", "a", "b"]);
        assert_eq!(names(&grammar, &recursive(&grammar)), ["a", "b", "dead"]);
        assert_eq!(names(&grammar, &cyclic(&grammar)), ["a"]);
    }

    #[test]
    fn the_cheapest_derivations_are_found() {
        let grammar = example();
        assert_eq!(least_height(&grammar).cost.as_slice(), [Some(1), Some(1), Some(2), None]);
        assert_eq!(least_length(&grammar).cost.as_slice(), [Some(0), Some(0), Some(0), None]);
        assert_eq!(least_size(&grammar).rule_cost.as_slice()[0], Some(5));
    }
}
