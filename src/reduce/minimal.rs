//! The shortest derivation of each nonterminal: what stands in the place of a node that is pruned (Misherghi and Su 2006,
//! section 4.3). Of several, the one in the lowest tree.

use std::sync::OnceLock;

use crate::base::id::IdVec;
use crate::grammar::analysis::{least_length, uses};
use crate::grammar::ways::cheapest_ways;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::places::Places;

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

/// The shortest derivation of one nonterminal around another one.
pub(super) struct Frame {
    tree: Tree,
    /// The way from the root to the inner one: which child of each node.
    hole: Vec<usize>,
    /// What stands before the inner one and behind it.
    before: Vec<u8>,
    behind: Vec<u8>,
    /// The number of tokens of these.
    tokens: usize,
}

impl Frame {
    fn new(grammar: &Grammar, tree: Tree, hole: NodeId) -> Self {
        let places = Places::new(grammar, &tree);
        let (begin, end) = places.span(&tree, hole);
        let text = tree.text(grammar);
        let tokens = places.tokens(tree.root()).saturating_sub(places.tokens(hole));
        Self {
            hole: tree.path(hole),
            before: text[..begin].to_vec(),
            behind: text[end..].to_vec(),
            tokens,
            tree,
        }
    }

    /// The number of bytes that it adds.
    pub(super) fn length(&self) -> usize {
        self.before.len() + self.behind.len()
    }

    /// The number of tokens that it adds.
    pub(super) fn tokens(&self) -> usize {
        self.tokens
    }

    /// A text in the frame.
    pub(super) fn text_around(&self, inner: &[u8]) -> Vec<u8> {
        [&self.before, inner, &self.behind].concat()
    }

    /// Puts a node below `outer` into a copy of the frame, and that into the place of `outer`, whose nonterminal it has. Says which node the frame
    /// became. Costs the size of the frame.
    pub(super) fn put_around(&self, tree: &mut Tree, outer: NodeId, inner: NodeId) -> NodeId {
        let new = tree.replace(outer, &self.tree, self.tree.root());
        let hole = self.hole.iter().fold(new, |at, &child| tree.children(at)[child]);
        tree.hoist(hole, inner);
        new
    }
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

    /// The shortest derivation of `outer` among those that have an `inner` below the root, if there is one.
    pub(super) fn frame(
        &self,
        grammar: &Grammar,
        outer: NonterminalId,
        inner: NonterminalId,
    ) -> Option<Frame> {
        let mut builder = TreeBuilder::new();
        let hole = self.build(grammar, &mut builder, Symbol::Nonterminal(inner))?;
        let mut node = hole;
        for (rule, place) in self.way(grammar, outer, inner)?.into_iter().rev() {
            let build = |(at, &symbol)| {
                if at == place { Some(node) } else { self.build(grammar, &mut builder, symbol) }
            };
            let symbols = grammar.rule(rule).symbols.iter().enumerate();
            let children: Vec<NodeId> = symbols.map(build).collect::<Option<_>>()?;
            node = builder.node(rule, &children);
        }
        Some(Frame::new(grammar, builder.finish(node), hole))
    }

    /// The rules from `outer` down to `inner` in the shortest derivation of the one around the other, at least one, each with the place at which it
    /// has what is next.
    fn way(&self, grammar: &Grammar, outer: NonterminalId, inner: NonterminalId) -> Option<Vec<Step>> {
        let uses = self.uses.get_or_init(|| uses(grammar));
        let steps_to = |part: NonterminalId| {
            uses[part].iter().filter_map(move |&(rule, place)| {
                let longer = self.rule_lengths[rule]? - self.lengths[part]?;
                Some(((rule, place), grammar.rule(rule).lhs, longer))
            })
        };
        let ways = cheapest_ways(self.rules.len(), inner, steps_to);
        let mut step = match ways[outer]? {
            (_, Some(step)) => step,
            // Around one of its own kind.
            (_, None) => {
                let reached = ways.entries().filter_map(|(part, way)| Some((part, (*way)?.0)));
                let firsts = reached.flat_map(|(part, length)| {
                    let steps = steps_to(part).filter(|&(_, from, _)| from == outer);
                    steps.map(move |(step, _, longer)| (length + longer, step))
                });
                firsts.min()?.1
            }
        };
        let mut way = vec![step];
        loop {
            let Symbol::Nonterminal(part) = grammar.rule(step.0).symbols[step.1] else { return None };
            let Some(next) = ways[part]?.1 else { return Some(way) };
            step = next;
            way.push(step);
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
        let grammar = grammar(&["s = for( e ) s | e ; | {}", "e = t | e ++ t", "t = x | ( e ) | t t"]);
        let minimal = MinimalDerivations::new(&grammar);
        let frame = |outer: &str, inner: &str| {
            let [outer, inner] = [outer, inner].map(|name| grammar.find(name).unwrap());
            let frame = minimal.frame(&grammar, outer, inner)?;
            let part = minimal.tree(&grammar, inner).unwrap();
            let mut tree = part.clone();
            let root = tree.root();
            let new = frame.put_around(&mut tree, root, root);
            assert_eq!((tree.root(), tree.nonterminal(&grammar, new)), (new, Some(outer)));
            assert_eq!(tree.text(&grammar), frame.text_around(&part.text(&grammar)));
            assert_eq!(tree.text(&grammar).len(), part.text(&grammar).len() + frame.length());
            Some(String::from_utf8(tree.text(&grammar)).unwrap())
        };
        let text = |outer: &str, inner: &str| frame(outer, inner).unwrap();
        assert_eq!(text("s", "t"), "x;");
        assert_eq!(text("s", "s"), "for(x)");
        assert_eq!(text("e", "e"), "(x)");
        assert_eq!(text("t", "t"), "xx");
        assert_eq!(frame("t", "s"), None);
    }

    #[test]
    fn what_derives_nothing_has_no_derivation() {
        let grammar = grammar(&["a = x", "b = b x"]);
        let minimal = MinimalDerivations::new(&grammar);
        assert!(minimal.tree(&grammar, grammar.find("b").unwrap()).is_none());
    }
}
