//! The network of characters that lexical nonterminals are: a nondeterministic automaton.
//!
//! What a nonterminal derives is regular when its recursion is only to the right, as in
//! `<rest> ::= "" | [a-z] <rest>`, or only to the left. Nonterminals without recursion are written out
//! wherever they are used.

use rustc_hash::FxHashMap;

use crate::base::components::components;
use crate::base::id::IdVec;

use super::super::model::{Grammar, NonterminalId, Symbol};

/// The most states of a network.
const MOST_STATES: usize = 100_000;

/// How deep nonterminals may be nested in each other.
const MOST_DEPTH: usize = 200;

/// A set of units, as inclusive ranges.
pub(in super::super) type Ranges = Box<[(u32, u32)]>;

/// The unit of a byte that belongs to no character.
pub(in super::super) fn stray(byte: u8) -> u32 {
    0x11_0000 + u32::from(byte)
}

/// The units of a text: characters, and bytes that belong to none; each with its length in bytes.
pub(in super::super) fn units(text: &[u8]) -> impl Iterator<Item = (u32, usize)> + '_ {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let (unit, width) = unit_at(text, offset)?;
        offset += width;
        Some((unit, width))
    })
}

/// The unit that begins at `offset`, and its length in bytes; `None` at the end.
#[inline]
pub(in super::super) fn unit_at(text: &[u8], offset: usize) -> Option<(u32, usize)> {
    let width = match *text.get(offset)? {
        byte if byte < 0x80 => return Some((u32::from(byte), 1)),
        byte if byte < 0xe0 => 2,
        byte if byte < 0xf0 => 3,
        _ => 4,
    };
    let encoded = text.get(offset..offset + width).and_then(|bytes| std::str::from_utf8(bytes).ok());
    match encoded.and_then(|text| text.chars().next()) {
        Some(c) => Some((u32::from(c), width)),
        None => Some((stray(text[offset]), 1)),
    }
}

/// Why there is no network for a nonterminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Irregular;

/// What a group of nonterminals that lead to each other is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recursion {
    None,
    Right,
    Left,
    Both,
}

/// How each nonterminal of a grammar recurs: what is known once for all networks.
pub(in super::super) struct Recursions {
    group: IdVec<NonterminalId, u32>,
    kinds: Vec<Recursion>,
}

impl Recursions {
    pub(in super::super) fn new(grammar: &Grammar) -> Self {
        let count = grammar.nonterminals().len();
        let mut group: IdVec<NonterminalId, u32> = IdVec::filled(0, count);
        let mut cycles = Vec::new();
        let inner = |node: NonterminalId, next: &mut Vec<NonterminalId>| {
            for &rule in grammar.rules_of(node) {
                next.extend(grammar.rule(rule).symbols.iter().filter_map(|symbol| match symbol {
                    Symbol::Nonterminal(inner) => Some(*inner),
                    Symbol::Literal(_) | Symbol::Class(_) => None,
                }));
            }
        };
        components(count, group.ids(), inner, |members, is_cycle| {
            for &member in members {
                group[member] = cycles.len() as u32;
            }
            cycles.push(is_cycle);
        });
        let mut kinds = vec![Recursion::None; cycles.len()];
        for (id, nonterminal) in
            grammar.nonterminals().entries().filter(|&(id, _)| cycles[group[id] as usize])
        {
            for &rule in &nonterminal.rules {
                let symbols = &grammar.rule(rule).symbols;
                let recurs =
                    |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if group[*n] == group[id]);
                let places: Vec<usize> =
                    (0..symbols.len()).filter(|&place| recurs(&symbols[place])).collect();
                let this = match places[..] {
                    [] => continue,
                    // The nonterminal itself and nothing else: derives nothing new either way.
                    [0] if symbols.len() == 1 => continue,
                    [place] if place + 1 == symbols.len() => Recursion::Right,
                    [0] => Recursion::Left,
                    _ => Recursion::Both,
                };
                let kind = &mut kinds[group[id] as usize];
                *kind = if *kind == Recursion::None || *kind == this { this } else { Recursion::Both };
            }
        }
        // What leads only to itself recurs in either way.
        for (kind, is_cycle) in kinds.iter_mut().zip(cycles) {
            if is_cycle && *kind == Recursion::None {
                *kind = Recursion::Right;
            }
        }
        Self { group, kinds }
    }
}

/// A nondeterministic automaton.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Network {
    /// From each state, without reading anything.
    pub free: Vec<Vec<u32>>,
    /// From each state, by one of a set of units.
    pub reading: Vec<Vec<(u32, u32)>>,
    /// The sets of units.
    pub labels: Vec<Ranges>,
    known: FxHashMap<Ranges, u32>,
}

impl Network {
    /// A new state.
    pub(in super::super) fn state(&mut self) -> u32 {
        self.free.push(Vec::new());
        self.reading.push(Vec::new());
        self.free.len() as u32 - 1
    }

    /// Makes `from` lead to `to` by one of these units.
    pub(in super::super) fn read(&mut self, from: u32, ranges: Ranges, to: u32) {
        let next = self.labels.len() as u32;
        let label = *self.known.entry(ranges).or_insert_with_key(|ranges| {
            self.labels.push(ranges.clone());
            next
        });
        self.reading[from as usize].push((label, to));
    }

    /// Makes `from` lead to `to` by a text.
    pub(in super::super) fn spell(&mut self, from: u32, text: &[u8], to: u32) {
        let mut units = units(text).map(|(unit, _)| unit).peekable();
        let mut here = from;
        while let Some(unit) = units.next() {
            let next = if units.peek().is_some() { self.state() } else { to };
            self.read(here, [(unit, unit)].into(), next);
            here = next;
        }
    }

    /// Makes `from` lead to `to` by whatever a nonterminal derives.
    ///
    /// # Errors
    /// When that is not regular, or too large.
    pub(in super::super) fn derive(
        &mut self,
        grammar: &Grammar,
        recursions: &Recursions,
        nonterminal: NonterminalId,
        from: u32,
        to: u32,
    ) -> Result<(), Irregular> {
        let begun = FxHashMap::default();
        Builder { network: self, grammar, recursions, begun }.nonterminal(nonterminal, from, to, 0)
    }
}

struct Builder<'a> {
    network: &'a mut Network,
    grammar: &'a Grammar,
    recursions: &'a Recursions,
    /// Where a nonterminal begins that ends in a state. An automaton that is written as nonterminals, each with the next one at its
    /// end, would otherwise be written out once for each way through it.
    begun: FxHashMap<(NonterminalId, u32), u32>,
}

impl Builder<'_> {
    fn nonterminal(&mut self, id: NonterminalId, from: u32, to: u32, depth: usize) -> Result<(), Irregular> {
        if depth > MOST_DEPTH || self.network.free.len() > MOST_STATES {
            return Err(Irregular);
        }
        if let Some(&known) = self.begun.get(&(id, to)) {
            self.network.free[from as usize].push(known);
            return Ok(());
        }
        let group = self.recursions.group[id];
        match self.recursions.kinds[group as usize] {
            Recursion::Both => Err(Irregular),
            Recursion::None => {
                let begin = self.network.state();
                self.network.free[from as usize].push(begin);
                self.begun.insert((id, to), begin);
                for &rule in self.grammar.rules_of(id) {
                    self.sequence(&self.grammar.rule(rule).symbols, begin, to, depth)?;
                }
                Ok(())
            }
            recursion => self.group(id, recursion, from, to, depth),
        }
    }

    /// A nonterminal that leads to itself: each of its group has one state, where it begins if
    /// recursion is to the right, or where it ends.
    fn group(
        &mut self,
        id: NonterminalId,
        recursion: Recursion,
        from: u32,
        to: u32,
        depth: usize,
    ) -> Result<(), Irregular> {
        let group = self.recursions.group[id];
        let mut states: FxHashMap<NonterminalId, u32> = FxHashMap::default();
        let mut work = vec![id];
        let first = self.network.state();
        states.insert(id, first);
        let (here, there) = if recursion == Recursion::Right { (from, first) } else { (first, to) };
        self.network.free[here as usize].push(there);
        while let Some(member) = work.pop() {
            let own = states[&member];
            if recursion == Recursion::Right {
                self.begun.insert((member, to), own);
            }
            for &rule in self.grammar.rules_of(member) {
                let symbols = &self.grammar.rule(rule).symbols;
                let recurs = |symbol: Option<&Symbol>| match symbol {
                    Some(&Symbol::Nonterminal(next)) if self.recursions.group[next] == group => Some(next),
                    _ => None,
                };
                let inner = if recursion == Recursion::Right {
                    recurs(symbols.last())
                } else {
                    recurs(symbols.first())
                };
                let Some(next) = inner else {
                    let (begin, end) = if recursion == Recursion::Right { (own, to) } else { (from, own) };
                    self.sequence(symbols, begin, end, depth)?;
                    continue;
                };
                let other = match states.get(&next) {
                    Some(&known) => known,
                    None => {
                        work.push(next);
                        let new = self.network.state();
                        states.insert(next, new);
                        new
                    }
                };
                if recursion == Recursion::Right {
                    self.sequence(&symbols[..symbols.len() - 1], own, other, depth)?;
                } else {
                    self.sequence(&symbols[1..], other, own, depth)?;
                }
            }
        }
        Ok(())
    }

    fn sequence(&mut self, symbols: &[Symbol], from: u32, to: u32, depth: usize) -> Result<(), Irregular> {
        let mut here = from;
        for (place, &symbol) in symbols.iter().enumerate() {
            let next = if place + 1 == symbols.len() { to } else { self.network.state() };
            match symbol {
                Symbol::Literal(literal) => self.network.spell(here, self.grammar.literal(literal), next),
                Symbol::Class(class) => {
                    let ranges = self.grammar.class(class).ranges();
                    let ranges = ranges.iter().map(|&(low, high)| (u32::from(low), u32::from(high)));
                    self.network.read(here, ranges.collect(), next);
                }
                Symbol::Nonterminal(inner) => self.nonterminal(inner, here, next, depth + 1)?,
            }
            here = next;
        }
        if symbols.is_empty() {
            self.network.free[from as usize].push(to);
        }
        Ok(())
    }
}
