//! The LR(0) automaton of a parser's productions (Knuth 1965; DeRemer 1969).
//!
//! A literal is spelled by a chain of shifts, and terminals that share units share states as in the
//! subset construction: a state is the set of all items that the input so far allows.
//!
//! An item is the position of a symbol in [`Productions::rhs`]: the production with its dot before
//! that symbol. A state is given by its *kernel*, the items whose dot is not at the beginning. The
//! other items follow from the *closure*, the variables that can begin there. Grammars have far fewer
//! closures than states, so what a closure contributes to the transitions is worked out once, and
//! transitions that concern no item of the kernel are shared by all states of the closure.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::index::{ClosureId, GroupId, ItemId, MemberId, ProductionId, SetId, StateId, UnitId, VariableId};
use super::lists::Lists;
use super::productions::{Plan, Productions, RhsSymbol};
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};

/// A state of the automaton.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Which closure it has.
    pub closure: ClosureId,
    /// Where units lead, ascending.
    pub shifts: Vec<(UnitId, StateId)>,
    /// Where variables lead, ascending, if not where the closure alone would lead.
    pub gotos: Vec<(VariableId, StateId)>,
}

/// The variables that can begin at some states.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    /// The variables, ascending.
    pub members: IdVec<MemberId, VariableId>,
    /// For each member where it leads from states whose kernel does not mention it, if there are any.
    pub gotos: IdVec<MemberId, Option<StateId>>,
    /// The members for which that is not known yet.
    unknown: Vec<MemberId>,
    /// Units with their group, ascending.
    units: Vec<(UnitId, GroupId)>,
    /// The items behind the units of a group.
    groups: IdVec<GroupId, Box<[ItemId]>>,
    /// Where the units of a group lead from states whose kernel does not mention them, as far as it is known.
    targets: IdVec<GroupId, Option<StateId>>,
}

/// The automaton, which begins in [`StateId::START`].
#[derive(Debug)]
pub(super) struct Automaton {
    /// The items of each state whose dot is not at the beginning, ascending.
    pub kernels: Lists<StateId, ItemId>,
    pub states: IdVec<StateId, State>,
    pub closures: IdVec<ClosureId, Closure>,
}

impl Closure {
    /// Which member a variable is that is one.
    pub(super) fn member(&self, variable: VariableId) -> MemberId {
        MemberId::new(self.members.as_slice().partition_point(|&member| member < variable))
    }
}

impl Automaton {
    /// The automaton of some productions.
    ///
    /// # Errors
    /// When a limit is reached: closures together can have the square of the number of variables.
    pub(super) fn new(plan: &Plan, productions: &Productions, meter: &mut Meter) -> Result<Self, Exceeded> {
        let mut construction = Construction::new(plan, productions, meter);
        construction.state(productions.rhs.ids().take(1).collect());
        let mut states = IdVec::new();
        while states.len() < construction.kernels.len() {
            let state = construction.connect(StateId::new(states.len()))?;
            states.push(state);
        }
        Ok(Self { kernels: construction.kernels, states, closures: construction.closures })
    }

    /// Where the members of a state's closure lead, in the order of the members.
    pub(super) fn gotos(&self, state: StateId) -> impl Iterator<Item = (VariableId, StateId)> + '_ {
        let state = &self.states[state];
        let closure = &self.closures[state.closure];
        let mut own = state.gotos.iter().peekable();
        closure.members.iter().zip(&closure.gotos).map(move |(&member, &target)| {
            match own.next_if(|&&(variable, _)| variable == member) {
                Some(&(_, target)) => (member, target),
                None => (member, target.expect("a member of the closure leads somewhere")),
            }
        })
    }

    /// The productions that end at a state.
    pub(super) fn complete<'a>(
        &'a self,
        productions: &'a Productions,
        state: StateId,
    ) -> impl Iterator<Item = ProductionId> + 'a {
        self.kernels[state].iter().filter_map(|&item| match productions.rhs[item] {
            RhsSymbol::End(production) => Some(production),
            RhsSymbol::Set(_) | RhsSymbol::Variable(_) => None,
        })
    }
}

struct Construction<'a> {
    plan: &'a Plan,
    productions: &'a Productions,
    meter: &'a mut Meter,
    /// The productions that begin with each variable: the items behind it, ascending, and whose productions they are.
    beginning: Lists<VariableId, (ItemId, VariableId)>,
    /// The variables with which the productions of each variable begin.
    firsts: Lists<VariableId, VariableId>,
    /// The kernels of all states so far.
    kernels: Lists<StateId, ItemId>,
    by_kernel: HashTable<StateId>,
    closures: IdVec<ClosureId, Closure>,
    /// Closures by the variables that stand behind the dots of a kernel.
    by_next: FxHashMap<Box<[VariableId]>, ClosureId>,
    by_members: HashTable<ClosureId>,
    /// For each variable where it led last when the kernel did not mention it. In the next closure it is mostly the same.
    last: IdVec<VariableId, Option<StateId>>,
    /// The members of one closure are the variables that were met in the last round.
    met: IdVec<VariableId, u32>,
    round: u32,
    /// Which closure that is, if it has been added.
    marked: Option<ClosureId>,
}

impl<'a> Construction<'a> {
    fn new(plan: &'a Plan, productions: &'a Productions, meter: &'a mut Meter) -> Self {
        let variables = productions.of.len();
        let mut beginning = Vec::new();
        let mut firsts = Vec::new();
        for owner in productions.of.ids() {
            for &production in &productions.of[owner] {
                let item = plan.productions[production].first;
                if let RhsSymbol::Variable(first) = productions.rhs[item] {
                    beginning.push((first, (item.plus(1), owner)));
                    firsts.push((owner, first));
                }
            }
        }
        beginning.sort_unstable();
        firsts.sort_unstable();
        firsts.dedup();
        Self {
            plan,
            productions,
            meter,
            beginning: Lists::grouped(variables, &beginning),
            firsts: Lists::grouped(variables, &firsts),
            kernels: Lists::with_capacity(0),
            by_kernel: HashTable::new(),
            closures: IdVec::new(),
            by_next: FxHashMap::default(),
            by_members: HashTable::new(),
            last: IdVec::filled(None, variables),
            met: IdVec::filled(0, variables),
            round: 0,
            marked: None,
        }
    }

    /// The state of a kernel, which is added if it is new.
    fn state(&mut self, mut kernel: Vec<ItemId>) -> StateId {
        kernel.sort_unstable();
        kernel.dedup();
        self.state_of_sorted(&kernel)
    }

    fn state_of_sorted(&mut self, kernel: &[ItemId]) -> StateId {
        let hash = |kernel: &[ItemId]| FxBuildHasher.hash_one(kernel);
        let kernels = &mut self.kernels;
        if let Some(&known) = self.by_kernel.find(hash(kernel), |&state| &kernels[state] == kernel) {
            return known;
        }
        let id = StateId::new(kernels.len());
        kernels.push(kernel.iter().copied());
        self.by_kernel.insert_unique(hash(kernel), id, |&state| hash(&kernels[state]));
        id
    }

    /// Where a member of the marked closure leads from states whose kernel does not mention it.
    fn goto(&mut self, variable: VariableId) -> StateId {
        let is_last = |&last: &StateId| self.kernels[last].iter().copied().eq(self.behind(variable));
        if let Some(last) = self.last[variable].filter(is_last) {
            return last;
        }
        let kernel: Vec<ItemId> = self.behind(variable).collect();
        let state = self.state_of_sorted(&kernel);
        self.last[variable] = Some(state);
        state
    }

    /// The items behind a member that the marked closure alone has, ascending.
    fn behind(&self, variable: VariableId) -> impl Iterator<Item = ItemId> + '_ {
        let is_owned = |&&(_, owner): &&(ItemId, VariableId)| self.met[owner] == self.round;
        self.beginning[variable].iter().filter(is_owned).map(|&(item, _)| item)
    }

    /// Marks the members of a closure.
    fn mark(&mut self, closure: ClosureId) {
        if self.marked.replace(closure) != Some(closure) {
            self.round += 1;
            for &member in &self.closures[closure].members {
                self.met[member] = self.round;
            }
        }
    }

    /// Makes a state of its kernel.
    fn connect(&mut self, state: StateId) -> Result<State, Exceeded> {
        let kernel = &self.kernels[state];
        let mut variables: Vec<(VariableId, ItemId)> = Vec::new();
        let mut units: Vec<(UnitId, ItemId)> = Vec::new();
        for &item in kernel {
            match self.productions.rhs[item] {
                RhsSymbol::Variable(variable) => variables.push((variable, item.plus(1))),
                RhsSymbol::Set(set) => {
                    units.extend(self.productions.sets[set].iter().map(|&unit| (unit, item.plus(1))));
                }
                RhsSymbol::End(_) => {}
            }
        }
        // A kernel stands in two tables; what is sorted here takes time.
        self.meter.spend(100 + 16 * (kernel.len() + variables.len() + units.len()) as u64)?;
        variables.sort_unstable();
        units.sort_unstable();
        let next: Vec<VariableId> = variables.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk[0].0).collect();
        let closure = self.closure(&next)?;

        if !next.is_empty() {
            self.mark(closure);
        }
        let mut gotos = Vec::new();
        for chunk in variables.chunk_by(|a, b| a.0 == b.0) {
            let variable = chunk[0].0;
            let kernel = chunk.iter().map(|&(_, item)| item).chain(self.behind(variable)).collect();
            gotos.push((variable, self.state(kernel)));
        }
        // Mostly, another state with this closure has seen to that.
        let unknown = std::mem::take(&mut self.closures[closure].unknown);
        for member in unknown {
            let variable = self.closures[closure].members[member];
            if next.binary_search(&variable).is_ok() {
                self.closures[closure].unknown.push(member);
            } else {
                self.closures[closure].gotos[member] = Some(self.goto(variable));
            }
        }
        let shifts = self.shifts(closure, &units);
        self.meter.spend(16 * shifts.len() as u64)?;
        Ok(State { closure, shifts, gotos })
    }

    /// The shifts of a state whose kernel has these items behind units.
    fn shifts(&mut self, closure: ClosureId, units: &[(UnitId, ItemId)]) -> Vec<(UnitId, StateId)> {
        let mut shifts = Vec::new();
        // Neighbouring units mostly lead to the same state.
        let mut last: Option<(Vec<ItemId>, Option<GroupId>, StateId)> = None;
        let mut own = units.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut shared = 0;
        loop {
            let next = self.closures[closure].units.get(shared).copied();
            let chunk = own.next_if(|chunk| next.is_none_or(|(unit, _)| chunk[0].0 <= unit));
            let group = next.filter(|&(unit, _)| chunk.is_none_or(|chunk| chunk[0].0 == unit));
            shared += usize::from(group.is_some());
            let group = group.map(|(_, group)| group);
            match (chunk, group) {
                (None, None) => return shifts,
                (None, Some(group)) => {
                    let unit = self.closures[closure].units[shared - 1].0;
                    shifts.push((unit, self.target(closure, group)));
                }
                (Some(chunk), group) => {
                    let own: Vec<ItemId> = chunk.iter().map(|&(_, item)| item).collect();
                    let target = match last.take().filter(|last| last.0 == own && last.1 == group) {
                        Some((.., target)) => target,
                        None => {
                            let shared = group.map(|group| &self.closures[closure].groups[group][..]);
                            self.state([&own[..], shared.unwrap_or_default()].concat())
                        }
                    };
                    last = Some((own, group, target));
                    shifts.push((chunk[0].0, target));
                }
            }
        }
    }

    /// Where the units of a group lead when the kernel does not mention them.
    fn target(&mut self, closure: ClosureId, group: GroupId) -> StateId {
        if let Some(known) = self.closures[closure].targets[group] {
            return known;
        }
        let kernel = self.closures[closure].groups[group].to_vec();
        let target = self.state(kernel);
        self.closures[closure].targets[group] = Some(target);
        target
    }

    /// The closure of a kernel with these variables behind its dots.
    fn closure(&mut self, next: &[VariableId]) -> Result<ClosureId, Exceeded> {
        if let Some(&known) = self.by_next.get(next) {
            return Ok(known);
        }
        let members = self.members(next)?;
        let hash = |members: &[VariableId]| FxBuildHasher.hash_one(members);
        let closures = &self.closures;
        let found = self.by_members.find(hash(&members), |&id| closures[id].members.as_slice() == members);
        let id = match found {
            Some(&known) => known,
            None => {
                let closure = self.contribution(&members)?;
                let id = self.closures.push(closure);
                let closures = &self.closures;
                self.by_members
                    .insert_unique(hash(&members), id, |&id| hash(closures[id].members.as_slice()));
                id
            }
        };
        self.marked = Some(id);
        self.by_next.insert(next.into(), id);
        Ok(id)
    }

    fn first(&self, production: ProductionId) -> RhsSymbol {
        self.productions.rhs[self.plan.productions[production].first]
    }

    /// All variables that can begin where one of `next` can.
    fn members(&mut self, next: &[VariableId]) -> Result<Vec<VariableId>, Exceeded> {
        self.round += 1;
        let mut members = Vec::new();
        let mut work = next.to_vec();
        while let Some(variable) = work.pop() {
            if std::mem::replace(&mut self.met[variable], self.round) == self.round {
                continue;
            }
            // With what a closure keeps of a member.
            self.meter.spend(64 + self.productions.of[variable].len() as u64)?;
            members.push(variable);
            work.extend_from_slice(&self.firsts[variable]);
        }
        members.sort_unstable();
        Ok(members)
    }

    /// What the productions of `members` contribute to transitions.
    fn contribution(&mut self, members: &[VariableId]) -> Result<Closure, Exceeded> {
        let mut sets: Vec<(SetId, ItemId)> = Vec::new();
        for &member in members {
            for &production in &self.productions.of[member] {
                let item = self.plan.productions[production].first.plus(1);
                if let RhsSymbol::Set(set) = self.first(production) {
                    sets.push((set, item));
                }
            }
        }
        sets.sort_unstable();
        // Units that are in the same of the sets form a group.
        let mut of_units: Vec<(UnitId, SetId)> = Vec::new();
        for chunk in sets.chunk_by(|a, b| a.0 == b.0) {
            let set = chunk[0].0;
            let units = &self.productions.sets[set];
            self.meter.spend(32 * units.len() as u64)?;
            of_units.extend(units.iter().map(|&unit| (unit, set)));
        }
        of_units.sort_unstable();
        let behind_set = |set: SetId| {
            let begin = sets.partition_point(|&(other, _)| other < set);
            let end = sets.partition_point(|&(other, _)| other <= set);
            sets[begin..end].iter().map(|&(_, item)| item)
        };
        let mut by_sets: FxHashMap<Vec<SetId>, GroupId> = FxHashMap::default();
        let mut groups: IdVec<GroupId, Box<[ItemId]>> = IdVec::new();
        let mut units = Vec::new();
        for chunk in of_units.chunk_by(|a, b| a.0 == b.0) {
            let key: Vec<SetId> = chunk.iter().map(|&(_, set)| set).collect();
            let group = *by_sets
                .entry(key)
                .or_insert_with_key(|key| groups.push(key.iter().copied().flat_map(behind_set).collect()));
            units.push((chunk[0].0, group));
        }
        Ok(Closure {
            gotos: IdVec::filled(None, members.len()),
            unknown: (0..members.len()).map(MemberId::new).collect(),
            targets: IdVec::filled(None, groups.len()),
            members: members.iter().copied().collect(),
            units,
            groups,
        })
    }
}
