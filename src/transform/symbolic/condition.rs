//! Conditions: what the trees of a specialized nonterminal satisfy, as and / or / neg of literals.
//!
//! In the papers a condition is part of a nonterminal's name, `<item and(E,neg(N))>`, and is taken
//! apart again when that nonterminal must be defined. Here it is a value. Negation is pushed to the
//! innermost literals, as the update notes recommend: `neg(and(A,B))` is `or(neg(A),neg(B))`.
//!
//! A condition is kept as the set of its prime implicants: the shortest conjunctions that imply it
//! (Quine 1955; found by consensus and absorption). So `and(E,or(N,neg(N)))` *is* `E`, and
//! conditions that say the same of their literals are equal values. There are only finitely many over
//! the literals of an expression, and that is why construction ends; the artifact of the papers
//! compares texts, and its `neg(and(1,2,3))` meets ever longer ones.

use crate::base::id::IdVec;
use crate::base::limits::Meter;
use crate::pattern::{Bound, Formula, PatternId};

use super::super::TransformError;
use super::SinglePattern;
use super::literal::{Atom, Literal};

/// A conjunction of literals: sorted, each atom once. Empty: always.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    literals: Vec<Literal>,
}

impl Term {
    /// The conjunction; `None` when it holds an atom and its negation.
    pub fn new(mut literals: Vec<Literal>) -> Option<Self> {
        literals.sort_unstable();
        literals.dedup();
        let is_consistent = literals.windows(2).all(|pair| pair[0].atom != pair[1].atom);
        is_consistent.then_some(Self { literals })
    }

    /// The literals.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Whether the other one holds wherever this one does.
    fn implies(&self, other: &Self) -> bool {
        other.literals.iter().all(|literal| self.literals.binary_search(literal).is_ok())
    }

    fn and(&self, other: &Self) -> Option<Self> {
        Self::new(self.literals.iter().chain(&other.literals).copied().collect())
    }

    /// What two terms that differ over one atom imply together: of `E & A` and `!E & B` it is
    /// `A & B`.
    fn consensus(&self, other: &Self) -> Option<Self> {
        let mut opposed = self.literals.iter().filter(|literal| other.literals.contains(&literal.opposite()));
        let (Some(&literal), None) = (opposed.next(), opposed.next()) else { return None };
        let all = self.literals.iter().chain(&other.literals).copied();
        Self::new(all.filter(|other| other.atom != literal.atom).collect())
    }
}

/// The steps that comparing a literal with a term counts as.
const COMPARISON: u64 = 2;

/// A disjunction of conjunctions: all prime implicants, sorted. None at all: never.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    terms: Vec<Term>,
}

impl Condition {
    /// No condition may have more terms than these.
    pub const MOST_TERMS: usize = 128;

    /// What holds of every tree: the condition of a nonterminal of the base grammar.
    pub fn always() -> Self {
        Self { terms: vec![Term { literals: Vec::new() }] }
    }

    /// What holds of no tree.
    pub fn never() -> Self {
        Self { terms: Vec::new() }
    }

    /// Just one literal.
    pub fn literal(literal: Literal) -> Self {
        Self { terms: vec![Term { literals: vec![literal] }] }
    }

    /// Just one atom.
    pub fn atom(atom: Atom) -> Self {
        Self::literal(Literal { atom, holds: true })
    }

    /// At least `number` occurrences: at least one is the reaching grammar of the papers.
    pub fn at_least(number: u32, pattern: PatternId) -> Self {
        match number {
            0 => Self::always(),
            at_least => Self::atom(Atom::Occurs { pattern, at_least }),
        }
    }

    /// At most `number` occurrences: at most none is the non-reaching grammar of the update notes.
    pub fn at_most(number: u32, pattern: PatternId) -> Self {
        match number.checked_add(1) {
            Some(at_least) => {
                Self::literal(Literal { atom: Atom::Occurs { pattern, at_least }, holds: false })
            }
            None => Self::always(),
        }
    }

    /// Exactly `number` occurrences.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn exactly(number: u32, pattern: PatternId, meter: &mut Meter) -> Result<Self, TransformError> {
        Self::at_least(number, pattern).and(&Self::at_most(number, pattern), meter)
    }

    /// The condition of these terms.
    ///
    /// # Errors
    /// When it has too many.
    pub fn of_terms(
        terms: impl IntoIterator<Item = Term>,
        meter: &mut Meter,
    ) -> Result<Self, TransformError> {
        let mut open: Vec<Term> = terms.into_iter().collect();
        let mut primes: Vec<Term> = Vec::new();
        while let Some(term) = open.pop() {
            meter.spend(COMPARISON * (1 + primes.len() * (1 + term.literals.len())) as u64)?;
            if primes.iter().any(|known| term.implies(known)) {
                continue;
            }
            primes.retain(|known| !known.implies(&term));
            open.extend(primes.iter().filter_map(|known| known.consensus(&term)));
            primes.push(term);
            if primes.len() > Self::MOST_TERMS {
                return Err(TransformError::ConditionTooLong { limit: Self::MOST_TERMS });
            }
        }
        primes.sort_unstable();
        Ok(Self { terms: primes })
    }

    /// A formula about the trees of one nonterminal as a condition. `at_root` is what a tree of that
    /// nonterminal satisfies when a pattern matches at its root.
    ///
    /// Recursion is as deep as the formula, whose depth its reader limits.
    ///
    /// # Errors
    /// When the condition has too many terms.
    pub fn of_formula(
        formula: &Formula,
        at_root: &impl Fn(PatternId) -> Self,
        meter: &mut Meter,
    ) -> Result<Self, TransformError> {
        let mut of = |inner: &Formula| Self::of_formula(inner, at_root, meter);
        match formula {
            Formula::Constant(true) => Ok(Self::always()),
            Formula::Constant(false) => Ok(Self::never()),
            Formula::Contains(pattern) => Ok(Self::at_least(1, *pattern)),
            Formula::Count(Bound::AtLeast, number, pattern) => Ok(Self::at_least(*number, *pattern)),
            Formula::Count(Bound::AtMost, number, pattern) => Ok(Self::at_most(*number, *pattern)),
            Formula::Count(Bound::Exactly, number, pattern) => Self::exactly(*number, *pattern, meter),
            Formula::Inside(inner, outer) => Ok(Self::atom(Atom::Inside { inner: *inner, outer: *outer })),
            Formula::Before(first, second) => Ok(Self::atom(Atom::Before { first: *first, second: *second })),
            Formula::Root(pattern) => Ok(at_root(*pattern)),
            Formula::Some(..) => unreachable!("it is said by names: `Expression::without_surroundings`"),
            Formula::Not(inner) => of(inner)?.neg(meter),
            Formula::And(left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                left.and(&right, meter)
            }
            Formula::Or(left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                left.or(&right, meter)
            }
            Formula::Implies(left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                left.neg(meter)?.or(&right, meter)
            }
            Formula::Xor(left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                let only_left = left.and(&right.neg(meter)?, meter)?;
                let only_right = left.neg(meter)?.and(&right, meter)?;
                only_left.or(&only_right, meter)
            }
        }
    }

    /// The terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether it holds of every tree, whatever the literals are.
    pub fn is_always(&self) -> bool {
        self.terms.first().is_some_and(|term| term.literals.is_empty())
    }

    /// Whether it holds of no tree, whatever the literals are.
    pub fn is_never(&self) -> bool {
        self.terms.is_empty()
    }

    /// Both hold, by the distributive law.
    ///
    /// # Errors
    /// When the condition has too many terms.
    pub fn and(&self, other: &Self, meter: &mut Meter) -> Result<Self, TransformError> {
        let pairs = self.terms.iter().flat_map(|left| other.terms.iter().map(move |right| (left, right)));
        Self::of_terms(pairs.filter_map(|(left, right)| left.and(right)), meter)
    }

    /// At least one holds.
    ///
    /// # Errors
    /// When the condition has too many terms.
    pub fn or(&self, other: &Self, meter: &mut Meter) -> Result<Self, TransformError> {
        Self::of_terms(self.terms.iter().chain(&other.terms).cloned(), meter)
    }

    /// It does not hold, by De Morgan's laws.
    ///
    /// # Errors
    /// When the condition has too many terms.
    pub fn neg(&self, meter: &mut Meter) -> Result<Self, TransformError> {
        self.terms.iter().try_fold(Self::always(), |all, term| {
            let opposites = term.literals.iter().map(|literal| Term { literals: vec![literal.opposite()] });
            all.and(&Self::of_terms(opposites, meter)?, meter)
        })
    }

    /// The condition as it is printed in a nonterminal's name: `E & !N | E.1`.
    pub fn text(&self, patterns: &IdVec<PatternId, SinglePattern>) -> String {
        if self.is_never() {
            return "false".to_owned();
        }
        let term = |term: &Term| -> String {
            if term.literals.is_empty() {
                return "true".to_owned();
            }
            let texts: Vec<String> = term.literals.iter().map(|literal| literal.text(patterns)).collect();
            texts.join(" & ")
        };
        self.terms.iter().map(term).collect::<Vec<_>>().join(" | ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::Id;
    use crate::pattern::arbitrary::formulas;
    use crate::pattern::{Occurrence, PatternNodeId};
    use crate::tree::NodeId;
    use proptest::prelude::*;

    /// The number of occurrences of each pattern.
    type Numbers = [usize; 3];

    /// All numbers that formulas can tell apart.
    fn all_numbers() -> impl Iterator<Item = Numbers> {
        (0..125).map(|index| [index % 5, index / 5 % 5, index / 25])
    }

    fn holds(condition: &Condition, numbers: Numbers) -> bool {
        condition.terms().iter().any(|term| {
            term.literals().iter().all(|literal| {
                let holds = match literal.atom {
                    Atom::Occurs { pattern, at_least } => numbers[pattern.index()] >= at_least as usize,
                    Atom::Matches { pattern, .. } => formula_holds(&Formula::Root(pattern), numbers),
                    Atom::Inside { inner, outer } => formula_holds(&Formula::Inside(inner, outer), numbers),
                    Atom::Before { first, second } => formula_holds(&Formula::Before(first, second), numbers),
                };
                holds == literal.holds
            })
        })
    }

    fn formula_holds(formula: &Formula, numbers: Numbers) -> bool {
        let occurrence = |begin| Occurrence { node: NodeId::new(begin), begin, end: begin + 1 };
        formula.holds(&numbers.iter().map(|&number| (0..number).map(occurrence).collect()).collect())
    }

    fn condition(formula: &Formula) -> Condition {
        let at_root = |pattern| Condition::atom(Atom::Matches { pattern, node: PatternNodeId::new(0) });
        Condition::of_formula(formula, &at_root, &mut Meter::default()).unwrap()
    }

    /// Whether no literal implies another one.
    fn is_independent(condition: &Condition) -> bool {
        let mut literals = condition.terms().iter().flat_map(Term::literals);
        literals.all(|literal| matches!(literal.atom, Atom::Occurs { at_least: 1, .. }))
    }

    proptest! {
        #[test]
        fn a_condition_says_what_its_formula_says(formula in formulas(3)) {
            let condition = condition(&formula);
            for numbers in all_numbers() {
                prop_assert_eq!(holds(&condition, numbers), formula_holds(&formula, numbers));
            }
        }

        #[test]
        fn formulas_of_the_same_meaning_are_equal_conditions(a in formulas(3), b in formulas(3)) {
            let same = all_numbers().all(|numbers| formula_holds(&a, numbers) == formula_holds(&b, numbers));
            let (a, b) = (condition(&a), condition(&b));
            let meter = &mut Meter::default();
            prop_assert!(same || a != b);
            prop_assert!(a == b || !same || !is_independent(&a) || !is_independent(&b));
            prop_assert_eq!(a.neg(meter).unwrap().neg(meter).unwrap(), a);
        }
    }

    #[test]
    fn a_condition_with_too_many_terms_is_an_error() {
        let xor = (1..12).map(PatternId::new).fold(Formula::Contains(PatternId::new(0)), |all, next| {
            Formula::Xor(Box::new(all), Box::new(Formula::Contains(next)))
        });
        let error = Condition::of_formula(&xor, &|_| Condition::never(), &mut Meter::default()).unwrap_err();
        assert_eq!(error, TransformError::ConditionTooLong { limit: Condition::MOST_TERMS });
    }
}
