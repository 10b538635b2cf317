//! What fails with something in it, at whatever depth: a class whose trees need only have something of another class in them.
//!
//! A statement that is wrong in a function is so in each block of it, in loops and in conditions. A class that is widened by one alternative after
//! another has to meet all of them first. So where an input fails that has the decisive part of a class somewhere else, what is around that
//! part may be anything, if the program agrees.

use std::collections::HashSet;

use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::Halt;

use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId, Hypothesis};
use super::input::Input;
use super::matching::Matcher;
use super::near_miss::Mismatch;
use super::session::Learning;

/// The most random steps of rules from a nonterminal to what a text of it has in it.
const MOST_STEPS: usize = 7;

/// The number of parts of a class that are tried at one place.
const MOST_PARTS: usize = 3;

/// How often each is tried: other failing inputs may tell more.
const MOST_TRIES: usize = 3;

/// Where the program refuses most inputs, one step in this number has anything beside it.
const SELDOM: usize = 8;

/// The part of all executions, one in this number, that one trial may take.
const SHARE: u64 = 30;

impl Learning<'_, '_, '_> {
    /// Lets a class be met by any tree that has what is decisive of it in it, in an input that is not accepted because the class is not met at
    /// these places, from the innermost to the outermost. Says whether the program agrees at one of them.
    pub(super) fn have_inside(&mut self, input: &Input, places: &[Mismatch]) -> Result<bool, Halt> {
        // What may be anything should be as large as it can be.
        for &place in places.iter().rev() {
            let nonterminal = self.hypothesis.class(place.class).nonterminal;
            if self.hypothesis.roots_and_needs().contains(&place.class) || self.is_fragment(nonterminal) {
                continue;
            }
            for part in self.parts_in(input, place) {
                let tries = self.having_tried.entry((place.class, part)).or_default();
                *tries += 1;
                if *tries > MOST_TRIES {
                    continue;
                }
                if self.within(SHARE, |session| session.have(input, place.class, part))? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Lets a class be met by any tree with a part of it in it, if the program agrees. Where that has exceptions it is not what is around the part
    /// that may be anything.
    fn have(&mut self, input: &Input, class: ClassId, part: ClassId) -> Result<bool, Halt> {
        let before = self.hypothesis.clone();
        let having = Alternative::Has(part, Vec::new());
        self.hypothesis.widen(class, having.clone());
        let is_fair = self.accepts(input) && self.accepted_passing() <= self.settings.repairs;
        self.hypothesis = before.clone();
        if is_fair
            && self.admit(class, having.clone())?
            && self.hypothesis.class(class).alternatives.contains(&having)
        {
            return Ok(true);
        }
        self.hypothesis = before;
        Ok(false)
    }

    /// Whether a nonterminal is a part of words.
    pub(super) fn is_fragment(&self, nonterminal: NonterminalId) -> bool {
        let grammar = self.example.grammar;
        let is_word = grammar.nonterminal(nonterminal).token.is_some();
        let lexis = self.example.parser.lexis();
        let has_class = |&rule: &RuleId| grammar.rule(rule).has_class();
        !is_word && lexis.is_some_and(|lexis| lexis.is_lexical(nonterminal))
            || lexis.is_none() && grammar.rules_of(nonterminal).iter().any(has_class)
    }

    /// The number of passing inputs that are accepted wrongly.
    fn accepted_passing(&self) -> usize {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        self.explained().filter(|input| matcher.accepts(input)).count()
    }

    /// The parts of a class that stand in a tree that is not of it, from the smallest to the largest.
    fn parts_in(&self, input: &Input, place: Mismatch) -> Vec<ClassId> {
        let grammar = self.example.grammar;
        let matcher = Matcher::new(grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let below: Vec<_> = input.tree.preorder(place.node).skip(1).collect();
        let is_part = |&class: &ClassId| {
            let content = self.hypothesis.class(class);
            !self.is_fragment(content.nonterminal)
                && !self.is_nothing(class)
                && !is_gap(grammar, content.nonterminal)
                && !self.hypothesis.is_at(class, place.class)
        };
        let parts = self.hypothesis.wanted_from(&[place.class]).into_iter().skip(1).filter(is_part);
        let with_nodes = parts.filter_map(|class| {
            let node = below.iter().rev().find(|&&node| matched.is_in(node, class))?;
            Some((input.text_of(*node).to_vec(), class))
        });
        let mut parts: Vec<(Vec<u8>, ClassId)> = with_nodes.collect();
        // Of levels of which each is the next one, the innermost may stand in most places.
        parts.reverse();
        parts.sort_by_key(|(text, _)| text.len());
        let mut seen = HashSet::new();
        parts.retain(|(text, _)| !text.is_empty() && seen.insert(text.clone()));
        parts.into_iter().take(MOST_PARTS).map(|(_, class)| class).collect()
    }

    /// A text of a nonterminal with something of a class at a random place in it.
    pub(super) fn text_having(
        &mut self,
        nonterminal: NonterminalId,
        inner: ClassId,
        depth: usize,
        bound: &mut Bindings,
    ) -> Option<Vec<u8>> {
        let target = self.hypothesis.class(inner).nonterminal;
        let most = self.stream.below(MOST_STEPS + 1);
        let (mut at, mut steps) = (nonterminal, Vec::new());
        while steps.len() < most {
            let ways = self.ways_to(at, target);
            if ways.is_empty() {
                break;
            }
            let (rule, child, next) = *self.stream.pick(&ways);
            steps.push((rule, child));
            at = next;
        }
        let member = self.member_at(inner, depth + 1, bound)?;
        let mut text = self.cheapest.around(at, target, &member)?;
        for (rule, child) in steps.into_iter().rev() {
            // What is cheapest is least likely to be refused for something else.
            let is_cheapest = self.stream.below(if self.is_often_refused() { SELDOM } else { 2 }) != 0;
            text = self.text_beside(rule, child, &text, is_cheapest)?;
        }
        Some(text)
    }

    /// The symbols of rules of a nonterminal in which there may be another one.
    fn ways_to(&mut self, from: NonterminalId, target: NonterminalId) -> Vec<(RuleId, usize, NonterminalId)> {
        let grammar = self.example.grammar;
        let mut ways = Vec::new();
        for &rule in grammar.rules_of(from) {
            for (child, symbol) in grammar.rule(rule).symbols.iter().enumerate() {
                if let Symbol::Nonterminal(inner) = *symbol
                    && self.cheapest.reaches(inner, target)
                {
                    ways.push((rule, child, inner));
                }
            }
        }
        ways
    }
}

impl Hypothesis {
    /// Whether it depends on another class at a node, or on that class in its subtree, whether the node is in a class.
    pub(super) fn is_at(&self, class: ClassId, other: ClassId) -> bool {
        let mut open = vec![class];
        let mut seen = HashSet::from([class]);
        while let Some(at) = open.pop() {
            if at == other {
                return true;
            }
            for alternative in &self.class(at).alternatives {
                let inner = match alternative {
                    Alternative::Has(inner, _) => Some(*inner),
                    Alternative::Open(_) | Alternative::Rule(..) => None,
                };
                let mentioned = alternative.except().iter().copied().chain(inner);
                open.extend(mentioned.filter(|&next| seen.insert(next)));
            }
        }
        false
    }
}
