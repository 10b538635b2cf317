//! Boundaries: what stands around a root class masks it only up to the nearest of these.
//!
//! A loop around a `break` makes it right, but not where the `break` is in a function in that loop. So when an input fails although
//! something around its root class is known to mask that, a part between the two is looked for with which inputs fail in the same place
//! whatever else is in it, and which no input that passes has there.

use std::rc::Rc;

use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::pattern::Side;
use crate::tree::NodeId;

use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId};
use super::input::Input;
use super::matching::Matcher;
use super::session::{Learning, Trial};

/// The executions that making the input smaller may take.
const SHRINKING: usize = 60;

/// The number of inputs that must fail before a part is taken for a boundary.
const CHECKS: usize = 6;

/// The part of all executions, one in this number, that looking for boundaries may take.
const SHARE: u64 = 15;

/// Of the inputs that something masks, one in this number may be accepted wrongly because of a boundary: a grammar may not know what is a comment.
const MOST_WRONG: usize = 10;

/// The most boundaries that a root class may have.
const MOST: usize = 8;

impl Learning<'_, '_, '_> {
    /// Looks for boundaries of root classes that something around them is found to mask: with each rule of the grammar in turn between what masks and the root class. Random inputs have hardly ever a function in a loop in which there is just what fails.
    pub(super) fn try_boundaries(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        for root in self.hypothesis.roots().to_vec() {
            if self.bounded.contains(&root) {
                continue;
            }
            let Some((input, node, mask)) = self.masked_around(root) else { continue };
            self.bounded.insert(root);
            // What is cheapest is least likely to be refused for something else.
            let rules = || self.example.grammar.rules().ids();
            for (is_cheapest, rule) in
                rules().map(|rule| (true, rule)).chain(rules().map(|rule| (false, rule)))
            {
                if self.judge.executions() > most {
                    return Ok(());
                }
                let text = self.with_between(&input, root, node, mask, rule, is_cheapest);
                if let Some(text) = text
                    && let Some((Verdict::Fail, failing)) = self.ask(text)?
                    && !self.accepts(&failing)
                {
                    self.is_bounding = true;
                    let widened = self.counterexample(&failing);
                    self.is_bounding = false;
                    widened?;
                }
            }
        }
        Ok(())
    }

    /// An input that passes because of what is around a root class in it, with the nodes of both.
    fn masked_around(&self, root: ClassId) -> Option<(Rc<Input>, NodeId, NodeId)> {
        let classes = self.hypothesis.masks(root)?.on(Side::Around);
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let mut masked = self.passing.iter().filter_map(|input| {
            let matched = matcher.matched(&input.tree);
            let [(found, node)] = matcher.occurrences_in_all(&input.tree, &matched)[..] else { return None };
            let mut above = std::iter::successors(Some(node), |&at| input.tree.parent(at));
            let mask = above.find(|&at| classes.iter().any(|&class| matched[at].contains(class)))?;
            (found == root).then_some((input, node, mask))
        });
        // The shortest one has least between the two.
        let first = masked.next()?;
        let (input, node, mask) =
            masked.fold(first, |best, next| if next.0.text.len() < best.0.text.len() { next } else { best });
        Some((Rc::clone(input), node, mask))
    }

    /// The input with a text of a rule around the root class, below what masks it.
    fn with_between(
        &mut self,
        input: &Rc<Input>,
        root: ClassId,
        node: NodeId,
        mask: NodeId,
        rule: RuleId,
        is_cheapest: bool,
    ) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let hidden = self.hypothesis.class(root).nonterminal;
        let (child, inner) = self.nearest(rule, hidden)?;
        let outer = grammar.rule(rule).lhs;
        let below =
            std::iter::successors(Some(node), |&at| input.tree.parent(at)).take_while(|&at| at != mask);
        let mut places = below.filter_map(|at| Some((at, input.tree.nonterminal(grammar, at)?)));
        let (place, at) = places.find(|&(_, at)| self.cheapest.distance(at, outer).is_some())?;
        let inside = self.cheapest.around(inner, hidden, input.text_of(node))?;
        let text = self.text_beside(rule, child, &inside, is_cheapest)?;
        let text = self.cheapest.around(at, outer, &text)?;
        Some(input.with(self.example, &[(place, text)]))
    }

    /// The symbol of a rule in which a nonterminal is nearest, with its number.
    fn nearest(&mut self, rule: RuleId, target: NonterminalId) -> Option<(usize, NonterminalId)> {
        let symbols = self.example.grammar.rule(rule).symbols.iter().enumerate();
        let nearest = symbols.filter_map(|(child, symbol)| match *symbol {
            Symbol::Nonterminal(inner) => Some((self.cheapest.distance(inner, target)?, child, inner)),
            _ => None,
        });
        nearest.min().map(|(_, child, inner)| (child, inner))
    }

    /// Takes a part of a failing input for a boundary, so that what is known to be around a root class does not mask it there. Says whether
    /// there is one.
    pub(super) fn find_boundary(&mut self, input: &Rc<Input>, root: ClassId) -> Result<bool, Halt> {
        if self.hypothesis.boundaries(root).len() >= MOST {
            return Ok(false);
        }
        let rejected = &|session: &Self, candidate: &Input| {
            !session.accepts(candidate) && session.occurrence(candidate, root).is_some()
        };
        let input = self.shrink(Rc::clone(input), Verdict::Fail, SHRINKING, rejected)?;
        let Some(node) = self.occurrence(&input, root) else { return Ok(false) };
        let masked = self.masked_passing();
        let mut at = node;
        while let Some(outer) = input.tree.parent(at) {
            at = outer;
            let before = self.hypothesis.clone();
            if self.add_boundary(&input, root, at)
                && self.accepts(&input)
                && masked.iter().filter(|input| self.accepts(input)).count() * MOST_WRONG <= masked.len()
                && self.is_boundary(&input, root, at)?
            {
                let wrong: Vec<&Rc<Input>> = masked.iter().filter(|input| self.accepts(input)).collect();
                wrong.into_iter().for_each(|input| self.give_up(input));
                return Ok(true);
            }
            self.hypothesis = before;
        }
        Ok(false)
    }

    /// The inputs that pass and are rejected for what masks a root class in them.
    pub(super) fn masked_passing(&self) -> Vec<Rc<Input>> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let is_masked = |input: &&Rc<Input>| {
            let matched = matcher.matched(&input.tree);
            let all = matcher.occurrences_in_all(&input.tree, &matched);
            !all.is_empty() && matcher.occurrences(&input.tree, &matched).is_empty()
        };
        self.explained().filter(is_masked).map(Rc::clone).collect()
    }

    /// The node at which a root class stands, masked or not, if that is one node.
    fn occurrence(&self, input: &Input, root: ClassId) -> Option<NodeId> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let all = matcher.occurrences_in_all(&input.tree, &matcher.matched(&input.tree));
        match all[..] {
            [(found, node)] if found == root => Some(node),
            _ => None,
        }
    }

    /// Makes the rule of a node a boundary of a root class. Not where it has characters of which nothing is known.
    fn add_boundary(&mut self, input: &Input, root: ClassId, node: NodeId) -> bool {
        let grammar = self.example.grammar;
        let Some(rule) = input.tree.rule(node) else { return false };
        if grammar.rule(rule).has_class() {
            return false;
        }
        let class = self.hypothesis.add(grammar.rule(rule).lhs, vec![Alternative::of_rule(grammar, rule)]);
        self.hypothesis.bound(root, class);
        true
    }

    /// Whether inputs fail with anything in the place of a part that has its rule and a root class in it.
    fn is_boundary(&mut self, input: &Rc<Input>, root: ClassId, node: NodeId) -> Result<bool, Halt> {
        let Some(rule) = input.tree.rule(node) else { return Ok(false) };
        let hidden = self.hypothesis.class(root).nonterminal;
        let Some((child, inner)) = self.nearest(rule, hidden) else { return Ok(false) };
        let vary = &mut |session: &mut Self, _: usize| {
            let member = session.member(root, Bindings::new())?;
            let inside = session.cheapest.around(inner, hidden, &member)?;
            let text = session.text_with(rule, child, &inside)?;
            Some(input.with(session.example, &[(node, text)]))
        };
        Ok(matches!(self.trial(Verdict::Fail, CHECKS, vary)?, Trial::Holds))
    }
}
