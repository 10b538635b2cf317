//! The tables that a parser runs on: what to do in a state before a unit, and where variables lead. Rows are sparse,
//! so they are laid over each other ([`super::displaced`]).

use rustc_hash::FxHashMap;

use super::displaced::{DisplacedRows, Row, RowStart};
use super::index::{ForkId, ProductionId, StateId, UnitId, VariableId};
use super::lookahead::Reductions;
use super::lr0::Automaton;
use super::productions::{Plan, Productions, RhsSymbol};
use crate::base::bitset::BitSet;
use crate::base::components::components;
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};

/// What to do in a state before a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    /// Go to this state.
    Shift(StateId),
    /// Reduce this production, and look again.
    Reduce(ProductionId),
    /// Do several things at once: see [`Tables::choices`].
    Fork(ForkId),
}

/// An action in four bytes: its kind in the upper two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PackedAction(u32);

impl PackedAction {
    const REDUCE: u32 = 1 << 30;
    const FORK: u32 = 2 << 30;

    fn new(action: Action) -> Self {
        Self(match action {
            Action::Shift(state) => state.index() as u32,
            Action::Reduce(production) => Self::REDUCE | production.index() as u32,
            Action::Fork(fork) => Self::FORK | fork.index() as u32,
        })
    }

    #[inline]
    fn unpack(self) -> Action {
        match self.0 {
            code if code < Self::REDUCE => Action::Shift(StateId::new(code as usize)),
            code if code < Self::FORK => Action::Reduce(ProductionId::new((code & !Self::REDUCE) as usize)),
            code => Action::Fork(ForkId::new((code & !Self::FORK) as usize)),
        }
    }
}

/// Several actions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Choices {
    pub shift: Option<StateId>,
    pub reduce: Box<[ProductionId]>,
}

impl Choices {
    /// What there is to do before one unit.
    fn of(actions: &[(UnitId, Action)]) -> Self {
        let shift = actions.iter().find_map(|&(_, action)| match action {
            Action::Shift(target) => Some(target),
            Action::Reduce(_) | Action::Fork(_) => None,
        });
        let reduce = actions.iter().filter_map(|&(_, action)| match action {
            Action::Reduce(production) => Some(production),
            Action::Shift(_) | Action::Fork(_) => None,
        });
        Self { shift, reduce: reduce.collect() }
    }
}

/// The tables of a parser.
#[derive(Debug)]
pub(super) struct Tables {
    actions: DisplacedRows<UnitId, PackedAction>,
    /// Where the row of each state begins.
    action_rows: IdVec<StateId, RowStart>,
    forks: IdVec<ForkId, Choices>,
    gotos: DisplacedRows<VariableId, StateId>,
    /// For each state where its own row and the row of its closure begin.
    goto_rows: IdVec<StateId, (RowStart, RowStart)>,
    /// The default goto of each variable: where it leads when neither row has an entry, if it leads anywhere.
    default_goto: IdVec<VariableId, Option<StateId>>,
    /// The productions that end at each state.
    complete: IdVec<StateId, Box<[ProductionId]>>,
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
        let mut forks = IdVec::new();
        let mut by_choices: FxHashMap<Choices, ForkId> = FxHashMap::default();
        let mut rows = Vec::with_capacity(automaton.states.len());
        for (state, reductions) in automaton.states.iter().zip(reductions) {
            let shifts = state.shifts.iter().map(|&(unit, target)| (unit, Action::Shift(target)));
            let mut entries: Vec<(UnitId, Action)> = shifts.collect();
            for (production, units) in reductions {
                entries.extend(units.iter().map(|&unit| (unit, Action::Reduce(*production))));
            }
            meter.spend(16 * entries.len() as u64)?;
            entries.sort_unstable();
            let mut action = |chunk: &[(UnitId, Action)]| match *chunk {
                [(_, action @ Action::Shift(_))] => action,
                [(_, action @ Action::Reduce(production))] if !cyclic.contains(production) => action,
                _ => {
                    let fork = by_choices.entry(Choices::of(chunk));
                    Action::Fork(*fork.or_insert_with_key(|choices| forks.push(choices.clone())))
                }
            };
            let chunks = entries.chunk_by(|a, b| a.0 == b.0);
            let row: Row<UnitId, PackedAction> =
                chunks.map(|chunk| (chunk[0].0, PackedAction::new(action(chunk)))).collect();
            rows.push(row);
        }
        let (actions, action_rows) = DisplacedRows::new(&rows, productions.alphabet.len(), meter)?;
        let default_goto = default_gotos(automaton, productions.of.len());
        let closures = automaton.closures.iter().map(|closure| {
            let gotos = closure.members.iter().zip(&closure.gotos).filter_map(|(&v, &to)| Some((v, to?)));
            gotos.filter(|&(variable, target)| Some(target) != default_goto[variable]).collect()
        });
        let rows: Vec<Row<VariableId, StateId>> =
            automaton.states.iter().map(|state| state.gotos.clone()).chain(closures).collect();
        let (gotos, starts) = DisplacedRows::new(&rows, productions.of.len(), meter)?;
        let (own, shared) = starts.split_at(automaton.states.len());
        let goto_rows = automaton
            .states
            .iter()
            .zip(own)
            .map(|(state, &own)| (own, shared[state.closure.index()]))
            .collect();
        let complete =
            automaton.states.ids().map(|id| automaton.complete(productions, id).collect()).collect();
        let action_rows = action_rows.into_iter().collect();
        Ok(Self { actions, action_rows, forks, gotos, goto_rows, default_goto, complete })
    }

    /// What to do in `state` before `unit`; `None` if the input is wrong.
    #[inline]
    pub(super) fn action(&self, state: StateId, unit: UnitId) -> Option<Action> {
        self.actions.get(self.action_rows[state], unit).map(PackedAction::unpack)
    }

    /// What a fork does.
    pub(super) fn choices(&self, fork: ForkId) -> &Choices {
        &self.forks[fork]
    }

    /// Where `variable` leads from `state`; only asked when it leads somewhere.
    #[inline]
    pub(super) fn goto(&self, state: StateId, variable: VariableId) -> StateId {
        let (own, shared) = self.goto_rows[state];
        let target = self.gotos.get(own, variable).or_else(|| self.gotos.get(shared, variable));
        target.or_else(|| self.default_goto[variable]).expect("the variable leads somewhere")
    }

    /// The productions that end at `state`.
    pub(super) fn complete(&self, state: StateId) -> &[ProductionId] {
        &self.complete[state]
    }

    /// Whether there is never more than one thing to do.
    pub(super) fn is_deterministic(&self) -> bool {
        self.forks.is_empty()
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.action_rows.len()
    }

    /// The number of bytes that the tables take.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.actions.len() + self.gotos.len() + self.goto_rows.len())
            + 4 * (self.action_rows.len() + self.default_goto.len())
    }
}

/// For each variable where it leads in most closures, if it leads to one place in most of them (Boyer
/// and Moore 1981), else somewhere.
fn default_gotos(automaton: &Automaton, variables: usize) -> IdVec<VariableId, Option<StateId>> {
    let mut default_goto: IdVec<VariableId, (Option<StateId>, u32)> = IdVec::filled((None, 0), variables);
    for closure in &automaton.closures {
        for (&variable, &target) in closure.members.iter().zip(&closure.gotos) {
            let (candidate, lead) = &mut default_goto[variable];
            if target == *candidate {
                *lead += 1;
            } else if target.is_some() && *lead > 0 {
                *lead -= 1;
            } else if target.is_some() {
                (*candidate, *lead) = (target, 1);
            }
        }
    }
    default_goto.into_iter().map(|(target, _)| target).collect()
}

/// Which productions are one variable and part of a cycle of such productions. A parser that simply
/// followed them might never come back, so they always fork.
fn in_unit_cycles(plan: &Plan, productions: &Productions) -> BitSet<ProductionId> {
    let only = |production: ProductionId| {
        let production = plan.productions[production];
        match productions.rhs[production.first] {
            RhsSymbol::Variable(variable) if production.length == 1 => Some(variable),
            _ => None,
        }
    };
    let variables = productions.of.len();
    let next = |variable: VariableId, next: &mut Vec<VariableId>| {
        next.extend(productions.of[variable].iter().filter_map(|&production| only(production)));
    };
    let mut cyclic = BitSet::new();
    components(variables, productions.of.ids(), next, |members, is_cycle| {
        let all = members.iter().filter(|_| is_cycle).flat_map(|&member| &productions.of[member]);
        let is_inner = |id| only(id).is_some_and(|variable| members.binary_search(&variable).is_ok());
        cyclic.extend(all.copied().filter(|&id| is_inner(id)));
    });
    cyclic
}
