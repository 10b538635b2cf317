//! Rules of nonterminals that can stand in each other's place.
//!
//! Go's `defer` and `go` are statements of their own to a grammar, with an expression each. Random inputs seldom have what fails in the other one.
//! So what is asked of the parts of a root class is asked of the same parts of interchangeable nonterminals, too: those that stand where its own one
//! does, in a rule that is the same otherwise.

use std::collections::BTreeSet;

use crate::grammar::analysis::uses;
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::Halt;

use super::alike::FEWEST;
use super::hypothesis::{Alternative, ClassId, Want};
use super::session::Learning;
use super::words::SHARE_OF_ONE;

impl Learning<'_, '_, '_> {
    /// Asks the same of the rules of other nonterminals that can stand in the place of a root class as of its own, as far as these have all the parts of
    /// which anything is asked, until so many executions were made in all.
    pub(super) fn try_interchangeable(&mut self, root: ClassId, most: u64) -> Result<(), Halt> {
        if !self.hypothesis.is_plain_root(root) {
            return Ok(());
        }
        let own = self.hypothesis.class(root).nonterminal;
        let grammar = self.example.grammar;
        let interchangeable = self.interchangeable(own);
        for alternative in self.hypothesis.class(root).alternatives.clone() {
            let Alternative::Rule(rule, wants) = alternative else { continue };
            for &other in interchangeable.iter().flat_map(|&nonterminal| grammar.rules_of(nonterminal)) {
                if self.judge.executions() > most {
                    return Ok(());
                }
                if !self.has_root_of(other) {
                    self.try_rule_of_interchangeable(root, (rule, &wants), other)?;
                }
            }
        }
        Ok(())
    }

    /// The other nonterminals that stand where a nonterminal does, in a rule that is the same otherwise.
    fn interchangeable(&mut self, own: NonterminalId) -> BTreeSet<NonterminalId> {
        let grammar = self.example.grammar;
        let mut found = BTreeSet::new();
        for &(rule, place) in &uses(grammar)[own] {
            let rule = grammar.rule(rule);
            if !self.cheapest.reaches(grammar.start(), rule.lhs) {
                continue;
            }
            for &other in grammar.rules_of(rule.lhs) {
                let others = &grammar.rule(other).symbols;
                let Some(&Symbol::Nonterminal(nonterminal)) = others.get(place) else { continue };
                let is_same = |(at, (one, another))| at == place || one == another;
                let are_same = rule.symbols.len() == others.len()
                    && rule.symbols.iter().zip(others).enumerate().all(is_same);
                if nonterminal != own && are_same {
                    found.insert(nonterminal);
                }
            }
        }
        found
    }

    /// Whether a root class asks for a rule.
    fn has_root_of(&self, rule: RuleId) -> bool {
        let lhs = self.example.grammar.rule(rule).lhs;
        let classes = self.hypothesis.roots().iter().map(|&root| self.hypothesis.class(root));
        classes.filter(|class| class.nonterminal == lhs).any(|class| class.has_rule(rule))
    }

    /// Asks the same of one rule of an interchangeable nonterminal, as a root class of its own, if the program agrees.
    fn try_rule_of_interchangeable(
        &mut self,
        root: ClassId,
        (rule, wants): (RuleId, &[Want]),
        other: RuleId,
    ) -> Result<(), Halt> {
        let Some(places) = self.places_in_other(rule, wants, other) else { return Ok(()) };
        let Some(failed) = self.failing_by_other(root, rule, &places, other)? else { return Ok(()) };
        if failed == 0 {
            return Ok(());
        }
        let same = self.alternative_of_other(wants, &places, other);
        self.try_root_of_rule(other, same, failed >= FEWEST)?;
        Ok(())
    }

    /// Takes what a rule derives, as far as it is asked for, for one more root class, if the program agrees; with the answer where it refuses so many inputs that
    /// it gives none. Says whether it is one.
    pub(super) fn try_root_of_rule(
        &mut self,
        rule: RuleId,
        asked: Alternative,
        when_unclear: bool,
    ) -> Result<bool, Halt> {
        self.within(SHARE_OF_ONE, |session| {
            let before = session.hypothesis.clone();
            let class = session.hypothesis.add(session.example.grammar.rule(rule).lhs, Vec::new());
            session.hypothesis.add_root(class);
            let is_admitted = session.admit_with(class, asked, when_unclear)?;
            if !is_admitted {
                session.take_back(before);
            }
            Ok(is_admitted)
        })
    }
}
