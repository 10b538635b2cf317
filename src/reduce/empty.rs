//! The cheapest empty derivation of each nonterminal that has one.

use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::tree::{NodeId, Tree, TreeBuilder};

/// For each nonterminal that derives the empty string, the rule that does so in the lowest tree.
#[derive(Clone, Debug)]
pub(super) struct EmptyDerivations {
    rules: IdVec<NonterminalId, Option<RuleId>>,
}

impl EmptyDerivations {
    /// Finds the derivations height by height: a rule is taken once all its symbols have one of less
    /// height, so that following the rules always ends.
    pub(super) fn new(grammar: &Grammar) -> Self {
        let mut rules: IdVec<NonterminalId, Option<RuleId>> =
            IdVec::filled(None, grammar.nonterminals().len());
        loop {
            let found: Vec<(NonterminalId, RuleId)> = rules
                .entries()
                .filter(|(_, rule)| rule.is_none())
                .filter_map(|(id, _)| {
                    let empty = |&rule: &RuleId| {
                        grammar.rule(rule).symbols.iter().all(
                            |symbol| matches!(symbol, Symbol::Nonterminal(inner) if rules[*inner].is_some()),
                        )
                    };
                    grammar.rules_of(id).iter().copied().find(empty).map(|rule| (id, rule))
                })
                .collect();
            if found.is_empty() {
                return Self { rules };
            }
            for (id, rule) in found {
                rules[id] = Some(rule);
            }
        }
    }

    /// Whether `nonterminal` derives the empty string.
    pub(super) fn has(&self, nonterminal: NonterminalId) -> bool {
        self.rules[nonterminal].is_some()
    }

    /// The derivation tree of the empty string, if `nonterminal` has one.
    pub(super) fn tree(&self, grammar: &Grammar, nonterminal: NonterminalId) -> Option<Tree> {
        self.rules[nonterminal]?;
        let mut builder = TreeBuilder::new();
        let mut done: Vec<NodeId> = Vec::new();
        let mut open = vec![(nonterminal, false)];
        while let Some((nonterminal, children_done)) = open.pop() {
            let rule = self.rules[nonterminal].expect("the symbols of an empty rule are empty");
            let symbols = &grammar.rule(rule).symbols;
            if children_done {
                let children = done.split_off(done.len() - symbols.len());
                done.push(builder.node(rule, &children));
            } else {
                open.push((nonterminal, true));
                open.extend(symbols.iter().rev().filter_map(|symbol| match symbol {
                    Symbol::Nonterminal(inner) => Some((*inner, false)),
                    Symbol::Literal(_) | Symbol::Class(_) => None,
                }));
            }
        }
        let root = done.pop().unwrap_or(NodeId::new(0));
        Some(builder.finish(root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{GrammarBuilder, Name};

    /// `<a> ::= <a> <a> | <b>`, `<b> ::= "x" | <c> <c>`, `<c> ::= ""`, `<d> ::= "y"`
    #[test]
    fn the_empty_derivation_ends_where_rules_go_in_circles() {
        let mut builder = GrammarBuilder::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| builder.nonterminal(Name::base(name)));
        let [x, y] = ["x", "y"].map(|text| builder.literal(text.as_bytes()).unwrap());
        builder.rule(a, [Symbol::Nonterminal(a), Symbol::Nonterminal(a)]);
        builder.rule(a, [Symbol::Nonterminal(b)]);
        builder.rule(b, [x]);
        builder.rule(b, [Symbol::Nonterminal(c), Symbol::Nonterminal(c)]);
        builder.rule(c, []);
        builder.rule(d, [y]);
        let grammar = builder.finish(a);
        let empty = EmptyDerivations::new(&grammar);
        let tree = empty.tree(&grammar, a).unwrap();
        assert_eq!(tree.text(&grammar), b"");
        assert_eq!(tree.size(tree.root()), 4);
        assert!(empty.has(c) && !empty.has(d));
        assert!(empty.tree(&grammar, d).is_none());
    }
}
