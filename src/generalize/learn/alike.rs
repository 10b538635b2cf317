//! Rules of one nonterminal that have the same parts.
//!
//! An element of XML that is empty has attributes as any other, and is another rule of the grammar. What is asked of the parts of one rule is
//! then asked of those of the other, too, if the program agrees. A repetition has a nonterminal of its own at each place in a grammar, so two of
//! the same are alike, and what is asked of one can be asked of the other.

use std::collections::HashMap;

use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::places::Place;
use super::session::{Learning, Trial};
use super::words::SHARE_OF_ONE;

/// The part of all executions, one in this number, that may be spent on all rules that are alike.
pub(super) const SHARE_OF_ALIKE: u64 = 10;

/// The number of failing inputs that have to fail by the other rule, where random ones are refused.
pub(super) const FEWEST: usize = 2;

impl Learning<'_, '_, '_> {
    /// Asks the same of other rules of the nonterminals of root classes as of their own, as far as these have all the parts of which anything is
    /// asked.
    pub(super) fn try_alike(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_ALIKE;
        for root in self.hypothesis.roots_and_needs() {
            self.try_alike_rules(root, most)?;
        }
        for root in self.hypothesis.roots().to_vec() {
            self.try_alike_roots(root, most)?;
            self.try_interchangeable(root, most)?;
        }
        Ok(())
    }

    /// Asks the same of other rules of the nonterminal of one class as of its own, until so many executions were made in all.
    pub(super) fn try_alike_rules(&mut self, class: ClassId, most: u64) -> Result<(), Halt> {
        for number in 0..self.hypothesis.class(class).alternatives.len() {
            let Alternative::Rule(rule, wants) = &self.hypothesis.class(class).alternatives[number] else {
                continue;
            };
            let (rule, wants) = (*rule, wants.to_vec());
            for &other in self.example.grammar.rules_of(self.hypothesis.class(class).nonterminal) {
                if self.hypothesis.class(class).has_rule(other) {
                    continue;
                }
                if self.judge.executions() > most {
                    return Ok(());
                }
                self.try_alike_rule(class, (rule, &wants), other, most)?;
            }
        }
        Ok(())
    }

    /// Asks the same of whatever is of a nonterminal like that of a root class: the attributes of an element that is empty are a list of their own.
    fn try_alike_roots(&mut self, root: ClassId, most: u64) -> Result<(), Halt> {
        let grammar = self.example.grammar;
        let (start, own) = (grammar.start(), self.hypothesis.class(root).nonterminal);
        let is_plain = self.hypothesis.is_plain_root(root);
        for other in grammar.nonterminals().ids() {
            let is_alike =
                other != own && self.is_alike(Symbol::Nonterminal(own), Symbol::Nonterminal(other));
            let is_known = || {
                let mut roots = self.hypothesis.roots().iter();
                roots.any(|&root| self.hypothesis.class(root).nonterminal == other)
            };
            if !is_plain || !is_alike || is_known() || self.judge.executions() > most {
                continue;
            }
            if !self.cheapest.reaches(start, other) {
                continue;
            }
            self.within(SHARE_OF_ONE, |session| {
                let before = session.hypothesis.clone();
                let same = session.translated_class(root, other, &mut HashMap::new());
                session.hypothesis.add_root(same);
                let vary = &mut |session: &mut Self, turn: usize| {
                    let member = session.member(same, Bindings::new())?;
                    match turn % 3 {
                        0 => session.cheapest.around(start, other, &member),
                        1 => session.hosted(other, &member),
                        _ => session.in_context(other, &member).map(|context| context.text),
                    }
                };
                let checks = session.settings.screening;
                let is_right = matches!(session.trial(Verdict::Fail, checks, vary)?, Trial::Holds)
                    && session.is_right_about_passing()?;
                if !is_right {
                    session.hypothesis = before;
                }
                Ok(is_right)
            })?;
        }
        Ok(())
    }

    /// Asks the same of one other rule, if the program agrees, until so many executions were made in all.
    fn try_alike_rule(
        &mut self,
        root: ClassId,
        (rule, wants): (RuleId, &[Want]),
        other: RuleId,
        most: u64,
    ) -> Result<(), Halt> {
        let Some(places) = self.places_in_other(rule, wants, other) else { return Ok(()) };
        let Some(failed) = self.failing_by_other(root, rule, &places, other)? else { return Ok(()) };
        let same = self.alternative_of_other(wants, &places, other);
        loop {
            let masks = self.hypothesis.maskings.len();
            let is_admitted = self
                .within(SHARE_OF_ONE, |session| session.admit_with(root, same.clone(), failed >= FEWEST))?;
            // With what masks known it may take less.
            if is_admitted || self.hypothesis.maskings.len() == masks || self.judge.executions() > most {
                return Ok(());
            }
        }
    }

    /// The number of inputs that are known to fail for a rule of a class and still do by another one; nothing once one of them passes.
    pub(super) fn failing_by_other(
        &mut self,
        class: ClassId,
        rule: RuleId,
        places: &[(usize, usize)],
        other: RuleId,
    ) -> Result<Option<usize>, Halt> {
        // What is known to fail, by the other rule, is least likely to be refused for something else.
        let mut failed = 0;
        for Place { input, node, .. } in self.places_of(class, self.settings.contexts) {
            if input.tree.rule(node) != Some(rule) {
                continue;
            }
            let Some(text) = self.by_other(&input, node, places, other) else { continue };
            match self.ask(input.with(self.example, &[(node, text)]))? {
                Some((Verdict::Fail, _)) => failed += 1,
                Some((Verdict::Pass, _)) => return Ok(None),
                _ => {}
            }
        }
        Ok(Some(failed))
    }

    /// The same of another rule, of the places that are alike, as is wanted of the parts of a rule.
    pub(super) fn alternative_of_other(
        &mut self,
        wants: &[Want],
        places: &[(usize, usize)],
        other: RuleId,
    ) -> Alternative {
        let grammar = self.example.grammar;
        let symbols = &grammar.rule(other).symbols;
        let translated = places
            .iter()
            .map(|&(from, to)| (to, self.translated(&wants[from], symbols[to], &mut HashMap::new())));
        Alternative::of_rule_with(grammar, other, translated)
    }

    /// The text of a part by another rule: with what stands in those of its places that are alike, and the cheapest strings elsewhere.
    fn by_other(
        &mut self,
        input: &Input,
        node: NodeId,
        places: &[(usize, usize)],
        other: RuleId,
    ) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let rule = input.tree.rule(node)?;
        let mut left: Vec<usize> = (0..grammar.rule(rule).symbols.len()).collect();
        self.text_of_places(other, |session, place, inner| {
            let from = places.iter().find(|&&(_, to)| to == place).map(|&(from, _)| from);
            let alike = |&from: &usize| grammar.rule(rule).symbols[from] == Symbol::Nonterminal(inner);
            let from = from.or_else(|| left.iter().copied().find(alike));
            left.retain(|&place| Some(place) != from);
            match from {
                Some(from) => Some(input.text_of(input.tree.children(node)[from]).to_vec()),
                None => session.cheapest.string(inner).map(<[u8]>::to_vec),
            }
        })
    }

    /// For each part of a rule of which anything is asked, the place of one that is alike in another rule, in the same order; `None` where one
    /// has none, or nothing is asked.
    pub(super) fn places_in_other(
        &self,
        rule: RuleId,
        wants: &[Want],
        other: RuleId,
    ) -> Option<Vec<(usize, usize)>> {
        let grammar = self.example.grammar;
        let [own, others] = [rule, other].map(|rule| &grammar.rule(rule).symbols);
        if grammar.rule(other).has_class() {
            return None;
        }
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (from, want) in wants.iter().enumerate().filter(|(_, want)| **want != Want::Any) {
            let next = places.last().map_or(0, |&(_, to)| to + 1);
            let is_place = |&to: &usize| match want {
                Want::Bound(_) | Want::Char(_) | Want::Letter(_) => others[to] == own[from],
                _ => self.is_alike(own[from], others[to]),
            };
            places.push((from, (next..others.len()).find(is_place)?));
        }
        (!places.is_empty()).then_some(places)
    }

    /// Whether two symbols derive the same by the same rules.
    fn is_alike(&self, one: Symbol, other: Symbol) -> bool {
        let grammar = self.example.grammar;
        let (Symbol::Nonterminal(a), Symbol::Nonterminal(b)) = (one, other) else { return one == other };
        let renamed = |symbol: &Symbol| if *symbol == one { other } else { *symbol };
        let [of_a, of_b] = [a, b].map(|it| grammar.rules_of(it));
        let same = |(a, b): (&RuleId, &RuleId)| {
            let [a, b] = [a, b].map(|rule| &grammar.rule(*rule).symbols);
            a.iter().map(renamed).eq(b.iter().copied())
        };
        one == other || of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(same)
    }

    /// What is wanted, of a nonterminal that is alike.
    fn translated(&mut self, want: &Want, symbol: Symbol, known: &mut HashMap<ClassId, ClassId>) -> Want {
        let Symbol::Nonterminal(nonterminal) = symbol else { return want.clone() };
        match want {
            Want::In(class) => Want::In(self.translated_class(*class, nonterminal, known)),
            Want::NotIn(except) => {
                let except = except.iter().map(|&class| self.translated_class(class, nonterminal, known));
                Want::NotIn(except.collect())
            }
            Want::Any | Want::Char(_) | Want::Letter(_) | Want::Bound(_) => want.clone(),
        }
    }

    /// A class of a nonterminal that is alike; the class itself, if it is the same nonterminal.
    fn translated_class(
        &mut self,
        class: ClassId,
        to: NonterminalId,
        known: &mut HashMap<ClassId, ClassId>,
    ) -> ClassId {
        let grammar = self.example.grammar;
        let from = self.hypothesis.class(class).nonterminal;
        if from == to {
            return class;
        }
        if let Some(&translated) = known.get(&class) {
            return translated;
        }
        let translated = self.hypothesis.add(to, Vec::new());
        known.insert(class, translated);
        let alternatives = self.hypothesis.class(class).alternatives.clone();
        let alternatives = alternatives.into_iter().filter_map(|alternative| match alternative {
            Alternative::Open(except) => {
                let except = except.iter().map(|&class| self.translated_class(class, to, known));
                Some(Alternative::Open(except.collect()))
            }
            Alternative::Has(inner, except) => {
                // What is looked for in it is the same, but for what is of its own nonterminal.
                let is_own = self.hypothesis.class(inner).nonterminal == from;
                let inner = if is_own { self.translated_class(inner, to, known) } else { inner };
                let except = except.iter().map(|&class| self.translated_class(class, to, known));
                Some(Alternative::Has(inner, except.collect()))
            }
            Alternative::Rule(rule, wants) => {
                let number = grammar.rules_of(from).iter().position(|&own| own == rule)?;
                let rule = grammar.rules_of(to)[number];
                let wants = wants.iter().zip(&grammar.rule(rule).symbols);
                Some(Alternative::Rule(
                    rule,
                    wants.map(|(want, &symbol)| self.translated(want, symbol, known)).collect(),
                ))
            }
        });
        let alternatives = alternatives.collect();
        self.hypothesis.set(translated, alternatives);
        translated
    }
}
