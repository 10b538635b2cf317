//! The automaton of an expression, of which each part is found when it is first asked for.
//!
//! The transition of a rule is never tabulated over tuples of child states. It is a fold over the
//! rule's symbols from left to right with a small intermediate state, a [`Fold`]: which concrete
//! pattern nodes with this rule are still alive, and what is left of the formula. What was found is
//! kept, so that a second look costs a look into a table.
//!
//! An automaton may have far too many states to list them: the conjunction of forty patterns has 2^40.
//! Who runs it on one input needs only the few that this input leads to. Who needs all of them explores
//! them ([`super::explore`]).
//!
//! Most rules of a large grammar stand in no pattern. Their folds have nothing alive, and what such a
//! fold makes of a state depends neither on the rule nor on the place: it is kept once for all.
//!
//! A parser that works from the leaves up meets the last symbols of a long rule before the first ones,
//! and these may belong to several rules. They have a fold of their own, a *rest*, in which everything is
//! alive that stands in any of these rules; [`Machine::append`] puts it behind the fold of what comes before. That is
//! the same as reading the symbols one by one, since folding is associative. Therefore a place in a rule is
//! given by how many symbols are *left*, the next one included: it is the same for all these rules.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{CharClass, ClassId, Grammar, RuleId};
use crate::id_type;
use crate::pattern::{Expression, PatternId};

use super::atom::{Atom, AtomId};
use super::residual::{ResidualId, Residuals};
use super::table::{AtNonterminal, ConcreteId, ConditionId, Table, Want};

id_type!(
    /// A state of a subtree.
    StateId
);
id_type!(
    /// An intermediate state of a rule's fold.
    FoldId
);

/// What matters of a subtree to the trees around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The concrete pattern nodes that match at its root and are a part of another, of patterns that still matter.
    pub matched: BitSet<ConcreteId>,
    /// The conditions of such parts that its root meets.
    pub met: BitSet<ConditionId>,
    /// What is left of the formula after the patterns found inside.
    pub residual: ResidualId,
    /// How often each pattern occurs inside, as far as that matters; nothing when none matters.
    pub counts: OccurrenceCounts,
    /// The patterns that occur at its root, of those for which that matters.
    pub at_root: BitSet<PatternId>,
    /// The patterns that occur at its root or below, of those that conditions seek.
    pub has: BitSet<PatternId>,
}

/// How often each pattern occurs, by its number; empty when all are 0.
pub type OccurrenceCounts = Box<[u32]>;

/// What matters of a few children of a node that stand side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// The concrete pattern nodes of the rule that those children allow.
    pub alive: BitSet<ConcreteId>,
    /// What is left of the formula after the patterns found in those children.
    pub residual: ResidualId,
    /// How often each pattern occurs in those children, as far as that matters.
    pub counts: OccurrenceCounts,
    /// The patterns that occur in those children, of those that conditions seek.
    pub has: BitSet<PatternId>,
}

/// Some of the characters of a class, which a fold does not tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharTransition {
    /// The characters.
    pub class: CharClass,
    /// The fold after any of them.
    pub fold: FoldId,
}

/// The steps that a new entry of a table counts as: it takes memory.
const ENTRY: u64 = 100;

/// A deterministic bottom-up automaton over the derivation trees of a grammar.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) grammar: Arc<Grammar>,
    pub(super) expression: Arc<Expression>,
    pub(super) table: Table,
    pub(super) residuals: Residuals,
    pub(super) states: Interner<StateId, State>,
    pub(super) folds: Interner<FoldId, Fold>,
    pub(super) begins: IdVec<RuleId, Option<FoldId>>,
    pub(super) steps: FxHashMap<(FoldId, u32, StateId), FoldId>,
    pub(super) outcomes: FxHashMap<(FoldId, u32, ClassId), Box<[CharTransition]>>,
    pub(super) ends: FxHashMap<(Option<RuleId>, FoldId), StateId>,
    appended: FxHashMap<(FoldId, FoldId), FoldId>,
    /// The first fold of the rules that stand in no pattern.
    plain: Option<FoldId>,
    /// Whether any condition seeks patterns in whole subtrees,
    seeks: bool,
    /// and for each residual, those of them that still matter.
    sought: FxHashMap<ResidualId, BitSet<PatternId>>,
}

impl Machine {
    /// The automaton of `expression` over the derivation trees of `grammar`, of which nothing is known yet.
    ///
    /// # Errors
    /// When the formula is too large.
    pub fn new(
        grammar: Arc<Grammar>,
        expression: Arc<Expression>,
        meter: &mut Meter,
    ) -> Result<Self, Exceeded> {
        let expression = expression.shared_without_surroundings(&grammar);
        let table = Table::new(&grammar, &expression);
        Ok(Self {
            residuals: Residuals::new(&expression.formula, table.dependencies().clone(), meter)?,
            seeks: table.sought().iter().any(|sought| !sought.is_empty()),
            sought: FxHashMap::default(),
            table,
            states: Interner::new(),
            folds: Interner::new(),
            begins: IdVec::filled(None, grammar.rules().len()),
            steps: FxHashMap::default(),
            outcomes: FxHashMap::default(),
            ends: FxHashMap::default(),
            appended: FxHashMap::default(),
            plain: None,
            grammar,
            expression,
        })
    }

    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// The concrete pattern nodes.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// About how many things have been found.
    pub fn size(&self) -> usize {
        self.states.len() + self.folds.len() + self.steps.len() + self.appended.len() + self.residuals.size()
    }

    /// Whether a tree in this state satisfies the expression.
    pub fn accepts(&self, state: StateId) -> bool {
        let State { residual, at_root, .. } = &self.states[state];
        self.residuals.value(*residual, |pattern| at_root.contains(pattern))
    }

    /// The fold before the first symbol of `rule`.
    ///
    /// # Errors
    /// When a limit is reached, as everywhere here.
    pub fn begin(&mut self, rule: RuleId, meter: &mut Meter) -> Result<FoldId, Exceeded> {
        if let Some(known) = self.begins[rule] {
            return Ok(known);
        }
        let alive: BitSet<ConcreteId> = self.table.of_rule(rule).iter().copied().collect();
        let fold = self.begin_with(alive, meter)?;
        self.begins[rule] = Some(fold);
        Ok(fold)
    }

    /// The fold before the symbols with which all of these rules end.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn begin_rest(
        &mut self,
        rules: impl Iterator<Item = RuleId>,
        meter: &mut Meter,
    ) -> Result<FoldId, Exceeded> {
        let alive = rules.flat_map(|rule| self.table.of_rule(rule).iter().copied()).collect();
        self.begin_with(alive, meter)
    }

    fn begin_with(&mut self, alive: BitSet<ConcreteId>, meter: &mut Meter) -> Result<FoldId, Exceeded> {
        let is_plain = alive.is_empty();
        if let (true, Some(plain)) = (is_plain, self.plain) {
            return Ok(plain);
        }
        let formula = self.residuals.formula();
        let fold = self.fold(alive, formula, OccurrenceCounts::default(), BitSet::new(), meter)?;
        if is_plain {
            self.plain = Some(fold);
        }
        Ok(fold)
    }

    /// The fold after one more symbol, a nonterminal whose subtree is in `state`.
    ///
    /// # Errors
    /// When a limit is reached.
    #[inline]
    pub fn step(
        &mut self,
        fold: FoldId,
        left: usize,
        state: StateId,
        meter: &mut Meter,
    ) -> Result<FoldId, Exceeded> {
        let key = (fold, self.place(fold, left), state);
        match self.steps.get(&key) {
            Some(&known) => Ok(known),
            None => self.new_step(key, left, meter),
        }
    }

    fn new_step(
        &mut self,
        key: (FoldId, u32, StateId),
        left: usize,
        meter: &mut Meter,
    ) -> Result<FoldId, Exceeded> {
        meter.spend(ENTRY)?;
        let (fold, _, state) = key;
        let State { matched, met, residual, counts, has, .. } = &self.states[state];
        let alive = self.allowed(fold, left, meter, |want| match want {
            Want::Any => true,
            Want::Node(wanted) => matched.contains(wanted),
            Want::Where(condition) => met.contains(condition),
            Want::Char(_) | Want::Letter(_) => false,
        })?;
        let (residual, counts, has) = (*residual, counts.clone(), has.clone());
        let next = self.with(fold, alive, residual, &counts, &has, meter)?;
        self.steps.insert(key, next);
        Ok(next)
    }

    /// The fold after all symbols of a rest, of which `rest` is the fold.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn append(&mut self, fold: FoldId, rest: FoldId, meter: &mut Meter) -> Result<FoldId, Exceeded> {
        if let Some(&known) = self.appended.get(&(fold, rest)) {
            return Ok(known);
        }
        meter.spend(ENTRY)?;
        let mut alive = self.folds[fold].alive.clone();
        let Fold { alive: in_rest, residual, counts, has } = &self.folds[rest];
        alive.intersect_with(in_rest);
        let (residual, counts, has) = (*residual, counts.clone(), has.clone());
        let next = self.with(fold, alive, residual, &counts, &has, meter)?;
        self.appended.insert((fold, rest), next);
        Ok(next)
    }

    /// The fold after more symbols, in which there is so much left of the formula and these patterns
    /// occur that often.
    fn with(
        &mut self,
        fold: FoldId,
        alive: BitSet<ConcreteId>,
        residual: ResidualId,
        more: &[u32],
        has: &BitSet<PatternId>,
        meter: &mut Meter,
    ) -> Result<FoldId, Exceeded> {
        let residual = self.residuals.join(self.folds[fold].residual, residual, meter)?;
        let counts = &self.folds[fold].counts;
        let both = add(counts, more);
        let found = self.found(residual, &both, |atom| match atom {
            Atom::Before(first, second) => at(counts, first) > 0 && at(more, second) > 0,
            Atom::AtLeast(..) | Atom::Inside(..) | Atom::Root(_) => false,
        });
        let residual = self.residuals.find(residual, &found, meter)?;
        let mut has = has.clone();
        has.union_with(&self.folds[fold].has);
        self.fold(alive, residual, both, has, meter)
    }

    /// The ways in which a class can go on: its characters grouped by what the fold makes of them.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn outcomes(
        &mut self,
        fold: FoldId,
        left: usize,
        class: ClassId,
        meter: &mut Meter,
    ) -> Result<&[CharTransition], Exceeded> {
        let key = (fold, self.place(fold, left), class);
        if !self.outcomes.contains_key(&key) {
            let outcomes = self.new_outcomes(fold, left, class, meter)?;
            self.outcomes.insert(key, outcomes);
        }
        Ok(&self.outcomes[&key])
    }

    fn new_outcomes(
        &mut self,
        fold: FoldId,
        left: usize,
        class: ClassId,
        meter: &mut Meter,
    ) -> Result<Box<[CharTransition]>, Exceeded> {
        meter.spend(ENTRY)?;
        let grammar = Arc::clone(&self.grammar);
        let class = grammar.class(class);
        let Fold { residual, counts, has, .. } = self.folds[fold].clone();
        let mut wanted: Vec<char> = Vec::new();
        self.allowed(fold, left, meter, |want| {
            wanted.extend(want.chars().filter(|&c| class.contains(c)));
            false
        })?;
        wanted.sort_unstable();
        wanted.dedup();
        let rest = class.difference(&CharClass::of(wanted.iter().copied()));
        let mut outcomes = Vec::with_capacity(wanted.len() + 1);
        for &c in &wanted {
            let alive = self.allowed(fold, left, meter, |want| {
                want == Want::Any || want.chars().any(|wanted| wanted == c)
            })?;
            let fold = self.fold(alive, residual, counts.clone(), has.clone(), meter)?;
            outcomes.push(CharTransition { class: CharClass::of([c]), fold });
        }
        if !rest.is_empty() {
            let alive = self.allowed(fold, left, meter, |want| want == Want::Any)?;
            outcomes
                .push(CharTransition { class: rest, fold: self.fold(alive, residual, counts, has, meter)? });
        }
        Ok(outcomes.into())
    }

    /// The state of a node expanded by `rule` after all symbols were read.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn end(&mut self, rule: RuleId, fold: FoldId, meter: &mut Meter) -> Result<StateId, Exceeded> {
        let key = (self.table.ending(&self.grammar, rule), fold);
        if let Some(&known) = self.ends.get(&key) {
            return Ok(known);
        }
        meter.spend(ENTRY)?;
        let Fold { alive, residual, counts, mut has } = self.folds[fold].clone();
        let lhs = self.grammar.rule(rule).lhs;
        let AtNonterminal { everywhere, conditional, .. } = self.table.at(lhs);
        let mut here = everywhere.clone();
        for concrete in alive.iter() {
            here.union_with(&self.table.concrete()[concrete].completes);
        }
        for (name, condition) in conditional {
            if condition.holds(|name| here.contains(name), |name| here.contains(name) || has.contains(name)) {
                here.insert(*name);
            }
        }
        has.union_with(&here);
        let mut counts = counts.into_vec();
        if !here.is_empty() {
            counts.resize(self.expression.patterns.len(), 0);
            here.iter().for_each(|pattern| counts[pattern.index()] += 1);
        }
        let found = self.found(residual, &counts, |atom| match atom {
            Atom::Inside(inner, outer) => here.contains(outer) && at(&counts, inner) > 0,
            Atom::AtLeast(..) | Atom::Before(..) | Atom::Root(_) => false,
        });
        let residual = self.residuals.find(residual, &found, meter)?;
        let matters = self.residuals.patterns(residual);
        let conditions = self.table.at(lhs).wanted.iter().copied();
        let met = conditions.filter(|&id| {
            let wanted = &self.table.conditions()[id];
            wanted.patterns.intersects(matters)
                && wanted.condition.holds(|name| here.contains(name), |name| has.contains(name))
        });
        let met = met.collect();
        let Fold { alive, counts, has, .. } = self.relevant(alive, residual, counts.into(), has);
        let matched = alive.iter().filter(|&id| self.table.concrete()[id].is_wanted).collect();
        let support = self.residuals.support(residual);
        let at_root = support
            .iter()
            .filter_map(|atom| match self.residuals.atoms()[atom] {
                Atom::Root(pattern) if here.contains(pattern) => Some(pattern),
                _ => None,
            })
            .collect();
        let state = self.states.intern(State { matched, met, residual, counts, at_root, has });
        meter.check_states(self.states.len() + self.folds.len())?;
        self.ends.insert(key, state);
        Ok(state)
    }

    /// How many symbols are left, as far as it matters to what the fold makes of the next one.
    pub(super) fn place(&self, fold: FoldId, left: usize) -> u32 {
        if self.folds[fold].alive.is_empty() { 0 } else { left as u32 }
    }

    /// The atoms that become true: those about numbers that `counts` reaches, and those of which
    /// `happens` says so.
    fn found(&self, residual: ResidualId, counts: &[u32], happens: impl Fn(Atom) -> bool) -> BitSet<AtomId> {
        let residuals = &self.residuals;
        residuals
            .support(residual)
            .iter()
            .filter(|&id| match residuals.atoms()[id] {
                Atom::AtLeast(number, pattern) => at(counts, pattern) >= number,
                atom => happens(atom),
            })
            .collect()
    }

    /// The concrete nodes that are alive in a fold and whose want of the next symbol is met.
    fn allowed(
        &self,
        fold: FoldId,
        left: usize,
        meter: &mut Meter,
        mut is_met: impl FnMut(Want) -> bool,
    ) -> Result<BitSet<ConcreteId>, Exceeded> {
        let concrete = self.table.concrete();
        let alive = &self.folds[fold].alive;
        let mut looked_at = 0;
        let allowed = alive.iter().filter(|&id| {
            looked_at += 1;
            let wants = &concrete[id].wants;
            is_met(wants[wants.len() - left])
        });
        let allowed = allowed.collect();
        meter.spend(looked_at)?;
        Ok(allowed)
    }

    fn fold(
        &mut self,
        alive: BitSet<ConcreteId>,
        residual: ResidualId,
        counts: OccurrenceCounts,
        has: BitSet<PatternId>,
        meter: &Meter,
    ) -> Result<FoldId, Exceeded> {
        let fold = self.relevant(alive, residual, counts, has);
        let fold = self.folds.intern(fold);
        meter.check_states(self.states.len() + self.folds.len())?;
        Ok(fold)
    }

    /// Drops what no longer matters: concrete nodes of patterns that the formula has done with, and
    /// occurrences that need not be counted.
    fn relevant(
        &mut self,
        mut alive: BitSet<ConcreteId>,
        residual: ResidualId,
        counts: OccurrenceCounts,
        mut has: BitSet<PatternId>,
    ) -> Fold {
        if !alive.is_empty() {
            let patterns = self.residuals.patterns(residual);
            let concrete = self.table.concrete();
            alive = alive.iter().filter(|&id| concrete[id].patterns.intersects(patterns)).collect();
        }
        let most = self.residuals.counts(residual).iter();
        let counts: OccurrenceCounts = most.zip(&counts).map(|(&most, &count)| count.min(most)).collect();
        let counts =
            if counts.iter().all(|&count| count == 0) { OccurrenceCounts::default() } else { counts };
        if self.seeks && !has.is_empty() {
            let sought = self.sought.entry(residual).or_insert_with(|| {
                let names = self.residuals.patterns(residual).iter();
                names.flat_map(|name| self.table.sought()[name].iter()).collect()
            });
            has.intersect_with(sought);
        } else {
            has = BitSet::new();
        }
        Fold { alive, residual, counts, has }
    }
}

/// How often `pattern` occurs.
fn at(counts: &[u32], pattern: PatternId) -> u32 {
    counts.get(pattern.index()).copied().unwrap_or(0)
}

/// The occurrences of two subtrees together.
fn add(one: &[u32], other: &[u32]) -> OccurrenceCounts {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let mut sum: OccurrenceCounts = long.into();
    sum.iter_mut().zip(short).for_each(|(sum, more)| *sum += more);
    sum
}
