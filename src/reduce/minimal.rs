//! The shortest derivation of each nonterminal: what stands in the place of a node that is pruned (Misherghi and Su 2006,
//! section 4.3). Of several, the one in the lowest tree.

use std::sync::OnceLock;

use crate::base::id::{Id, IdVec};
use crate::grammar::analysis::least_length;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::workpiece::Places;

/// For each nonterminal that derives anything the rule that begins its shortest derivation.
#[derive(Clone, Debug)]
pub(super) struct MinimalDerivations {
    rules: IdVec<NonterminalId, Option<RuleId>>,
    lengths: IdVec<NonterminalId, Option<u64>>,
    rule_lengths: IdVec<RuleId, Option<u64>>,
    /// The tokens of the derivations, of those that were asked for.
    tokens: IdVec<NonterminalId, OnceLock<Option<usize>>>,
}

impl MinimalDerivations {
    /// Finds the derivations height by height: a rule is taken once all its nonterminals have one of less height, so
    /// that following the rules always ends.
    pub(super) fn new(grammar: &Grammar) -> Self {
        let lengths = least_length(grammar);
        let mut rules: IdVec<NonterminalId, Option<RuleId>> =
            IdVec::filled(None, grammar.nonterminals().len());
        loop {
            let ends = |rule: &RuleId| {
                grammar.rule(*rule).symbols.iter().all(|symbol| match symbol {
                    Symbol::Nonterminal(inner) => rules[*inner].is_some(),
                    Symbol::Literal(_) | Symbol::Class(_) => true,
                })
            };
            let open = rules.entries().filter(|&(id, rule)| rule.is_none() && lengths.cost[id].is_some());
            let found: Vec<(NonterminalId, RuleId)> = open
                .filter_map(|(id, _)| {
                    let is_shortest = |rule: &RuleId| lengths.rule_cost[*rule] == lengths.cost[id];
                    let mut rules = grammar.rules_of(id).iter().copied().filter(is_shortest);
                    rules.find(ends).map(|rule| (id, rule))
                })
                .collect();
            if found.is_empty() {
                let tokens = IdVec::filled(OnceLock::new(), rules.len());
                return Self { rules, lengths: lengths.cost, rule_lengths: lengths.rule_cost, tokens };
            }
            for (id, rule) in found {
                rules[id] = Some(rule);
            }
        }
    }

    /// How long the shortest derivation of `nonterminal` is, in bytes.
    pub(super) fn length(&self, nonterminal: NonterminalId) -> Option<usize> {
        self.lengths[nonterminal].map(|length| length as usize)
    }

    /// The rule that begins the shortest derivation of `nonterminal`.
    pub(super) fn rule(&self, nonterminal: NonterminalId) -> Option<RuleId> {
        self.rules[nonterminal]
    }

    /// How long the shortest derivation is that begins with a rule, in bytes.
    pub(super) fn length_of_rule(&self, rule: RuleId) -> u64 {
        self.rule_lengths[rule].unwrap_or(u64::MAX)
    }

    /// Whether `nonterminal` derives the empty string.
    pub(super) fn is_empty(&self, nonterminal: NonterminalId) -> bool {
        self.lengths[nonterminal] == Some(0)
    }

    /// How many tokens the shortest derivation of `nonterminal` has. One that is longer may have fewer.
    pub(super) fn tokens(&self, grammar: &Grammar, nonterminal: NonterminalId) -> Option<usize> {
        *self.tokens[nonterminal].get_or_init(|| {
            let tree = self.tree(grammar, nonterminal)?;
            Some(Places::new(grammar, &tree).tokens(tree.root()))
        })
    }

    /// The tree of the shortest derivation, if `nonterminal` has one.
    pub(super) fn tree(&self, grammar: &Grammar, nonterminal: NonterminalId) -> Option<Tree> {
        self.rules[nonterminal]?;
        let mut builder = TreeBuilder::new();
        let mut done: Vec<NodeId> = Vec::new();
        let mut open = vec![(Symbol::Nonterminal(nonterminal), false)];
        while let Some((symbol, children_done)) = open.pop() {
            match symbol {
                Symbol::Literal(literal) => done.push(builder.leaf(Label::Literal(literal))),
                Symbol::Class(class) => {
                    let first = grammar.class(class).nth(0)?;
                    done.push(builder.leaf(Label::Char(first)));
                }
                Symbol::Nonterminal(nonterminal) => {
                    let rule = self.rules[nonterminal]?;
                    let symbols = &grammar.rule(rule).symbols;
                    if children_done {
                        let children = done.split_off(done.len() - symbols.len());
                        done.push(builder.node(rule, &children));
                    } else {
                        open.push((symbol, true));
                        open.extend(symbols.iter().rev().map(|&symbol| (symbol, false)));
                    }
                }
            }
        }
        let root = done.pop().unwrap_or(NodeId::new(0));
        Some(builder.finish(root))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::grammar;
    use super::*;

    /// Rules that go in circles, and a cheap one that is not the first.
    #[test]
    fn the_shortest_derivation_ends_where_rules_go_in_circles() {
        let grammar =
            grammar(&["a = a a | b", "b = xyz | c c | d a", "c = {}", "d = [qr] | yy", "e = ( e ) | d d"]);
        let minimal = MinimalDerivations::new(&grammar);
        let of = |name: &str| {
            let nonterminal = grammar.find(name).unwrap();
            let tree = minimal.tree(&grammar, nonterminal).unwrap();
            let text = String::from_utf8(tree.text(&grammar)).unwrap();
            assert_eq!(minimal.length(nonterminal), Some(text.len()));
            assert_eq!(minimal.is_empty(nonterminal), text.is_empty());
            (text, tree.size(tree.root()))
        };
        assert_eq!(of("a"), (String::new(), 4));
        assert_eq!(of("d"), ("q".to_owned(), 2));
        assert_eq!(of("e"), ("qq".to_owned(), 5));
    }

    #[test]
    fn what_derives_nothing_has_no_derivation() {
        let grammar = grammar(&["a = x", "b = b x"]);
        let minimal = MinimalDerivations::new(&grammar);
        assert!(minimal.tree(&grammar, grammar.find("b").unwrap()).is_none());
    }
}
