//! The sets of states in which derivations can end, as values that are computed while parsing.
//!
//! The value of a nonterminal is the set of states of its derivations. The value of a *rest*, the last
//! few symbols of some rules, is the set of the folds of these symbols alone, which are put behind the
//! folds of the symbols before as soon as these are known. States and folds are found when an input leads to them,
//! so it does not matter how large the whole automaton would be.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::automaton::{FoldId, Machine, StateId, Want};
use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, analysis};
use crate::id_type;
use crate::parse::{Algebra, Derivation, Part, Piece, ValueId};
use crate::pattern::Expression;

id_type!(
    /// A set of states.
    SetId
);
id_type!(
    /// A set of folds of a rest.
    RestId
);

/// Sets of states by numbers, and how rules make them.
#[derive(Debug)]
pub struct StateSets {
    /// The automaton, as far as it is known.
    pub machine: Machine,
    /// What may still be spent on the input.
    pub meter: Meter,
    /// Why the values could not be computed further.
    exceeded: Option<Exceeded>,
    sets: Interner<SetId, Box<[StateId]>>,
    rests: Interner<RestId, Box<[FoldId]>>,
    /// The folds before rests, by their numbers.
    begins: FxHashMap<usize, FoldId>,
    /// The states of the derivations of the empty string.
    empty: IdVec<NonterminalId, SetId>,
}

impl StateSets {
    /// The sets of states of an expression's automaton.
    ///
    /// # Errors
    /// When a limit is reached by what has to be known before any input is.
    pub fn new(
        grammar: Arc<Grammar>,
        expression: Arc<Expression>,
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut meter = limits.meter();
        let mut sets = Interner::new();
        let none = sets.intern(Box::default());
        let mut states = Self {
            machine: Machine::new(Arc::clone(&grammar), expression, &mut meter)?,
            meter,
            exceeded: None,
            sets,
            rests: Interner::new(),
            begins: FxHashMap::default(),
            empty: IdVec::filled(none, grammar.nonterminals().len()),
        };
        let nullable = analysis::nullable(&grammar);
        let is_empty = |&symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable.contains(n));
        let rules: Vec<RuleId> = grammar
            .rules()
            .entries()
            .filter(|(_, rule)| rule.symbols.iter().all(is_empty))
            .map(|(id, _)| id)
            .collect();
        // A rule whose nonterminals have no states yet adds none: this grows to the least fixpoint.
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            for &rule in &rules {
                let lhs = grammar.rule(rule).lhs;
                let pieces = vec![Piece::Empty; grammar.rule(rule).symbols.len()];
                let part = Part::Nonterminal(lhs);
                let more = states.compute(Derivation { part, rule, pieces: &pieces, rest: None })?;
                let sum = states.join(states.empty[lhs], SetId::new(more.index()));
                has_grown |= sum != states.empty[lhs];
                states.empty[lhs] = sum;
            }
        }
        Ok(states)
    }

    /// Begins another input, for which everything may be spent again.
    pub fn restart(&mut self) {
        self.meter = self.meter.limits().meter();
        self.exceeded = None;
    }

    /// Why the values of the input could not be computed, if that is so.
    pub fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    /// The states of a value.
    pub fn states(&self, value: ValueId) -> &[StateId] {
        &self.sets[SetId::new(value.index())]
    }

    /// The folds after the pieces of a derivation of `symbols`, with what comes after them.
    fn folds(
        &mut self,
        begin: FoldId,
        symbols: &[Symbol],
        Derivation { pieces, rest, .. }: Derivation<'_>,
    ) -> Result<Vec<FoldId>, Exceeded> {
        let Self { machine, meter, sets, empty, .. } = self;
        let mut folds = vec![begin];
        for (position, (&symbol, &piece)) in symbols.iter().zip(pieces).enumerate() {
            let left = symbols.len() - position;
            let states = match (symbol, piece) {
                (Symbol::Literal(_), Piece::Literal) => continue,
                (Symbol::Class(class), Piece::Char(c)) => {
                    let mut next = Vec::with_capacity(folds.len());
                    for &fold in &folds {
                        let outcomes = machine.outcomes(fold, left, class, meter)?;
                        let outcome = match c {
                            Some(c) => outcomes.iter().find(|outcome| outcome.class.contains(c)),
                            // No pattern names the character, so it is among the others.
                            None => outcomes.last(),
                        };
                        next.extend(outcome.map(|outcome| outcome.fold));
                    }
                    folds = distinct(next);
                    continue;
                }
                (Symbol::Nonterminal(_), Piece::Value(value)) => &sets[SetId::new(value.index())],
                (Symbol::Nonterminal(nonterminal), Piece::Empty) => &sets[empty[nonterminal]],
                (symbol, piece) => unreachable!("{piece:?} for {symbol:?}"),
            };
            let mut next = Vec::with_capacity(folds.len() * states.len());
            for &fold in &folds {
                for &state in states {
                    next.push(machine.step(fold, left, state, meter)?);
                }
            }
            folds = distinct(next);
        }
        let Some((_, rest)) = rest else { return Ok(folds) };
        let rests = &self.rests[RestId::new(rest.index())];
        let mut ends = Vec::with_capacity(folds.len() * rests.len());
        for &fold in &folds {
            for &rest in rests {
                ends.push(machine.append(fold, rest, meter)?);
            }
        }
        Ok(distinct(ends))
    }

    fn compute(&mut self, derivation: Derivation<'_>) -> Result<ValueId, Exceeded> {
        let grammar = Arc::clone(self.machine.grammar());
        let Derivation { part, rule, .. } = derivation;
        match part {
            Part::Nonterminal(_) => {
                let begin = self.machine.begin(rule, &mut self.meter)?;
                let folds = self.folds(begin, &grammar.rule(rule).symbols, derivation)?;
                let mut states = Vec::with_capacity(folds.len());
                for fold in folds {
                    states.push(self.machine.end(rule, fold, &mut self.meter)?);
                }
                Ok(ValueId::new(self.sets.intern(distinct(states).into()).index()))
            }
            Part::Rest(end) => {
                let begin = match self.begins.get(&end.number) {
                    Some(&known) => known,
                    None => {
                        let rules = end.sites.iter().map(|&(rule, _)| rule);
                        let begin = self.machine.begin_rest(rules, &mut self.meter)?;
                        self.begins.insert(end.number, begin);
                        begin
                    }
                };
                // All of them end with the same symbols.
                let &(rule, first) = end.sites.first().expect("an end is that of a rule");
                let folds = self.folds(begin, &grammar.rule(rule).symbols[first..], derivation)?;
                Ok(ValueId::new(self.rests.intern(folds.into()).index()))
            }
        }
    }

    fn join(&mut self, one: SetId, other: SetId) -> SetId {
        if one == other {
            return one;
        }
        let both = [&self.sets[one][..], &self.sets[other][..]].concat();
        self.sets.intern(distinct(both).into())
    }
}

impl Algebra for StateSets {
    fn apart(&self, rule: RuleId, position: usize) -> Vec<char> {
        let table = self.machine.table();
        let wants = table.of_rule(rule).iter().map(|&concrete| table.concrete()[concrete].wants[position]);
        wants.flat_map(Want::chars).collect()
    }

    fn empty(&mut self, nonterminal: NonterminalId) -> ValueId {
        ValueId::new(self.empty[nonterminal].index())
    }

    fn value(&mut self, derivation: Derivation<'_>) -> Option<ValueId> {
        match self.compute(derivation) {
            Ok(value) => Some(value),
            Err(exceeded) => {
                self.exceeded = Some(exceeded);
                None
            }
        }
    }

    fn union(&mut self, part: Part<'_>, one: ValueId, other: ValueId) -> ValueId {
        if one == other {
            return one;
        }
        let (one, other) = (one.index(), other.index());
        match part {
            Part::Nonterminal(_) => ValueId::new(self.join(SetId::new(one), SetId::new(other)).index()),
            Part::Rest(_) => {
                let both = [&self.rests[RestId::new(one)][..], &self.rests[RestId::new(other)][..]].concat();
                ValueId::new(self.rests.intern(distinct(both).into()).index())
            }
        }
    }
}

/// The items in order, each once.
fn distinct<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}
