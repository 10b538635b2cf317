//! Tokens with non-greedy operators, as the lexer of ANTLR reads them.
//!
//! That lexer follows all ways through a token at once, in the order in which they are preferred. Behind a non-greedy operator a way is given
//! up as soon as one that is preferred to it has come to the end of the token. So where a token may end follows from the ordered lists of
//! the ways that are still followed, and these are the states of an automaton: it is exact, whatever stands before, within and behind the
//! operators. Its states become nonterminals.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::class::CharClass;
use super::reluctant::State;

/// The most places of a token, and the most states of its automaton.
const MOST_PLACES: usize = 4_000;
const MOST_STATES: usize = 400;

/// A token as a network of places. The first place is where it begins.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// From each place, in the order of preference.
    free: Vec<Vec<usize>>,
    reading: Vec<Option<(Reading, usize)>>,
    /// The places where a non-greedy operator decides.
    is_reluctant: Vec<bool>,
    /// The rules that are open, from the outermost on.
    pub open: Vec<String>,
    /// Whether a way was left out, for rules lead to themselves again and again.
    pub is_cut: bool,
}

/// What a place reads.
#[derive(Debug)]
enum Reading {
    One(CharClass),
    /// The end of the input.
    End,
}

/// The token is larger than can be dealt with.
#[derive(Debug)]
pub(super) struct TooLarge;

/// A way that is followed: the place, and whether a non-greedy operator decided before.
type Way = (usize, bool);

impl Ways {
    /// A new place.
    pub fn place(&mut self) -> usize {
        self.free.push(Vec::new());
        self.reading.push(None);
        self.is_reluctant.push(false);
        self.free.len() - 1
    }

    pub fn is_too_large(&self) -> bool {
        self.free.len() > MOST_PLACES
    }

    /// `from` leads to `to` without reading; what was said before is preferred.
    pub fn lead(&mut self, from: usize, to: usize) {
        self.free[from].push(to);
    }

    /// At `place` a non-greedy operator decides.
    pub fn decide_reluctantly(&mut self, place: usize) {
        self.is_reluctant[place] = true;
    }

    /// `from` leads to `to` by one character.
    pub fn read(&mut self, from: usize, class: CharClass, to: usize) {
        let place = self.place();
        self.lead(from, place);
        self.reading[place] = Some((Reading::One(class), to));
    }

    /// `from` leads to `to` at the end of the input.
    pub fn read_end(&mut self, from: usize, to: usize) {
        let place = self.place();
        self.lead(from, place);
        self.reading[place] = Some((Reading::End, to));
    }

    /// Adds the ways on from `way`. Returns whether `end` was reached, now or before.
    fn follow(&self, way: Way, end: usize, at_end: bool, has_ended: bool, followed: &mut Followed) -> bool {
        let mut has_ended = has_ended;
        let mut open = vec![way];
        while let Some(way) = open.pop() {
            let (place, is_late) = way;
            if !followed.seen.insert(way) {
                continue;
            }
            let enter = |to: usize| (to, is_late || self.is_reluctant[to]);
            if place == end {
                followed.ways.push(way);
                has_ended = true;
            } else if let Some((reading, to)) = &self.reading[place] {
                if !has_ended || !is_late {
                    followed.ways.push(way);
                }
                if at_end && matches!(reading, Reading::End) {
                    open.push(enter(*to));
                }
            }
            open.extend(self.free[place].iter().rev().map(|&to| enter(to)));
        }
        has_ended
    }

    /// The ways on from `ways` by what `reads` says is read.
    fn step(&self, ways: &[Way], end: usize, at_end: bool, reads: impl Fn(&Reading) -> bool) -> Vec<Way> {
        let mut followed = Followed::default();
        let mut has_ended = false;
        for &(place, is_late) in ways {
            if let Some((reading, to)) = &self.reading[place]
                && !(has_ended && is_late)
                && reads(reading)
            {
                let way = (*to, is_late || self.is_reluctant[*to]);
                has_ended = self.follow(way, end, at_end, has_ended, &mut followed);
            }
        }
        followed.ways
    }

    /// The states of the automaton, of which the first is the initial one. `end` is the place where the token ends. Whether all is
    /// exact stands beside them: a token that ends where the input does may otherwise end elsewhere too.
    ///
    /// # Errors
    /// When there are too many.
    pub fn states(&self, end: usize) -> Result<(Vec<State>, bool), TooLarge> {
        let kinds = self.kinds();
        let mut first = Followed::default();
        self.follow((0, false), end, false, false, &mut first);
        let mut lists = vec![first.ways];
        let mut known: HashMap<Vec<Way>, usize> = HashMap::from([(lists[0].clone(), 0)]);
        let mut moves: Vec<Vec<Option<usize>>> = Vec::new();
        while let Some(ways) = lists.get(moves.len()).cloned() {
            let mut targets = Vec::with_capacity(kinds.len());
            for kind in &kinds {
                let sample = kind.nth(0);
                let reads = |reading: &Reading| matches!((reading, sample), (Reading::One(class), Some(c)) if class.contains(c));
                let next = self.step(&ways, end, false, reads);
                if next.is_empty() {
                    targets.push(None);
                    continue;
                }
                let target = *known.entry(next).or_insert_with_key(|next| {
                    lists.push(next.clone());
                    lists.len() - 1
                });
                targets.push(Some(target));
            }
            moves.push(targets);
            if lists.len() > MOST_STATES {
                return Err(TooLarge);
            }
        }
        let ends_at = |ways: &[Way]| ways.iter().any(|&(place, _)| place == end);
        let mut is_exact = true;
        let all = kinds.iter().fold(CharClass::new([]), |all, kind| all.union(kind));
        let ends: Vec<bool> = lists
            .iter()
            .zip(&moves)
            .map(|(ways, moves)| {
                let at_end = self.step(ways, end, true, |reading| matches!(reading, Reading::End));
                let only_there = ends_at(&at_end) && !ends_at(ways);
                // Where any character leads on, the longest match sees to it.
                is_exact &= !only_there || (all == CharClass::any() && moves.iter().all(Option::is_some));
                ends_at(ways) || ends_at(&at_end)
            })
            .collect();
        Ok((reduced(&kinds, &moves, &ends), is_exact))
    }

    /// Sets of characters that nothing here tells apart.
    fn kinds(&self) -> Vec<CharClass> {
        let mut classes: Vec<&CharClass> = Vec::new();
        for (reading, _) in self.reading.iter().flatten() {
            if let Reading::One(class) = reading
                && !classes.contains(&class)
            {
                classes.push(class);
            }
        }
        let mut kinds: Vec<CharClass> = Vec::new();
        let mut rest = CharClass::any();
        for class in classes {
            let mut next = Vec::with_capacity(kinds.len() + 1);
            for kind in kinds {
                next.extend([kind.intersection(class), kind.difference(class)]);
            }
            next.push(rest.intersection(class));
            rest = rest.difference(class);
            next.retain(|kind| !kind.is_empty());
            kinds = next;
        }
        kinds
    }
}

/// The ways that are followed after something was read.
#[derive(Default)]
struct Followed {
    ways: Vec<Way>,
    seen: HashSet<Way>,
}

/// The automaton with its fewest states, and without those that lead nowhere.
fn reduced(kinds: &[CharClass], moves: &[Vec<Option<usize>>], ends: &[bool]) -> Vec<State> {
    let mut lives = ends.to_vec();
    loop {
        let found: Vec<usize> = (0..moves.len())
            .filter(|&state| !lives[state] && moves[state].iter().flatten().any(|&to| lives[to]))
            .collect();
        if found.is_empty() {
            break;
        }
        found.into_iter().for_each(|state| lives[state] = true);
    }
    // States are alike until something tells them apart.
    let mut groups: Vec<usize> = ends.iter().map(|&ends| usize::from(ends)).collect();
    loop {
        let mut known: HashMap<(usize, Vec<Option<usize>>), usize> = HashMap::new();
        let next: Vec<usize> = (0..moves.len())
            .map(|state| {
                let targets = moves[state].iter().map(|to| to.filter(|&to| lives[to]).map(|to| groups[to]));
                let new = known.len();
                *known.entry((groups[state], targets.collect())).or_insert(new)
            })
            .collect();
        let is_done = next == groups;
        groups = next;
        if is_done {
            break;
        }
    }
    let mut places: Vec<usize> = Vec::new();
    let mut number: HashMap<usize, usize> = HashMap::from([(groups[0], 0)]);
    places.push(0);
    let mut states = Vec::new();
    while let Some(&state) = places.get(states.len()) {
        let mut by_target: BTreeMap<Option<usize>, CharClass> = BTreeMap::new();
        for (kind, to) in kinds.iter().zip(&moves[state]) {
            let Some(to) = to.filter(|&to| lives[to]) else { continue };
            let is_last = !moves[to].iter().flatten().any(|&next| lives[next]);
            let target = (!is_last).then(|| {
                *number.entry(groups[to]).or_insert_with(|| {
                    places.push(to);
                    places.len() - 1
                })
            });
            let known = by_target.entry(target).or_insert_with(|| CharClass::new([]));
            *known = known.union(kind);
        }
        let moves = by_target.into_iter().map(|(target, class)| (class, target)).collect();
        states.push(State { moves, ends: ends[state] });
    }
    states
}

#[cfg(test)]
mod tests {
    use super::super::reluctant::accepts;
    use super::*;

    /// `"` ( `\` `"` | any )*? `"`
    fn quoted() -> (Ways, usize) {
        let mut ways = Ways::default();
        let [begin, decision, body, escape, end_of_body, behind, end] = [(); 7].map(|()| ways.place());
        let quote = || CharClass::of(['"']);
        ways.read(begin, quote(), decision);
        ways.decide_reluctantly(decision);
        ways.lead(decision, behind);
        ways.lead(decision, body);
        ways.read(body, CharClass::of(['\\']), escape);
        ways.read(escape, quote(), end_of_body);
        ways.read(body, CharClass::any(), end_of_body);
        ways.lead(end_of_body, decision);
        ways.read(behind, quote(), end);
        (ways, end)
    }

    #[test]
    fn a_way_that_is_preferred_ends_the_token_for_those_behind_it() {
        let (ways, end) = quoted();
        let (states, is_exact) = ways.states(end).expect("it is small");
        assert!(is_exact);
        // ANTLR's lexer takes the longest of these: an escaped quote ends the text only if no other quote follows.
        for (text, expected) in [
            ("\"\"", true),
            ("\"a\"", true),
            ("\"a\"b\"", false),
            ("\"\\\"\"", true),
            ("\"\\\"", true),
            ("\"", false),
        ] {
            assert_eq!(accepts(&states, text), expected, "{text}");
        }
    }

    #[test]
    fn a_token_may_end_where_the_input_does() {
        let mut ways = Ways::default();
        let [begin, decision, body, behind, end] = [(); 5].map(|()| ways.place());
        ways.read(begin, CharClass::of(['#']), decision);
        ways.decide_reluctantly(decision);
        ways.lead(decision, behind);
        ways.lead(decision, body);
        ways.read(body, CharClass::any(), decision);
        ways.read(behind, CharClass::of(['\n']), end);
        ways.read_end(behind, end);
        let (states, is_exact) = ways.states(end).expect("it is small");
        assert!(is_exact, "any character leads on");
        for (text, expected) in [("#", true), ("#a", true), ("#\n", true), ("#\na", false)] {
            assert_eq!(accepts(&states, text), expected, "{text}");
        }
    }
}
