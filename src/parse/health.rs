//! What is unsound in a grammar: nonterminals that no input needs, that derive nothing, that derive just
//! themselves, or that derive some input in two ways.
//!
//! All but the last is decided ([`analysis`]). Ambiguity cannot be: a grammar whose parsing tables have no
//! conflict has none, and for all others it is searched for up to a length ([`super::ambiguity`]). What tokens exclude and that they take the longest match is not looked at, as
//! parsing does not either.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::analysis::{self, Alone, cyclic, productive};
use crate::grammar::lexis::word_lists;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

use super::ambiguity::{Found, search};
use super::parser::Parser;

/// What was found of a grammar.
#[derive(Clone, Debug)]
pub struct Health {
    /// Nonterminals that neither the start symbol needs nor what may be skipped.
    pub unreachable: Vec<NonterminalId>,
    /// Nonterminals that derive nothing.
    pub unproductive: Vec<NonterminalId>,
    /// Ways in which nonterminals derive just themselves; each such nonterminal is on one of them.
    pub cycles: Vec<Vec<Step>>,
    /// Whether the grammar is proved to be unambiguous; then nothing is searched.
    pub is_proved_unambiguous: bool,
    /// What the search for ambiguity came to.
    pub ambiguity: Found,
}

/// One step of a cycle: a rule, all symbols of which but one can be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule.
    pub rule: RuleId,
    /// Which of its symbols goes on.
    pub position: usize,
}

impl Health {
    /// Examines a grammar; ambiguity up to `length` terminals, trying `budget` combinations at most. Where its tables
    /// need more steps than the limits allow nothing is proved.
    ///
    /// # Errors
    /// When the time or the user's patience is at an end.
    pub fn of(grammar: &Grammar, length: usize, budget: u64, limits: &Limits) -> Result<Self, Exceeded> {
        let used = analysis::used(grammar);
        let mut productive = productive(grammar);
        // What the lists of a lexer's words derive means nothing.
        productive.union_with(&word_lists(grammar));
        // A helper is as useful as the rule in which its operator stands.
        let named = || {
            let all = grammar.nonterminals().entries();
            all.filter(|(_, nonterminal)| !nonterminal.is_helper()).map(|(id, _)| id)
        };
        let is_proved_unambiguous = match Parser::within(Arc::new(grammar.clone()), limits) {
            Ok(parser) => parser.is_proved_unambiguous(),
            Err(exceeded @ (Exceeded::Interrupted | Exceeded::Time(_))) => return Err(exceeded),
            Err(_) => false,
        };
        let ambiguity = match is_proved_unambiguous {
            true => Found::nothing(),
            false => search(grammar, length, budget, limits)?,
        };
        Ok(Self {
            unreachable: named().filter(|&id| !used.contains(id)).collect(),
            unproductive: named().filter(|&id| !productive.contains(id)).collect(),
            cycles: cycles(grammar),
            is_proved_unambiguous,
            ambiguity,
        })
    }

    /// Whether nothing was found.
    pub fn is_sound(&self) -> bool {
        self.unreachable.is_empty()
            && self.unproductive.is_empty()
            && self.cycles.is_empty()
            && self.ambiguity.ambiguous.is_empty()
    }
}

/// For each cyclic nonterminal that is on none of those before, one of the shortest cycles through it.
fn cycles(grammar: &Grammar) -> Vec<Vec<Step>> {
    let lists = word_lists(grammar);
    let cyclic: BitSet<NonterminalId> = cyclic(grammar).iter().filter(|&id| !lists.contains(id)).collect();
    let alone = Alone::new(grammar);
    let mut steps: IdVec<NonterminalId, Vec<(Step, NonterminalId)>> =
        IdVec::filled(Vec::new(), grammar.nonterminals().len());
    for (id, rule) in grammar.rules().entries() {
        for (position, &symbol) in rule.symbols.iter().enumerate() {
            if let Symbol::Nonterminal(next) = symbol
                && cyclic.contains(next)
                && alone.can_be(id, position)
            {
                steps[rule.lhs].push((Step { rule: id, position }, next));
            }
        }
    }
    let mut shown: BitSet<NonterminalId> = BitSet::new();
    let mut cycles = Vec::new();
    for start in cyclic.iter() {
        if shown.contains(start) {
            continue;
        }
        if let Some(cycle) = shortest(&steps, start) {
            shown.extend(cycle.iter().map(|step| grammar.rule(step.rule).lhs));
            cycles.push(cycle);
        }
    }
    cycles
}

/// One of the shortest ways from a nonterminal back to it.
fn shortest(
    steps: &IdVec<NonterminalId, Vec<(Step, NonterminalId)>>,
    start: NonterminalId,
) -> Option<Vec<Step>> {
    let mut came: IdVec<NonterminalId, Option<(NonterminalId, Step)>> = IdVec::filled(None, steps.len());
    let mut queue = VecDeque::from([start]);
    while let Some(from) = queue.pop_front() {
        for &(step, next) in &steps[from] {
            if next == start {
                let mut cycle = vec![step];
                let mut at = from;
                while let Some((before, step)) = came[at].filter(|_| at != start) {
                    cycle.push(step);
                    at = before;
                }
                cycle.reverse();
                return Some(cycle);
            }
            if came[next].is_none() {
                came[next] = Some((from, step));
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::format;

    #[test]
    fn each_kind_of_fault_is_found() {
        let text = r#"<s> ::= <a> | <dead> "x" | ("y"?)*
            <a> ::= <b> <e> <b> ::= <a> | "z" <e> ::= ""
            <dead> ::= <dead> "w" <lost> ::= "l""#;
        let grammar = format::read(&Source::new("g.ebnf", text), None).expect("right").grammar;
        let health = Health::of(&grammar, 2, 10_000, &Limits::default()).unwrap();
        let names = |ids: &[NonterminalId]| ids.iter().map(|&id| grammar.name(id).text()).collect::<Vec<_>>();
        assert_eq!(names(&health.unreachable), ["lost"]);
        assert_eq!(names(&health.unproductive), ["dead"]);
        let lengths: Vec<usize> = health.cycles.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1]);
        assert!(!health.is_sound());
        let sound = format::read(&Source::new("g.ebnf", "<s> ::= \"x\" <s> | \"y\""), None).expect("right");
        let health = Health::of(&sound.grammar, 8, 10_000, &Limits::default()).unwrap();
        assert!(health.is_sound() && health.is_proved_unambiguous);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn every_cyclic_nonterminal_is_on_a_cycle_that_closes(grammar in grammars(GrammarShape::default())) {
            let nullable = analysis::nullable(&grammar);
            let mut shown: BitSet<NonterminalId> = BitSet::new();
            for cycle in cycles(&grammar) {
                for (index, step) in cycle.iter().enumerate() {
                    let symbols = &grammar.rule(step.rule).symbols;
                    let next = grammar.rule(cycle[(index + 1) % cycle.len()].rule).lhs;
                    prop_assert_eq!(symbols[step.position], Symbol::Nonterminal(next));
                    shown.insert(grammar.rule(step.rule).lhs);
                    for (position, &symbol) in symbols.iter().enumerate() {
                        let empty = matches!(symbol, Symbol::Nonterminal(n) if nullable.contains(n));
                        prop_assert!(position == step.position || empty);
                    }
                }
            }
            prop_assert_eq!(shown, cyclic(&grammar));
        }
    }
}
