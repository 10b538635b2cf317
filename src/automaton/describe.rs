//! Sets of states as readable conditions, such as `E & !N`.
//!
//! A set of states of a nonterminal is described by a disjunction of conjunctions of what can be
//! said of a subtree: that a pattern occurs inside (`E`), that an inner node of a pattern matches at
//! its root (`E.2`, the second concrete node of E after its root in document order), and, where that
//! does not suffice, that the whole formula holds or a state's number. Not everything is known of
//! each state (what no longer matters is not tracked), so literals have three values; a conjunction
//! is used only where it is certain not to hold in any state outside the set. The description is
//! therefore exact: it tells apart the sets for which it is made.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, NonterminalId};
use crate::id_type;
use crate::pattern::PatternId;

use super::atom::{Atom, AtomId};
use super::machine::{Automaton, StateId};
use super::residual::ResidualId;
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

id_type!(
    /// A statement, by its place among all that are told apart.
    StatementId
);

/// What is known of the subtrees in one state.
#[derive(Debug, Default)]
struct Facts {
    holds: BitSet<StatementId>,
    fails: BitSet<StatementId>,
}

impl Facts {
    fn insert(&mut self, statement: StatementId, holds: bool) {
        if holds { &mut self.holds } else { &mut self.fails }.insert(statement);
    }

    fn knows(&self, statement: StatementId) -> bool {
        self.holds.contains(statement) || self.fails.contains(statement)
    }

    /// The statements that are true of one and false of the other.
    fn differences(&self, other: &Self) -> BitSet<StatementId> {
        let both = |one: &BitSet<StatementId>, other: &BitSet<StatementId>| {
            let mut both = one.clone();
            both.intersect_with(other);
            both
        };
        let mut differences = both(&self.holds, &other.fails);
        differences.union_with(&both(&self.fails, &other.holds));
        differences
    }
}

/// A conjunction, in the order in which it is written.
type Term = Vec<(Statement, bool)>;

/// Describes sets of states of one automaton.
pub struct Describer<'a> {
    automaton: &'a Automaton,
    /// All statements that are told apart.
    statements: IdVec<StatementId, Statement>,
    /// The atoms of the formula that are certainly true of what has left each function.
    certain: FxHashMap<ResidualId, BitSet<AtomId>>,
    facts: RefCell<FxHashMap<StateId, Rc<Facts>>>,
}

impl<'a> Describer<'a> {
    /// A describer for the states that `automaton` has now.
    pub fn new(automaton: &'a Automaton) -> Self {
        let mut residuals = automaton.residuals().clone();
        let mut certain = FxHashMap::default();
        for state in automaton.states() {
            certain.entry(state.residual).or_insert_with(|| residuals.certain(state.residual));
        }
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
        let concrete = automaton.table().concrete().ids().map(Statement::Matches);
        let statements =
            atoms.into_iter().map(Statement::Atom).chain(concrete).chain([Statement::Formula]).collect();
        Self { automaton, statements, certain, facts: RefCell::default() }
    }

    /// The grammar.
    pub fn grammar(&self) -> &'a Grammar {
        self.automaton.grammar()
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
        let outside: Vec<Rc<Facts>> = outside.into_iter().map(|state| self.facts(state)).collect();
        let mut terms: BTreeSet<Term> = BTreeSet::new();
        let mut covering: Vec<Facts> = Vec::new();
        for &state in &inside {
            let facts = self.facts(state);
            let is_covered =
                |term: &Facts| term.holds.is_subset(&facts.holds) && term.fails.is_subset(&facts.fails);
            if covering.iter().any(is_covered) {
                continue;
            }
            match self.term(&facts, &outside) {
                Some(kept) => {
                    let literal = |id| (self.statements[id], kept.holds.contains(id));
                    let ids = self.statements.ids().filter(|&id| kept.knows(id));
                    terms.insert(ids.map(literal).collect());
                    covering.push(kept);
                }
                None => {
                    terms.insert(vec![(Statement::State(state), true)]);
                }
            }
        }
        let texts: Vec<String> = terms.iter().map(|term| self.term_text(term)).collect();
        Some(texts.join(" | "))
    }

    /// The shortest conjunction found of what holds of a state and of none of the others; `None` when
    /// there is none.
    fn term(&self, facts: &Facts, others: &[Rc<Facts>]) -> Option<Facts> {
        let differences: Vec<BitSet<StatementId>> =
            others.iter().map(|other| facts.differences(other)).collect();
        // How many of the statements that are left tell the state from each other one.
        let mut left: Vec<usize> = differences.iter().map(BitSet::len).collect();
        if left.contains(&0) {
            return None;
        }
        // What a reader can do without goes first: the whole formula, then what matches here or does
        // not, then what does not occur inside, then the rest.
        let mut order: Vec<StatementId> = self.statements.ids().filter(|&id| facts.knows(id)).collect();
        order.sort_by_key(|&id| match (self.statements[id], facts.holds.contains(id)) {
            (Statement::Formula | Statement::State(_), _) => 0,
            (Statement::Matches(_), false) => 1,
            (Statement::Matches(_), true) => 2,
            (Statement::Atom(_), false) => 3,
            (Statement::Atom(_), true) => 4,
        });
        let mut term = Facts::default();
        for id in order {
            let is_told_by = |index: usize| differences[index].contains(id);
            if (0..left.len()).any(|index| left[index] == 1 && is_told_by(index)) {
                term.insert(id, facts.holds.contains(id));
            } else {
                (0..left.len()).filter(|&index| is_told_by(index)).for_each(|index| left[index] -= 1);
            }
        }
        Some(term)
    }

    /// What is known of a state.
    fn facts(&self, state: StateId) -> Rc<Facts> {
        let make = || {
            let mut facts = Facts::default();
            for (id, &statement) in self.statements.entries() {
                if let Some(holds) = self.truth(state, statement) {
                    facts.insert(id, holds);
                }
            }
            Rc::new(facts)
        };
        Rc::clone(self.facts.borrow_mut().entry(state).or_insert_with(make))
    }

    /// Whether a statement is true of a state, where that is known.
    fn truth(&self, state: StateId, statement: Statement) -> Option<bool> {
        let content = &self.automaton.states()[state];
        let residuals = self.automaton.residuals();
        match statement {
            Statement::Atom(atom) => self.atom_truth(state, atom),
            Statement::Matches(concrete) if content.matched.contains(concrete) => Some(true),
            Statement::Matches(concrete) => {
                let patterns = &self.automaton.table().concrete()[concrete].patterns;
                patterns.intersects(residuals.patterns(content.residual)).then_some(false)
            }
            Statement::Formula => Some(self.automaton.accepts(state)),
            Statement::State(wanted) => Some(state == wanted),
        }
    }

    fn atom_truth(&self, state: StateId, atom: Atom) -> Option<bool> {
        let content = &self.automaton.states()[state];
        let residuals = self.automaton.residuals();
        let is_certain = |id: AtomId| match (atom, residuals.atoms()[id]) {
            // More than enough is enough.
            (Atom::AtLeast(number, pattern), Atom::AtLeast(found, of)) => pattern == of && number <= found,
            (atom, found) => atom == found,
        };
        let known = self.certain[&content.residual].iter().any(is_certain);
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

    fn term_text(&self, term: &[(Statement, bool)]) -> String {
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
