//! Likely counterexamples, to be asked before random ones.
//!
//! Most of the nodes of a failing input may not vary, and the sooner that is seen the fewer
//! executions it takes. Likely to pass are: the parts of the input itself in another place (they bear
//! the failure), what passed before at the same nonterminal, the cheapest strings, and one string of
//! each rule. One that a nonterminal contains only deep inside, such as a quote in an attribute of a
//! tag, is found by embedding the parts of the input in it.
//!
//! Parts that hold a name are left out: to bring `x` into the scope of another `x` is to make another
//! program. As for a renaming of variables, what takes the place of a part is taken to be fresh.

use std::collections::{HashMap, HashSet};

use crate::base::bitset::BitSet;
use crate::grammar::analysis::{reachable, recursive};
use crate::grammar::{Grammar, Lexis, NonterminalId};
use crate::tree::{NodeId, Tree};

use super::cheapest::Cheapest;

/// No more parts of the input than these are remembered, the smallest: an input that was reduced has
/// fewer, and one that was not would have more than can be tried at each node.
const MOST_PARTS: usize = 256;

/// What is likely to be a counterexample.
pub(super) struct LikelyCounterexamples<'g> {
    grammar: &'g Grammar,
    pub(super) cheapest: Cheapest<'g>,
    /// The parts of the input, without repetitions: the smallest first, then in document order.
    parts: Vec<(NonterminalId, Box<[u8]>)>,
    /// What made the input pass, the latest last.
    passed: HashMap<NonterminalId, Vec<Box<[u8]>>>,
}

/// The nodes with a name in them, and those inside of names. A name is a token with texts of any length.
fn with_names(grammar: &Grammar, tree: &Tree) -> BitSet<NodeId> {
    let recursive = recursive(grammar);
    let is_long = |id: NonterminalId| {
        grammar.nonterminal(id).token.is_some()
            && reachable(grammar, id).iter().any(|inner| recursive.contains(inner))
    };
    let kinds: BitSet<NonterminalId> = grammar.nonterminals().ids().filter(|&id| is_long(id)).collect();
    let is_name = |node| tree.nonterminal(grammar, node).is_some_and(|id| kinds.contains(id));
    let mut names = BitSet::new();
    for node in tree.preorder(tree.root()) {
        if is_name(node) || tree.parent(node).is_some_and(|above| names.contains(above)) {
            names.insert(node);
        }
    }
    for node in tree.postorder(tree.root()) {
        if tree.children(node).iter().any(|&child| names.contains(child)) {
            names.insert(node);
        }
    }
    names
}

impl<'g> LikelyCounterexamples<'g> {
    pub(super) fn new(grammar: &'g Grammar, lexis: Option<&'g Lexis>, tree: &Tree) -> Self {
        let spans = tree.spans(grammar);
        let text = tree.text(grammar);
        let names = with_names(grammar, tree);
        let mut places: Vec<(NonterminalId, &[u8])> = tree
            .preorder(tree.root())
            .filter(|&node| !names.contains(node))
            .filter_map(|node| {
                let (begin, end) = spans[node];
                Some((tree.nonterminal(grammar, node)?, &text[begin..end]))
            })
            .collect();
        places.sort_by_key(|(_, text)| text.len());
        let mut seen = HashSet::new();
        let parts = places
            .into_iter()
            .filter(|place| seen.insert(*place))
            .take(MOST_PARTS)
            .map(|(nonterminal, text)| (nonterminal, text.into()))
            .collect();
        Self { grammar, cheapest: Cheapest::new(grammar, lexis), parts, passed: HashMap::new() }
    }

    /// Remembers that the input passed with `text` at a node of this nonterminal.
    pub(super) fn remember(&mut self, nonterminal: NonterminalId, text: &[u8]) {
        let passed = self.passed.entry(nonterminal).or_default();
        if !passed.iter().any(|known| **known == *text) {
            passed.push(text.into());
        }
    }

    /// What passed last at a node of this nonterminal.
    pub(super) fn last_passed(&self, nonterminal: NonterminalId) -> Option<&[u8]> {
        self.passed.get(&nonterminal)?.last().map(|text| &**text)
    }

    /// What passed last, for each nonterminal.
    pub(super) fn all_last_passed(&self) -> HashMap<NonterminalId, Box<[u8]>> {
        self.passed.iter().filter_map(|(id, texts)| Some((*id, texts.last()?.clone()))).collect()
    }

    /// At most `most` strings of `nonterminal`, the likeliest first.
    pub(super) fn strings(&mut self, nonterminal: NonterminalId, most: usize) -> Vec<Vec<u8>> {
        let mut strings: Vec<Vec<u8>> = Vec::new();
        let passed = self.passed.get(&nonterminal);
        strings.extend(passed.into_iter().flatten().rev().map(|text| text.to_vec()));
        let own = self.parts.iter().filter(|(of, _)| *of == nonterminal);
        strings.extend(own.map(|(_, text)| text.to_vec()));
        strings.extend(self.cheapest.string(nonterminal).map(<[u8]>::to_vec));
        let mut around: Vec<Vec<u8>> = Vec::new();
        for (of, text) in &self.parts {
            if *of != nonterminal {
                around.extend(self.cheapest.around(nonterminal, *of, text));
            }
        }
        // Small ones first: they say most about what they contain.
        around.sort_by_key(Vec::len);
        let rules = self.grammar.rules_of(nonterminal).iter();
        let rules = rules.filter_map(|&rule| self.cheapest.string_of_rule(rule));
        // In turns, so that neither of them crowds the other out.
        let mut rules = rules.collect::<Vec<_>>().into_iter();
        let mut around = around.into_iter();
        loop {
            let (one, other) = (rules.next(), around.next());
            if one.is_none() && other.is_none() {
                break;
            }
            strings.extend(one);
            strings.extend(other);
        }
        let mut seen = HashSet::new();
        strings.retain(|text| seen.insert(text.clone()));
        strings.truncate(most);
        strings
    }
}
