//! The texts that `more` puts together, as automata.
//!
//! In each mode ANTLR's lexer takes the longest match of all tokens, and of those of one length the first. So a text consists of pieces none
//! of which could be longer where it stands. A state of the automaton is the set of the ways to divide what was read: for each, where the
//! lexer is, the matches of the piece that is being read, and the matches that earlier pieces must not come to have. A way ends where one
//! of those does become a match. (What stands behind a whole text and would make an earlier piece of it longer is not looked at.)
//!
//! Determinizing a set of ways goes back to Rabin and Scott 1959. The states of each end become hidden nonterminals.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::diagnostic::Source;

use super::super::class::CharClass;
use super::super::ebnf;
use super::super::ebnf::syntax as ours;
use super::super::lexis::network::{Network, Recursions};
use super::lexical::{names_in, one_of};
use super::lower::{Lowering, item, nonterminal, used};
use super::more::{Joined, Piece, Place, Texts};
use super::syntax::{Dropped, Span};

/// The most states of the automaton of a mode, and how often a match may be followed by a character for it.
const MOST_STATES: usize = 4_000;
const MOST_WORK: usize = 20_000_000;

impl Lowering<'_> {
    /// Defines the fragments of all texts that `more` puts together. Where there is too much to do they stay what stands in for them, any
    /// number of pieces.
    pub(super) fn join(&mut self, texts: &Texts) {
        if texts.joined.is_empty() {
            return;
        }
        let uncertain = self.uncertain();
        let is_uncertain = |piece: &Piece| uncertain.contains(&piece.name);
        let mut lexer = self.pieces(&texts.pieces, &is_uncertain);
        for joined in &texts.joined {
            let automaton = lexer.as_mut().and_then(|lexer| lexer.automaton(joined));
            match automaton {
                Some(states) => {
                    for ((place, piece), name) in &joined.ends {
                        let span = &texts.pieces[*piece].token.span;
                        self.define_text(&states, &(place.clone(), *piece), name, span);
                    }
                }
                None => {
                    self.is_unjoined = true;
                    let begins =
                        texts.pieces.iter().filter(|piece| piece.is_more && piece.mode == joined.mode);
                    for piece in begins {
                        self.report(Dropped::More, &piece.token.span);
                    }
                }
            }
        }
    }

    /// The network of the pieces of all modes, out of what was defined for them.
    fn pieces<'a>(&self, pieces: &'a [Piece], is_uncertain: &dyn Fn(&Piece) -> bool) -> Option<Pieces<'a>> {
        let start = "all-pieces";
        let definitions = &self.lowered.text.definitions;
        let by_name: HashMap<&str, &ours::Definition> =
            definitions.iter().map(|definition| (definition.name.name.base.as_str(), definition)).collect();
        let known = |piece: &&Piece| by_name.contains_key(piece.name.as_str());
        let names = pieces.iter().filter(known).map(|piece| piece.name.as_str());
        let mut needed: BTreeSet<&str> = names.clone().collect();
        let mut open: Vec<&str> = names.clone().collect();
        while let Some(definition) = open.pop().and_then(|name| by_name.get(name)) {
            let mut names = Vec::new();
            names_in(&definition.alternatives, &mut names);
            open.extend(names.into_iter().map(|name| name.base.as_str()).filter(|name| needed.insert(name)));
        }
        let is_needed = |name: &ours::Use| needed.contains(name.name.base.as_str());
        let span = 0..0;
        let mut text = ours::Text {
            start: Some(used(start, &span)),
            helpers: self.lowered.text.helpers.iter().filter(|(_, name)| is_needed(name)).cloned().collect(),
            definitions: definitions
                .iter()
                .filter(|definition| is_needed(&definition.name))
                .cloned()
                .collect(),
            ..ours::Text::default()
        };
        let alternatives = names.map(|name| vec![nonterminal(name, &span)]).collect();
        text.definitions.push(ours::Definition { name: used(start, &span), token: None, alternatives });
        let (grammar, _) = ebnf::lower::lower(&Source::new("", ""), &text).ok()?;
        let recursions = Recursions::new(&grammar);
        let mut network = Network::default();
        let mut starts: BTreeMap<String, u32> = BTreeMap::new();
        let mut ends: HashMap<u32, usize> = HashMap::new();
        for (number, piece) in pieces.iter().enumerate().filter(|(_, piece)| known(piece)) {
            let start = *starts.entry(piece.mode.clone()).or_insert_with(|| network.state());
            let end = network.state();
            let nonterminal = grammar.find(&piece.name)?;
            // One that is not regular ends no text, and no other piece gives way to it.
            if network.derive(&grammar, &recursions, nonterminal, start, end).is_ok() {
                ends.insert(end, number);
            }
        }
        let certain = pieces.iter().map(|piece| !is_uncertain(piece)).collect();
        Some(Pieces { pieces, network, starts, ends, certain, work: MOST_WORK })
    }

    /// Defines the fragment of one end: an automaton without the states that do not lead to it.
    fn define_text(&mut self, states: &[State], end: &(Place, usize), name: &str, span: &Span) {
        let accepts: Vec<bool> = states.iter().map(|state| state.ends.contains(end)).collect();
        let mut leads = vec![false; states.len()];
        loop {
            let before = leads.iter().filter(|&&leads| leads).count();
            for (number, state) in states.iter().enumerate() {
                leads[number] |= state.moves.iter().any(|&(_, to)| accepts[to] || leads[to]);
            }
            if leads.iter().filter(|&&leads| leads).count() == before {
                break;
            }
        }
        let own = |number: usize| if number == 0 { name.to_owned() } else { format!("{name}-{number}") };
        let mut open = vec![0];
        let mut known = BTreeSet::from([0]);
        while let Some(number) = open.pop() {
            let mut alternatives: Vec<ours::Sequence> = Vec::new();
            for (class, to) in &states[number].moves {
                if accepts[*to] {
                    alternatives.push(vec![item(one_of(class), span)]);
                }
                if leads[*to] {
                    alternatives.push(vec![item(one_of(class), span), nonterminal(&own(*to), span)]);
                    if known.insert(*to) {
                        open.push(*to);
                    }
                }
            }
            self.redefine(&own(number), span, alternatives);
        }
    }

    /// Defines a nonterminal that reports do not show, in the place of its definition if it has one.
    fn redefine(&mut self, name: &str, span: &Span, alternatives: Vec<ours::Sequence>) {
        let mut definitions = self.lowered.text.definitions.iter_mut();
        match definitions.find(|definition| definition.name.name.base == name) {
            Some(definition) => definition.alternatives = alternatives,
            None => self.define(name, span, None, alternatives),
        }
        self.hide(name, span);
    }
}

/// The pieces of all modes as one network.
struct Pieces<'a> {
    pieces: &'a [Piece],
    network: Network,
    /// By mode, where its pieces begin.
    starts: BTreeMap<String, u32>,
    /// Which piece ends in a state.
    ends: HashMap<u32, usize>,
    certain: Vec<bool>,
    /// What is left to do.
    work: usize,
}

/// States of the network, in order.
type Matches = Vec<u32>;

/// One way to divide what was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Way {
    place: Place,
    is_first: bool,
    matches: Matches,
    /// Matches that earlier pieces must not come to have.
    longer: BTreeSet<Matches>,
}

/// The ways to divide what was read, and as what it may end.
type Reached = (BTreeSet<Way>, BTreeSet<(Place, usize)>);

/// A state of the automaton.
#[derive(Debug, Default)]
struct State {
    moves: Vec<(CharClass, usize)>,
    /// What a text that leads here may end as.
    ends: BTreeSet<(Place, usize)>,
}

impl Pieces<'_> {
    /// The automaton of the texts that begin in a mode; `None` when there is too much to do.
    fn automaton(&mut self, joined: &Joined) -> Option<Vec<State>> {
        let is_wanted = self.before_more(&joined.mode);
        let first = Way {
            place: Place::at(&joined.mode),
            is_first: true,
            matches: self.closed(vec![*self.starts.get(&joined.mode)?]),
            longer: BTreeSet::new(),
        };
        let mut sets = vec![BTreeSet::from([first])];
        let mut known: HashMap<Reached, usize> = HashMap::from([((sets[0].clone(), BTreeSet::new()), 0)]);
        let mut states: Vec<State> = vec![State::default()];
        let mut done = 0;
        while done < sets.len() {
            let mut moves: BTreeMap<usize, Vec<(char, char)>> = BTreeMap::new();
            for (low, high) in self.intervals(&sets[done]) {
                let reached = self.step(&sets[done], low, joined, &is_wanted)?;
                if reached.0.is_empty() && reached.1.is_empty() {
                    continue;
                }
                let to = *known.entry(reached).or_insert_with_key(|(ways, ends)| {
                    sets.push(ways.clone());
                    states.push(State { ends: ends.clone(), ..State::default() });
                    states.len() - 1
                });
                let low = char::from_u32(low).unwrap_or('\u{e000}');
                let high = char::from_u32(high).unwrap_or('\u{d7ff}');
                if low <= high {
                    moves.entry(to).or_default().push((low, high));
                }
            }
            if sets.len() > MOST_STATES {
                return None;
            }
            states[done].moves = moves.into_iter().map(|(to, ranges)| (CharClass::new(ranges), to)).collect();
            done += 1;
        }
        Some(states)
    }

    /// The states of the network from which a piece with `more` can be come to in a mode: of no other piece is a text that begins there.
    fn before_more(&self, mode: &str) -> Vec<bool> {
        let count = self.network.free.len();
        let mut backwards: Vec<Vec<u32>> = vec![Vec::new(); count];
        for state in 0..count {
            let free = self.network.free[state].iter();
            for &to in free.chain(self.network.reading[state].iter().map(|(_, to)| to)) {
                backwards[to as usize].push(state as u32);
            }
        }
        let is_end = |number: usize| self.pieces[number].is_more && self.pieces[number].mode == mode;
        let ends = self.ends.iter().filter(|&(_, &number)| is_end(number));
        let mut open: Vec<u32> = ends.map(|(&state, _)| state).collect();
        let mut is_before = vec![false; count];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut is_before[state as usize], true) {
                open.extend(&backwards[state as usize]);
            }
        }
        is_before
    }

    /// The ranges of characters that no move from these ways tells apart.
    fn intervals(&self, ways: &BTreeSet<Way>) -> Vec<(u32, u32)> {
        let mut cuts: BTreeSet<u32> = BTreeSet::new();
        for &state in ways.iter().flat_map(|way| way.longer.iter().chain([&way.matches])).flatten() {
            for &(label, _) in &self.network.reading[state as usize] {
                for &(low, high) in &self.network.labels[label as usize] {
                    cuts.extend([low, high + 1]);
                }
            }
        }
        let cuts: Vec<u32> = cuts.into_iter().collect();
        let ranges = cuts.windows(2).map(|pair| (pair[0], pair[1] - 1));
        ranges.filter(|&(low, _)| low <= u32::from(char::MAX)).collect()
    }

    /// From some ways by one character on: the ways, and as what the text may end.
    fn step(
        &mut self,
        ways: &BTreeSet<Way>,
        unit: u32,
        joined: &Joined,
        is_wanted: &[bool],
    ) -> Option<Reached> {
        let mut next = BTreeSet::new();
        let mut ends = BTreeSet::new();
        'ways: for way in ways {
            let matches = self.moved(&way.matches, unit)?;
            let is_lost = way.is_first && !matches.iter().any(|&state| is_wanted[state as usize]);
            if matches.is_empty() || is_lost {
                continue;
            }
            let mut longer = BTreeSet::new();
            for earlier in &way.longer {
                let moved = self.moved(earlier, unit)?;
                if self.ending(&moved).any(|number| self.certain[number]) {
                    continue 'ways;
                }
                if !moved.is_empty() {
                    longer.insert(moved);
                }
            }
            let mut found: Vec<usize> = self.ending(&matches).collect();
            found.sort_unstable();
            // Those behind the first one that is certain are never taken.
            let last =
                found.iter().position(|&number| self.certain[number]).map_or(found.len(), |place| place + 1);
            for &number in &found[..last] {
                let piece = &self.pieces[number];
                if !piece.is_more {
                    let end = (way.place.clone(), number);
                    if !way.is_first && joined.ends.contains_key(&end) {
                        ends.insert(end);
                    }
                    continue;
                }
                let Some(place) = way.place.behind(&piece.commands) else { continue };
                let Some(&start) = self.starts.get(&place.mode) else { continue };
                let mut longer = longer.clone();
                longer.insert(matches.clone());
                next.insert(Way { place, is_first: false, matches: self.closed(vec![start]), longer });
            }
            next.insert(Way { place: way.place.clone(), is_first: way.is_first, matches, longer });
        }
        Some((next, ends))
    }

    /// The pieces that end in these states.
    fn ending(&self, matches: &Matches) -> impl Iterator<Item = usize> {
        matches.iter().filter_map(|state| self.ends.get(state)).copied()
    }

    /// The states by one character on.
    fn moved(&mut self, matches: &Matches, unit: u32) -> Option<Matches> {
        let mut targets = Vec::new();
        let mut count = 1;
        for &state in matches {
            for &(label, to) in &self.network.reading[state as usize] {
                count += 1;
                let ranges = &self.network.labels[label as usize];
                let place = ranges.partition_point(|&(_, high)| high < unit);
                if ranges.get(place).is_some_and(|&(low, _)| low <= unit) {
                    targets.push(to);
                }
            }
        }
        self.work = self.work.checked_sub(count)?;
        Some(self.closed(targets))
    }

    /// Those that are come to without a character, too; without those that only lead to others.
    fn closed(&self, mut open: Vec<u32>) -> Matches {
        let mut known: BTreeSet<u32> = BTreeSet::new();
        while let Some(state) = open.pop() {
            if known.insert(state) {
                open.extend(&self.network.free[state as usize]);
            }
        }
        known.retain(|state| {
            !self.network.reading[*state as usize].is_empty() || self.ends.contains_key(state)
        });
        known.into_iter().collect()
    }
}
