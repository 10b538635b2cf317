//! The ways in which the children of a rule lead into a set of states, as disjoint boxes.
//!
//! A box gives each nonterminal of the rule a set of states (and each class a set of characters):
//! all tuples of child states in the box lead into the target, and no tuple is in two boxes. Boxes
//! come from the rule's fold: from right to left, each fold gets a *remainder*, a tree that tells,
//! set of child states by set of child states, how to go on; child states with equal remainders are
//! merged. Remainders are interned, so that equal ones are found at once.
//!
//! The same rule is asked for many targets. So what its folds make of each state is laid out once, as
//! a [`Layout`] in which folds are small numbers, and a target costs one pass over it.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::automaton::{Automaton, FoldId, StateId};
use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{CharClass, ClassId, NonterminalId, RuleId, Symbol};
use crate::id_type;

id_type!(
    /// A set of states of one nonterminal.
    SetId
);
id_type!(
    /// Some characters of a class.
    CharsId
);
id_type!(
    /// A remainder.
    RemainderId
);

/// What one symbol of a rule, other than a literal, is restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restriction {
    /// Some characters of a class.
    Chars(CharsId),
    /// Some states of a nonterminal.
    States(SetId),
}

/// Items by the remainder that they lead to.
type Groups<T> = SmallVec<[(RemainderId, SmallVec<[T; 8]>); 8]>;

/// Finds the boxes of rules.
pub struct Boxes<'a> {
    automaton: &'a Automaton,
    /// The sets of states met so far, each in the order in which the automaton found its states.
    pub sets: Interner<SetId, Box<[StateId]>>,
    /// The sets of characters met so far.
    pub chars: Interner<CharsId, CharClass>,
    /// How a rule can go on from some fold so as to end in the target: by one of these sides, each
    /// with its remainder; the sides are disjoint.
    remainders: Interner<RemainderId, Box<[(Restriction, RemainderId)]>>,
    /// In how many ways each remainder goes on to the end.
    ways: IdVec<RemainderId, usize>,
    /// The remainder of what cannot end in the target, and of what has ended there.
    reject: RemainderId,
    accept: RemainderId,
    layouts: IdVec<RuleId, Option<Rc<Layout>>>,
    /// How much more may be kept in `layouts`.
    room: usize,
    scratch: Scratch,
}

/// What a rule's folds make of its symbols, literals left out, which change nothing.
#[derive(Debug)]
struct Layout {
    steps: Vec<Steps>,
    /// The state in which each fold ends.
    ends: Vec<StateId>,
}

/// What the folds before one symbol make of it: the number of the fold after it.
#[derive(Debug)]
enum Steps {
    /// For each fold the groups of characters.
    Chars(Vec<Vec<(CharsId, u32)>>),
    /// For each fold a row, with a column for each reachable state.
    States(NonterminalId, usize, Vec<u32>),
}

/// Space that is used again for each target.
#[derive(Debug, Default)]
struct Scratch {
    /// For each state whether it is in the target.
    is_wanted: Vec<bool>,
    later: Vec<RemainderId>,
    now: Vec<RemainderId>,
    branches: Vec<(Restriction, RemainderId)>,
    /// For each fold the place that it has at the next position.
    numbers: Vec<u32>,
    /// For each remainder the place of its group while there is one.
    places: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The steps that a look into the tables of the automaton counts as,
const CHECK_INTERVAL: u64 = 3;

/// and those of a side, with what remains then.
const GROUP: u64 = 10;

impl<'a> Boxes<'a> {
    /// The maximum number of numbers kept in layouts.
    const MOST_KEPT: usize = 20_000_000;

    /// A finder for one automaton.
    pub fn new(automaton: &'a Automaton) -> Self {
        let mut remainders: Interner<RemainderId, Box<[_]>> = Interner::new();
        let mut ways = IdVec::new();
        let reject = remainders.intern(Box::default());
        ways.push(0);
        // No real remainder leads to rejection.
        let accept = remainders.intern([(Restriction::Chars(CharsId::new(0)), reject)].into());
        ways.push(1);
        Self {
            automaton,
            sets: Interner::new(),
            chars: Interner::new(),
            remainders,
            ways,
            reject,
            accept,
            layouts: IdVec::filled(None, automaton.grammar().rules().len()),
            room: Self::MOST_KEPT,
            scratch: Scratch {
                is_wanted: vec![false; automaton.states().len()],
                numbers: vec![0; automaton.folds()],
                ..Scratch::default()
            },
        }
    }

    /// How the children of `rule` lead into a state of `target`.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn of_rule(
        &mut self,
        rule: RuleId,
        target: SetId,
        meter: &mut Meter,
    ) -> Result<RemainderId, Exceeded> {
        let layout = self.layout(rule, meter)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        let start = self.remainder(&layout, target, &mut scratch, meter);
        self.scratch = scratch;
        start
    }

    /// Whether the children cannot lead into the target.
    pub fn is_reject(&self, remainder: RemainderId) -> bool {
        remainder == self.reject
    }

    /// Whether nothing is left, and the target is reached.
    pub fn is_accept(&self, remainder: RemainderId) -> bool {
        remainder == self.accept
    }

    /// How many boxes a remainder has.
    pub fn ways(&self, remainder: RemainderId) -> usize {
        self.ways[remainder]
    }

    /// How many different ways to go on there are in a remainder and those that it leads to.
    pub fn size(&self, remainder: RemainderId) -> usize {
        let mut seen = FxHashSet::from_iter([remainder]);
        let mut open = vec![remainder];
        let mut size = 0;
        while let Some(remainder) = open.pop() {
            let branches = self.branches(remainder);
            size += branches.len();
            open.extend(branches.iter().map(|&(_, next)| next).filter(|&next| seen.insert(next)));
        }
        size
    }

    /// The ways to go on: what the next symbol that is no literal is restricted to, and what remains
    /// then.
    pub fn branches(&self, remainder: RemainderId) -> &[(Restriction, RemainderId)] {
        match remainder == self.accept {
            true => &[],
            false => &self.remainders[remainder],
        }
    }

    /// The boxes of a remainder, one by one.
    pub fn visit(&self, remainder: RemainderId, mut visit: impl FnMut(&[Restriction])) {
        let mut sides = Vec::new();
        let mut open = vec![(remainder, 0, None)];
        while let Some((remainder, depth, side)) = open.pop() {
            sides.truncate(depth);
            sides.extend(side);
            if remainder == self.accept {
                visit(&sides);
            }
            let branches = self.branches(remainder).iter().rev();
            open.extend(branches.map(|&(side, next)| (next, sides.len(), Some(side))));
        }
    }

    /// The set of these states.
    pub fn set(&mut self, states: &[StateId]) -> SetId {
        match self.sets.lookup(states) {
            Some(known) => known,
            None => self.sets.intern(states.into()),
        }
    }

    fn layout(&mut self, rule: RuleId, meter: &mut Meter) -> Result<Rc<Layout>, Exceeded> {
        if let Some(known) = &self.layouts[rule] {
            return Ok(Rc::clone(known));
        }
        let automaton = self.automaton;
        let symbols = &automaton.grammar().rule(rule).symbols;
        let last = automaton.reached(rule, symbols.len());
        let ends = last.iter().map(|&fold| automaton.end(rule, fold)).collect();
        let mut steps = Vec::new();
        self.number(last);
        for (position, &symbol) in symbols.iter().enumerate().rev() {
            let folds = automaton.reached(rule, position);
            let left = symbols.len() - position;
            let numbers = &self.scratch.numbers;
            steps.push(match symbol {
                // The same folds come after it, in the same order.
                Symbol::Literal(_) => continue,
                Symbol::Class(class) => Steps::Chars(self.outcomes(folds, left, class)),
                Symbol::Nonterminal(nonterminal) => {
                    let states = automaton.reachable(nonterminal);
                    let mut rows = Vec::with_capacity(folds.len() * states.len());
                    for &fold in folds {
                        meter.spend(CHECK_INTERVAL * states.len() as u64)?;
                        let next = |&state| numbers[automaton.step(fold, left, state).index()];
                        rows.extend(states.iter().map(next));
                    }
                    self.room = self.room.saturating_sub(rows.len());
                    Steps::States(nonterminal, folds.len(), rows)
                }
            });
            self.number(folds);
        }
        let layout = Rc::new(Layout { steps, ends });
        if self.room > 0 {
            self.layouts[rule] = Some(Rc::clone(&layout));
        }
        Ok(layout)
    }

    fn number(&mut self, folds: &[FoldId]) {
        for (number, fold) in folds.iter().enumerate() {
            self.scratch.numbers[fold.index()] = number as u32;
        }
    }

    fn outcomes(&mut self, folds: &[FoldId], left: usize, class: ClassId) -> Vec<Vec<(CharsId, u32)>> {
        let of_fold = |&fold| {
            let outcomes = self.automaton.outcomes(fold, left, class).iter();
            outcomes
                .map(|outcome| {
                    let chars = self.chars.intern(outcome.class.clone());
                    (chars, self.scratch.numbers[outcome.fold.index()])
                })
                .collect()
        };
        folds.iter().map(of_fold).collect()
    }

    fn remainder(
        &mut self,
        layout: &Layout,
        target: SetId,
        scratch: &mut Scratch,
        meter: &mut Meter,
    ) -> Result<RemainderId, Exceeded> {
        let automaton = self.automaton;
        let Scratch { is_wanted, later, now, branches, places, .. } = scratch;
        self.sets[target].iter().for_each(|state| is_wanted[state.index()] = true);
        let ended = |state: &StateId| if is_wanted[state.index()] { self.accept } else { self.reject };
        later.clear();
        later.extend(layout.ends.iter().map(ended));
        self.sets[target].iter().for_each(|state| is_wanted[state.index()] = false);
        for steps in &layout.steps {
            now.clear();
            match steps {
                Steps::Chars(of_folds) => {
                    for outcomes in of_folds {
                        meter.spend(GROUP * outcomes.len() as u64)?;
                        branches.clear();
                        let kept = outcomes.iter().map(|&(chars, next)| (later[next as usize], chars));
                        for (remainder, all) in self.merged(kept, places) {
                            let chars = match all[..] {
                                [only] => only,
                                _ => self.union(&all),
                            };
                            branches.push((Restriction::Chars(chars), remainder));
                        }
                        now.push(self.split(branches));
                    }
                }
                Steps::States(nonterminal, folds, rows) => {
                    let states = automaton.reachable(*nonterminal);
                    for fold in 0..*folds {
                        branches.clear();
                        let row = &rows[fold * states.len()..][..states.len()];
                        meter.spend(1 + states.len() as u64 / 4)?;
                        let kept =
                            row.iter().zip(states).map(|(&next, &state)| (later[next as usize], state));
                        for (remainder, all) in self.merged(kept, places) {
                            meter.spend(GROUP + all.len() as u64 / 4)?;
                            branches.push((Restriction::States(self.set(&all)), remainder));
                        }
                        now.push(self.split(branches));
                    }
                }
            }
            std::mem::swap(now, later);
        }
        Ok(later.first().copied().unwrap_or(self.reject))
    }

    /// Items by remainder, both in order of first appearance; those that are rejected are left out.
    fn merged<T>(&self, items: impl Iterator<Item = (RemainderId, T)>, places: &mut Vec<u32>) -> Groups<T> {
        let mut groups = Groups::new();
        places.resize(self.remainders.len(), NONE);
        for (remainder, item) in items.filter(|&(remainder, _)| remainder != self.reject) {
            let place = &mut places[remainder.index()];
            if *place == NONE {
                *place = groups.len() as u32;
                groups.push((remainder, smallvec![item]));
            } else {
                groups[*place as usize].1.push(item);
            }
        }
        groups.iter().for_each(|(remainder, _)| places[remainder.index()] = NONE);
        groups
    }

    fn split(&mut self, branches: &[(Restriction, RemainderId)]) -> RemainderId {
        if let Some(known) = self.remainders.lookup(branches) {
            return known;
        }
        let ways = branches.iter().fold(0, |sum: usize, &(_, next)| sum.saturating_add(self.ways[next]));
        self.ways.push(ways);
        self.remainders.intern(branches.into())
    }

    fn union(&mut self, all: &[CharsId]) -> CharsId {
        let ranges = all.iter().flat_map(|&chars| self.chars[chars].ranges().iter().copied());
        let class = CharClass::new(ranges);
        self.chars.intern(class)
    }
}
