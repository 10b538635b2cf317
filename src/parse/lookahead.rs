//! Lookaheads: which units can follow a production where it ends.
//!
//! LALR(1), after DeRemer and Pennello, "Efficient Computation of LALR(1) Look-Ahead Sets" (TOPLAS
//! 1982). Without empty rules their relation `reads` is empty, so what is left is one graph on the
//! transitions by variables: what follows (p, B) includes what follows (p', A) when A has a
//! production that ends with B and whose B begins at p when A begins at p'.
//!
//! The graph has a node for each transition. When that is too much (huge grammars), all states share
//! the lookaheads of a variable: SLR(1). That costs time when parsing, never correctness: a parser
//! that tries too much still finds the same derivations.

use std::marker::PhantomData;

use super::index::{ClosureId, MemberId, ProductionId, StateId, TransitionId, UnitId, VariableId};
use super::lists::Lists;
use super::lr0::Automaton;
use super::productions::{Plan, Production, Productions, RhsSymbol};
use crate::base::components::components;
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::id_type;

/// The most transitions for which lookaheads are kept apart, unless a test says otherwise.
pub(super) const MOST_TRANSITIONS: usize = 400_000;

/// For each state the productions that end there, and the units (or the end of the input) before
/// which each may be reduced.
pub(super) type Reductions = IdVec<StateId, Vec<(ProductionId, Vec<UnitId>)>>;

/// The most words of 64 units for the lookaheads of all transitions, if they are to be kept apart: 128 megabytes.
const MOST_WORDS: usize = 1 << 24;

/// The reductions of all states; LALR if there are at most `most_transitions` transitions by variables.
///
/// # Errors
/// When a limit is reached.
pub(super) fn reductions(
    plan: &Plan,
    productions: &Productions,
    automaton: &Automaton,
    most_transitions: usize,
    meter: &mut Meter,
) -> Result<Reductions, Exceeded> {
    let transitions: usize =
        automaton.states.iter().map(|state| automaton.closures[state.closure].members.len()).sum();
    let words = productions.alphabet.len().div_ceil(64);
    if transitions <= most_transitions && transitions.saturating_mul(words) <= MOST_WORDS {
        Lalr::new(plan, productions, automaton, meter)?.reductions()
    } else {
        slr(plan, productions, automaton, meter)
    }
}

/// A set of units for each id, all of the same size, in one vector.
struct UnitSets<I> {
    words: usize,
    bits: Vec<u64>,
    id: PhantomData<fn(I)>,
}

impl<I: Id> UnitSets<I> {
    fn new(count: usize, units: usize, meter: &mut Meter) -> Result<Self, Exceeded> {
        let words = units.div_ceil(64);
        meter.spend(16 * (count as u64).saturating_mul(words as u64))?;
        Ok(Self { words, bits: vec![0; count * words], id: PhantomData })
    }

    /// Where the bit of a unit is.
    fn place(&self, set: I, unit: UnitId) -> (usize, u64) {
        (set.index() * self.words + unit.index() / 64, 1 << (unit.index() % 64))
    }

    fn insert(&mut self, set: I, unit: UnitId) {
        let (word, bit) = self.place(set, unit);
        self.bits[word] |= bit;
    }

    fn remove(&mut self, set: I, unit: UnitId) {
        let (word, bit) = self.place(set, unit);
        self.bits[word] &= !bit;
    }

    /// Adds what is in `other` to `set`.
    fn include(&mut self, set: I, other: I) {
        for word in 0..self.words {
            self.bits[set.index() * self.words + word] |= self.bits[other.index() * self.words + word];
        }
    }

    /// The union of some sets, as a list.
    fn union(&self, sets: impl IntoIterator<Item = I>, meter: &mut Meter) -> Result<Vec<UnitId>, Exceeded> {
        let mut union = vec![0; self.words];
        for set in sets {
            meter.spend(self.words as u64)?;
            for (word, bits) in union.iter_mut().zip(&self.bits[set.index() * self.words..]) {
                *word |= bits;
            }
        }
        let units = (0..64 * self.words).filter(|unit| union[unit / 64] >> (unit % 64) & 1 == 1);
        let units: Vec<UnitId> = units.map(UnitId::new).collect();
        // Each becomes an entry of a table.
        meter.spend(16 * (self.words + units.len()) as u64)?;
        Ok(units)
    }
}

/// Makes each set include those that its list names, and all that these include, but for the units that
/// `never` names for it.
///
/// # Errors
/// When a limit is reached.
fn close<'a, I: Id>(
    sets: &mut UnitSets<I>,
    includes: &Lists<I, I>,
    never: impl Fn(I) -> Option<&'a [UnitId]>,
    meter: &mut Meter,
) -> Result<(), Exceeded> {
    let count = includes.len();
    meter.spend((2 * count + includes.items()) as u64 * (10 + sets.words as u64))?;
    let next = |node, next: &mut Vec<I>| next.extend(&includes[node]);
    components(count, includes.ids(), next, |group, _| {
        let first = group[0];
        for &member in group {
            for &target in &includes[member] {
                sets.include(first, target);
            }
            sets.include(first, member);
        }
        // What has such units is a word, which is never part of a cycle.
        for &unit in never(first).unwrap_or_default() {
            sets.remove(first, unit);
        }
        for &member in &group[1..] {
            sets.include(member, first);
        }
    });
    Ok(())
}

struct Lalr<'a> {
    plan: &'a Plan,
    productions: &'a Productions,
    automaton: &'a Automaton,
    meter: &'a mut Meter,
    /// A state's first transition; its others follow in the order of the closure.
    first: IdVec<StateId, TransitionId>,
    /// The number of transitions by variables.
    transitions: usize,
    /// From which states each state is entered.
    sources: Lists<StateId, StateId>,
    /// For [`Self::behind`]: when each state was last met.
    met: IdVec<StateId, u32>,
    round: u32,
}

impl<'a> Lalr<'a> {
    fn new(
        plan: &'a Plan,
        productions: &'a Productions,
        automaton: &'a Automaton,
        meter: &'a mut Meter,
    ) -> Result<Self, Exceeded> {
        let count = automaton.states.len();
        let mut first = IdVec::new();
        let mut transitions = 0;
        let mut pairs = Vec::new();
        for (id, state) in automaton.states.entries() {
            first.push(TransitionId::new(transitions));
            let gotos = automaton.gotos(id).map(|(_, target)| target);
            let before = pairs.len();
            pairs.extend(gotos.map(|target| (target, id)));
            transitions += pairs.len() - before;
            // Neighbouring units mostly lead to the same state.
            let shifts = state.shifts.chunk_by(|a, b| a.1 == b.1);
            pairs.extend(shifts.map(|chunk| (chunk[0].1, id)));
        }
        meter.spend(16 * pairs.len() as u64)?;
        let (sources, met) = (Lists::grouped(count, &pairs), IdVec::filled(0, count));
        Ok(Self { plan, productions, automaton, meter, first, transitions, sources, met, round: 0 })
    }

    /// The states from which some path of `steps` transitions leads to `state`.
    fn behind(&mut self, state: StateId, steps: u32) -> Result<Vec<StateId>, Exceeded> {
        let mut states = vec![state];
        for _ in 0..steps {
            self.round += 1;
            let mut next = Vec::new();
            for state in states {
                let sources = &self.sources[state];
                self.meter.spend(1 + sources.len() as u64)?;
                for &source in sources {
                    if std::mem::replace(&mut self.met[source], self.round) != self.round {
                        next.push(source);
                    }
                }
            }
            states = next;
        }
        Ok(states)
    }

    /// The transition from `state` by `variable`.
    fn transition(&self, state: StateId, variable: VariableId) -> TransitionId {
        let closure = self.automaton.states[state].closure;
        self.of_member(state, self.automaton.closures[closure].member(variable))
    }

    /// The transition from `state` by a member of its closure.
    fn of_member(&self, state: StateId, member: MemberId) -> TransitionId {
        TransitionId::new(self.first[state].index() + member.index())
    }

    fn reductions(mut self) -> Result<Reductions, Exceeded> {
        let automaton = self.automaton;
        let end = self.productions.alphabet.end();
        let mut follow = UnitSets::new(self.transitions, self.productions.alphabet.len(), self.meter)?;
        // Transitions are numbered in this order.
        let targets = automaton.states.ids().flat_map(|id| automaton.gotos(id)).map(|(_, target)| target);
        for (transition, target) in targets.enumerate() {
            let shifts = &automaton.states[target].shifts;
            self.meter.spend(1 + shifts.len() as u64)?;
            for &(unit, _) in shifts {
                follow.insert(TransitionId::new(transition), unit);
            }
        }
        if let Some(start) = self.start() {
            follow.insert(self.transition(StateId::START, start), end);
        }
        let includes = self.includes()?;
        let never = &self.productions.never_followed_by;
        let mut words: IdVec<TransitionId, &[UnitId]> = IdVec::new();
        if !never.is_empty() {
            let gotos = automaton.states.ids().flat_map(|id| automaton.gotos(id));
            words.extend(gotos.map(|(variable, _)| never.get(&variable).map_or(&[][..], Vec::as_slice)));
        }
        let never = |transition| words.get(transition).copied();
        close(&mut follow, &Lists::grouped(self.transitions, &includes), never, self.meter)?;

        let mut reductions = IdVec::new();
        for id in automaton.states.ids() {
            let mut of_state = Vec::new();
            for production in automaton.complete(self.productions, id) {
                let units = if production == ProductionId::ACCEPT {
                    vec![end]
                } else {
                    let Production { lhs, length, .. } = self.plan.productions[production];
                    let origins = self.behind(id, length)?;
                    let origins: Vec<TransitionId> =
                        origins.into_iter().map(|origin| self.transition(origin, lhs)).collect();
                    follow.union(origins, self.meter)?
                };
                of_state.push((production, units));
            }
            reductions.push(of_state);
        }
        Ok(reductions)
    }

    /// The variable of the grammar's start symbol.
    fn start(&self) -> Option<VariableId> {
        let production = self.plan.productions.get(ProductionId::ACCEPT)?;
        match self.productions.rhs[production.first] {
            RhsSymbol::Variable(start) => Some(start),
            RhsSymbol::Set(_) | RhsSymbol::End(_) => None,
        }
    }

    /// Which transitions include what follows which others.
    fn includes(&mut self) -> Result<Vec<(TransitionId, TransitionId)>, Exceeded> {
        let automaton = self.automaton;
        // Productions that are one variable: both transitions are the same state's.
        let units: IdVec<ClosureId, Vec<(MemberId, MemberId)>> = automaton
            .closures
            .iter()
            .map(|closure| {
                let of = |variable| self.productions.of[variable].iter();
                let all =
                    closure.members.entries().flat_map(|(id, &member)| of(member).map(move |p| (id, p)));
                all.filter_map(|(member, &production)| {
                    let Production { first, length: 1, .. } = self.plan.productions[production] else {
                        return None;
                    };
                    match self.productions.rhs[first] {
                        RhsSymbol::Variable(last) => Some((closure.member(last), member)),
                        RhsSymbol::Set(_) | RhsSymbol::End(_) => None,
                    }
                })
                .collect()
            })
            .collect();
        let mut includes = Vec::new();
        for (id, state) in automaton.states.entries() {
            let units = &units[state.closure];
            self.meter.spend(24 * units.len() as u64)?;
            includes.extend(units.iter().map(|&(a, b)| (self.of_member(id, a), self.of_member(id, b))));
            for &item in &automaton.kernels[id] {
                let (RhsSymbol::Variable(last), Some(&RhsSymbol::End(production))) =
                    (self.productions.rhs[item], self.productions.rhs.get(item.plus(1)))
                else {
                    continue;
                };
                let Production { lhs, length, .. } = self.plan.productions[production];
                if production == ProductionId::ACCEPT || length == 1 {
                    continue;
                }
                let from = self.transition(id, last);
                let origins = self.behind(id, length - 1)?;
                self.meter.spend(24 * origins.len() as u64)?;
                for origin in origins {
                    includes.push((from, self.transition(origin, lhs)));
                }
            }
        }
        Ok(includes)
    }
}

id_type!(
    /// A variable's FIRST or its FOLLOW.
    SlrSet
);

impl SlrSet {
    fn first(variable: VariableId) -> Self {
        Self::new(2 * variable.index())
    }

    fn follow(variable: VariableId) -> Self {
        Self::new(2 * variable.index() + 1)
    }

    /// The variable whose FOLLOW it is, if it is one.
    fn followed(self) -> Option<VariableId> {
        (self.index() % 2 == 1).then(|| VariableId::new(self.index() / 2))
    }
}

/// The lookaheads of SLR(1).
fn slr(
    plan: &Plan,
    productions: &Productions,
    automaton: &Automaton,
    meter: &mut Meter,
) -> Result<Reductions, Exceeded> {
    let variables = productions.of.len();
    let end = productions.alphabet.end();
    let rhs = &productions.rhs;
    let mut sets = UnitSets::new(2 * variables, productions.alphabet.len(), meter)?;
    let mut includes = Vec::new();
    for production in &plan.productions {
        let (lhs, first) = (production.lhs, SlrSet::first(production.lhs));
        match rhs[production.first] {
            RhsSymbol::Variable(variable) => includes.push((first, SlrSet::first(variable))),
            RhsSymbol::Set(set) => {
                meter.spend(productions.sets[set].len() as u64)?;
                productions.sets[set].iter().for_each(|&unit| sets.insert(first, unit));
            }
            RhsSymbol::End(_) => {}
        }
        for item in (0..production.length).map(|place| production.first.plus(place)) {
            let RhsSymbol::Variable(variable) = rhs[item] else { continue };
            let follow = SlrSet::follow(variable);
            match rhs[item.plus(1)] {
                RhsSymbol::Variable(next) => includes.push((follow, SlrSet::first(next))),
                RhsSymbol::Set(set) => {
                    let units = &productions.sets[set];
                    meter.spend(units.len() as u64)?;
                    units.iter().for_each(|&unit| sets.insert(follow, unit));
                }
                RhsSymbol::End(ProductionId::ACCEPT) => sets.insert(follow, end),
                RhsSymbol::End(_) => includes.push((follow, SlrSet::follow(lhs))),
            }
        }
    }
    let never = |set: SlrSet| {
        let variable = set.followed()?;
        productions.never_followed_by.get(&variable).map(Vec::as_slice)
    };
    close(&mut sets, &Lists::grouped(2 * variables, &includes), never, meter)?;
    let mut units = |production: ProductionId| match production {
        ProductionId::ACCEPT => Ok(vec![end]),
        _ => sets.union([SlrSet::follow(plan.productions[production].lhs)], meter),
    };
    let mut reductions = IdVec::new();
    for id in automaton.states.ids() {
        let mut of_state = Vec::new();
        for production in automaton.complete(productions, id) {
            of_state.push((production, units(production)?));
        }
        reductions.push(of_state);
    }
    Ok(reductions)
}
