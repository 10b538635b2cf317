//! The tables that a parser runs on.
//!
//! Rows are sparse, so they are laid over each other in one vector such that entries do not collide
//! (row displacement; Tarjan and Yao, "Storing a Sparse Table", CACM 1979). An entry names its column;
//! as no two different rows begin at the same place, that tells whose entry it is.

use rustc_hash::FxHashMap;

use super::index::StateId;
use super::lookahead::Reductions;
use super::lr0::Automaton;
use super::productions::{NONE, Plan, Productions, RhsSymbol, Variable};
use crate::base::components::components;
use crate::base::limits::{Exceeded, Meter};

/// What to do in a state before a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Go to this state.
    Shift(StateId),
    /// Reduce this production, and look again.
    Reduce(u32),
    /// Do several things at once: see [`Tables::choices`].
    Fork(u32),
    /// Nothing: the input is wrong.
    Stop,
}

const REDUCE: u32 = 1 << 30;
const FORK: u32 = 2 << 30;

/// Several actions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Choices {
    pub shift: Option<StateId>,
    pub reduce: Box<[u32]>,
}

/// The tables of a parser.
#[derive(Debug)]
pub(super) struct Tables {
    actions: DisplacedRows,
    /// Where the row of each state begins.
    action_base: Vec<u32>,
    forks: Vec<Choices>,
    gotos: DisplacedRows,
    /// For each state where its own row and the row of its closure begin.
    goto_base: Vec<(u32, u32)>,
    /// The default goto of each variable: where it leads when neither row has an entry.
    default_goto: Vec<u32>,
    /// The productions that end at each state.
    complete: Vec<Box<[u32]>>,
}

impl Tables {
    /// The tables of an automaton.
    ///
    /// # Errors
    /// When a limit is reached.
    pub(super) fn new(
        plan: &Plan,
        productions: &Productions,
        automaton: &Automaton,
        reductions: &Reductions,
        meter: &mut Meter,
    ) -> Result<Self, Exceeded> {
        let cyclic = in_unit_cycles(plan, productions);
        let mut forks = Vec::new();
        let mut by_choices: FxHashMap<Choices, u32> = FxHashMap::default();
        let mut rows = Vec::with_capacity(automaton.states.len());
        for (state, reductions) in automaton.states.iter().zip(reductions) {
            let mut entries: Vec<(u32, u32)> = state.shifts.clone();
            let all = reductions.iter().flat_map(|(p, units)| units.iter().map(move |&u| (u, REDUCE | p)));
            entries.extend(all);
            meter.spend(16 * entries.len() as u64)?;
            entries.sort_unstable();
            let row: Vec<(u32, u32)> = entries
                .chunk_by(|a, b| a.0 == b.0)
                .map(|chunk| match *chunk {
                    [entry] if entry.1 < REDUCE || !cyclic[(entry.1 & !REDUCE) as usize] => entry,
                    _ => {
                        let actions = chunk.iter().map(|&(_, action)| action);
                        let choices = Choices {
                            shift: actions.clone().find(|&action| action < REDUCE).map(StateId),
                            reduce: actions.filter(|&a| a >= REDUCE).map(|a| a & !REDUCE).collect(),
                        };
                        let fork = *by_choices.entry(choices).or_insert_with_key(|choices| {
                            forks.push(choices.clone());
                            forks.len() as u32 - 1
                        });
                        (chunk[0].0, FORK | fork)
                    }
                })
                .collect();
            rows.push(row);
        }
        let (actions, action_base) = DisplacedRows::new(rows, productions.alphabet.end() + 1, meter)?;
        let states = automaton.states.len();
        let default_goto = default_gotos(automaton, productions.of.len());
        let closures = automaton.closures.iter().map(|closure| {
            let gotos = closure.members.iter().copied().zip(closure.gotos.iter().copied());
            gotos.filter(|&(v, target)| target != NONE && target != default_goto[v as usize]).collect()
        });
        let rows = automaton.states.iter().map(|state| state.gotos.clone()).chain(closures).collect();
        let (gotos, bases) = DisplacedRows::new(rows, productions.of.len() as u32, meter)?;
        let goto_base = automaton
            .states
            .iter()
            .enumerate()
            .map(|(id, state)| (bases[id], bases[states + state.closure as usize]))
            .collect();
        let complete = (0..states).map(|id| automaton.complete(productions, id).collect()).collect();
        Ok(Self { actions, action_base, forks, gotos, goto_base, default_goto, complete })
    }

    /// What to do in `state` before `unit`.
    #[inline]
    pub(super) fn action(&self, state: StateId, unit: u32) -> Action {
        match self.actions.get(self.action_base[state.index()], unit) {
            Some(code) if code < REDUCE => Action::Shift(StateId(code)),
            Some(code) if code < FORK => Action::Reduce(code & !REDUCE),
            Some(code) => Action::Fork(code & !FORK),
            None => Action::Stop,
        }
    }

    /// What a fork does.
    pub(super) fn choices(&self, fork: u32) -> &Choices {
        &self.forks[fork as usize]
    }

    /// Where `variable` leads from `state`; only asked when it leads somewhere.
    #[inline]
    pub(super) fn goto(&self, state: StateId, variable: Variable) -> StateId {
        let (own, shared) = self.goto_base[state.index()];
        let target = match self.gotos.get(own, variable) {
            Some(target) => target,
            None => self.gotos.get(shared, variable).unwrap_or(self.default_goto[variable as usize]),
        };
        StateId(target)
    }

    /// The productions that end at `state`.
    pub(super) fn complete(&self, state: StateId) -> &[u32] {
        &self.complete[state.index()]
    }

    /// Whether there is never more than one thing to do.
    pub(super) fn is_deterministic(&self) -> bool {
        self.forks.is_empty()
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.action_base.len()
    }

    /// The number of bytes that the tables take.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.actions.entries.len() + self.gotos.entries.len() + self.goto_base.len())
            + 4 * (self.action_base.len() + self.default_goto.len())
    }
}

/// For each variable where it leads in most closures, if it leads to one place in most of them (Boyer
/// and Moore 1981), else somewhere.
fn default_gotos(automaton: &Automaton, variables: usize) -> Vec<u32> {
    let mut default_goto = vec![(NONE, 0u32); variables];
    for closure in &automaton.closures {
        for (&variable, &target) in closure.members.iter().zip(&closure.gotos) {
            let (candidate, lead) = &mut default_goto[variable as usize];
            if target == *candidate {
                *lead += 1;
            } else if target != NONE && *lead > 0 {
                *lead -= 1;
            } else if target != NONE {
                (*candidate, *lead) = (target, 1);
            }
        }
    }
    default_goto.into_iter().map(|(target, _)| target).collect()
}

/// Which productions are one variable and part of a cycle of such productions. A parser that simply
/// followed them might never come back, so they always fork.
fn in_unit_cycles(plan: &Plan, productions: &Productions) -> Vec<bool> {
    let only = |production: u32| {
        let production = plan.productions[production as usize];
        match productions.rhs[production.first as usize] {
            RhsSymbol::Variable(variable) if production.length == 1 => Some(variable),
            _ => None,
        }
    };
    let variables = productions.of.len();
    let next = |variable: usize, next: &mut Vec<u32>| {
        next.extend(productions.of[variable].iter().filter_map(|&production| only(production)));
    };
    let mut component = vec![NONE; variables];
    let mut count = 0;
    components(variables, 0..variables, next, |members, is_cycle| {
        count += 1;
        if is_cycle {
            members.iter().for_each(|&member| component[member as usize] = count);
        }
    });
    let all = plan.productions.iter().zip(0..);
    all.map(|(production, id)| {
        let lhs = component[production.lhs as usize];
        lhs != NONE && only(id).is_some_and(|variable| component[variable as usize] == lhs)
    })
    .collect()
}

/// An entry that nobody uses: no unit or variable has this number.
const FREE: (u32, u32) = (u32::MAX - 1, NONE);

/// Sparse rows in one vector.
#[derive(Debug)]
struct DisplacedRows {
    /// Column and value.
    entries: Vec<(u32, u32)>,
}

impl DisplacedRows {
    /// Lays out `rows`, each a list of columns below `columns` with values; says where each begins.
    ///
    /// # Errors
    /// When a limit is reached.
    fn new(
        rows: Vec<Vec<(u32, u32)>>,
        columns: u32,
        meter: &mut Meter,
    ) -> Result<(Self, Vec<u32>), Exceeded> {
        let mut by_row: FxHashMap<&[(u32, u32)], u32> = FxHashMap::default();
        let mut distinct: Vec<&[(u32, u32)]> = Vec::new();
        let numbers: Vec<u32> = rows
            .iter()
            .map(|row| {
                *by_row.entry(row).or_insert_with(|| {
                    distinct.push(row);
                    distinct.len() as u32 - 1
                })
            })
            .collect();
        let mut order: Vec<usize> = (0..distinct.len()).collect();
        order.sort_by_key(|&row| (std::cmp::Reverse(distinct[row].len()), row));
        let mut layout = RowDisplacement::default();
        let mut bases = vec![0; distinct.len()];
        for row in order {
            bases[row] = layout.place(distinct[row], meter)?;
        }
        let mut entries = layout.entries;
        let last = bases.iter().max().copied().unwrap_or(0);
        entries.resize((last + columns) as usize, FREE);
        entries.shrink_to_fit();
        Ok((Self { entries }, numbers.into_iter().map(|row| bases[row as usize]).collect()))
    }

    #[inline]
    fn get(&self, base: u32, column: u32) -> Option<u32> {
        match self.entries.get(base.wrapping_add(column) as usize) {
            Some(&(found, value)) if found == column => Some(value),
            _ => None,
        }
    }
}

/// The vector of rows in the making.
#[derive(Default)]
struct RowDisplacement {
    entries: Vec<(u32, u32)>,
    /// Which places are taken by an entry, and at which a row begins; one bit each.
    begun: Vec<bool>,
    /// Before this place all are taken.
    full: usize,
}

impl RowDisplacement {
    /// Finds a place for `row` and puts it there.
    ///
    /// # Errors
    /// When a limit is reached.
    fn place(&mut self, row: &[(u32, u32)], meter: &mut Meter) -> Result<u32, Exceeded> {
        // Looking everywhere would cost the square of the number of rows.
        const MOST_TRIES: usize = 400;
        let first = row.first().map_or(0, |&(column, _)| column as usize);
        let mut base = self.full.saturating_sub(first);
        let mut tries = 0;
        while self.begun.get(base) == Some(&true)
            || row.iter().any(|&(column, _)| self.is_taken(base + column as usize))
        {
            base += 1;
            tries += 1;
            if tries == MOST_TRIES {
                // Nothing begins here for the next rows either.
                self.full = self.full.max(base + first);
                base = base.max(self.entries.len().saturating_sub(first));
            }
        }
        let end = base + row.last().map_or(0, |&(column, _)| column as usize + 1);
        meter.spend((tries * 4 + row.len()) as u64)?;
        if self.entries.len() < end {
            meter.spend(16 * (end - self.entries.len()) as u64)?;
            self.entries.resize(end, FREE);
        }
        if self.begun.len() <= base {
            self.begun.resize(base + 1, false);
        }
        self.begun[base] = true;
        for &(column, value) in row {
            self.entries[base + column as usize] = (column, value);
        }
        while self.is_taken(self.full) {
            self.full += 1;
        }
        Ok(base as u32)
    }

    fn is_taken(&self, place: usize) -> bool {
        self.entries.get(place).is_some_and(|&(column, _)| column != FREE.0)
    }
}
