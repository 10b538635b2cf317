//! Two parts of one kind that fail together.
//!
//! Two options exclude each other, and so may others of their kind. To try one of these at a time misses two that each go with what is left of the
//! first two. So other rules are tried in the place of both parts at once.

use std::ops::RangeInclusive;
use std::rc::Rc;

use crate::grammar::NonterminalId;
use crate::grammar::analysis::recursive;
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::ClassId;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The part of all executions, one in this number, that may be spent on asking about pairs, and on learning from those that fail.
const SHARE_OF_ASKING: u64 = 20;
const SHARE_OF_LEARNING: u64 = 6;

/// The number of rules of a nonterminal of which a few are like each other: with fewer, to try one at a time misses nothing, and with more there
/// are too many pairs.
const RULES: RangeInclusive<usize> = 3..=12;

impl Learning<'_, '_, '_> {
    /// Tries all pairs of rules in the place of two parts of one nonterminal for which a root class asks, and learns from those that fail.
    pub(super) fn try_pairs(&mut self) -> Result<(), Halt> {
        let mut failing: Vec<Rc<Input>> = Vec::new();
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_ASKING;
        for root in self.hypothesis.roots().to_vec() {
            let Some((input, node)) = self.first_place(root) else { continue };
            for (nonterminal, pair) in self.pairs(&input, root, node) {
                let texts = self.texts_of_rules(nonterminal);
                failing.extend(self.failing_pairs(&input, pair, &texts, most)?);
            }
        }
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_LEARNING;
        for input in failing {
            self.positive_in_steps(&input, most)?;
        }
        Ok(())
    }

    /// An input with each pair of some texts in the place of two parts, where it fails, but for pairs of which each text fails by itself: these are alternatives at their
    /// places, and others are tried there for less.
    fn failing_pairs(
        &mut self,
        input: &Input,
        [first, second]: [NodeId; 2],
        texts: &[Vec<u8>],
        most: u64,
    ) -> Result<Vec<Rc<Input>>, Halt> {
        let firsts = self.failing_with(input, first, texts, most)?;
        let seconds = self.failing_with(input, second, texts, most)?;
        let mut failing = Vec::new();
        for (one, fails) in texts.iter().zip(firsts) {
            for (other, fails_too) in texts.iter().zip(&seconds) {
                if self.judge.executions() > most || fails && *fails_too {
                    continue;
                }
                let text = input.with(self.example, &[(first, one.clone()), (second, other.clone())]);
                if let Some((Verdict::Fail, found)) = self.ask(text)? {
                    failing.push(found);
                }
            }
        }
        Ok(failing)
    }

    /// With which of some texts in the place of one part an input fails, as far as no more than `most` executions were made in all.
    fn failing_with(
        &mut self,
        input: &Input,
        node: NodeId,
        texts: &[Vec<u8>],
        most: u64,
    ) -> Result<Vec<bool>, Halt> {
        let mut failing = Vec::with_capacity(texts.len());
        for text in texts {
            let is_left = self.judge.executions() <= most;
            let text = input.with(self.example, &[(node, text.clone())]);
            let fails = is_left && matches!(self.ask(text)?, Some((Verdict::Fail, _)));
            failing.push(fails);
        }
        Ok(failing)
    }

    /// The pairs of nodes of one nonterminal, one behind the other, for both of which a root class asks, of nonterminals with a few rules. One that
    /// may have itself in it is no list of options, and its smallest texts say little about it.
    fn pairs(&self, input: &Input, root: ClassId, node: NodeId) -> Vec<(NonterminalId, [NodeId; 2])> {
        let grammar = self.example.grammar;
        let recursive = recursive(grammar);
        let matcher = Matcher::new(grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let asked = matcher.derivation(&input.tree, &matched, root, node);
        let parts: Vec<(NonterminalId, NodeId)> = asked
            .into_iter()
            .filter(|&(_, at)| !self.is_in_word(input, at) && !input.text_of(at).is_empty())
            .map(|(class, at)| (self.hypothesis.class(class).nonterminal, at))
            .filter(|&(nonterminal, _)| {
                RULES.contains(&grammar.rules_of(nonterminal).len()) && !recursive.contains(nonterminal)
            })
            .collect();
        let mut pairs = Vec::new();
        for (index, &(nonterminal, one)) in parts.iter().enumerate() {
            let behind = |&&(of, other): &&(NonterminalId, NodeId)| {
                of == nonterminal && input.spans[one].1 <= input.spans[other].0
            };
            pairs.extend(
                parts[index + 1..].iter().filter(behind).map(|&(_, other)| (nonterminal, [one, other])),
            );
        }
        pairs
    }

    /// The smallest text of each rule of a nonterminal.
    fn texts_of_rules(&self, nonterminal: NonterminalId) -> Vec<Vec<u8>> {
        let rules = self.example.grammar.rules_of(nonterminal);
        rules.iter().filter_map(|&rule| self.cheapest.string_of_rule(rule)).collect()
    }
}
