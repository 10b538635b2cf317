//! What every operation of the algebra has at hand: the base grammar, the patterns, what is plain of
//! a nonterminal before anything is constructed, and how much may still be constructed.
//!
//! The seed "inducing faults" begins in the same way: which nonterminals can be reached from which.
//! A `<digits>` never holds an `<item>`, so `<digits E>` is nothing at all, and `<digits neg(E)>` is
//! `<digits>`. Beyond that, what is plain of literals side by side:
//!
//! - `E.0` implies `E`; `at least 2 E` implies `at least 1 E`; `E inside N` implies both `E` and `N`;
//! - of two pattern nodes, one may imply the other (it asks for the same and more), or exclude it (it
//!   asks for another rule, or another character, somewhere).
//!
//! None of this is needed for the result to be right, only for it to be small: a nonterminal whose
//! condition cannot be met has no productive rule, and is collected in the end.

use std::cell::{Cell, RefCell, RefMut};

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::limits::Meter;
use crate::grammar::{Grammar, NonterminalId, analysis};
use crate::pattern::{PatternId, PatternNode, PatternNodeId};

use super::super::TransformError;
use super::SinglePattern;
use super::condition::{Condition, Term};
use super::literal::{Atom, Literal};

/// The setting in which the algebra works.
pub struct Algebra<'a> {
    /// The base grammar.
    pub grammar: &'a Grammar,
    /// The patterns that conditions speak of.
    pub patterns: &'a IdVec<PatternId, SinglePattern>,
    /// For each pattern the nonterminals whose trees may hold its characteristic nonterminal.
    reaching: IdVec<PatternId, BitSet<NonterminalId>>,
    most_rules: usize,
    made: Cell<usize>,
    meter: RefCell<Meter>,
    looked_at: Cell<usize>,
}

/// The steps that a rule counts as,
const RULE: u64 = 200;

/// and those of a pair of rules that is visited.
const PAIR: u64 = 20;

/// How two pattern nodes of one nonterminal stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// What matches the first matches the second.
    Implies,
    /// Nothing matches both.
    Excludes,
    /// Neither is plain.
    Open,
}

impl<'a> Algebra<'a> {
    /// The setting for some patterns of a grammar. No more than `most_rules` rules may be made, those
    /// made on the way included.
    pub fn new(
        grammar: &'a Grammar,
        patterns: &'a IdVec<PatternId, SinglePattern>,
        most_rules: usize,
        meter: Meter,
    ) -> Self {
        let reaching =
            patterns.iter().map(|named| reaching(grammar, named.pattern.characteristic())).collect();
        Self {
            grammar,
            patterns,
            reaching,
            most_rules,
            made: Cell::new(0),
            looked_at: Cell::new(0),
            meter: RefCell::new(meter),
        }
    }

    /// What counts the steps. Nobody keeps it longer than for one operation.
    pub fn meter(&self) -> RefMut<'_, Meter> {
        self.meter.borrow_mut()
    }

    /// Counts a rule that is made.
    ///
    /// # Errors
    /// When it is one too many.
    pub fn count_rule(&self) -> Result<(), TransformError> {
        if self.made.get() >= self.most_rules {
            return Err(TransformError::TooManySteps { limit: self.most_rules });
        }
        self.made.set(self.made.get() + 1);
        Ok(self.meter().spend(RULE)?)
    }

    /// Counts a pair of rules that is visited, whether or not a rule comes of it: for long rules
    /// there are far more of them than rules.
    ///
    /// # Errors
    /// When it is one too many.
    pub fn count_pair(&self) -> Result<(), TransformError> {
        const PAIRS_FOR_A_RULE: usize = 20;
        self.looked_at.set(self.looked_at.get() + 1);
        if self.looked_at.get() / PAIRS_FOR_A_RULE > self.most_rules {
            return Err(TransformError::TooManySteps { limit: self.most_rules });
        }
        Ok(self.meter().spend(PAIR)?)
    }

    /// The condition that a tree of `nonterminal` matches the root of `pattern`.
    pub fn at_root(&self, nonterminal: NonterminalId, pattern: PatternId) -> Condition {
        let content = &self.patterns[pattern].pattern;
        if content.characteristic() == nonterminal {
            self.at_node(pattern, content.root())
        } else {
            Condition::never()
        }
    }

    /// The condition that a tree matches a node of `pattern`: an open node asks for nothing.
    pub fn at_node(&self, pattern: PatternId, node: PatternNodeId) -> Condition {
        match self.patterns[pattern].pattern.node(node) {
            PatternNode::Rule(..) => Condition::atom(Atom::Matches { pattern, node }),
            PatternNode::AnyChar
            | PatternNode::Abstract(_)
            | PatternNode::Bound(..)
            | PatternNode::Where(..)
            | PatternNode::Literal(_)
            | PatternNode::Char(_)
            | PatternNode::Letter(_) => Condition::always(),
        }
    }

    /// The condition without what is plain of the trees of `nonterminal`.
    ///
    /// # Errors
    /// When it has too many terms.
    pub fn simplify(
        &self,
        nonterminal: NonterminalId,
        condition: &Condition,
    ) -> Result<Condition, TransformError> {
        let terms = condition.terms().iter().filter_map(|term| self.simplify_term(nonterminal, term));
        Condition::of_terms(terms, &mut self.meter())
    }

    /// `None` when the term plainly does not hold.
    fn simplify_term(&self, nonterminal: NonterminalId, term: &Term) -> Option<Term> {
        let literals = term.literals();
        let mut kept = Vec::with_capacity(literals.len());
        for (index, &literal) in literals.iter().enumerate() {
            match self.truth(nonterminal, literal) {
                Some(false) => return None,
                Some(true) => continue,
                None => {}
            }
            let others = || literals.iter().enumerate().filter(move |&(other, _)| other != index);
            if others().any(|(_, &other)| self.implies(other, literal.opposite())) {
                return None;
            }
            // Of two literals that imply each other the first one stays.
            let is_implied = others().any(|(other_index, &other)| {
                self.implies(other, literal) && (other_index < index || !self.implies(literal, other))
            });
            if !is_implied {
                kept.push(literal);
            }
        }
        Term::new(kept)
    }

    /// What is plain of one literal.
    fn truth(&self, nonterminal: NonterminalId, literal: Literal) -> Option<bool> {
        let is_reached = |pattern: PatternId| self.reaching[pattern].contains(nonterminal);
        let holds = match literal.atom {
            Atom::Occurs { pattern, .. } if !is_reached(pattern) => Some(false),
            Atom::Occurs { pattern, at_least: 1 } => {
                self.at_root(nonterminal, pattern).is_always().then_some(true)
            }
            Atom::Inside { inner: a, outer: b } | Atom::Before { first: a, second: b } => {
                (!is_reached(a) || !is_reached(b)).then_some(false)
            }
            Atom::Occurs { .. } | Atom::Matches { .. } => None,
        };
        holds.map(|holds| holds == literal.holds)
    }

    /// Whether the second literal plainly holds wherever the first does.
    fn implies(&self, first: Literal, second: Literal) -> bool {
        match (first.holds, second.holds) {
            (false, false) => self.implies(second.opposite(), first.opposite()),
            (false, true) => false,
            (true, true) => match (first.atom, second.atom) {
                (Atom::Occurs { pattern: a, at_least: n }, Atom::Occurs { pattern: b, at_least: m }) => {
                    a == b && n >= m
                }
                (Atom::Matches { pattern: a, node }, Atom::Occurs { pattern: b, at_least: 1 }) => {
                    a == b && node == self.patterns[a].pattern.root()
                }
                (Atom::Matches { pattern: a, node: n }, Atom::Matches { pattern: b, node: m }) => {
                    self.relation((a, n), (b, m)) == Relation::Implies
                }
                (
                    Atom::Inside { inner: a, outer: b } | Atom::Before { first: a, second: b },
                    Atom::Occurs { pattern, at_least: 1 },
                ) => pattern == a || pattern == b,
                _ => false,
            },
            (true, false) => match (first.atom, second.atom) {
                (Atom::Matches { pattern: a, node: n }, Atom::Matches { pattern: b, node: m }) => {
                    self.relation((a, n), (b, m)) == Relation::Excludes
                }
                _ => false,
            },
        }
    }

    /// Walks down two pattern nodes side by side.
    fn relation(
        &self,
        (first, first_node): (PatternId, PatternNodeId),
        (second, second_node): (PatternId, PatternNodeId),
    ) -> Relation {
        let (first, second) = (&self.patterns[first].pattern, &self.patterns[second].pattern);
        let mut implies = true;
        let mut open = vec![(first_node, second_node)];
        while let Some((a, b)) = open.pop() {
            match (first.node(a), second.node(b)) {
                (PatternNode::Rule(a, of_a), PatternNode::Rule(b, of_b)) if a == b => {
                    open.extend(of_a.iter().copied().zip(of_b.iter().copied()));
                }
                (PatternNode::Rule(..), PatternNode::Rule(..)) => return Relation::Excludes,
                (PatternNode::Char(a), PatternNode::Char(b)) if a != b => return Relation::Excludes,
                (
                    PatternNode::Char(a) | PatternNode::Letter(a),
                    PatternNode::Char(b) | PatternNode::Letter(b),
                ) if !a.eq_ignore_ascii_case(b) => return Relation::Excludes,
                (PatternNode::AnyChar, PatternNode::Char(_) | PatternNode::Letter(_))
                | (PatternNode::Letter(_), PatternNode::Char(_)) => {
                    implies = false;
                }
                (
                    PatternNode::Abstract(_) | PatternNode::Bound(..) | PatternNode::Where(..),
                    PatternNode::Rule(..),
                ) => {
                    implies = false;
                }
                _ => {}
            }
        }
        if implies { Relation::Implies } else { Relation::Open }
    }
}

/// The nonterminals from which `target` can be reached, itself included.
fn reaching(grammar: &Grammar, target: NonterminalId) -> BitSet<NonterminalId> {
    let uses = analysis::uses(grammar);
    let mut found = BitSet::from_iter([target]);
    let mut open = vec![target];
    while let Some(nonterminal) = open.pop() {
        for &(rule, _) in &uses[nonterminal] {
            let user = grammar.rule(rule).lhs;
            if found.insert(user) {
                open.push(user);
            }
        }
    }
    found
}
