//! The packed forest of an input: all its derivation trees at once.
//!
//! A node stands for a nonterminal that derives a part of the input, and there is one node for all
//! places in the trees where it does. Its *alternatives* are the ways in which it begins to do so: a
//! rule and, for each symbol of the rule, a child, which is a node or a terminal. An ambiguous input
//! has nodes with several alternatives, and a grammar with A =>+ A gives forests with cycles. That a
//! nonterminal derives the empty string is one node for all places.
//!
//! In memory an alternative has at most two nodes: rules with more nonterminals are cut, as in BRNGLR
//! (Scott, Johnstone and Economopoulos, Acta Informatica 2007), which keeps the memory cubic in the
//! length of the input at the worst, and linear (28 bytes and an entry in the order for each node) for
//! inputs without ambiguity. Terminals take no memory: the rule and the input tell them. What is
//! handed out is whole alternatives, with a child for each symbol. So somebody who visits the
//! alternatives of a very ambiguous forest for rules with more than two nonterminals visits more than
//! is stored, never more than the derivations that differ in where the children of one node end.
//!
//! **Order.** Alternatives come in the order of their rules in the grammar, those of one rule by where
//! the first child ends, longest first, then the second, and so on. This, and everything that follows
//! from it, depends on the grammar and the input only, never on tables.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::base::id::Id;
use crate::grammar::{Grammar, LiteralId, NonterminalId, RuleId, Symbol};
use crate::id_type;

use super::alphabet::decode;
use super::index::{SppfNodeId, VariableId};
use super::order::Order;
use super::packed::{PackedForest, PackedNode, SymbolNode};
use super::productions::{Plan, Reading, segment};

id_type!(
    /// A node of a forest. Numbers are below [`Forest::node_bound`] and not all in use.
    ForestNodeId
);

/// A child of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Child {
    /// What a nonterminal derives.
    Node(ForestNodeId),
    /// A literal.
    Literal(LiteralId),
    /// A character of a class.
    Char(char),
}

/// One way in which a node derives its part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The rule.
    pub rule: RuleId,
    /// A child for each symbol of the rule.
    pub children: Vec<Child>,
}

/// All derivation trees of an input.
#[derive(Debug)]
pub struct Forest {
    pub(super) plan: Arc<Plan>,
    input: Box<[u8]>,
    pub(super) packed: PackedForest,
    root: ForestNodeId,
    pub(super) order: Order,
}

/// An alternative as it is stored: of a nonterminal, or of the rest of one of its rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub reading: Reading,
    pub nodes: [Option<SppfNodeId>; 2],
    /// Where the first nonterminal ends; 0 when it is omitted.
    end: u32,
}

impl Forest {
    pub(super) fn new(plan: Arc<Plan>, input: &[u8], packed: PackedForest, root: Option<SppfNodeId>) -> Self {
        let nonterminals = plan.grammar.nonterminals().len();
        let root = match root {
            Some(packed) => ForestNodeId::new(nonterminals + packed.index()),
            None => ForestNodeId::new(plan.grammar.start().index()),
        };
        let mut forest = Self { plan, input: input.into(), packed, root, order: Order::default() };
        forest.order = Order::new(&forest);
        forest
    }

    /// The grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.plan.grammar
    }

    /// The input.
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// The node of the start symbol and the whole input.
    pub fn root(&self) -> ForestNodeId {
        self.root
    }

    /// All node numbers are below this one, so that tables can be vectors.
    pub fn node_bound(&self) -> usize {
        self.plan.grammar.nonterminals().len() + self.packed.nodes.len()
    }

    /// The nodes of the forest, children before parents, in groups: a group with `true` is a cycle,
    /// nodes that lead to each other (or one that leads to itself). Somebody who computes something
    /// for each node from its children goes through the groups once, and through each cycle until
    /// nothing changes.
    pub fn groups(&self) -> impl Iterator<Item = (&[ForestNodeId], bool)> {
        self.order.groups()
    }

    /// The nonterminal of a node.
    pub fn nonterminal(&self, node: ForestNodeId) -> NonterminalId {
        match self.packed_id(node) {
            Some(packed) => NonterminalId::new(self.variable(packed).index()),
            None => NonterminalId::new(node.index()),
        }
    }

    /// The part of the input that a node derives, in bytes; `None` for a node that derives the empty
    /// string, which stands for all places.
    pub fn span(&self, node: ForestNodeId) -> Option<Range<usize>> {
        let SymbolNode { start, end, .. } = self.packed[self.packed_id(node)?];
        Some(start as usize..end as usize)
    }

    /// Whether the input has more than one derivation tree.
    pub fn is_ambiguous(&self) -> bool {
        self.order.is_ambiguous()
    }

    /// Whether the input has infinitely many derivation trees.
    pub fn is_cyclic(&self) -> bool {
        self.order.is_cyclic()
    }

    /// The alternatives of a node, at least one, in order.
    pub fn alternatives(&self, node: ForestNodeId) -> Vec<Alternative> {
        let mut all = Vec::new();
        let mut children = Vec::new();
        let done = self.visit_alternatives(node, &mut children, |rule, children| {
            all.push(Alternative { rule, children: children.to_vec() });
            ControlFlow::<Infallible>::Continue(())
        });
        match done {
            ControlFlow::Continue(()) => all,
        }
    }

    /// The nonterminals that derive a part of the input in several ways, in the order of the grammar. Those that only hold such a part are none of them.
    pub fn ambiguous_nonterminals(&self) -> BTreeSet<NonterminalId> {
        let mut children = Vec::new();
        let mut has_several = |node: ForestNodeId| {
            let mut number = 0;
            let visited = self.visit_alternatives(node, &mut children, |_, _| {
                number += 1;
                if number > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            visited.is_break()
        };
        let nodes = self.groups().flat_map(|(nodes, _)| nodes.iter().copied());
        nodes.filter(|&node| has_several(node)).map(|node| self.nonterminal(node)).collect()
    }

    /// Calls `visit` with the rule and the children of each alternative of a node, in order, until it breaks off.
    /// There can be very many: of a rule with k nonterminals as many as there are ways to cut the node's part of
    /// the input into k. `children` is only there to be used again and again.
    pub fn visit_alternatives<B>(
        &self,
        node: ForestNodeId,
        children: &mut Vec<Child>,
        mut visit: impl FnMut(RuleId, &[Child]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(packed) = self.packed_id(node) else {
            for &rule in self.plan.empty.rules(NonterminalId::new(node.index())) {
                children.clear();
                self.push_empty(&self.plan.grammar.rule(rule).symbols, children);
                visit(rule, children)?;
            }
            return ControlFlow::Continue(());
        };
        let start = self.packed[packed].start as usize;
        if let Some(choice) = self.only_choice(packed) {
            // By far the most frequent case, without a list of choices.
            let rule = choice.reading.rule;
            children.clear();
            let symbols = &self.plan.grammar.rule(rule).symbols;
            return match self.push_segment(symbols, choice, start, children) {
                None => visit(rule, children),
                Some(rest) => self.visit_rests(rule, rest, children, &mut visit),
            };
        }
        for choice in self.choices(packed) {
            let rule = choice.reading.rule;
            children.clear();
            let symbols = &self.plan.grammar.rule(rule).symbols;
            match self.push_segment(symbols, choice, start, children) {
                None => visit(rule, children)?,
                Some(rest) => self.visit_rests(rule, rest, children, &mut visit)?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Goes on with all ways to derive the rest of a rule.
    fn visit_rests<B>(
        &self,
        rule: RuleId,
        rest: SppfNodeId,
        children: &mut Vec<Child>,
        visit: &mut impl FnMut(RuleId, &[Child]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let symbols = &self.plan.grammar.rule(rule).symbols;
        // What is still to be tried, the last first, and how many children come before it.
        let mut open: Vec<(SppfNodeId, Choice, usize)> = Vec::new();
        let push = |open: &mut Vec<_>, rest, before| {
            open.extend(self.choices(rest).into_iter().rev().map(|choice| (rest, choice, before)));
        };
        push(&mut open, rest, children.len());
        while let Some((rest, choice, before)) = open.pop() {
            children.truncate(before);
            let start = self.packed[rest].start as usize;
            match self.push_segment(&symbols[before..], choice, start, children) {
                None => visit(rule, children)?,
                Some(rest) => push(&mut open, rest, children.len()),
            }
        }
        ControlFlow::Continue(())
    }

    /// Appends the children of `choice`, which derives `symbols` from `start` on; the rest that is
    /// still missing then, if one is.
    pub(super) fn push_segment(
        &self,
        symbols: &[Symbol],
        choice: Choice,
        start: usize,
        children: &mut Vec<Child>,
    ) -> Option<SppfNodeId> {
        let end = segment(symbols);
        let (head, tail) = symbols.split_at(end.unwrap_or(symbols.len()));
        let mut omitted = choice.reading.omitted;
        let mut nodes = choice.nodes.into_iter().flatten();
        let mut offset = start;
        for &symbol in head {
            match symbol {
                Symbol::Literal(literal) => {
                    offset += self.plan.grammar.literal(literal).len();
                    children.push(Child::Literal(literal));
                }
                Symbol::Class(_) => {
                    let c = decode(&self.input, offset).unwrap_or(char::REPLACEMENT_CHARACTER);
                    offset += c.len_utf8();
                    children.push(Child::Char(c));
                }
                Symbol::Nonterminal(nonterminal) => {
                    let node = if omitted & 1 == 0 { nodes.next() } else { None };
                    match node {
                        Some(node) => {
                            offset = self.packed[node].end as usize;
                            children.push(Child::Node(self.id(node)));
                        }
                        None => children.push(Child::Node(ForestNodeId::new(nonterminal.index()))),
                    }
                    omitted >>= 1;
                }
            }
        }
        end?;
        if omitted & 1 == 0 {
            return nodes.next();
        }
        self.push_empty(tail, children);
        None
    }

    /// Appends children that derive the empty string.
    pub(super) fn push_empty(&self, symbols: &[Symbol], children: &mut Vec<Child>) {
        children.extend(symbols.iter().filter_map(|&symbol| match symbol {
            Symbol::Nonterminal(nonterminal) => Some(Child::Node(ForestNodeId::new(nonterminal.index()))),
            Symbol::Literal(_) | Symbol::Class(_) => None,
        }));
    }

    /// The only choice of a node, when it is seen at once that there is one.
    pub(super) fn only_choice(&self, packed: SppfNodeId) -> Option<Choice> {
        let PackedNode { production, nodes, more } = self.packed[packed].alternative;
        match *self.plan.readings[production] {
            [reading] if more.is_none() && self.loops(packed).is_empty() => {
                Some(Choice { reading, nodes, end: 0 })
            }
            _ => None,
        }
    }

    /// The choices of a node or rest, in order.
    pub(super) fn choices(&self, packed: SppfNodeId) -> Vec<Choice> {
        let mut choices = Vec::new();
        let mut next = Some(&self.packed[packed].alternative);
        while let Some(alternative) = next {
            let PackedNode { production, nodes, .. } = *alternative;
            let readings = &self.plan.readings[production];
            choices.extend(readings.iter().map(|&reading| self.choice(reading, nodes)));
            next = self.packed.after(alternative);
        }
        choices.extend(self.loops(packed).iter().map(|&reading| self.choice(reading, [Some(packed), None])));
        choices.sort_by_key(|choice| (choice.reading.rule, Reverse(choice.end)));
        choices
    }

    fn choice(&self, reading: Reading, nodes: [Option<SppfNodeId>; 2]) -> Choice {
        let first = nodes[0].filter(|_| reading.omitted & 1 == 0);
        let end = first.map_or(0, |first| self.packed[first].end);
        Choice { reading, nodes, end }
    }

    /// The ways in which a node derives itself in one step.
    pub(super) fn loops(&self, packed: SppfNodeId) -> &[Reading] {
        if self.plan.loops.is_empty() {
            return &[];
        }
        self.plan.loops.get(&self.variable(packed)).map_or(&[], Vec::as_slice)
    }

    /// What a symbol node derives from.
    pub(super) fn variable(&self, packed: SppfNodeId) -> VariableId {
        let production = self.packed[packed].alternative.production;
        self.plan.productions[production].lhs
    }

    /// The number of a symbol node.
    pub(super) fn id(&self, packed: SppfNodeId) -> ForestNodeId {
        ForestNodeId::new(self.plan.grammar.nonterminals().len() + packed.index())
    }

    /// The symbol node of a number; `None` for the derivations of the empty string.
    pub(super) fn packed_id(&self, node: ForestNodeId) -> Option<SppfNodeId> {
        let packed = node.index().checked_sub(self.plan.grammar.nonterminals().len())?;
        Some(SppfNodeId::new(packed))
    }
}
