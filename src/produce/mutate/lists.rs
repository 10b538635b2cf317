//! What a grammar has of lists: rules by which a nonterminal derives itself and something beside it, and rules
//! that say more or less than others.
//!
//! A list is a chain of nodes of one nonterminal, each a child of the one before: `x*` and `x+`, but also
//! `<sum> ::= <sum> "+" <term> | <term>`. What stands beside the child is an element. In `x ("," x)*` the first element is outside
//! of the chain, beside its first node.

use crate::base::id::IdVec;
use crate::grammar::{Grammar, RuleId, Symbol};
use crate::tree::{NodeId, Tree};

/// A node, and the place of a child of the same nonterminal: a list's element and what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) node: NodeId,
    pub(super) position: usize,
}

/// A rule and the place of its own nonterminal in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recursion {
    pub(super) rule: RuleId,
    pub(super) position: usize,
}

/// A rule that can stand in for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) rule: RuleId,
    /// For each symbol of the longer of the two rules the place of the same symbol in the shorter one, if it
    /// is there.
    pub(super) places: Vec<Option<usize>>,
}

/// What is known of the rules of a grammar.
pub(super) struct Lists {
    /// For each rule: the rules of its nonterminal that have all of its symbols, in the same order, and others.
    pub(super) longer: IdVec<RuleId, Vec<Variant>>,
    /// For each rule: the rules of its nonterminal that have some of its symbols, in the same order, and no others.
    pub(super) shorter: IdVec<RuleId, Vec<Variant>>,
}

impl Lists {
    pub(super) fn new(grammar: &Grammar) -> Self {
        let count = grammar.rules().len();
        let (mut longer, mut shorter) = (IdVec::filled(Vec::new(), count), IdVec::filled(Vec::new(), count));
        for nonterminal in grammar.nonterminals() {
            for &one in &nonterminal.rules {
                for &other in &nonterminal.rules {
                    let Some(places) = places(grammar, one, other) else { continue };
                    longer[one].push(Variant { rule: other, places: places.clone() });
                    shorter[other].push(Variant { rule: one, places });
                }
            }
        }
        Self { longer, shorter }
    }
}

/// For each symbol of the rule `long` the place of the same symbol in `short`, when these are some of its symbols, but
/// not all.
fn places(grammar: &Grammar, short: RuleId, long: RuleId) -> Option<Vec<Option<usize>>> {
    let [short, long] = [short, long].map(|rule| &*grammar.rule(rule).symbols);
    if short.len() >= long.len() {
        return None;
    }
    let mut next = 0;
    let places = long.iter().map(|symbol| {
        let is_next = short.get(next) == Some(symbol);
        next += usize::from(is_next);
        is_next.then(|| next - 1)
    });
    let places = places.collect();
    (next == short.len()).then_some(places)
}

/// The rules by which the nonterminal of `rule` derives itself with something beside it.
pub(super) fn recursions(grammar: &Grammar, rule: RuleId) -> impl Iterator<Item = Recursion> + '_ {
    let nonterminal = grammar.rule(rule).lhs;
    let rules = grammar.rules_of(nonterminal).iter();
    rules.flat_map(move |&rule| {
        let symbols = &grammar.rule(rule).symbols;
        let places = symbols.iter().enumerate().filter(|_| symbols.len() > 1);
        let places = places.filter(move |&(_, &symbol)| symbol == Symbol::Nonterminal(nonterminal));
        places.map(move |(position, _)| Recursion { rule, position })
    })
}

/// The links that begin at a node.
pub(super) fn links(grammar: &Grammar, tree: &Tree, node: NodeId) -> impl Iterator<Item = Link> {
    let own = tree.nonterminal(grammar, node);
    let children = tree.children(node).iter().enumerate();
    let same = children.filter(|&(_, &child)| own.is_some() && tree.nonterminal(grammar, child) == own);
    let links: Vec<Link> = same.map(|(position, _)| Link { node, position }).collect();
    links.into_iter().filter(move |_| tree.children(node).len() > 1)
}

/// The nodes of a list of which a link is a part, from the first to the last; where the list branches further down, by
/// the first way.
pub(super) fn chain(grammar: &Grammar, tree: &Tree, link: Link) -> Vec<NodeId> {
    let own = tree.nonterminal(grammar, link.node);
    let mut nodes = vec![link.node];
    while let Some(parent) = tree.parent(nodes[nodes.len() - 1])
        && tree.nonterminal(grammar, parent) == own
    {
        nodes.push(parent);
    }
    nodes.reverse();
    let mut next = Some(link);
    while let Some(Link { node, position }) = next {
        let child = tree.children(node)[position];
        nodes.push(child);
        next = links(grammar, tree, child).next();
    }
    nodes
}
