//! The shortest derivation of each nonterminal: what stands in the place of a node that is pruned (Misherghi and Su 2006,
//! section 4.3). Of several, the one in the lowest tree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use crate::base::id::IdVec;
use crate::grammar::analysis::{least_length, uses};
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
    /// The rules that have each nonterminal, and the places at which they do, once they were asked for.
    uses: OnceLock<IdVec<NonterminalId, Vec<Step>>>,
}

/// A rule, and the place of one of its symbols.
type Step = (RuleId, usize);

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
                return Self {
                    rules,
                    lengths: lengths.cost,
                    rule_lengths: lengths.rule_cost,
                    tokens,
                    uses: OnceLock::new(),
                };
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
        let mut builder = TreeBuilder::new();
        let root = self.build(grammar, &mut builder, Symbol::Nonterminal(nonterminal))?;
        Some(builder.finish(root))
    }

    /// The tree of the shortest derivation of `outer` among those that have an `inner` below the root, with the node of that.
    pub(super) fn frame(
        &self,
        grammar: &Grammar,
        outer: NonterminalId,
        inner: NonterminalId,
    ) -> Option<(Tree, NodeId)> {
        let mut builder = TreeBuilder::new();
        let hole = self.build(grammar, &mut builder, Symbol::Nonterminal(inner))?;
        let mut node = hole;
        for (rule, place) in self.way(grammar, outer, inner)? {
            let build = |(at, &symbol)| {
                if at == place { Some(node) } else { self.build(grammar, &mut builder, symbol) }
            };
            let symbols = grammar.rule(rule).symbols.iter().enumerate();
            let children: Vec<NodeId> = symbols.map(build).collect::<Option<_>>()?;
            node = builder.node(rule, &children);
        }
        Some((builder.finish(node), hole))
    }

    /// The rules from `inner` up to `outer` in the shortest derivation of that, at least one, each with the place at which it has the one before.
    /// Dijkstra's algorithm, over the bytes that each rule adds.
    fn way(&self, grammar: &Grammar, outer: NonterminalId, inner: NonterminalId) -> Option<Vec<Step>> {
        let mut steps: IdVec<NonterminalId, Option<(NonterminalId, Step)>> =
            IdVec::filled(None, grammar.nonterminals().len());
        let uses = self.uses.get_or_init(|| uses(grammar));
        let mut queue = BinaryHeap::from([Reverse((0, inner, None))]);
        while let Some(Reverse((length, at, step))) = queue.pop() {
            if step.is_some() && steps[at].is_some() {
                continue;
            }
            if step.is_some() {
                steps[at] = step;
            }
            if step.is_some() && at == outer {
                break;
            }
            for &(rule, place) in &uses[at] {
                if let (Some(of_rule), Some(of_part)) = (self.rule_lengths[rule], self.lengths[at]) {
                    let longer = length + (of_rule - of_part);
                    queue.push(Reverse((longer, grammar.rule(rule).lhs, Some((at, (rule, place))))));
                }
            }
        }
        let (mut way, mut at) = (Vec::new(), outer);
        loop {
            let (below, step) = steps[at]?;
            way.push(step);
            at = below;
            if at == inner {
                way.reverse();
                return Some(way);
            }
        }
    }

    /// Adds the shortest derivation of a symbol to a tree.
    fn build(&self, grammar: &Grammar, builder: &mut TreeBuilder, symbol: Symbol) -> Option<NodeId> {
        let mut done: Vec<NodeId> = Vec::new();
        let mut open = vec![(symbol, false)];
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
        done.pop()
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

    /// The way may lead back to the nonterminal itself, and is never empty.
    #[test]
    fn a_frame_is_the_shortest_derivation_around_a_nonterminal() {
        let grammar = grammar(&["s = for( e ) s | e ; | {}", "e = t | e + t", "t = x | ( e ) | t t"]);
        let minimal = MinimalDerivations::new(&grammar);
        let frame = |outer: &str, inner: &str| {
            let [outer, inner] = [outer, inner].map(|name| grammar.find(name).unwrap());
            let (tree, hole) = minimal.frame(&grammar, outer, inner)?;
            assert_eq!(
                (tree.nonterminal(&grammar, hole), tree.nonterminal(&grammar, tree.root())),
                (Some(inner), Some(outer))
            );
            assert_ne!(hole, tree.root());
            Some(String::from_utf8(tree.text(&grammar)).unwrap())
        };
        assert_eq!(frame("s", "t").as_deref(), Some("x;"));
        assert_eq!(frame("s", "s").as_deref(), Some("for(x)"));
        assert_eq!(frame("e", "e").as_deref(), Some("x+x"));
        assert_eq!(frame("t", "t").as_deref(), Some("xx"));
        assert_eq!(frame("t", "s"), None);
    }

    #[test]
    fn what_derives_nothing_has_no_derivation() {
        let grammar = grammar(&["a = x", "b = b x"]);
        let minimal = MinimalDerivations::new(&grammar);
        assert!(minimal.tree(&grammar, grammar.find("b").unwrap()).is_none());
    }
}
