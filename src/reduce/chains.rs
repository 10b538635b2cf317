//! `chains`: a reducer of our own on derivation trees, which asks little.
//!
//! It grew out of Perses (Sun et al., ICSE 2018): nodes are in a priority queue, and each may be replaced by the empty string where its
//! nonterminal derives it, by a node of the same nonterminal below it, or by a shorter rule over some of its children. But the queue is
//! ordered by how many candidates a step may cost, then by tokens, and lists and nests are halved as one thing:
//!
//! 1. *Chains*: the empty string, and chunks of a chain of nodes of one nonterminal, each below the
//!    one before (a list, or nested brackets). Chunks are halved as in `ddmin`, so that one element
//!    out of n is found in about 2 log n executions.
//! 2. *Near*: the nearest nodes of the same nonterminal, and shorter rules.
//! 3. *Far*: all other nodes of the same nonterminal below.
//!
//! Rounds are repeated until one changes nothing. The result is 1-minimal in this sense: no single
//! replacement of the kinds above makes a smaller input that fails.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use crate::base::bitset::BitSet;
use crate::base::registry::PlugIn;
use crate::grammar::NonterminalId;
use crate::grammar::analysis::recursive;
use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::AnyReducer;
use super::minimize::Minimizer;
use super::pass::{Alone, NamedPass, Pass};
use super::workpiece::{Edit, Workpiece};

/// Chains by halves.
#[derive(Default)]
pub(super) struct Chains;

/// One round of it, for who asks for other things too before all is asked once more. Each node that cannot be left out becomes as short as it can
/// be, as in HDD, where that has no more tokens: so what a grammar has in places that must not be empty goes as one thing. Of *far* nodes none
/// is tried: they seldom fail where near ones did not, and there are many.
pub(super) struct Round;

impl Pass for Round {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut reduction = Reduction::new(piece);
        reduction.is_thrifty = true;
        reduction.round(judge)?;
        Ok(reduction.has_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Alone<Chains>>();

impl NamedPass for Chains {
    const NAME: &'static str = "chains";
}

impl Pass for Chains {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut reduction = Reduction::new(piece);
        reduction.run(judge)?;
        Ok(reduction.has_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

/// What is tried on a node, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    Chains,
    Near,
    Far,
}

/// A step in the queue: what to try, and on which node. Steps of one effort go by tokens, then by
/// depth; the number of the node makes the order complete.
type Step = (Effort, Reverse<usize>, usize, NodeId);

struct Reduction<'p, 'g> {
    piece: &'p mut Workpiece<'g>,
    /// Only below these can there be a node of the same nonterminal.
    recursive: BitSet<NonterminalId>,
    queue: BTreeSet<Step>,
    /// Nodes whose turn came, or will come, in this round.
    met: BitSet<NodeId>,
    /// Nodes that were part of a chain in this round.
    chained: BitSet<NodeId>,
    /// In this round.
    changed: bool,
    /// In any round.
    has_changed: bool,
    /// As [`Round`] says.
    is_thrifty: bool,
}

impl<'p, 'g> Reduction<'p, 'g> {
    fn new(piece: &'p mut Workpiece<'g>) -> Self {
        Self {
            recursive: recursive(piece.grammar()),
            piece,
            queue: BTreeSet::new(),
            met: BitSet::new(),
            chained: BitSet::new(),
            changed: false,
            has_changed: false,
            is_thrifty: false,
        }
    }

    fn run(&mut self, judge: &mut Judge<'_>) -> Result<(), Halt> {
        while self.round(judge)? {}
        Ok(())
    }

    /// Each node has its turn once. Says whether anything changed.
    fn round(&mut self, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        self.changed = false;
        self.met = BitSet::new();
        self.chained = BitSet::new();
        let root = self.piece.tree().root();
        self.met.insert(root);
        self.push(Effort::Chains, root);
        while let Some((effort, _, _, node)) = self.queue.pop_first() {
            if self.piece.is_live(node) {
                self.step(effort, node, judge)?;
            }
        }
        Ok(self.changed)
    }

    fn push(&mut self, effort: Effort, node: NodeId) {
        self.queue.insert((effort, Reverse(self.piece.tokens(node)), self.piece.depth(node), node));
    }

    fn step(&mut self, effort: Effort, node: NodeId, judge: &mut Judge<'_>) -> Result<(), Halt> {
        let edits = match effort {
            Effort::Chains => {
                if self.attempt(Edit::Empty(node), judge)?.is_some() {
                    return Ok(());
                }
                if self.is_thrifty && self.piece.attempt_minimal(node, judge)?.is_some() {
                    (self.changed, self.has_changed) = (true, true);
                    return Ok(());
                }
                let node = self.shrink_chain(node, judge)?;
                for child in self.piece.tree().children(node).to_vec() {
                    if self.piece.editable(child).is_some() && self.met.insert(child) {
                        self.push(Effort::Chains, child);
                    }
                }
                self.push(Effort::Near, node);
                return Ok(());
            }
            Effort::Near => {
                let mut edits = self.same_below(node, Effort::Near);
                edits.extend(self.piece.shorter_rules(node));
                edits.extend(self.piece.without_first(node));
                edits
            }
            Effort::Far => self.same_below(node, Effort::Far),
        };
        for edit in edits {
            if let Some(new) = self.attempt(edit, judge)? {
                self.push(Effort::Chains, new);
                return Ok(());
            }
        }
        if effort == Effort::Near && !self.is_thrifty {
            self.push(Effort::Far, node);
        }
        Ok(())
    }

    fn attempt(&mut self, edit: Edit, judge: &mut Judge<'_>) -> Result<Option<NodeId>, Halt> {
        let new = self.piece.attempt(edit, judge)?;
        self.changed |= new.is_some();
        self.has_changed |= new.is_some();
        Ok(new)
    }

    /// Hoists of nodes of the same nonterminal, the shallowest first: those with none between
    /// (`Near`), or the others (`Far`).
    fn same_below(&self, node: NodeId, effort: Effort) -> Vec<Edit> {
        let Some(nonterminal) = self.piece.editable(node).filter(|id| self.recursive.contains(*id)) else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        let mut open: VecDeque<(NodeId, bool)> = VecDeque::from([(node, false)]);
        while let Some((current, is_far)) = open.pop_front() {
            for &child in self.piece.tree().children(current) {
                let Some(found) = self.piece.editable(child) else { continue };
                let same = found == nonterminal;
                if same && is_far == (effort == Effort::Far) {
                    edits.push(Edit::Hoist(node, child));
                }
                if !same || effort == Effort::Far {
                    open.push_back((child, is_far || same));
                }
            }
        }
        edits
    }

    /// Deletes chunks of the chain that begins at `node`, the larger ones first. Says which node then
    /// stands in the place of `node`.
    fn shrink_chain(&mut self, node: NodeId, judge: &mut Judge<'_>) -> Result<NodeId, Halt> {
        if self.chained.contains(node) {
            return Ok(node);
        }
        let mut chain = self.chain(node);
        self.chained.extend(chain.iter().copied());
        let mut size = chain.len() / 2;
        while size > 0 {
            let mut begin = 0;
            while begin < chain.len() {
                let end = (begin + size).min(chain.len());
                if self.delete(&mut chain, begin, end, judge)? {
                    chain.drain(begin..end);
                } else {
                    begin = end;
                }
            }
            size = (size / 2).min(chain.len() / 2);
        }
        Ok(chain[0])
    }

    /// Tries to delete the elements `begin..end` of a chain.
    fn delete(
        &mut self,
        chain: &mut [NodeId],
        begin: usize,
        end: usize,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        if end < chain.len() {
            return Ok(self.attempt(Edit::Hoist(chain[begin], chain[end]), judge)?.is_some());
        }
        // The end of a list: its last element that stays is expanded without the rest.
        if begin > 0 && self.piece.tree().parent(chain[begin]) == Some(chain[begin - 1]) {
            for edit in self.piece.rules_without(chain[begin - 1], chain[begin]) {
                if let Some(new) = self.attempt(edit, judge)? {
                    chain[begin - 1] = new;
                    self.chained.insert(new);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The chain of nodes of one nonterminal that begins at `node`. A child of the same nonterminal
    /// continues a list; where there is none, the nearest node with the most tokens continues the
    /// nesting.
    fn chain(&self, node: NodeId) -> Vec<NodeId> {
        let mut chain = vec![node];
        let Some(nonterminal) = self.piece.editable(node).filter(|id| self.recursive.contains(*id)) else {
            return chain;
        };
        let is_same = |other: NodeId| self.piece.editable(other) == Some(nonterminal);
        let heaviest = |nodes: &mut dyn Iterator<Item = NodeId>| {
            // The first of the heaviest.
            nodes.min_by_key(|&other| Reverse(self.piece.tokens(other)))
        };
        let tree = self.piece.tree();
        let is_list = tree.children(node).iter().any(|&child| is_same(child));
        let mut last = node;
        loop {
            let next = if is_list {
                heaviest(&mut tree.children(last).iter().copied().filter(|&child| is_same(child)))
            } else {
                let mut nearest =
                    self.same_below(last, Effort::Near).into_iter().filter_map(|edit| match edit {
                        Edit::Hoist(_, below) => Some(below),
                        _ => None,
                    });
                heaviest(&mut nearest)
            };
            match next {
                Some(next) => chain.push(next),
                None => return chain,
            }
            last = next.unwrap_or(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Asked, failing_oracle, grammar, json, random_tree};
    use super::super::{Failing, Reduced, Syntax, reducer};
    use super::*;
    use crate::base::budget::{Budget, StopReason};
    use crate::base::random_stream::RandomStream;
    use crate::grammar::Grammar;
    use crate::tree::Tree;
    use proptest::prelude::*;

    fn reduce(grammar: &Grammar, tree: &Tree, judge: &mut Judge<'_>) -> Reduced {
        let text = tree.text(grammar);
        let syntax = Syntax { grammar, tree, parse: &|_| Ok(None), derives: &|_| Ok(false) };
        let failing = Failing { text: &text, syntax: Some(syntax) };
        reducer("chains").unwrap().reduce(failing, judge).expect("the input fails")
    }

    /// All replacements of one node of `tree` that lead to a smaller text.
    fn replacements(grammar: &Grammar, tree: &Tree) -> Vec<Vec<u8>> {
        let mut piece = Workpiece::new(grammar, tree.clone());
        let mut reduction = Reduction::new(&mut piece);
        reduction.recursive = BitSet::full(grammar.nonterminals().len());
        let text = tree.text(grammar);
        tree.preorder(tree.root())
            .flat_map(|node| {
                let mut edits = vec![Edit::Empty(node)];
                edits.extend(reduction.same_below(node, Effort::Near));
                edits.extend(reduction.same_below(node, Effort::Far));
                edits.extend(reduction.piece.shorter_rules(node));
                edits
            })
            .filter_map(|edit| reduction.piece.candidate(edit))
            .filter(|candidate| *candidate != text)
            .collect()
    }

    fn grammars() -> Vec<Grammar> {
        vec![
            json(),
            grammar(&["s = s s | ( s ) | x | {}"]),
            grammar(&["e = e + t | t", "t = t * f | f", "f = ( e ) | [01] | - f"]),
            grammar(&["a = b | {}", "b = c a | x", "c = a y | z"]),
        ]
    }

    proptest! {
        /// Arbitrary predicates, which are as far from monotone as can be.
        #[test]
        fn the_result_fails_and_no_single_replacement_does(seed: u64, which in 0usize..4, salt: u8) {
            let grammar = &grammars()[which];
            let tree = random_tree(grammar, &mut RandomStream::derive(seed, "tree"), 5);
            let whole = tree.text(grammar);
            let fails = |candidate: &[u8]| {
                candidate == whole || blake3::hash(candidate).as_bytes()[0].wrapping_add(salt) < 50
            };
            let oracle = failing_oracle(&fails);
            let mut judge = Judge::new(&oracle);
            let reduced = reduce(grammar, &tree, &mut judge);
            prop_assert!(fails(&reduced.text));
            prop_assert_eq!(reduced.stop, StopReason::Done);
            let small = reduced.tree.expect("a reducer on trees has one");
            prop_assert_eq!(&small.text(grammar), &reduced.text);
            for candidate in replacements(grammar, &small) {
                prop_assert!(!fails(&candidate), "{}", candidate.escape_ascii());
            }
            let mut again = Judge::new(&oracle);
            prop_assert_eq!(reduce(grammar, &tree, &mut again).text, reduced.text);
            prop_assert_eq!(again.log(), judge.log());
        }

        /// Monotone predicates: characters that must be there, in this order.
        #[test]
        fn what_is_needed_stays(seed: u64, picks in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
            let grammar = json();
            let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 8);
            let text = tree.text(&grammar);
            let mut places: Vec<usize> = picks.iter().map(|pick| pick.index(text.len())).collect();
            places.sort_unstable();
            places.dedup();
            let needed: Vec<u8> = places.iter().map(|&place| text[place]).collect();
            let fails = |candidate: &[u8]| {
                let mut rest = candidate.iter();
                needed.iter().all(|wanted| rest.any(|found| found == wanted))
            };
            let oracle = failing_oracle(&fails);
            let reduced = reduce(&grammar, &tree, &mut Judge::new(&oracle));
            prop_assert!(fails(&reduced.text));
            for candidate in replacements(&grammar, &reduced.tree.unwrap()) {
                prop_assert!(!fails(&candidate));
            }
        }
    }

    /// The figure to hold on to (picireny on the same task): about a hundred executions.
    #[test]
    fn a_large_input_takes_about_a_hundred_executions() {
        let grammar = json();
        // An array whose only element is a non-empty array of scalars, read off the text.
        let fails = |text: &[u8]| {
            text.windows(2).enumerate().any(|(at, pair)| {
                pair == b"[[" && {
                    let inner = &text[at + 2..];
                    let end = inner.iter().position(|byte| b"[]{}".contains(byte)).unwrap_or(0);
                    end > 0 && inner[end..].starts_with(b"]]")
                }
            })
        };
        let oracle = failing_oracle(&fails);
        let large =
            (0..).map(|seed| random_tree(&grammar, &mut RandomStream::derive(seed, "large"), 31)).filter(
                |tree| (80_000..200_000).contains(&tree.size(tree.root())) && fails(&tree.text(&grammar)),
            );
        for tree in large.take(3) {
            let mut judge = Judge::new(&oracle);
            let reduced = reduce(&grammar, &tree, &mut judge);
            // A scalar is not replaced by a shorter one: `[[false]]` is the longest result.
            assert!(reduced.text.len() <= 9, "{}", reduced.text.escape_ascii());
            assert!(judge.executions() < 110, "{} executions", judge.executions());
        }
    }

    #[test]
    fn lists_are_shortened_from_both_ends() {
        let grammar = json();
        let oracle = failing_oracle(&|text: &[u8]| text.windows(2).any(|pair| pair == b"10"));
        for text in ["[0, 10, 1]", "[10, 0, 0, 0, 1]", "[1, 1, 1, 10]"] {
            let tree = array(&grammar, text);
            let mut judge = Judge::new(&oracle);
            assert_eq!(reduce(&grammar, &tree, &mut judge).text, b"10", "{text}");
            assert!(judge.executions() < 15);
        }
    }

    /// The tree of an array of binary numbers.
    fn array(grammar: &Grammar, text: &str) -> Tree {
        use crate::grammar::{RuleId, Symbol};
        use crate::tree::{Label, NodeId, TreeBuilder};
        let rule = |name: &str, index: usize| grammar.rules_of(grammar.find(name).unwrap())[index];
        let mut builder = TreeBuilder::new();
        let close = |builder: &mut TreeBuilder, rule: RuleId, parts: &[NodeId]| {
            let mut parts = parts.iter();
            let children: Vec<NodeId> = grammar
                .rule(rule)
                .symbols
                .iter()
                .map(|symbol| match symbol {
                    Symbol::Literal(literal) => builder.leaf(Label::Literal(*literal)),
                    Symbol::Class(_) | Symbol::Nonterminal(_) => *parts.next().unwrap(),
                })
                .collect();
            builder.node(rule, &children)
        };
        let mut elts: Option<NodeId> = None;
        for number in text.trim_matches(['[', ']']).split(", ").collect::<Vec<_>>().into_iter().rev() {
            let mut digits: Option<NodeId> = None;
            for c in number.chars().rev() {
                let leaf = builder.leaf(Label::Char(c));
                let digit = close(&mut builder, rule("digit", 0), &[leaf]);
                digits = Some(match digits {
                    None => close(&mut builder, rule("digits", 0), &[digit]),
                    Some(rest) => close(&mut builder, rule("digits", 1), &[digit, rest]),
                });
            }
            let number = close(&mut builder, rule("number", 0), &[digits.unwrap()]);
            let elt = close(&mut builder, rule("elt", 3), &[number]);
            elts = Some(match elts {
                None => close(&mut builder, rule("elts", 0), &[elt]),
                Some(rest) => close(&mut builder, rule("elts", 1), &[elt, rest]),
            });
        }
        let array = close(&mut builder, rule("array", 0), &[elts.unwrap()]);
        let elt = close(&mut builder, rule("elt", 1), &[array]);
        let json = close(&mut builder, rule("json", 0), &[elt]);
        builder.finish(json)
    }

    #[test]
    fn deep_nesting_needs_neither_stack_nor_many_executions() {
        let grammar = grammar(&["s = ( s ) | x"]);
        let oracle = failing_oracle(&|text: &[u8]| text.starts_with(b"(("));
        let (nest, leaf) = {
            let rules = grammar.rules_of(grammar.start());
            (rules[0], rules[1])
        };
        let tree = {
            use crate::grammar::Symbol;
            use crate::tree::{Label, TreeBuilder};
            let mut builder = TreeBuilder::new();
            let terminal = |rule, at: usize| match grammar.rule(rule).symbols[at] {
                Symbol::Literal(literal) => Label::Literal(literal),
                _ => unreachable!("a literal of the grammar above"),
            };
            let x = builder.leaf(terminal(leaf, 0));
            let mut node = builder.node(leaf, &[x]);
            for _ in 0..50_000 {
                let open = builder.leaf(terminal(nest, 0));
                let close = builder.leaf(terminal(nest, 2));
                node = builder.node(nest, &[open, node, close]);
            }
            builder.finish(node)
        };
        let mut judge = Judge::new(&oracle);
        assert_eq!(reduce(&grammar, &tree, &mut judge).text, b"((x))");
        assert!(judge.executions() < 40, "{}", judge.executions());
    }

    #[test]
    fn the_budget_ends_the_work_with_what_there_is() {
        let grammar = json();
        let fails = |text: &[u8]| text.iter().filter(|&&byte| byte == b'[').count() > 3;
        let tree = (0..)
            .map(|seed| random_tree(&grammar, &mut RandomStream::derive(seed, "budget"), 12))
            .find(|tree| fails(&tree.text(&grammar)))
            .unwrap();
        let text = tree.text(&grammar);
        let oracle: Asked<'_> = failing_oracle(&fails);
        let mut best = text.len();
        for executions in [0, 1, 2, 5, 10, 20, 50, 1_000] {
            let mut judge = Judge::new(&oracle).with_budget(Budget::of_executions(executions));
            let reduced = reduce(&grammar, &tree, &mut judge);
            assert!(judge.executions() <= executions);
            assert!(reduced.text.len() <= best && fails(&reduced.text));
            best = reduced.text.len();
            assert!(reduced.stop == StopReason::Budget || judge.executions() < 1_000);
        }
    }
}
