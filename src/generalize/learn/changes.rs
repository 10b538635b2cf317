//! Neighbours of an input: one subtree is another one.
//!
//! [`crate::produce`] has a mutator for held-out inputs. This is other code on purpose: what was learned is to be judged by inputs
//! that do not come from where it was learned.

use std::rc::Rc;

use crate::grammar::lexis::{Pieces, is_gap};
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::tree::NodeId;

use super::super::cheapest::is_apart;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// How often a place is looked for at which a change of some kind is possible.
const ATTEMPTS: usize = 20;

impl Learning<'_, '_, '_> {
    /// The text of an input that is one change away.
    pub(super) fn neighbour(&mut self, input: &Input) -> Option<Vec<u8>> {
        let places = self.changeable(input);
        self.changed_at(input, &places)
    }

    /// The same, where the change is at a node that the hypothesis says something about.
    pub(super) fn edge(&mut self, input: &Input) -> Option<Vec<u8>> {
        let places: Vec<(NodeId, NonterminalId)> = {
            let grammar = self.example.grammar;
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let occurrences = matcher.occurrences(&input.tree, &matched);
            let &(root, node) = occurrences.first()?;
            let derivation = matcher.whole_derivation(&input.tree, &matched, root, node).into_iter();
            derivation.map(|(class, node)| (node, self.hypothesis.class(class).nonterminal)).collect()
        };
        self.changed_at(input, &places)
    }

    /// The text with another subtree at one of some nodes.
    fn changed_at(&mut self, input: &Input, places: &[(NodeId, NonterminalId)]) -> Option<Vec<u8>> {
        if places.is_empty() {
            return None;
        }
        let kind = self.stream.below(100);
        for _ in 0..ATTEMPTS {
            let (node, nonterminal) = *self.stream.pick(places);
            let fill = match kind {
                0..30 => {
                    let turn = self.stream.below(10);
                    self.fill(nonterminal, turn)
                }
                30..60 => self.grown(input, node, nonterminal),
                60..75 => self.hoisted(input, node, nonterminal),
                _ => self.transplanted(input, node, nonterminal),
            };
            if let Some(fill) = fill
                && fill != input.text_of(node)
            {
                return Some(input.with(self.example, &[(node, fill)]));
            }
        }
        None
    }

    /// The nodes that may be changed: not what stands between words, nor the inside of words.
    pub(super) fn changeable(&self, input: &Input) -> Vec<(NodeId, NonterminalId)> {
        self.changeable_in(input, input.tree.root())
    }

    /// Those in the subtree of a node, which is the first.
    pub(super) fn changeable_in(&self, input: &Input, node: NodeId) -> Vec<(NodeId, NonterminalId)> {
        let grammar = self.example.grammar;
        let mut places = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some(nonterminal) = input.tree.nonterminal(grammar, node) else { continue };
            if is_gap(grammar, nonterminal) {
                continue;
            }
            places.push((node, nonterminal));
            if grammar.nonterminal(nonterminal).token.is_none() {
                open.extend(input.tree.children(node).iter().rev());
            }
        }
        places
    }

    /// A subtree inside of a new one of its nonterminal: a list becomes longer, an operand an operation in brackets.
    fn grown(&mut self, input: &Input, node: NodeId, nonterminal: NonterminalId) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let mut ways: Vec<(RuleId, usize)> = Vec::new();
        for &rule in grammar.rules_of(nonterminal) {
            for (index, symbol) in grammar.rule(rule).symbols.iter().enumerate() {
                if let Symbol::Nonterminal(inner) = *symbol
                    && self.cheapest.reaches(inner, nonterminal)
                {
                    ways.push((rule, index));
                }
            }
        }
        if ways.is_empty() {
            return None;
        }
        let (rule, own) = *self.stream.pick(&ways);
        let symbols = &grammar.rule(rule).symbols;
        let Symbol::Nonterminal(inner) = symbols[own] else { return None };
        let inside = self.cheapest.around(inner, nonterminal, input.text_of(node))?;
        self.text_with(rule, own, &inside)
    }

    /// A text of a rule with a given one for one of its symbols, and random ones for the others.
    pub(super) fn text_with(&mut self, rule: RuleId, own: usize, inside: &[u8]) -> Option<Vec<u8>> {
        self.text_filled(rule, own, inside, |session, inner| {
            let turn = session.stream.below(10);
            session.fill(inner, turn)
        })
    }

    /// The same; with `is_cheapest`, with the cheapest strings for the others.
    pub(super) fn text_beside(
        &mut self,
        rule: RuleId,
        own: usize,
        inside: &[u8],
        is_cheapest: bool,
    ) -> Option<Vec<u8>> {
        if !is_cheapest {
            return self.text_with(rule, own, inside);
        }
        self.text_filled(rule, own, inside, |session, inner| {
            session.cheapest.string(inner).map(<[u8]>::to_vec)
        })
    }

    /// A text of a rule with what stands in a place for its nonterminals: for each the first part that is of it; and the last one of those that are
    /// left, or, with `is_cheapest`, the cheapest string, where there is none.
    pub(super) fn text_like(
        &mut self,
        rule: RuleId,
        input: &Input,
        place: NodeId,
        is_cheapest: bool,
    ) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let mut left = self.parts_at(input, place);
        self.text_filled(rule, usize::MAX, &[], |session, inner| {
            let same = left.iter().position(|&child| input.tree.nonterminal(grammar, child) == Some(inner));
            let part = match same {
                Some(at) => Some(left.remove(at)),
                None if is_cheapest => None,
                None => left.pop(),
            };
            match part {
                Some(part) => Some(input.text_of(part).to_vec()),
                None => session.cheapest.string(inner).map(<[u8]>::to_vec),
            }
        })
    }

    /// The children of a node that are of nonterminals, but for what stands between words.
    pub(super) fn parts_at(&self, input: &Input, node: NodeId) -> Vec<NodeId> {
        let grammar = self.example.grammar;
        let is_part = |&child: &NodeId| {
            input.tree.nonterminal(grammar, child).is_some_and(|nonterminal| !is_gap(grammar, nonterminal))
        };
        input.tree.children(node).iter().copied().filter(is_part).collect()
    }

    /// A text of a rule with `inside` for the symbol at place `own`, and what `fill` gives for the other nonterminals.
    pub(super) fn text_filled(
        &mut self,
        rule: RuleId,
        own: usize,
        inside: &[u8],
        mut fill: impl FnMut(&mut Self, NonterminalId) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        self.text_of_places(rule, |session, place, inner| match place == own {
            true => Some(inside.to_vec()),
            false => fill(session, inner),
        })
    }

    /// A text of a rule with what `fill` gives for the nonterminal at each place, but for what stands between words.
    pub(super) fn text_of_places(
        &mut self,
        rule: RuleId,
        mut fill: impl FnMut(&mut Self, usize, NonterminalId) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let symbols = &grammar.rule(rule).symbols;
        let apart = is_apart(grammar, self.example.parser.lexis(), rule);
        let mut pieces = Pieces::default();
        for (place, &symbol) in symbols.iter().enumerate() {
            if apart {
                pieces.gap();
            }
            match symbol {
                Symbol::Literal(literal) => pieces.push(grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = grammar.class(class);
                    let c = class.nth(self.stream.below(class.len().max(1)))?;
                    pieces.push(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Symbol::Nonterminal(inner) if is_gap(grammar, inner) => pieces.gap(),
                Symbol::Nonterminal(inner) => pieces.push(&fill(self, place, inner)?),
            }
        }
        Some(pieces.join(self.example.parser.lexis()))
    }

    /// A subtree of the same nonterminal inside of it: a list becomes shorter.
    fn hoisted(&mut self, input: &Input, node: NodeId, nonterminal: NonterminalId) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let inner: Vec<NodeId> = input
            .tree
            .preorder(node)
            .skip(1)
            .filter(|&inner| input.tree.nonterminal(grammar, inner) == Some(nonterminal))
            .collect();
        if inner.is_empty() {
            return None;
        }
        let inner = *self.stream.pick(&inner);
        Some(input.text_of(inner).to_vec())
    }

    /// A subtree of the same nonterminal elsewhere, in this input or in another one.
    fn transplanted(&mut self, input: &Input, node: NodeId, nonterminal: NonterminalId) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let other: Rc<Input>;
        let from = if self.stream.below(2) == 0 || self.failing.is_empty() {
            input
        } else {
            let pool = if self.stream.below(2) == 0 || self.passing.is_empty() {
                &self.failing
            } else {
                &self.passing
            };
            other = Rc::clone(self.stream.pick(pool));
            &other
        };
        let nodes: Vec<NodeId> = from
            .nodes()
            .into_iter()
            .filter(|&inner| from.tree.nonterminal(grammar, inner) == Some(nonterminal))
            .collect();
        if nodes.is_empty() {
            return None;
        }
        let chosen = *self.stream.pick(&nodes);
        let text = from.text_of(chosen).to_vec();
        (text != input.text_of(node)).then_some(text)
    }
}
