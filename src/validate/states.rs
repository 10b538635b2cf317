//! The sets of states in which derivations can end, as values that are computed while parsing.
//!
//! The value of a nonterminal is the set of states of its derivations. The value of a *rest*, the last
//! few symbols of some rules, tells for each of these rules, and each fold in which the symbols before
//! may have left it, the folds at the end.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, FoldId, StateId, Want};
use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::grammar::{NonterminalId, RuleId, Symbol, analysis};
use crate::id_type;
use crate::parse::{Algebra, Derivation, Part, Piece, RuleEnd};

id_type!(
    /// A set of states.
    SetId
);
id_type!(
    /// What a rest makes of folds.
    MapId
);

/// For each place of a rest and each fold there, in the order of [`Places`], the folds at the end.
type FoldMap = Box<[Box<[FoldId]>]>;

/// Where a rest stands, and where the folds of each place begin in its maps.
type Places = Vec<(RuleId, usize, usize)>;

/// Sets of states by numbers, and how rules make them.
#[derive(Debug)]
pub struct StateSets {
    automaton: Arc<Automaton>,
    sets: Interner<SetId, Box<[StateId]>>,
    maps: Interner<MapId, FoldMap>,
    /// By the number of the rest.
    places: FxHashMap<usize, Places>,
    /// The states of the derivations of the empty string.
    empty: IdVec<NonterminalId, SetId>,
}

impl StateSets {
    /// The sets of states of an automaton.
    pub fn new(automaton: Arc<Automaton>) -> Self {
        let grammar = Arc::clone(automaton.grammar());
        let mut sets = Interner::new();
        let none = sets.intern(Box::default());
        let mut states = Self {
            automaton,
            sets,
            maps: Interner::new(),
            places: FxHashMap::default(),
            empty: IdVec::filled(none, grammar.nonterminals().len()),
        };
        let nullable = analysis::nullable(&grammar);
        let is_empty = |&symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable.contains(n));
        let rules: Vec<RuleId> = grammar
            .rules()
            .entries()
            .filter(|(_, rule)| rule.symbols.iter().all(is_empty))
            .map(|(id, _)| id)
            .collect();
        // A rule whose nonterminals have no states yet adds none: this grows to the least fixpoint.
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            for &rule in &rules {
                let lhs = grammar.rule(rule).lhs;
                let pieces = vec![Piece::Empty; grammar.rule(rule).symbols.len()];
                let more = states.value(Derivation {
                    part: Part::Nonterminal(lhs),
                    rule,
                    pieces: &pieces,
                    rest: None,
                });
                let sum = states.join(states.empty[lhs], SetId::new(more as usize));
                has_grown |= sum != states.empty[lhs];
                states.empty[lhs] = sum;
            }
        }
        states
    }

    /// The states of a value.
    pub fn states(&self, value: u32) -> &[StateId] {
        &self.sets[SetId::new(value as usize)]
    }

    /// The folds after the pieces of a derivation that begins at `first` in `rule`.
    fn folds(&self, rule: RuleId, first: usize, begin: FoldId, pieces: &[Piece]) -> Vec<FoldId> {
        let symbols = &self.automaton.grammar().rule(rule).symbols[first..];
        let mut folds = vec![begin];
        for (position, (&symbol, &piece)) in (first..).zip(symbols.iter().zip(pieces)) {
            let automaton = &*self.automaton;
            let step = |states: SetId| -> Vec<FoldId> {
                let states = &self.sets[states];
                folds
                    .iter()
                    .flat_map(|&fold| states.iter().map(move |&state| automaton.step(fold, position, state)))
                    .collect()
            };
            folds = match (symbol, piece) {
                (Symbol::Class(class), Piece::Char(c)) => {
                    let next = |&fold: &FoldId| match c {
                        Some(c) => Some(automaton.step_char(fold, position, class, c)),
                        None => automaton.step_other(fold, position, class),
                    };
                    folds.iter().filter_map(next).collect()
                }
                (Symbol::Nonterminal(_), Piece::Value(value)) => step(SetId::new(value as usize)),
                (Symbol::Nonterminal(nonterminal), Piece::Empty) => step(self.empty[nonterminal]),
                (Symbol::Literal(_), Piece::Literal) => folds,
                (symbol, piece) => unreachable!("{piece:?} for {symbol:?}"),
            };
            folds = distinct(folds);
        }
        folds
    }

    /// The folds at the end of `rule` when a derivation begins at `first` with `begin`.
    fn ends(&mut self, rule: RuleId, first: usize, begin: FoldId, derivation: Derivation<'_>) -> Vec<FoldId> {
        let Derivation { pieces, rest, .. } = derivation;
        let folds = self.folds(rule, first, begin, pieces);
        match rest {
            Some((end, map)) => {
                self.apply(MapId::new(map as usize), end, (rule, first + pieces.len()), folds)
            }
            None => folds,
        }
    }

    fn join(&mut self, one: SetId, other: SetId) -> SetId {
        if one == other {
            return one;
        }
        let both = [&self.sets[one][..], &self.sets[other][..]].concat();
        self.set(both)
    }

    fn set(&mut self, states: Vec<StateId>) -> SetId {
        self.sets.intern(distinct(states).into())
    }

    /// Where a rest stands.
    fn places(&mut self, rest: RuleEnd<'_>) -> &Places {
        let automaton = &self.automaton;
        self.places.entry(rest.number).or_insert_with(|| {
            let mut number = 0;
            let place = |&(rule, first): &(RuleId, usize)| {
                let begin = number;
                number += automaton.reached(rule, first).len();
                (rule, first, begin)
            };
            rest.sites.iter().map(place).collect()
        })
    }

    /// The folds at the end of a rule after a rest that begins at this place in it.
    fn apply(
        &mut self,
        map: MapId,
        rest: RuleEnd<'_>,
        (rule, first): (RuleId, usize),
        folds: Vec<FoldId>,
    ) -> Vec<FoldId> {
        let automaton = Arc::clone(&self.automaton);
        let places = self.places(rest);
        let place = places.binary_search_by_key(&rule, |&(of, ..)| of);
        let (_, at, number) = places[place.expect("a rule stands among those that end as it does")];
        debug_assert_eq!(at, first, "a rule ends with the same symbols once");
        let known = automaton.reached(rule, first);
        let map = &self.maps[map];
        let ends = folds
            .iter()
            .flat_map(|fold| {
                let index = known.iter().position(|known| known == fold);
                map[number + index.expect("the automaton knows all folds")].iter().copied()
            })
            .collect();
        distinct(ends)
    }
}

impl Algebra for StateSets {
    fn apart(&self, rule: RuleId, position: usize) -> Vec<char> {
        let table = self.automaton.table();
        let wants = table.of_rule(rule).iter().map(|&concrete| table.concrete()[concrete].wants[position]);
        let chars = wants.filter_map(|want| match want {
            Want::Char(c) => Some(c),
            Want::Any | Want::Node(_) => None,
        });
        chars.collect()
    }

    fn empty(&mut self, nonterminal: NonterminalId) -> u32 {
        self.empty[nonterminal].index() as u32
    }

    fn value(&mut self, derivation: Derivation<'_>) -> u32 {
        let automaton = Arc::clone(&self.automaton);
        let Derivation { part, rule, .. } = derivation;
        match part {
            Part::Nonterminal(_) => {
                let ends = self.ends(rule, 0, automaton.begin(rule), derivation);
                let states = ends.iter().map(|&fold| automaton.end(rule, fold)).collect();
                self.set(states).index() as u32
            }
            Part::Rest(end) => {
                let places = self.places(end).clone();
                let mut map: Vec<Box<[FoldId]>> = Vec::new();
                for (rule, first, _) in places {
                    for &fold in automaton.reached(rule, first) {
                        map.push(self.ends(rule, first, fold, derivation).into());
                    }
                }
                self.maps.intern(map.into()).index() as u32
            }
        }
    }

    fn union(&mut self, part: Part<'_>, one: u32, other: u32) -> u32 {
        if one == other {
            return one;
        }
        let (one, other) = (one as usize, other as usize);
        match part {
            Part::Nonterminal(_) => self.join(SetId::new(one), SetId::new(other)).index() as u32,
            Part::Rest(_) => {
                let pairs = self.maps[MapId::new(one)].iter().zip(&self.maps[MapId::new(other)]);
                let map: FoldMap =
                    pairs.map(|(one, other)| distinct([&one[..], &other[..]].concat()).into()).collect();
                self.maps.intern(map).index() as u32
            }
        }
    }
}

/// The items in order, each once.
fn distinct<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}
