//! Deterministic automata over characters.

use rustc_hash::FxHashMap;

use super::network::{Irregular, Network, unit_at};

/// The most states of an automaton.
const MOST_STATES: usize = 20_000;

/// The state from which nothing is accepted.
pub(super) const DEAD: u32 = 0;

/// The state in which every run begins.
pub(super) const START: u32 = 1;

/// A deterministic automaton that reads texts unit by unit.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    /// From which unit on (up to the next entry) units are of which kind.
    cuts: Vec<(u32, u32)>,
    /// The kind of each ASCII character.
    direct: [u32; 128],
    kinds: usize,
    /// By state and kind.
    next: Vec<u32>,
    accepting: Vec<bool>,
}

impl Automaton {
    /// The automaton of `network`, from `start`, that accepts in states of `accepting`. States from
    /// which nothing is accepted are [`DEAD`] if `trim` says so.
    ///
    /// # Errors
    /// When it has too many states, or more is to be done for them than `work` has left; what is done is taken off.
    pub(super) fn new(
        network: &Network,
        start: u32,
        accepting: &[u32],
        trim: bool,
        work: &mut usize,
    ) -> Result<Self, Irregular> {
        let (mut automaton, _) = Self::marked(network, start, accepting, work)?;
        if trim {
            automaton.trim();
        }
        Ok(automaton)
    }

    /// The automaton of `network`, from `start`, that accepts in states of `accepting`; and by state, which of these is
    /// the first that a text that leads there can end in, `u32::MAX` if none.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(super) fn marked(
        network: &Network,
        start: u32,
        accepting: &[u32],
        work: &mut usize,
    ) -> Result<(Self, Vec<u32>), Irregular> {
        let (cuts, kinds, by_label) = partition(network);
        let end: Vec<u32> = {
            let mut marks = vec![u32::MAX; network.free.len()];
            for (place, &state) in accepting.iter().enumerate().rev() {
                marks[state as usize] = place as u32;
            }
            marks
        };
        // What is only a way to other states is left out of the sets.
        let is_way = |state: usize| {
            network.reading[state].is_empty() && !network.free[state].is_empty() && end[state] == u32::MAX
        };
        let matters: Vec<bool> = (0..network.free.len()).map(|state| !is_way(state)).collect();
        let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::from_iter([(Vec::new(), DEAD)]);
        let mut seen = vec![0_u32; network.free.len()];
        let mut round = 0;
        let mut closed = |states| {
            round += 1;
            closure(network, states, &matters, &mut seen, round)
        };
        // The start is a state of its own even where nothing is accepted.
        sets.push(closed(vec![start]));
        known.entry(sets[START as usize].clone()).or_insert(START);
        let mut enter = |set: Vec<u32>, sets: &mut Vec<Vec<u32>>| {
            let new = sets.len() as u32;
            *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                new
            })
        };
        let mut next = vec![DEAD; kinds];
        // Of many kinds the targets are the same, and often they were met before.
        let mut met: FxHashMap<Vec<u32>, u32> = FxHashMap::from_iter([(Vec::new(), DEAD)]);
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); kinds];
        let mut done = 1;
        while done < sets.len() {
            if sets.len() > MOST_STATES {
                return Err(Irregular);
            }
            targets.iter_mut().for_each(Vec::clear);
            let mut count = kinds + sets[done].len();
            for &state in &sets[done] {
                for &(label, to) in &network.reading[state as usize] {
                    let kinds = &by_label[label as usize];
                    count += kinds.len();
                    kinds.iter().for_each(|&kind| targets[kind as usize].push(to));
                }
            }
            *work = work.checked_sub(count).ok_or(Irregular)?;
            for target in &targets {
                let state = match met.get(target) {
                    Some(&state) => state,
                    None => {
                        let state = enter(closed(target.clone()), &mut sets);
                        met.insert(target.clone(), state);
                        state
                    }
                };
                next.push(state);
            }
            done += 1;
        }
        let first_end =
            |set: &Vec<u32>| set.iter().map(|&state| end[state as usize]).min().unwrap_or(u32::MAX);
        let first: Vec<u32> = sets.iter().map(first_end).collect();
        let accepting = first.iter().map(|&place| place != u32::MAX).collect();
        let mut direct = [0; 128];
        for (unit, kind) in direct.iter_mut().enumerate() {
            *kind = kind_of(&cuts, unit as u32);
        }
        Ok((Self { cuts, direct, kinds, next, accepting }, first))
    }

    /// Makes dead what leads to no acceptance.
    fn trim(&mut self) {
        let states = self.accepting.len();
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); states];
        for (place, &target) in self.next.iter().enumerate() {
            sources[target as usize].push((place / self.kinds.max(1)) as u32);
        }
        let mut live = self.accepting.clone();
        let mut work: Vec<usize> = (0..states).filter(|&state| live[state]).collect();
        while let Some(state) = work.pop() {
            for &source in &sources[state] {
                if !std::mem::replace(&mut live[source as usize], true) {
                    work.push(source as usize);
                }
            }
        }
        for target in &mut self.next {
            if !live[*target as usize] {
                *target = DEAD;
            }
        }
    }

    /// The state after a unit.
    #[inline]
    pub(super) fn step(&self, state: u32, unit: u32) -> u32 {
        let kind = match self.direct.get(unit as usize) {
            Some(&kind) => kind,
            None => kind_of(&self.cuts, unit),
        };
        self.next[state as usize * self.kinds + kind as usize]
    }

    /// The state after a text.
    pub(super) fn run(&self, mut state: u32, text: &[u8]) -> u32 {
        let mut offset = 0;
        while state != DEAD
            && let Some((unit, width)) = unit_at(text, offset)
        {
            state = self.step(state, unit);
            offset += width;
        }
        state
    }

    /// Whether a text that leads to this state is accepted.
    pub(super) fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Whether the whole text is accepted.
    pub(super) fn accepts(&self, text: &[u8]) -> bool {
        self.is_accepting(self.run(START, text))
    }

    /// Whether, from `state` on, the automaton accepts after one or more units of `text`. The bytes that
    /// this takes are added to `looked`.
    pub(super) fn goes_on(&self, mut state: u32, text: &[u8], looked: &mut usize) -> bool {
        let mut offset = 0;
        let mut accepts = false;
        while state != DEAD
            && !accepts
            && let Some((unit, width)) = unit_at(text, offset)
        {
            state = self.step(state, unit);
            accepts = self.accepting[state as usize];
            offset += width;
        }
        *looked += offset;
        accepts
    }

    /// Whether every accepted text is still accepted with this unit behind it.
    pub(super) fn always_takes(&self, unit: u32) -> bool {
        let states = START..self.accepting.len() as u32;
        let mut accepting = states.filter(|&state| self.is_accepting(state)).peekable();
        accepting.peek().is_some() && accepting.all(|state| self.is_accepting(self.step(state, unit)))
    }

    /// A shortest accepted text of one unit or more, a space if that is one.
    pub(super) fn shortest(&self) -> Option<Vec<u8>> {
        const PREFERRED: [char; 3] = [' ', '\n', '\t'];
        let rank = |c: char| PREFERRED.iter().position(|&known| known == c).unwrap_or(PREFERRED.len());
        let of_kind = |kind: u32| {
            let cuts = self.cuts.iter().filter(move |&&(_, of)| of == kind).map(|&(unit, _)| unit);
            let preferred = PREFERRED.into_iter().filter(move |&c| kind_of(&self.cuts, u32::from(c)) == kind);
            preferred.chain(cuts.filter_map(char::from_u32)).next()
        };
        let mut characters: Vec<(u32, char)> =
            (0..self.kinds as u32).filter_map(|kind| Some((kind, of_kind(kind)?))).collect();
        characters.sort_by_key(|&(_, c)| (rank(c), c));
        let mut from: FxHashMap<u32, (u32, char)> = FxHashMap::default();
        let mut open = std::collections::VecDeque::from([START]);
        while let Some(state) = open.pop_front() {
            for &(kind, c) in &characters {
                let next = self.next[state as usize * self.kinds + kind as usize];
                if next == DEAD || from.contains_key(&next) {
                    continue;
                }
                from.insert(next, (state, c));
                if self.is_accepting(next) {
                    let mut reversed = vec![c];
                    let mut at = state;
                    while at != START {
                        let (before, c) = from[&at];
                        reversed.push(c);
                        at = before;
                    }
                    return Some(reversed.into_iter().rev().collect::<String>().into_bytes());
                }
                open.push_back(next);
            }
        }
        None
    }
}

fn kind_of(cuts: &[(u32, u32)], unit: u32) -> u32 {
    cuts[cuts.partition_point(|&(from, _)| from <= unit) - 1].1
}

/// The states that can be reached without reading, of those that matter, sorted. Those that were met in this round, the number of which is
/// another each time, are marked with it in `seen`.
fn closure(
    network: &Network,
    mut states: Vec<u32>,
    matters: &[bool],
    seen: &mut [u32],
    round: u32,
) -> Vec<u32> {
    let mut is_new = |state: u32| std::mem::replace(&mut seen[state as usize], round) != round;
    states.retain(|&state| is_new(state));
    let mut done = 0;
    while let Some(&state) = states.get(done) {
        states.extend(network.free[state as usize].iter().copied().filter(|&next| is_new(next)));
        done += 1;
    }
    states.retain(|&state| matters[state as usize]);
    states.sort_unstable();
    states
}

/// Units that no label tells apart are of one kind: where kinds change, how many there are, and the kinds
/// of each label.
fn partition(network: &Network) -> (Vec<(u32, u32)>, usize, Vec<Vec<u32>>) {
    let edges =
        network.labels.iter().flat_map(|ranges| ranges.iter().flat_map(|&(low, high)| [low, high + 1]));
    let mut cuts: Vec<u32> = edges.chain([0]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); cuts.len()];
    for (label, ranges) in network.labels.iter().enumerate() {
        for &(low, high) in ranges {
            let first = cuts.partition_point(|&cut| cut < low);
            let last = cuts.partition_point(|&cut| cut <= high);
            members[first..last].iter_mut().for_each(|labels| labels.push(label as u32));
        }
    }
    let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut by_label: Vec<Vec<u32>> = vec![Vec::new(); network.labels.len()];
    let cuts = cuts
        .into_iter()
        .zip(members)
        .map(|(cut, labels)| {
            let new = known.len() as u32;
            let kind = *known.entry(labels).or_insert_with_key(|labels| {
                labels.iter().for_each(|&label| by_label[label as usize].push(new));
                new
            });
            (cut, kind)
        })
        .collect();
    (cuts, known.len(), by_label)
}
