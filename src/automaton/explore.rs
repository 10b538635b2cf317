//! Finds everything that derivation trees can lead to: folds, states, and the steps between them.
//!
//! The states that subtrees of a nonterminal can have are the least fixpoint of all rules' folds. A
//! worklist runs them: each new fold is offered all known states of the next symbol, each new state
//! is offered to all folds that wait for its nonterminal, so each step is computed once.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::grammar::{CharClass, ClassId, Grammar, NonterminalId, RuleId, Symbol, analysis};
use crate::pattern::{Expression, PatternId};

use super::atom::{Atom, AtomId};
use super::machine::{Automaton, Counts, Fold, FoldId, Outcome, State, StateId};
use super::residual::{ResidualId, Residuals};
use super::table::{ConcreteId, Table, Want};

/// The automaton needs more states than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the expression needs more than {limit} automaton states on this grammar; simplify it, or allow more"
)]
pub struct TooLarge {
    /// How many were allowed.
    pub limit: usize,
}

impl Automaton {
    /// So many states and folds are allowed unless said otherwise.
    pub const DEFAULT_LIMIT: usize = 1_000_000;

    /// The automaton of `expression` over the derivation trees of `grammar`.
    ///
    /// # Errors
    /// When it needs more than `limit` states and folds together.
    pub fn new(grammar: Arc<Grammar>, expression: Arc<Expression>, limit: usize) -> Result<Self, TooLarge> {
        let mut sites = IdVec::new();
        let mut number = 0;
        for rule in grammar.rules().iter() {
            sites.push(number as u32);
            number += rule.symbols.len() + 1;
        }
        let automaton = Self {
            table: Table::new(&grammar, &expression),
            residuals: Residuals::new(&expression.formula, expression.patterns.len()),
            states: Interner::new(),
            folds: Interner::new(),
            reachable: IdVec::filled(Vec::new(), grammar.nonterminals().len()),
            reached: vec![SmallVec::new(); number],
            sites,
            begins: IdVec::new(),
            steps: FxHashMap::default(),
            outcomes: FxHashMap::default(),
            ends: FxHashMap::default(),
            grammar,
            expression,
        };
        Explorer::new(automaton).explore(limit)
    }
}

struct Explorer {
    automaton: Automaton,
    grammar: Arc<Grammar>,
    /// Where each nonterminal stands in a rule.
    uses: IdVec<NonterminalId, Vec<(RuleId, usize)>>,
    /// The folds that each site has, where they are many.
    has_fold: FxHashSet<(u32, FoldId)>,
    has_state: IdVec<NonterminalId, BitSet<StateId>>,
    /// The first fold of the rules that stand in no pattern.
    plain: Option<FoldId>,
    /// Folds whose successors are not known yet.
    folds: Vec<(RuleId, usize, FoldId)>,
    /// States that have not been offered yet.
    states: Vec<(NonterminalId, StateId)>,
}

impl Explorer {
    fn new(automaton: Automaton) -> Self {
        let grammar = Arc::clone(&automaton.grammar);
        Self {
            uses: analysis::uses(&grammar),
            has_fold: FxHashSet::default(),
            has_state: IdVec::filled(BitSet::new(), grammar.nonterminals().len()),
            plain: None,
            folds: Vec::new(),
            states: Vec::new(),
            automaton,
            grammar,
        }
    }

    fn explore(mut self, limit: usize) -> Result<Automaton, TooLarge> {
        let grammar = Arc::clone(&self.grammar);
        for rule in grammar.rules().ids() {
            let fold = self.begin(rule);
            self.automaton.begins.push(fold);
            self.reach(rule, 0, fold);
        }
        loop {
            if self.automaton.states.len() + self.automaton.folds.len() > limit {
                return Err(TooLarge { limit });
            }
            if let Some((rule, position, fold)) = self.folds.pop() {
                match grammar.rule(rule).symbols.get(position) {
                    None => {
                        let state = self.end(rule, fold);
                        let lhs = grammar.rule(rule).lhs;
                        if self.has_state[lhs].insert(state) {
                            self.automaton.reachable[lhs].push(state);
                            self.states.push((lhs, state));
                        }
                    }
                    Some(Symbol::Literal(_)) => self.reach(rule, position + 1, fold),
                    Some(&Symbol::Class(class)) => {
                        for outcome in self.outcomes(fold, position, class) {
                            self.reach(rule, position + 1, outcome.fold);
                        }
                    }
                    Some(&Symbol::Nonterminal(nonterminal)) => {
                        for index in 0..self.automaton.reachable[nonterminal].len() {
                            let state = self.automaton.reachable[nonterminal][index];
                            let next = self.step(fold, position, state);
                            self.reach(rule, position + 1, next);
                        }
                    }
                }
            } else if let Some((nonterminal, state)) = self.states.pop() {
                for index in 0..self.uses[nonterminal].len() {
                    let (rule, position) = self.uses[nonterminal][index];
                    for index in 0..self.automaton.reached(rule, position).len() {
                        let fold = self.automaton.reached(rule, position)[index];
                        let next = self.step(fold, position, state);
                        self.reach(rule, position + 1, next);
                    }
                }
            } else {
                return Ok(self.automaton);
            }
        }
    }

    fn reach(&mut self, rule: RuleId, position: usize, fold: FoldId) {
        const MANY: usize = 8;
        let site = self.automaton.sites[rule] + position as u32;
        let reached = &mut self.automaton.reached[site as usize];
        let is_new = if reached.len() < MANY {
            !reached.contains(&fold)
        } else {
            if reached.len() == MANY {
                self.has_fold.extend(reached.iter().map(|&known| (site, known)));
            }
            self.has_fold.insert((site, fold))
        };
        if is_new {
            reached.push(fold);
            self.folds.push((rule, position, fold));
        }
    }

    fn begin(&mut self, rule: RuleId) -> FoldId {
        let residual = self.automaton.residuals.formula();
        let alive: BitSet<ConcreteId> = self.automaton.table.of_rule(rule).iter().copied().collect();
        if let (true, Some(plain)) = (alive.is_empty(), self.plain) {
            return plain;
        }
        let is_plain = alive.is_empty();
        let fold = self.fold(alive, residual, Counts::default());
        if is_plain {
            self.plain = Some(fold);
        }
        fold
    }

    fn step(&mut self, fold: FoldId, position: usize, state: StateId) -> FoldId {
        let key = (fold, self.automaton.place(fold, position), state);
        if let Some(&known) = self.automaton.steps.get(&key) {
            return known;
        }
        let matched = self.automaton.states[state].matched.clone();
        let alive = self.allowed(fold, position, |want| match want {
            Want::Any => true,
            Want::Node(wanted) => matched.contains(wanted),
            Want::Char(_) => false,
        });
        let State { residual: of_child, counts: in_child, .. } = &self.automaton.states[state];
        let Fold { residual, counts, .. } = &self.automaton.folds[fold];
        let residual = self.automaton.residuals.join(*residual, *of_child);
        let both = add(counts, in_child);
        let found = self.found(residual, &both, |atom| match atom {
            Atom::Before(first, second) => at(counts, first) > 0 && at(in_child, second) > 0,
            Atom::AtLeast(..) | Atom::Inside(..) | Atom::Root(_) => false,
        });
        let residual = self.automaton.residuals.find(residual, &found);
        let next = self.fold(alive, residual, both);
        self.automaton.steps.insert(key, next);
        next
    }

    fn outcomes(&mut self, fold: FoldId, position: usize, class_id: ClassId) -> Box<[Outcome]> {
        let key = (fold, self.automaton.place(fold, position), class_id);
        if let Some(known) = self.automaton.outcomes.get(&key) {
            return known.clone();
        }
        let grammar = Arc::clone(&self.grammar);
        let class = grammar.class(class_id);
        let Fold { residual, counts, .. } = self.automaton.folds[fold].clone();
        let mut wanted: Vec<char> = Vec::new();
        self.allowed(fold, position, |want| {
            wanted.extend(match want {
                Want::Char(c) if class.contains(c) => Some(c),
                Want::Char(_) | Want::Any | Want::Node(_) => None,
            });
            false
        });
        wanted.sort_unstable();
        wanted.dedup();
        let rest = class.difference(&CharClass::of(wanted.iter().copied()));
        let mut outcomes = Vec::with_capacity(wanted.len() + 1);
        for &c in &wanted {
            let alive = self.allowed(fold, position, |want| match want {
                Want::Any => true,
                Want::Char(wanted) => wanted == c,
                Want::Node(_) => false,
            });
            outcomes.push(Outcome {
                class: CharClass::of([c]),
                fold: self.fold(alive, residual, counts.clone()),
            });
        }
        if !rest.is_empty() {
            let alive = self.allowed(fold, position, |want| want == Want::Any);
            outcomes.push(Outcome { class: rest, fold: self.fold(alive, residual, counts) });
        }
        let outcomes: Box<[Outcome]> = outcomes.into();
        self.automaton.outcomes.insert(key, outcomes.clone());
        outcomes
    }

    fn end(&mut self, rule: RuleId, fold: FoldId) -> StateId {
        let key = (self.automaton.table.ending(&self.grammar, rule), fold);
        if let Some(&known) = self.automaton.ends.get(&key) {
            return known;
        }
        let Fold { alive, residual, counts } = self.automaton.folds[fold].clone();
        let mut here = self.automaton.table.everywhere(self.grammar.rule(rule).lhs).clone();
        for concrete in alive.iter() {
            here.union_with(&self.automaton.table.concrete()[concrete].completes);
        }
        let mut counts = counts.into_vec();
        if !here.is_empty() {
            counts.resize(self.automaton.expression.patterns.len(), 0);
            here.iter().for_each(|pattern| counts[pattern.index()] += 1);
        }
        let found = self.found(residual, &counts, |atom| match atom {
            Atom::Inside(inner, outer) => here.contains(outer) && at(&counts, inner) > 0,
            Atom::AtLeast(..) | Atom::Before(..) | Atom::Root(_) => false,
        });
        let residual = self.automaton.residuals.find(residual, &found);
        let Fold { alive: matched, counts, .. } = self.relevant(alive, residual, counts.into());
        let support = self.automaton.residuals.support(residual);
        let at_root = support
            .iter()
            .filter_map(|atom| match self.automaton.residuals.atoms()[atom] {
                Atom::Root(pattern) if here.contains(pattern) => Some(pattern),
                _ => None,
            })
            .collect();
        let state = self.automaton.states.intern(State { matched, residual, counts, at_root });
        self.automaton.ends.insert(key, state);
        state
    }

    /// The atoms that become true: those about numbers that `counts` reaches, and those of which
    /// `happens` says so.
    fn found(&self, residual: ResidualId, counts: &[u32], happens: impl Fn(Atom) -> bool) -> BitSet<AtomId> {
        let residuals = &self.automaton.residuals;
        residuals
            .support(residual)
            .iter()
            .filter(|&id| match residuals.atoms()[id] {
                Atom::AtLeast(number, pattern) => at(counts, pattern) >= number,
                atom => happens(atom),
            })
            .collect()
    }

    /// The concrete nodes that are alive in a fold and whose want at `position` is met.
    fn allowed(
        &self,
        fold: FoldId,
        position: usize,
        mut is_met: impl FnMut(Want) -> bool,
    ) -> BitSet<ConcreteId> {
        let concrete = self.automaton.table.concrete();
        self.automaton.folds[fold].alive.iter().filter(|&id| is_met(concrete[id].wants[position])).collect()
    }

    fn fold(&mut self, alive: BitSet<ConcreteId>, residual: ResidualId, counts: Counts) -> FoldId {
        let fold = self.relevant(alive, residual, counts);
        self.automaton.folds.intern(fold)
    }

    /// Drops what no longer matters: concrete nodes of patterns that the formula has done with, and
    /// occurrences that need not be counted.
    fn relevant(&self, mut alive: BitSet<ConcreteId>, residual: ResidualId, counts: Counts) -> Fold {
        let residuals = &self.automaton.residuals;
        if !alive.is_empty() {
            let patterns = residuals.patterns(residual);
            let concrete = self.automaton.table.concrete();
            alive = alive.iter().filter(|&id| concrete[id].patterns.intersects(patterns)).collect();
        }
        let counts: Counts =
            residuals.counts(residual).iter().zip(&counts).map(|(&most, &count)| count.min(most)).collect();
        let counts = if counts.iter().all(|&count| count == 0) { Counts::default() } else { counts };
        Fold { alive, residual, counts }
    }
}

/// How often `pattern` occurs.
fn at(counts: &[u32], pattern: PatternId) -> u32 {
    counts.get(pattern.index()).copied().unwrap_or(0)
}

/// The occurrences of two subtrees together.
fn add(one: &[u32], other: &[u32]) -> Counts {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let mut sum: Counts = long.into();
    sum.iter_mut().zip(short).for_each(|(sum, more)| *sum += more);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{GrammarBuilder, Name};
    use crate::pattern::Formula;

    #[test]
    fn a_limit_on_states_is_an_error_and_not_a_full_memory() {
        let mut builder = GrammarBuilder::new();
        let s = builder.nonterminal(Name::base("s"));
        builder.rule(s, []);
        let grammar = Arc::new(builder.finish(s));
        let expression =
            Arc::new(Expression { start: s, patterns: IdVec::new(), formula: Formula::Constant(true) });
        let limited = Automaton::new(Arc::clone(&grammar), Arc::clone(&expression), 0);
        assert_eq!(limited.err(), Some(TooLarge { limit: 0 }));
        let automaton = Automaton::new(grammar, expression, 100).unwrap();
        assert_eq!(automaton.reachable(s), [StateId::new(0)]);
    }
}
