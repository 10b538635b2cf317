//! The ways in which the children of a rule lead into a set of states, as disjoint boxes.
//!
//! A box gives each nonterminal of the rule a set of states (and each class a set of characters):
//! all tuples of child states in the box lead into the target, and no tuple is in two boxes. Boxes
//! come from the rule's fold: from right to left, each fold gets a *remainder*, a tree that tells,
//! set of child states by set of child states, how to go on; child states with equal remainders are
//! merged. Remainders are interned, so that equal ones are found at once.

use std::collections::HashMap;

use crate::automaton::{Automaton, FoldId, StateId};
use crate::base::interner::Interner;
use crate::grammar::{CharClass, RuleId, Symbol};
use crate::id_type;

id_type!(
    /// A set of states of one nonterminal.
    SetId
);
id_type!(
    /// A remainder.
    RemainderId
);

/// The sets of states met so far, each in the order in which the automaton found its states.
pub type Sets = Interner<SetId, Box<[StateId]>>;

/// What one symbol of a rule is restricted to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The literal of the rule.
    Literal,
    /// Some characters of a class.
    Chars(CharClass),
    /// Some states of a nonterminal.
    States(SetId),
}

/// How a rule can go on from some fold so as to end in the target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Remainder {
    /// It has ended there.
    Accept,
    /// It cannot.
    Reject,
    /// One of these sides, each with its remainder; the sides are disjoint.
    Split(Box<[(Side, RemainderId)]>),
}

/// Finds the boxes of rules.
pub struct Boxes<'a> {
    automaton: &'a Automaton,
    /// The sets of states met so far.
    pub sets: Sets,
    remainders: Interner<RemainderId, Remainder>,
}

impl<'a> Boxes<'a> {
    /// A finder for one automaton.
    pub fn new(automaton: &'a Automaton) -> Self {
        Self { automaton, sets: Interner::new(), remainders: Interner::new() }
    }

    /// The boxes in which the children of `rule` lead into a state of `target`, at most `limit` of
    /// them; `None` when there are more.
    pub fn of_rule(&mut self, rule: RuleId, target: SetId, limit: usize) -> Option<Vec<Vec<Side>>> {
        let start = self.remainder_of_rule(rule, target);
        let mut boxes = Vec::new();
        let mut open: Vec<(RemainderId, Vec<Side>)> = vec![(start, Vec::new())];
        while let Some((remainder, sides)) = open.pop() {
            match &self.remainders[remainder] {
                Remainder::Reject => {}
                Remainder::Accept if boxes.len() == limit => return None,
                Remainder::Accept => boxes.push(sides),
                Remainder::Split(branches) => {
                    for (side, next) in branches.iter().rev() {
                        let mut sides = sides.clone();
                        sides.push(side.clone());
                        open.push((*next, sides));
                    }
                }
            }
        }
        Some(boxes)
    }

    fn remainder_of_rule(&mut self, rule: RuleId, target: SetId) -> RemainderId {
        let accept = self.remainders.intern(Remainder::Accept);
        let reject = self.remainders.intern(Remainder::Reject);
        let automaton = self.automaton;
        let symbols = &automaton.grammar().rule(rule).symbols;
        let mut later: HashMap<FoldId, RemainderId> = HashMap::new();
        for &fold in automaton.reached(rule, symbols.len()) {
            let state = automaton.end(rule, fold);
            later.insert(fold, if self.sets[target].contains(&state) { accept } else { reject });
        }
        for (position, &symbol) in symbols.iter().enumerate().rev() {
            let mut now: HashMap<FoldId, RemainderId> = HashMap::new();
            for &fold in automaton.reached(rule, position) {
                let branches: Vec<(Side, RemainderId)> = match symbol {
                    Symbol::Literal(_) => vec![(Side::Literal, later[&fold])],
                    Symbol::Class(class) => {
                        let outcomes = automaton.outcomes(fold, position, class);
                        merge(outcomes.iter().map(|outcome| (later[&outcome.fold], &outcome.class)))
                            .into_iter()
                            .map(|(remainder, classes)| {
                                let ranges = classes.iter().flat_map(|class| class.ranges().iter().copied());
                                (Side::Chars(CharClass::new(ranges)), remainder)
                            })
                            .collect()
                    }
                    Symbol::Nonterminal(nonterminal) => {
                        let steps = automaton
                            .reachable(nonterminal)
                            .iter()
                            .map(|&state| (later[&automaton.step(fold, position, state)], state));
                        merge(steps)
                            .into_iter()
                            .map(|(remainder, states)| {
                                (Side::States(self.sets.intern(states.into())), remainder)
                            })
                            .collect()
                    }
                };
                let possible: Box<[_]> = branches.into_iter().filter(|(_, next)| *next != reject).collect();
                let remainder = if possible.is_empty() {
                    reject
                } else {
                    self.remainders.intern(Remainder::Split(possible))
                };
                now.insert(fold, remainder);
            }
            later = now;
        }
        automaton.reached(rule, 0).first().map_or(reject, |fold| later[fold])
    }
}

/// Groups items by remainder, both in order of first appearance.
fn merge<T>(items: impl Iterator<Item = (RemainderId, T)>) -> Vec<(RemainderId, Vec<T>)> {
    let mut groups: Vec<(RemainderId, Vec<T>)> = Vec::new();
    let mut places: HashMap<RemainderId, usize> = HashMap::new();
    for (remainder, item) in items {
        let place = *places.entry(remainder).or_insert_with(|| {
            groups.push((remainder, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(item);
    }
    groups
}
