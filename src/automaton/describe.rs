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

use super::atom::{Atom, AtomId};
use super::machine::{Automaton, StateId};
use super::table::ConcreteId;

/// Something that can be said of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Statement {
    /// An atom of the formula, or a smaller number of occurrences, is true of it.
    Atom(Atom),
    /// A pattern node matches at its root.
    Matches(ConcreteId),
    /// The formula holds of the subtree taken for itself.
    Formula,
    /// The subtree is in this very state.
    State(StateId),
}

type Literal = (Statement, bool);

/// Describes sets of states of one automaton.
pub struct Describer<'a> {
    automaton: &'a Automaton,
    /// All statements about occurrences that are told apart.
    atoms: Vec<Atom>,
    /// The atoms of the formula that are certainly true of the subtrees in each state.
    certain: IdVec<StateId, BitSet<AtomId>>,
}

impl<'a> Describer<'a> {
    /// A describer for the states that `automaton` has now.
    pub fn new(automaton: &'a Automaton) -> Self {
        let mut residuals = automaton.residuals().clone();
        let certain = automaton.states().iter().map(|state| residuals.certain(state.residual)).collect();
        let mut atoms: Vec<Atom> = residuals.atoms().iter().copied().collect();
        // What is counted up to is told apart below that, too.
        for pattern in automaton.expression().patterns.ids() {
            let most = residuals.atoms().iter().filter_map(|atom| match *atom {
                Atom::AtLeast(number, of) if of == pattern => Some(number),
                Atom::Inside(one, other) | Atom::Before(one, other) if one == pattern || other == pattern => {
                    Some(1)
                }
                _ => None,
            });
            atoms.extend((1..=most.max().unwrap_or(0)).map(|number| Atom::AtLeast(number, pattern)));
        }
        atoms.sort_unstable();
        atoms.dedup();
        Self { automaton, atoms, certain }
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
        let mut term: Vec<Literal> = self.literals(state).collect();
        if !excludes(&term) {
            return vec![(Statement::State(state), true)];
        }
        // What a reader can do without goes first: the whole formula, then what matches here or does
        // not, then what does not occur inside, then the rest.
        let mut order = term.clone();
        order.sort_by_key(|&(statement, holds)| match (statement, holds) {
            (Statement::Formula | Statement::State(_), _) => 0,
            (Statement::Matches(_), false) => 1,
            (Statement::Matches(_), true) => 2,
            (Statement::Atom(_), false) => 3,
            (Statement::Atom(_), true) => 4,
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
    fn literals(&self, state: StateId) -> impl Iterator<Item = Literal> + '_ {
        let atoms = self.atoms.iter().copied().map(Statement::Atom);
        let concrete = self.automaton.table().concrete().ids().map(Statement::Matches);
        atoms
            .chain(concrete)
            .chain([Statement::Formula])
            .flat_map(|statement| [(statement, true), (statement, false)])
            .filter(move |&literal| self.truth(state, literal) == Some(true))
    }

    /// Whether a literal holds in a state, where that is known.
    fn truth(&self, state: StateId, (statement, holds): Literal) -> Option<bool> {
        let content = &self.automaton.states()[state];
        let residuals = self.automaton.residuals();
        let value = match statement {
            Statement::Atom(atom) => self.atom_truth(state, atom),
            Statement::Matches(concrete) if content.matched.contains(concrete) => Some(true),
            Statement::Matches(concrete) => {
                let patterns = &self.automaton.table().concrete()[concrete].patterns;
                patterns.intersects(residuals.patterns(content.residual)).then_some(false)
            }
            Statement::Formula => Some(self.automaton.accepts(state)),
            Statement::State(wanted) => Some(state == wanted),
        };
        value.map(|value| value == holds)
    }

    fn atom_truth(&self, state: StateId, atom: Atom) -> Option<bool> {
        let content = &self.automaton.states()[state];
        let residuals = self.automaton.residuals();
        let is_certain = |id: AtomId| match (atom, residuals.atoms()[id]) {
            // More than enough is enough.
            (Atom::AtLeast(number, pattern), Atom::AtLeast(found, of)) => pattern == of && number <= found,
            (atom, found) => atom == found,
        };
        let known = self.certain[state].iter().any(is_certain);
        let open = residuals.support(content.residual).iter().any(|id| residuals.atoms()[id] == atom);
        match atom {
            Atom::Root(pattern) => open.then(|| content.at_root.contains(pattern)),
            _ if known => Some(true),
            _ if open => Some(false),
            Atom::AtLeast(number, pattern) => {
                let count = content.counts.get(pattern.index()).copied().unwrap_or(0);
                let most = residuals.counts(content.residual).get(pattern.index()).copied().unwrap_or(0);
                // At the most that is counted there may be more.
                if number <= count { Some(true) } else { (count < most).then_some(false) }
            }
            Atom::Inside(..) | Atom::Before(..) => None,
        }
    }

    fn term_text(&self, term: &[Literal]) -> String {
        let texts: Vec<String> = term
            .iter()
            .map(|&(statement, holds)| {
                let text = match statement {
                    Statement::Atom(atom) => self.atom_text(atom),
                    Statement::Matches(concrete) => {
                        let (pattern, number) = self.automaton.table().concrete()[concrete].place;
                        format!("{}.{number}", self.pattern_name(pattern))
                    }
                    Statement::Formula => format!("({})", self.automaton.expression().formula_text()),
                    Statement::State(state) => format!("#{}", state.index()),
                };
                if holds { text } else { format!("!{text}") }
            })
            .collect();
        texts.join(" & ")
    }

    fn atom_text(&self, atom: Atom) -> String {
        let name = |pattern| self.pattern_name(pattern);
        match atom {
            Atom::AtLeast(1, pattern) => name(pattern).to_owned(),
            Atom::AtLeast(number, pattern) => format!("at least {number} {}", name(pattern)),
            Atom::Inside(inner, outer) => format!("{} inside {}", name(inner), name(outer)),
            Atom::Before(first, second) => format!("{} before {}", name(first), name(second)),
            Atom::Root(pattern) => format!("root {}", name(pattern)),
        }
    }

    fn pattern_name(&self, pattern: PatternId) -> &str {
        &self.automaton.expression().patterns[pattern].name
    }
}
