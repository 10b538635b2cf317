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

use super::lr0::Automaton;
use super::productions::{ACCEPT, Plan, Production, Productions, RhsSymbol};
use crate::base::components::components;
use crate::base::limits::{Exceeded, Meter};

/// The most transitions for which lookaheads are kept apart, unless a test says otherwise.
pub(super) const MOST_TRANSITIONS: usize = 400_000;

/// For each state the productions that end there, and the units (or the end of the input) before
/// which each may be reduced.
pub(super) type Reductions = Vec<Vec<(u32, Vec<u32>)>>;

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
        automaton.states.iter().map(|state| automaton.closures[state.closure as usize].members.len()).sum();
    let words = (productions.alphabet.end() as usize + 1).div_ceil(64);
    if transitions <= most_transitions && transitions.saturating_mul(words) <= MOST_WORDS {
        Lalr::new(plan, productions, automaton, meter)?.reductions()
    } else {
        slr(plan, productions, automaton, meter)
    }
}

/// Sets of units, all of the same size, in one vector.
struct UnitSets {
    words: usize,
    bits: Vec<u64>,
}

impl UnitSets {
    fn new(count: usize, units: usize, meter: &mut Meter) -> Result<Self, Exceeded> {
        let words = units.div_ceil(64);
        meter.spend(16 * (count as u64).saturating_mul(words as u64))?;
        Ok(Self { words, bits: vec![0; count * words] })
    }

    fn insert(&mut self, set: usize, unit: u32) {
        self.bits[set * self.words + unit as usize / 64] |= 1 << (unit % 64);
    }

    fn remove(&mut self, set: usize, unit: u32) {
        self.bits[set * self.words + unit as usize / 64] &= !(1 << (unit % 64));
    }

    /// Adds what is in `other` to `set`.
    fn include(&mut self, set: usize, other: usize) {
        for word in 0..self.words {
            self.bits[set * self.words + word] |= self.bits[other * self.words + word];
        }
    }

    /// The union of some sets, as a list.
    fn union(&self, sets: impl IntoIterator<Item = usize>, meter: &mut Meter) -> Result<Vec<u32>, Exceeded> {
        let mut union = vec![0; self.words];
        for set in sets {
            meter.spend(self.words as u64)?;
            for (word, bits) in union.iter_mut().zip(&self.bits[set * self.words..]) {
                *word |= bits;
            }
        }
        let units = 0..64 * self.words as u32;
        let units: Vec<u32> =
            units.filter(|unit| union[*unit as usize / 64] >> (unit % 64) & 1 == 1).collect();
        // Each becomes an entry of a table.
        meter.spend(16 * (self.words + units.len()) as u64)?;
        Ok(units)
    }
}

/// Lists of numbers in one vector, one list for each of `0..count`.
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut ends = vec![0u32; count];
        for &(key, _) in pairs {
            ends[key as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        // Each end is the begin until its list is filled.
        let mut items = vec![0; pairs.len()];
        for &(key, item) in pairs {
            let place = &mut ends[key as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { ends, items }
    }

    fn get(&self, key: usize) -> &[u32] {
        let first = if key == 0 { 0 } else { self.ends[key - 1] };
        &self.items[first as usize..self.ends[key] as usize]
    }
}

/// Makes each set include those that its list names, and all that these include, but for the units that
/// `never` names for it.
///
/// # Errors
/// When a limit is reached.
fn close<'a>(
    sets: &mut UnitSets,
    includes: &Lists,
    never: impl Fn(usize) -> Option<&'a [u32]>,
    meter: &mut Meter,
) -> Result<(), Exceeded> {
    let count = includes.ends.len();
    meter.spend((2 * count + includes.items.len()) as u64 * (10 + sets.words as u64))?;
    let next = |node, next: &mut Vec<u32>| next.extend(includes.get(node));
    components(count, 0..count, next, |group, _| {
        let first = group[0] as usize;
        for &member in group {
            for &target in includes.get(member as usize) {
                sets.include(first, target as usize);
            }
            sets.include(first, member as usize);
        }
        // What has such units is a word, which is never part of a cycle.
        for &unit in never(first).unwrap_or_default() {
            sets.remove(first, unit);
        }
        for &member in &group[1..] {
            sets.include(member as usize, first);
        }
    });
    Ok(())
}

struct Lalr<'a> {
    plan: &'a Plan,
    productions: &'a Productions,
    automaton: &'a Automaton,
    meter: &'a mut Meter,
    /// The number of a state's first transition; its others follow in the order of the closure.
    first: Vec<u32>,
    /// From which states each state is entered.
    sources: Lists,
    /// For [`Self::behind`]: when each state was last met.
    met: Vec<u32>,
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
        let mut first = Vec::with_capacity(count + 1);
        let mut transitions = 0;
        let mut pairs = Vec::new();
        for (id, state) in automaton.states.iter().enumerate() {
            first.push(transitions);
            let gotos = automaton.gotos(id).map(|(_, target)| target);
            let before = pairs.len();
            pairs.extend(gotos.map(|target| (target, id as u32)));
            transitions += (pairs.len() - before) as u32;
            // Neighbouring units mostly lead to the same state.
            let shifts = state.shifts.chunk_by(|a, b| a.1 == b.1);
            pairs.extend(shifts.map(|chunk| (chunk[0].1, id as u32)));
        }
        first.push(transitions);
        meter.spend(16 * pairs.len() as u64)?;
        let sources = Lists::new(count, &pairs);
        Ok(Self { plan, productions, automaton, meter, first, sources, met: vec![0; count], round: 0 })
    }

    /// The states from which some path of `steps` transitions leads to `state`.
    fn behind(&mut self, state: u32, steps: u32) -> Result<Vec<u32>, Exceeded> {
        let mut states = vec![state];
        for _ in 0..steps {
            self.round += 1;
            let mut next = Vec::new();
            for state in states {
                let sources = self.sources.get(state as usize);
                self.meter.spend(1 + sources.len() as u64)?;
                for &source in sources {
                    if std::mem::replace(&mut self.met[source as usize], self.round) != self.round {
                        next.push(source);
                    }
                }
            }
            states = next;
        }
        Ok(states)
    }

    /// The number of the transition from `state` by `variable`.
    fn transition(&self, state: u32, variable: u32) -> usize {
        let closure = self.automaton.states[state as usize].closure;
        let members = &self.automaton.closures[closure as usize].members;
        self.first[state as usize] as usize + members.partition_point(|&member| member < variable)
    }

    fn reductions(mut self) -> Result<Reductions, Exceeded> {
        let automaton = self.automaton;
        let end = self.productions.alphabet.end();
        let transitions = self.first[automaton.states.len()] as usize;
        let mut follow = UnitSets::new(transitions, end as usize + 1, self.meter)?;
        for id in 0..automaton.states.len() {
            for (transition, (_, target)) in (self.first[id] as usize..).zip(automaton.gotos(id)) {
                self.meter.spend(1 + automaton.states[target as usize].shifts.len() as u64)?;
                for &(unit, _) in &automaton.states[target as usize].shifts {
                    follow.insert(transition, unit);
                }
            }
        }
        if let Some(start) = self.start() {
            follow.insert(self.transition(0, start), end);
        }
        let includes = self.includes()?;
        let never = &self.productions.never_followed_by;
        let mut words: Vec<&[u32]> = Vec::new();
        if !never.is_empty() {
            let gotos = (0..automaton.states.len()).flat_map(|id| automaton.gotos(id));
            words.extend(gotos.map(|(variable, _)| never.get(&variable).map_or(&[][..], Vec::as_slice)));
        }
        let never = |transition| words.get(transition).copied();
        close(&mut follow, &Lists::new(transitions, &includes), never, self.meter)?;

        let mut reductions = Vec::with_capacity(automaton.states.len());
        for id in 0..automaton.states.len() {
            let mut of_state = Vec::new();
            for production in automaton.complete(self.productions, id) {
                let units = if production == ACCEPT {
                    vec![end]
                } else {
                    let Production { lhs, length, .. } = self.plan.productions[production as usize];
                    let origins = self.behind(id as u32, length)?;
                    let origins: Vec<usize> =
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
    fn start(&self) -> Option<u32> {
        let production = self.plan.productions.get(ACCEPT as usize)?;
        match self.productions.rhs[production.first as usize] {
            RhsSymbol::Variable(start) => Some(start),
            RhsSymbol::Set(_) | RhsSymbol::End(_) => None,
        }
    }

    /// Which transitions include what follows which others.
    fn includes(&mut self) -> Result<Vec<(u32, u32)>, Exceeded> {
        let automaton = self.automaton;
        // Productions that are one variable: both transitions are the same state's.
        let units: Vec<Vec<(u32, u32)>> = automaton
            .closures
            .iter()
            .map(|closure| {
                let position = |v| closure.members.partition_point(|&member| member < v) as u32;
                let of = |member: u32| self.productions.of[member as usize].iter();
                let all = closure.members.iter().flat_map(|&member| of(member).map(move |p| (member, p)));
                all.filter_map(|(member, &production)| {
                    let Production { first, length: 1, .. } = self.plan.productions[production as usize]
                    else {
                        return None;
                    };
                    match self.productions.rhs[first as usize] {
                        RhsSymbol::Variable(last) => Some((position(last), position(member))),
                        RhsSymbol::Set(_) | RhsSymbol::End(_) => None,
                    }
                })
                .collect()
            })
            .collect();
        let mut includes = Vec::new();
        for (id, state) in automaton.states.iter().enumerate() {
            let first = self.first[id];
            self.meter.spend(24 * units[state.closure as usize].len() as u64)?;
            includes.extend(units[state.closure as usize].iter().map(|&(a, b)| (first + a, first + b)));
            for &item in &state.kernel {
                let (RhsSymbol::Variable(last), Some(&RhsSymbol::End(production))) =
                    (self.productions.rhs[item as usize], self.productions.rhs.get(item as usize + 1))
                else {
                    continue;
                };
                let Production { lhs, length, .. } = self.plan.productions[production as usize];
                if production == ACCEPT || length == 1 {
                    continue;
                }
                let from = self.transition(id as u32, last) as u32;
                let origins = self.behind(id as u32, length - 1)?;
                self.meter.spend(24 * origins.len() as u64)?;
                for origin in origins {
                    includes.push((from, self.transition(origin, lhs) as u32));
                }
            }
        }
        Ok(includes)
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
    // FIRST, then FOLLOW.
    let mut sets = UnitSets::new(2 * variables, end as usize + 1, meter)?;
    let mut includes = Vec::new();
    for production in &plan.productions {
        let (lhs, first) = (production.lhs, production.first as usize);
        match rhs[first] {
            RhsSymbol::Variable(variable) => includes.push((lhs, variable)),
            RhsSymbol::Set(set) => {
                meter.spend(productions.sets[set as usize].len() as u64)?;
                productions.sets[set as usize].iter().for_each(|&unit| sets.insert(lhs as usize, unit));
            }
            RhsSymbol::End(_) => {}
        }
        for at in first..first + production.length as usize {
            let RhsSymbol::Variable(variable) = rhs[at] else { continue };
            let follow = variables as u32 + variable;
            match rhs[at + 1] {
                RhsSymbol::Variable(next) => includes.push((follow, next)),
                RhsSymbol::Set(set) => {
                    let units = &productions.sets[set as usize];
                    meter.spend(units.len() as u64)?;
                    units.iter().for_each(|&unit| sets.insert(follow as usize, unit));
                }
                RhsSymbol::End(ACCEPT) => sets.insert(follow as usize, end),
                RhsSymbol::End(_) => includes.push((follow, variables as u32 + lhs)),
            }
        }
    }
    let never = &productions.never_followed_by;
    let word = |set: usize| never.get(&(set.checked_sub(variables)? as u32)).map(Vec::as_slice);
    close(&mut sets, &Lists::new(2 * variables, &includes), word, meter)?;
    let mut units = |production: u32| match production {
        ACCEPT => Ok(vec![end]),
        _ => sets.union([variables + plan.productions[production as usize].lhs as usize], meter),
    };
    let mut reductions = Vec::with_capacity(automaton.states.len());
    for id in 0..automaton.states.len() {
        let mut of_state = Vec::new();
        for production in automaton.complete(productions, id) {
            of_state.push((production, units(production)?));
        }
        reductions.push(of_state);
    }
    Ok(reductions)
}
