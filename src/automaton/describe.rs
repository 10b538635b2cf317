//! Sets of states as readable conditions, such as `E & !N`.
//!
//! A set of states of a nonterminal is described by a disjunction of conjunctions of what can be
//! said of a subtree: that a pattern occurs inside (`E`), that an inner node of a pattern matches at
//! its root (`E.2`, the second concrete node of E after its root in document order), that it meets the condition
//! of a placeholder (`[X | !Y]`), and, where that does not suffice, that the whole formula holds or a state's number. Not everything is known of
//! each state (what no longer matters is not tracked), so literals have three values; a conjunction
//! is used only where it is certain not to hold in any state outside the set. The description is
//! therefore exact: it tells apart the sets for which it is made.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{Grammar, NonterminalId};
use crate::id_type;
use crate::pattern::PatternId;

use super::atom::{Atom, AtomId};
use super::explore::Automaton;
use super::machine::StateId;
use super::residual::ResidualId;
use super::table::{ConcreteId, ConditionId};

/// Something that can be said of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Statement {
    /// An atom of the formula, or a smaller number of occurrences, is true of it.
    Atom(Atom),
    /// A pattern node matches at its root.
    Matches(ConcreteId),
    /// It meets the condition of a placeholder.
    Meets(ConditionId),
    /// A pattern that a condition seeks occurs inside.
    Has(PatternId),
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

    /// Whether some statement is true of one and false of the other.
    fn contradicts(&self, other: &Self) -> bool {
        self.holds.intersects(&other.fails) || self.fails.intersects(&other.holds)
    }
}

/// The steps that finding out a fact counts as,
const FACT: u64 = 2;

/// and those of having a state in its place among others.
const SORTING: u64 = 3;

/// A conjunction, in the order in which it is written.
type Term = Vec<(Statement, bool)>;

/// Describes sets of states of one automaton.
pub struct Describer<'a> {
    automaton: &'a Automaton,
    /// All statements that are told apart: atoms and what conditions seek, then matches, then the formula.
    statements: IdVec<StatementId, Statement>,
    /// How many of them are atoms or sought.
    atoms: usize,
    /// The atoms of the formula that are certainly true of what has left each function.
    certain: FxHashMap<ResidualId, BitSet<AtomId>>,
    facts: RefCell<FxHashMap<StateId, Rc<Facts>>>,
}

impl<'a> Describer<'a> {
    /// A describer for the states of `automaton`.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn new(automaton: &'a Automaton, meter: &mut Meter) -> Result<Self, Exceeded> {
        let mut residuals = automaton.residuals().clone();
        let mut certain = FxHashMap::default();
        for state in automaton.states() {
            if let Entry::Vacant(place) = certain.entry(state.residual) {
                place.insert(residuals.certain(state.residual, meter)?);
            }
        }
        let mut atoms: Vec<Atom> = residuals.atoms().iter().copied().collect();
        // What is counted up to is distinguished below that, too.
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

        let table = automaton.table();
        let concrete = table.concrete().entries().filter(|(_, concrete)| concrete.is_wanted);
        let sought: BitSet<PatternId> = table.sought().iter().flat_map(BitSet::iter).collect();
        let atoms: Vec<Statement> =
            atoms.into_iter().map(Statement::Atom).chain(sought.iter().map(Statement::Has)).collect();
        let number = atoms.len();
        let statements = atoms
            .into_iter()
            .chain(concrete.map(|(id, _)| Statement::Matches(id)))
            .chain(table.conditions().ids().map(Statement::Meets))
            .chain([Statement::Formula])
            .collect();
        Ok(Self { automaton, statements, atoms: number, certain, facts: RefCell::default() })
    }

    /// The grammar.
    pub fn grammar(&self) -> &'a Grammar {
        self.automaton.grammar()
    }

    /// The condition of the trees of `nonterminal` whose state is in `set`; `None` when it is all of
    /// them.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn condition(
        &self,
        nonterminal: NonterminalId,
        set: &[StateId],
        meter: &mut Meter,
    ) -> Result<Option<String>, Exceeded> {
        let reachable = self.automaton.reachable(nonterminal);
        meter.spend(reachable.len() as u64)?;
        let is_inside: BitSet<StateId> = set.iter().copied().collect();
        let (inside, outside): (Vec<StateId>, Vec<StateId>) =
            reachable.iter().partition(|&&state| is_inside.contains(state));
        if outside.is_empty() {
            return Ok(None);
        }
        if inside.is_empty() {
            return Ok(Some("false".to_owned()));
        }
        let outside: Vec<Rc<Facts>> =
            outside.into_iter().map(|state| self.facts(state, meter)).collect::<Result<_, _>>()?;
        let mut terms: BTreeSet<Term> = BTreeSet::new();
        let mut covering: Vec<Facts> = Vec::new();
        for &state in &inside {
            let facts = self.facts(state, meter)?;
            meter.spend(self.words() * covering.len() as u64)?;
            let is_covered =
                |term: &Facts| term.holds.is_subset(&facts.holds) && term.fails.is_subset(&facts.fails);
            if covering.iter().any(is_covered) {
                continue;
            }
            match self.term(&facts, &outside, meter)? {
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
        Ok(Some(texts.join(" | ")))
    }

    /// The shortest conjunction found of what holds of a state and of none of the others; `None` when
    /// there is none.
    ///
    /// One statement after the other is left out unless some other state would then not be told apart
    /// any more. So a statement stays when it is the last one, in the order in which they are left out,
    /// that tells another state apart, and none that stays does.
    fn term(
        &self,
        facts: &Facts,
        others: &[Rc<Facts>],
        meter: &mut Meter,
    ) -> Result<Option<Facts>, Exceeded> {
        meter.spend((self.words() + SORTING) * others.len() as u64)?;
        let mut lasts: Vec<(u8, StatementId, &Facts)> = Vec::with_capacity(others.len());
        for other in others {
            let Some(last) = self.last_difference(facts, other) else { return Ok(None) };
            lasts.push((self.rank(last, facts.holds.contains(last)), last, other));
        }
        lasts.sort_unstable_by_key(|&(rank, id, _)| (rank, id));
        let mut term = Facts::default();
        for (_, id, other) in lasts {
            if !term.contradicts(other) {
                term.insert(id, facts.holds.contains(id));
            }
        }
        Ok(Some(term))
    }

    /// What a reader can do without is left out first: the whole formula, then what matches here or does
    /// not, then what does not occur inside, then the rest.
    fn rank(&self, id: StatementId, holds: bool) -> u8 {
        match (self.statements[id], holds) {
            (Statement::Formula | Statement::State(_), _) => 0,
            (Statement::Matches(_) | Statement::Meets(_), false) => 1,
            (Statement::Matches(_) | Statement::Meets(_), true) => 2,
            (Statement::Atom(_) | Statement::Has(_), false) => 3,
            (Statement::Atom(_) | Statement::Has(_), true) => 4,
        }
    }

    /// The statement with the highest rank, the last of several, that is true of one and false of the other.
    fn last_difference(&self, one: &Facts, other: &Facts) -> Option<StatementId> {
        let before = |end| {
            let end = StatementId::new(end);
            one.holds.last_common(&other.fails, end).or_else(|| one.fails.last_common(&other.holds, end))
        };
        let formula = self.statements.len() - 1;
        before(self.atoms).or_else(|| before(formula)).or_else(|| before(formula + 1))
    }

    /// The steps that comparing what is known of two states counts as.
    fn words(&self) -> u64 {
        1 + self.statements.len() as u64 / 256
    }

    /// What is known of a state.
    fn facts(&self, state: StateId, meter: &mut Meter) -> Result<Rc<Facts>, Exceeded> {
        if let Some(known) = self.facts.borrow().get(&state) {
            return Ok(Rc::clone(known));
        }
        meter.spend(FACT * self.statements.len() as u64)?;
        let mut facts = Facts::default();
        for (id, &statement) in self.statements.entries() {
            if let Some(holds) = self.truth(state, statement) {
                facts.insert(id, holds);
            }
        }
        let facts = Rc::new(facts);
        self.facts.borrow_mut().insert(state, Rc::clone(&facts));
        Ok(facts)
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
            Statement::Meets(condition) if content.met.contains(condition) => Some(true),
            Statement::Meets(condition) => {
                let patterns = &self.automaton.table().conditions()[condition].patterns;
                patterns.intersects(residuals.patterns(content.residual)).then_some(false)
            }
            Statement::Has(pattern) if content.has.contains(pattern) => Some(true),
            Statement::Has(pattern) => {
                let mut names = residuals.patterns(content.residual).iter();
                names.any(|name| self.automaton.table().sought()[name].contains(pattern)).then_some(false)
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
                    Statement::Meets(condition) => {
                        let condition = &self.automaton.table().conditions()[condition].condition;
                        format!("[{}]", self.automaton.expression().condition_text(condition))
                    }
                    Statement::Has(pattern) => format!("has {}", self.pattern_name(pattern)),
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
