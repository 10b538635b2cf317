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

use rustc_hash::FxHashMap;

use super::productions::{NONE, Plan, Productions, RhsSymbol, Variable};
use crate::base::limits::{Exceeded, Meter};

/// A state of the automaton.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Its items whose dot is not at the beginning, ascending.
    pub kernel: Box<[u32]>,
    /// Which closure it has.
    pub closure: u32,
    /// Where units lead, ascending.
    pub shifts: Vec<(u32, u32)>,
    /// Where variables lead, ascending, if not where the closure alone would lead.
    pub gotos: Vec<(Variable, u32)>,
}

/// The variables that can begin at some states.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    /// The variables, ascending.
    pub members: Box<[Variable]>,
    /// For each member where it leads from states whose kernel does not mention it.
    pub gotos: Box<[u32]>,
    /// The positions of members for which that is not known yet.
    unknown: Vec<u32>,
    /// The items behind the members that the closure alone has, those of each member in a row.
    behind: Box<[u32]>,
    /// Where in `behind` those of each member end.
    ends: Box<[u32]>,
    /// Units with the number of their group, ascending.
    units: Vec<(u32, u32)>,
    /// The items behind the units of a group.
    groups: Vec<Box<[u32]>>,
    /// Where the units of a group lead from states whose kernel does not mention them.
    targets: Vec<u32>,
}

/// The automaton. State 0 is where it begins.
#[derive(Debug)]
pub(super) struct Automaton {
    pub states: Vec<State>,
    pub closures: Vec<Closure>,
}

impl Closure {
    /// The items behind a member that the closure alone has.
    fn behind(&self, position: usize) -> &[u32] {
        let begin = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.behind[begin as usize..self.ends[position] as usize]
    }
}

impl Automaton {
    /// The automaton of some productions.
    ///
    /// # Errors
    /// When a limit is reached: closures together can have the square of the number of variables.
    pub(super) fn new(plan: &Plan, productions: &Productions, meter: &mut Meter) -> Result<Self, Exceeded> {
        let mut construction = Construction {
            plan,
            productions,
            meter,
            states: Vec::new(),
            by_kernel: FxHashMap::default(),
            closures: Vec::new(),
            by_next: FxHashMap::default(),
            by_members: FxHashMap::default(),
            met: vec![0; productions.of.len()],
            round: 0,
        };
        let start = if plan.productions.is_empty() { Vec::new() } else { vec![0] };
        construction.state(start);
        let mut next = 0;
        while next < construction.states.len() {
            construction.connect(next)?;
            next += 1;
        }
        Ok(Self { states: construction.states, closures: construction.closures })
    }

    /// Where the members of a state's closure lead, in the order of the members.
    pub(super) fn gotos(&self, state: usize) -> impl Iterator<Item = (Variable, u32)> + '_ {
        let state = &self.states[state];
        let closure = &self.closures[state.closure as usize];
        let mut own = state.gotos.iter().peekable();
        closure.members.iter().zip(&closure.gotos).map(move |(&member, &target)| {
            match own.next_if(|&&(variable, _)| variable == member) {
                Some(&(_, target)) => (member, target),
                None => (member, target),
            }
        })
    }

    /// The productions that end at a state.
    pub(super) fn complete<'a>(
        &'a self,
        productions: &'a Productions,
        state: usize,
    ) -> impl Iterator<Item = u32> + 'a {
        self.states[state].kernel.iter().filter_map(|&item| match productions.rhs[item as usize] {
            RhsSymbol::End(production) => Some(production),
            RhsSymbol::Set(_) | RhsSymbol::Variable(_) => None,
        })
    }
}

struct Construction<'a> {
    plan: &'a Plan,
    productions: &'a Productions,
    meter: &'a mut Meter,
    states: Vec<State>,
    by_kernel: FxHashMap<Box<[u32]>, u32>,
    closures: Vec<Closure>,
    /// Closures by the variables that stand behind the dots of a kernel.
    by_next: FxHashMap<Box<[Variable]>, u32>,
    by_members: FxHashMap<Box<[Variable]>, u32>,
    /// For [`Self::members`]: the closure for which each variable was met last.
    met: Vec<u32>,
    round: u32,
}

impl Construction<'_> {
    /// The state of a kernel, which is added if it is new.
    fn state(&mut self, mut kernel: Vec<u32>) -> u32 {
        kernel.sort_unstable();
        kernel.dedup();
        self.state_of_sorted(&kernel)
    }

    fn state_of_sorted(&mut self, kernel: &[u32]) -> u32 {
        if let Some(&known) = self.by_kernel.get(kernel) {
            return known;
        }
        let id = self.states.len() as u32;
        let kernel: Box<[u32]> = kernel.into();
        self.by_kernel.insert(kernel.clone(), id);
        self.states.push(State { kernel, closure: 0, shifts: Vec::new(), gotos: Vec::new() });
        id
    }

    /// Finds the transitions of a state.
    fn connect(&mut self, state: usize) -> Result<(), Exceeded> {
        let mut variables: Vec<(Variable, u32)> = Vec::new();
        let mut units: Vec<(u32, u32)> = Vec::new();
        for &item in &self.states[state].kernel {
            match self.productions.rhs[item as usize] {
                RhsSymbol::Variable(variable) => variables.push((variable, item + 1)),
                RhsSymbol::Set(set) => {
                    units.extend(self.productions.sets[set as usize].iter().map(|&unit| (unit, item + 1)));
                }
                RhsSymbol::End(_) => {}
            }
        }
        // A kernel stands in two tables; what is sorted here takes time.
        let kernel = self.states[state].kernel.len();
        self.meter.spend(100 + 16 * (kernel + variables.len() + units.len()) as u64)?;
        variables.sort_unstable();
        units.sort_unstable();
        let next: Vec<Variable> = variables.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk[0].0).collect();
        let closure = self.closure(&next)?;
        self.states[state].closure = closure as u32;

        let mut gotos = Vec::new();
        for chunk in variables.chunk_by(|a, b| a.0 == b.0) {
            let variable = chunk[0].0;
            let position = self.closures[closure].members.partition_point(|&member| member < variable);
            let behind = self.closures[closure].behind(position).iter().copied();
            let kernel = chunk.iter().map(|&(_, item)| item).chain(behind).collect();
            gotos.push((variable, self.state(kernel)));
        }
        // Mostly, another state with this closure has seen to that.
        let unknown = std::mem::take(&mut self.closures[closure].unknown);
        for position in unknown {
            let shared = &self.closures[closure];
            if next.binary_search(&shared.members[position as usize]).is_ok() {
                self.closures[closure].unknown.push(position);
            } else {
                let kernel = shared.behind(position as usize).to_vec();
                self.closures[closure].gotos[position as usize] = self.state_of_sorted(&kernel);
            }
        }
        let shifts = self.shifts(closure, &units);
        self.meter.spend(16 * shifts.len() as u64)?;
        self.states[state].gotos = gotos;
        self.states[state].shifts = shifts;
        Ok(())
    }

    /// The shifts of a state whose kernel has these items behind units.
    fn shifts(&mut self, closure: usize, units: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut shifts = Vec::new();
        // Neighbouring units mostly lead to the same state.
        let mut last: (Vec<u32>, Option<u32>, u32) = (Vec::new(), None, NONE);
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
                    let mut items: Vec<u32> = chunk.iter().map(|&(_, item)| item).collect();
                    if last.2 == NONE || last.0 != items || last.1 != group {
                        let own = items.clone();
                        if let Some(group) = group {
                            items.extend(&self.closures[closure].groups[group as usize]);
                        }
                        last = (own, group, self.state(items));
                    }
                    shifts.push((chunk[0].0, last.2));
                }
            }
        }
    }

    /// Where the units of a group lead when the kernel does not mention them.
    fn target(&mut self, closure: usize, group: u32) -> u32 {
        let known = self.closures[closure].targets[group as usize];
        if known != NONE {
            return known;
        }
        let kernel = self.closures[closure].groups[group as usize].to_vec();
        let target = self.state(kernel);
        self.closures[closure].targets[group as usize] = target;
        target
    }

    /// The closure of a kernel with these variables behind its dots.
    fn closure(&mut self, next: &[Variable]) -> Result<usize, Exceeded> {
        if let Some(&known) = self.by_next.get(next) {
            return Ok(known as usize);
        }
        let members = self.members(next)?;
        let id = match self.by_members.get(&members) {
            Some(&known) => known,
            None => {
                let id = self.closures.len() as u32;
                self.by_members.insert(members.clone(), id);
                let closure = self.contribution(members)?;
                self.closures.push(closure);
                id
            }
        };
        self.by_next.insert(next.into(), id);
        Ok(id as usize)
    }

    fn first(&self, production: u32) -> RhsSymbol {
        self.productions.rhs[self.plan.productions[production as usize].first as usize]
    }

    /// All variables that can begin where one of `next` can.
    fn members(&mut self, next: &[Variable]) -> Result<Box<[Variable]>, Exceeded> {
        self.round += 1;
        let mut members = Vec::new();
        let mut work = next.to_vec();
        while let Some(variable) = work.pop() {
            if std::mem::replace(&mut self.met[variable as usize], self.round) == self.round {
                continue;
            }
            // With what a closure keeps of a member.
            self.meter.spend(64 + self.productions.of[variable as usize].len() as u64)?;
            members.push(variable);
            for &production in &self.productions.of[variable as usize] {
                if let RhsSymbol::Variable(first) = self.first(production) {
                    work.push(first);
                }
            }
        }
        members.sort_unstable();
        Ok(members.into())
    }

    /// What the productions of `members` contribute to transitions.
    fn contribution(&mut self, members: Box<[Variable]>) -> Result<Closure, Exceeded> {
        let mut behind: Vec<(Variable, u32)> = Vec::new();
        let mut sets: Vec<(u32, u32)> = Vec::new();
        for &member in &members {
            for &production in &self.productions.of[member as usize] {
                let item = self.plan.productions[production as usize].first + 1;
                match self.first(production) {
                    RhsSymbol::Variable(variable) => behind.push((variable, item)),
                    RhsSymbol::Set(set) => sets.push((set, item)),
                    RhsSymbol::End(_) => {}
                }
            }
        }
        behind.sort_unstable();
        let mut end = 0;
        let ends = members.iter().map(|&member| {
            end += behind[end..].iter().take_while(|&&(variable, _)| variable == member).count();
            end as u32
        });
        let ends = ends.collect();
        sets.sort_unstable();
        // Units that are in the same of the sets form a group.
        let mut of_units: Vec<(u32, u32)> = Vec::new();
        for (index, chunk) in sets.chunk_by(|a, b| a.0 == b.0).enumerate() {
            let units = &self.productions.sets[chunk[0].0 as usize];
            self.meter.spend(32 * units.len() as u64)?;
            of_units.extend(units.iter().map(|&unit| (unit, index as u32)));
        }
        of_units.sort_unstable();
        let chunks: Vec<&[(u32, u32)]> = sets.chunk_by(|a, b| a.0 == b.0).collect();
        let mut by_sets: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut groups: Vec<Box<[u32]>> = Vec::new();
        let mut units = Vec::new();
        for chunk in of_units.chunk_by(|a, b| a.0 == b.0) {
            let key: Vec<u32> = chunk.iter().map(|&(_, index)| index).collect();
            let group = *by_sets.entry(key).or_insert_with_key(|key| {
                let items = key.iter().flat_map(|&index| chunks[index as usize]).map(|&(_, item)| item);
                groups.push(items.collect());
                groups.len() as u32 - 1
            });
            units.push((chunk[0].0, group));
        }
        Ok(Closure {
            gotos: vec![NONE; members.len()].into(),
            unknown: (0..members.len() as u32).collect(),
            behind: behind.into_iter().map(|(_, item)| item).collect(),
            ends,
            targets: vec![NONE; groups.len()],
            members,
            units,
            groups,
        })
    }
}
