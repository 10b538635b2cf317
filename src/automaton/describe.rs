//! Sets of states as readable conditions, such as `E & !N`.
//!
//! A set of states of a nonterminal is described by a disjunction of conjunctions of what can be
//! said of a subtree: that a pattern occurs inside (`E`), that an inner node of a pattern matches at
//! its root (`E.2`, the second concrete node of E after its root in document order), and, where that
//! does not suffice, that the whole formula holds or a state's number. Not everything is known of
//! each state (what no longer matters is not tracked), so literals have three values; a conjunction
//! is used only where it is certain not to hold in any state outside the set. The description is
//! therefore exact: it tells apart the sets for which it is made.

use std::collections::BTreeSet;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::NonterminalId;
use crate::pattern::PatternId;

use super::machine::{Automaton, StateId};
use super::table::ConcreteId;

/// Something that can be said of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    Contains(PatternId),
    Matches(ConcreteId),
    /// The formula holds of the subtree taken for itself.
    Formula,
    /// The subtree is in this very state.
    State(StateId),
}

type Literal = (Atom, bool);

/// Describes sets of states of one automaton.
pub struct Describer<'a> {
    automaton: &'a Automaton,
    certain: IdVec<StateId, BitSet<PatternId>>,
}

impl<'a> Describer<'a> {
    /// A describer for the states that `automaton` has now.
    pub fn new(automaton: &'a Automaton) -> Self {
        let mut residuals = automaton.residuals().clone();
        let certain = automaton.states().iter().map(|state| residuals.certain(state.residual)).collect();
        Self { automaton, certain }
    }

    /// The condition of the trees of `nonterminal` whose state is in `set`; `None` when it is all of
    /// them.
    pub fn condition(&self, nonterminal: NonterminalId, set: &[StateId]) -> Option<String> {
        let (inside, outside): (Vec<StateId>, Vec<StateId>) =
            self.automaton.reachable(nonterminal).iter().partition(|state| set.contains(state));
        if outside.is_empty() {
            return None;
        }
        if inside.is_empty() {
            return Some("false".to_owned());
        }
        let mut terms: BTreeSet<Vec<Literal>> = BTreeSet::new();
        for &state in &inside {
            let covered =
                terms.iter().any(|term| term.iter().all(|&literal| self.truth(state, literal) == Some(true)));
            if !covered {
                terms.insert(self.term(state, &outside));
            }
        }
        let texts: Vec<String> = terms.iter().map(|term| self.term_text(term)).collect();
        Some(texts.join(" | "))
    }

    /// The shortest conjunction found that holds of `state` and of none `outside`.
    fn term(&self, state: StateId, outside: &[StateId]) -> Vec<Literal> {
        let excludes = |term: &[Literal]| {
            outside.iter().all(|&other| term.iter().any(|&literal| self.truth(other, literal) == Some(false)))
        };
        let mut term: Vec<Literal> = self.atoms(state).collect();
        if !excludes(&term) {
            return vec![(Atom::State(state), true)];
        }
        // What a reader can do without goes first: the whole formula, then what matches here or does
        // not, then what does not occur inside, then the rest.
        let mut order = term.clone();
        order.sort_by_key(|&(atom, holds)| match (atom, holds) {
            (Atom::Formula | Atom::State(_), _) => 0,
            (Atom::Matches(_), false) => 1,
            (Atom::Matches(_), true) => 2,
            (Atom::Contains(_), false) => 3,
            (Atom::Contains(_), true) => 4,
        });
        for literal in order {
            let shorter: Vec<Literal> = term.iter().copied().filter(|&other| other != literal).collect();
            if excludes(&shorter) {
                term = shorter;
            }
        }
        term
    }

    /// All literals that certainly hold in `state`.
    fn atoms(&self, state: StateId) -> impl Iterator<Item = Literal> + '_ {
        let patterns = self.automaton.expression().patterns.ids().map(Atom::Contains);
        let concrete = self.automaton.table().concrete().ids().map(Atom::Matches);
        patterns
            .chain(concrete)
            .chain([Atom::Formula])
            .flat_map(|atom| [(atom, true), (atom, false)])
            .filter(move |&literal| self.truth(state, literal) == Some(true))
    }

    /// Whether a literal holds in a state, where that is known.
    fn truth(&self, state: StateId, (atom, holds): Literal) -> Option<bool> {
        let content = &self.automaton.states()[state];
        let support = self.automaton.residuals().support(content.residual);
        let value = match atom {
            Atom::Contains(pattern) if support.contains(pattern) => Some(false),
            Atom::Contains(pattern) => self.certain[state].contains(pattern).then_some(true),
            Atom::Matches(concrete) if content.matched.contains(concrete) => Some(true),
            Atom::Matches(concrete) => {
                let relevant = self.automaton.table().concrete()[concrete].patterns.intersects(support);
                relevant.then_some(false)
            }
            Atom::Formula => Some(self.automaton.accepts(state)),
            Atom::State(wanted) => Some(state == wanted),
        };
        value.map(|value| value == holds)
    }

    fn term_text(&self, term: &[Literal]) -> String {
        let texts: Vec<String> = term
            .iter()
            .map(|&(atom, holds)| {
                let text = match atom {
                    Atom::Contains(pattern) => self.pattern_name(pattern).to_owned(),
                    Atom::Matches(concrete) => {
                        let (pattern, number) = self.automaton.table().concrete()[concrete].place;
                        format!("{}.{number}", self.pattern_name(pattern))
                    }
                    Atom::Formula => format!("({})", self.automaton.expression().formula_text()),
                    Atom::State(state) => format!("#{}", state.index()),
                };
                if holds { text } else { format!("!{text}") }
            })
            .collect();
        texts.join(" & ")
    }

    fn pattern_name(&self, pattern: PatternId) -> &str {
        &self.automaton.expression().patterns[pattern].name
    }
}
