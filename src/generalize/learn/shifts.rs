//! Lists whose first element is written apart from those that repeat.
//!
//! In `x (sep x)*` the first element is no part of what repeats. What a pattern asks of it is asked of the first element alone, then, and
//! what comes before it in another input would make one more alternative for each place. So what is asked of the first element is asked of
//! any of those that repeat, if the program agrees; and what a root class asks of one that repeats is asked of the first one.

use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::Halt;

use super::hypothesis::{Alternative, ClassId, Want};
use super::positive::MOST_UNEXPLAINED;
use super::session::Learning;
use super::words::SHARE_OF_ONE;

/// The part of all executions, one in this number, that may be spent on all first elements.
const SHARE: u64 = 16;

/// The same for one root class that is asked of a first element.
const SHARE_OF_FIRST: u64 = 10;

/// Where an element stands that may stand further behind.
#[derive(Clone, Copy, Debug)]
struct Shift {
    /// The place of what repeats among the symbols of the rule that has the first element, and the number of symbols before it that what repeats
    /// has as well.
    rest: usize,
    shared: usize,
    /// The rule by which it repeats, and the place of what repeats in it.
    again: RuleId,
    next: usize,
}

impl Learning<'_, '_, '_> {
    /// Lets what some classes ask of the first element of a list stand further behind, if the program agrees.
    pub(super) fn try_shifts_of(&mut self, classes: &[ClassId]) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        for &class in classes {
            for number in 0..self.hypothesis.class(class).alternatives.len() {
                let Alternative::Rule(rule, wants) = &self.hypothesis.class(class).alternatives[number]
                else {
                    continue;
                };
                let (rule, wants) = (*rule, wants.to_vec());
                let Some(shift) = self.shift(rule).filter(|shift| shift.says_anything(&wants)) else {
                    continue;
                };
                if self.judge.executions() > most {
                    return Ok(());
                }
                self.within(SHARE_OF_ONE, |session| {
                    let before = session.hypothesis.clone();
                    let shifted = session.shifted(rule, &wants, shift);
                    let is_admitted = session.admit(class, shifted)?;
                    if !is_admitted {
                        session.hypothesis = before;
                    }
                    Ok(is_admitted)
                })?;
            }
        }
        Ok(())
    }

    /// Asks of the first element of a list what a root class asks of one that repeats, if the program agrees: one more root class.
    pub(super) fn try_first_elements(&mut self) -> Result<(), Halt> {
        for root in self.hypothesis.roots().to_vec() {
            if self.hypothesis.constraint(root).is_some() || self.hypothesis.is_anchored(root) {
                continue;
            }
            for (list, alternatives) in self.first_elements(root) {
                let before = self.hypothesis.clone();
                let first = self.hypothesis.add(list, alternatives);
                self.hypothesis.add_root(first);
                self.hypothesis.need(first, before.needs(root).to_vec());
                self.hypothesis.adopt_masks(&before, first);
                self.narrowed.insert(first);
                let is_root = self.within(SHARE_OF_FIRST, |session| {
                    Ok(session.fails_in_some_context(first)?
                        && matches!(session.fails_unless_masked(first)?, Some(0..=MOST_UNEXPLAINED)))
                })?;
                if !is_root {
                    self.narrowed.remove(&first);
                    self.hypothesis = before;
                }
            }
        }
        Ok(())
    }

    /// What a root class asks of elements that repeat, asked of the first ones of such lists: the nonterminal of each, and the alternatives.
    fn first_elements(&self, root: ClassId) -> Vec<(NonterminalId, Vec<Alternative>)> {
        let grammar = self.example.grammar;
        let repeated = &self.hypothesis.class(root).alternatives;
        let first_elements = |(rule, shift): (RuleId, Shift)| {
            let alternatives: Vec<Alternative> = repeated
                .iter()
                .filter_map(|alternative| match alternative {
                    // With the root class itself behind it, it asks nothing of the first one.
                    Alternative::Rule(again, wants)
                        if *again == shift.again && wants[shift.next] != Want::In(root) =>
                    {
                        let Shift { rest, shared, next, .. } = shift;
                        let first = (rest - shared..=rest).zip(wants[next - shared..=next].iter().cloned());
                        Some(Alternative::of_rule_with(grammar, rule, first))
                    }
                    _ => None,
                })
                .collect();
            (grammar.rule(rule).lhs, alternatives)
        };
        let lists = grammar.rules().ids().filter_map(|rule| Some((rule, self.shift(rule)?)));
        lists.map(first_elements).filter(|(_, alternatives)| !alternatives.is_empty()).collect()
    }

    /// Where the first element of a list is in a rule, if it has one that repeats.
    fn shift(&self, rule: RuleId) -> Option<Shift> {
        let grammar = self.example.grammar;
        let symbols = &grammar.rule(rule).symbols;
        symbols.iter().enumerate().find_map(|(rest, &symbol)| {
            let Symbol::Nonterminal(list) = symbol else { return None };
            grammar.rules_of(list).iter().find_map(|&again| {
                let repeated = &grammar.rule(again).symbols;
                let next = repeated.iter().position(|&symbol| symbol == Symbol::Nonterminal(list))?;
                let shared = symbols[..rest].iter().rev().zip(repeated[..next].iter().rev());
                let shared = shared.take_while(|(first, again)| first == again).count();
                let is_it = again != rule && shared > 0 && !grammar.rule(again).has_class();
                is_it.then_some(Shift { rest, shared, again, next })
            })
        })
    }

    /// An alternative with any element first, and what was asked of the first one asked of one behind it.
    fn shifted(&mut self, rule: RuleId, wants: &[Want], shift: Shift) -> Alternative {
        let Shift { rest, shared, again, next } = shift;
        let grammar = self.example.grammar;
        let here = (next - shared..=next).zip(wants[rest - shared..=rest].iter().cloned());
        let here = Alternative::of_rule_with(grammar, again, here);
        let behind = self.hypothesis.add(grammar.rule(again).lhs, vec![here]);
        let other = Alternative::of_rule_with(grammar, again, [(next, Want::In(behind))]);
        self.hypothesis.widen(behind, other);
        let mut first = wants.to_vec();
        first[rest - shared..rest].fill(Want::Any);
        first[rest] = Want::In(behind);
        Alternative::Rule(rule, first.into())
    }
}

impl Shift {
    /// Whether anything is asked of the first element.
    fn says_anything(&self, wants: &[Want]) -> bool {
        wants[self.rest - self.shared..self.rest].iter().any(|want| *want != Want::Any)
    }
}
