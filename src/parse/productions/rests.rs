//! The ends of long rules, which become variables of their own.
//!
//! Equal ends are one rest. A rest is its first symbols, up to where it is cut itself, and the rest that
//! follows; so all rests of a rule together take no more memory than the rule, and are told apart in time
//! linear in its length.

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::id_type;

use super::{nonterminal, segment};

id_type!(
    /// The end of long rules.
    RestId
);

/// The end of long rules.
#[derive(Clone, Debug)]
struct Rest {
    /// The rules that end so, ascending, with the position at which the end begins.
    sites: Vec<(RuleId, usize)>,
    /// The number of symbols up to the next rest.
    length: usize,
    next: Option<RestId>,
    is_lexical: bool,
    is_nullable: bool,
}

/// What tells a rest from others.
type Key = (Box<[Symbol]>, Option<RestId>, bool);

/// All rests of a grammar.
#[derive(Clone, Debug, Default)]
pub(in crate::parse) struct Rests {
    rests: IdVec<RestId, Rest>,
    known: FxHashMap<Key, RestId>,
    /// The longest rest of each rule that has one.
    first: FxHashMap<RuleId, RestId>,
}

/// Something that a reading of a production omits.
#[derive(Clone, Copy, Debug)]
pub(in crate::parse) enum Omitted {
    Nonterminal(NonterminalId),
    Rest(RestId),
}

impl Rests {
    /// Cuts a rule: the rests that it consists of after its first symbols, in order. Rules come in the order of
    /// their numbers. Those that are lexical have rests of their own.
    pub(super) fn cut(
        &mut self,
        rule: RuleId,
        symbols: &[Symbol],
        is_lexical: bool,
        is_nullable: impl Fn(Symbol) -> bool,
    ) -> Vec<RestId> {
        let mut begins = Vec::new();
        let mut begin = 0;
        while let Some(length) = segment(&symbols[begin..]) {
            begin += length;
            begins.push(begin);
        }
        let mut cut = Vec::with_capacity(begins.len());
        let (mut next, mut end) = (None, symbols.len());
        for begin in begins.into_iter().rev() {
            let head = &symbols[begin..end];
            let rests = &mut self.rests;
            let id = *self.known.entry((head.into(), next, is_lexical)).or_insert_with(|| {
                let is_nullable = head.iter().all(|&symbol| is_nullable(symbol))
                    && next.is_none_or(|next: RestId| rests[next].is_nullable);
                rests.push(Rest { sites: Vec::new(), length: head.len(), next, is_lexical, is_nullable })
            });
            self.rests[id].sites.push((rule, begin));
            cut.push(id);
            (next, end) = (Some(id), begin);
        }
        cut.reverse();
        if let Some(&first) = cut.first() {
            self.first.insert(rule, first);
        }
        cut
    }

    /// The rules that end so, ascending, with the position at which the end begins.
    pub(in crate::parse) fn sites(&self, rest: RestId) -> &[(RuleId, usize)] {
        &self.rests[rest].sites
    }

    /// The longest rest of a rule, if it has one.
    pub(in crate::parse) fn first(&self, rule: RuleId) -> Option<RestId> {
        self.first.get(&rule).copied()
    }

    /// The longest rest that this one ends with, if there is one.
    pub(in crate::parse) fn next(&self, rest: RestId) -> Option<RestId> {
        self.rests[rest].next
    }

    /// Whether the rules that end so are lexical.
    pub(in crate::parse) fn is_lexical(&self, rest: RestId) -> bool {
        self.rests[rest].is_lexical
    }

    /// Whether it derives the empty string.
    pub(super) fn is_nullable(&self, rest: RestId) -> bool {
        self.rests[rest].is_nullable
    }

    /// The symbols of a rest, which follow each other in each of its rules.
    pub(in crate::parse) fn symbols<'g>(&self, grammar: &'g Grammar, rest: RestId) -> &'g [Symbol] {
        let (rule, first) = self.rests[rest].sites[0];
        &grammar.rule(rule).symbols[first..]
    }

    /// The nonterminals among what is omitted, those of rests included. Nonterminals may come several times.
    pub(in crate::parse) fn nonterminals<'a>(
        &'a self,
        grammar: &'a Grammar,
        omitted: impl Iterator<Item = Omitted> + 'a,
    ) -> Vec<NonterminalId> {
        let mut found = Vec::new();
        let mut seen: BitSet<RestId> = BitSet::new();
        for omitted in omitted {
            let mut rest = match omitted {
                Omitted::Nonterminal(nonterminal) => {
                    found.push(nonterminal);
                    continue;
                }
                Omitted::Rest(rest) => Some(rest),
            };
            while let Some(id) = rest.filter(|&id| seen.insert(id)) {
                let head = &self.symbols(grammar, id)[..self.rests[id].length];
                found.extend(head.iter().filter_map(|&symbol| nonterminal(symbol)));
                rest = self.rests[id].next;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn rests_are_the_same_exactly_if_their_symbols_are(grammar in grammars(GrammarShape::default())) {
            let mut rests = Rests::default();
            let mut by_symbols: HashMap<Vec<Symbol>, RestId> = HashMap::new();
            for (id, rule) in grammar.rules().entries() {
                let mut begin = 0;
                for rest in rests.cut(id, &rule.symbols, false, |_| false) {
                    begin += segment(&rule.symbols[begin..]).expect("it is cut here");
                    let symbols = rule.symbols[begin..].to_vec();
                    prop_assert_eq!(rests.symbols(&grammar, rest), &symbols[..]);
                    prop_assert!(rests.sites(rest).contains(&(id, begin)));
                    prop_assert_eq!(*by_symbols.entry(symbols).or_insert(rest), rest);
                }
                prop_assert!(segment(&rule.symbols[begin..]).is_none());
            }
            prop_assert_eq!(by_symbols.len(), rests.rests.len());
        }

        /// Symbols that are kept, which all rests of a rule together have once.
        #[test]
        fn rests_take_no_more_symbols_than_the_rules(grammar in grammars(GrammarShape::default())) {
            let mut rests = Rests::default();
            for (id, rule) in grammar.rules().entries() {
                rests.cut(id, &rule.symbols, false, |_| false);
            }
            let kept: usize = rests.known.keys().map(|(head, ..)| head.len()).sum();
            prop_assert!(kept <= grammar.rules().iter().map(|rule| rule.symbols.len()).sum());
        }
    }
}
