//! What of a formula is still undecided.
//!
//! While patterns are found in a tree, the formula is simplified with the atoms that have become true.
//! Two sets of true atoms that leave the same Boolean function have the same future, so the function
//! itself is part of the state. Functions are kept as reduced ordered binary decision diagrams (Bryant
//! 1986), in which equal functions are equal numbers. A disjunction of twelve patterns thus has one
//! state for "none found yet" and one for "decided", not 2^12.

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::id_type;
use crate::pattern::{Bound, Formula, PatternId};

use super::atom::{Atom, AtomId};

id_type!(
    /// A Boolean function of which atoms are true.
    ResidualId
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Constant(bool),
    /// The function's value when the atom is false, and when it is true.
    Choice(AtomId, ResidualId, ResidualId),
}

/// What still matters of the atoms to a function.
#[derive(Clone, Debug, Default)]
struct Support {
    atoms: BitSet<AtomId>,
    /// The patterns that the atoms are about.
    patterns: BitSet<PatternId>,
    /// How far the occurrences of each pattern must be counted; nothing when none must.
    counts: Box<[u32]>,
}

/// All functions met so far.
#[derive(Clone, Debug)]
pub struct Residuals {
    atoms: Interner<AtomId, Atom>,
    nodes: Interner<ResidualId, Node>,
    supports: Vec<Support>,
    joins: FxHashMap<(ResidualId, ResidualId), ResidualId>,
    formula: ResidualId,
    patterns: usize,
}

impl Residuals {
    /// The table that holds just `formula`, over the first `patterns` patterns.
    pub fn new(formula: &Formula, patterns: usize) -> Self {
        let mut residuals = Self {
            atoms: Interner::new(),
            nodes: Interner::new(),
            supports: Vec::new(),
            joins: FxHashMap::default(),
            formula: ResidualId::new(0),
            patterns,
        };
        residuals.formula = residuals.of_formula(formula);
        residuals
    }

    /// The formula before anything is found.
    pub fn formula(&self) -> ResidualId {
        self.formula
    }

    /// The atoms of the formula.
    pub fn atoms(&self) -> &IdVec<AtomId, Atom> {
        self.atoms.values()
    }

    /// The atoms that still matter.
    pub fn support(&self, residual: ResidualId) -> &BitSet<AtomId> {
        &self.supports[residual.index()].atoms
    }

    /// The patterns whose occurrences still matter.
    pub fn patterns(&self, residual: ResidualId) -> &BitSet<PatternId> {
        &self.supports[residual.index()].patterns
    }

    /// How far the occurrences of each pattern must be counted: more of them make no difference as
    /// long as no atom becomes true. Nothing when none must be counted.
    pub fn counts(&self, residual: ResidualId) -> &[u32] {
        &self.supports[residual.index()].counts
    }

    /// The value when nothing more is found, and `at_root` says which patterns occur at the root.
    pub fn value(&self, residual: ResidualId, at_root: impl Fn(PatternId) -> bool) -> bool {
        let mut residual = residual;
        loop {
            match self.nodes[residual] {
                Node::Constant(value) => return value,
                Node::Choice(atom, absent, present) => {
                    let is_true = matches!(self.atoms[atom], Atom::Root(pattern) if at_root(pattern));
                    residual = if is_true { present } else { absent };
                }
            }
        }
    }

    /// What is left of `residual` once the atoms of `found` are true too.
    pub fn find(&mut self, residual: ResidualId, found: &BitSet<AtomId>) -> ResidualId {
        if !self.support(residual).intersects(found) {
            return residual;
        }
        self.restrict(residual, found, &mut FxHashMap::default())
    }

    /// What is left of the formula for a tree with two subtrees, of which these are left.
    ///
    /// Everything outside a function's support counts as true: what does not matter any more may as
    /// well be. (Sets of true atoms that leave the same function are closed under union, so the largest
    /// of them stands for all.)
    pub fn join(&mut self, left: ResidualId, right: ResidualId) -> ResidualId {
        if left == right || right == self.formula {
            return left;
        }
        if left == self.formula {
            return right;
        }
        let key = (left.min(right), left.max(right));
        if let Some(&known) = self.joins.get(&key) {
            return known;
        }
        let irrelevant = self.irrelevant(right);
        let joined = self.find(left, &irrelevant);
        self.joins.insert(key, joined);
        joined
    }

    /// The atoms that have certainly become true when the formula has become `residual`.
    pub fn certain(&mut self, residual: ResidualId) -> BitSet<AtomId> {
        let irrelevant = self.irrelevant(residual);
        let formula = self.formula;
        irrelevant
            .iter()
            .filter(|&atom| {
                let mut others = irrelevant.clone();
                others.remove(atom);
                self.find(formula, &others) != residual
            })
            .collect()
    }

    fn irrelevant(&self, residual: ResidualId) -> BitSet<AtomId> {
        let mut atoms = BitSet::full(self.atoms.len());
        atoms.subtract(self.support(residual));
        atoms
    }

    fn node(&mut self, node: Node) -> ResidualId {
        if let Node::Choice(_, absent, present) = node
            && absent == present
        {
            return absent;
        }
        let known = self.nodes.len();
        let id = self.nodes.intern(node);
        if self.nodes.len() > known {
            let mut atoms = BitSet::new();
            if let Node::Choice(atom, absent, present) = node {
                atoms.insert(atom);
                atoms.union_with(self.support(absent));
                atoms.union_with(self.support(present));
            }
            self.supports.push(self.support_of(atoms));
        }
        id
    }

    fn support_of(&self, atoms: BitSet<AtomId>) -> Support {
        let patterns = atoms.iter().flat_map(|atom| self.atoms[atom].patterns()).collect();
        let mut counts = vec![0; self.patterns].into_boxed_slice();
        for atom in atoms.iter() {
            match self.atoms[atom] {
                Atom::AtLeast(number, pattern) => {
                    let count = &mut counts[pattern.index()];
                    *count = (*count).max(number - 1);
                }
                Atom::Inside(one, other) | Atom::Before(one, other) => {
                    for pattern in [one, other] {
                        let count = &mut counts[pattern.index()];
                        *count = (*count).max(1);
                    }
                }
                Atom::Root(_) => {}
            }
        }
        if counts.iter().all(|&count| count == 0) {
            counts = Box::default();
        }
        Support { atoms, patterns, counts }
    }

    /// Recursion is as deep as there are atoms.
    fn restrict(
        &mut self,
        residual: ResidualId,
        found: &BitSet<AtomId>,
        known: &mut FxHashMap<ResidualId, ResidualId>,
    ) -> ResidualId {
        let Node::Choice(atom, absent, present) = self.nodes[residual] else { return residual };
        if let Some(&result) = known.get(&residual) {
            return result;
        }
        let present = self.restrict(present, found, known);
        let result = if found.contains(atom) {
            present
        } else {
            let absent = self.restrict(absent, found, known);
            self.node(Node::Choice(atom, absent, present))
        };
        known.insert(residual, result);
        result
    }

    /// Recursion is as deep as the formula, whose depth its reader limits.
    fn of_formula(&mut self, formula: &Formula) -> ResidualId {
        match formula {
            Formula::Constant(value) => self.node(Node::Constant(*value)),
            Formula::Contains(pattern) => self.at_least(1, *pattern),
            Formula::Count(Bound::AtLeast, number, pattern) => self.at_least(*number, *pattern),
            Formula::Count(Bound::AtMost, number, pattern) => {
                let more = self.at_least(*number + 1, *pattern);
                self.negation(more)
            }
            Formula::Count(Bound::Exactly, number, pattern) => {
                let enough = self.at_least(*number, *pattern);
                let more = self.at_least(*number + 1, *pattern);
                self.combine(enough, more, |enough, more| enough && !more)
            }
            Formula::Inside(inner, outer) => self.atom(Atom::Inside(*inner, *outer)),
            Formula::Before(first, second) => self.atom(Atom::Before(*first, *second)),
            Formula::Root(pattern) => self.atom(Atom::Root(*pattern)),
            Formula::Not(inner) => {
                let inner = self.of_formula(inner);
                self.negation(inner)
            }
            Formula::And(left, right) => self.both(left, right, |a, b| a && b),
            Formula::Or(left, right) => self.both(left, right, |a, b| a || b),
            Formula::Xor(left, right) => self.both(left, right, |a, b| a != b),
            Formula::Implies(left, right) => self.both(left, right, |a, b| !a || b),
        }
    }

    fn at_least(&mut self, number: u32, pattern: PatternId) -> ResidualId {
        match number {
            0 => self.node(Node::Constant(true)),
            _ => self.atom(Atom::AtLeast(number, pattern)),
        }
    }

    fn atom(&mut self, atom: Atom) -> ResidualId {
        let absent = self.node(Node::Constant(false));
        let present = self.node(Node::Constant(true));
        let atom = self.atoms.intern(atom);
        self.node(Node::Choice(atom, absent, present))
    }

    fn negation(&mut self, residual: ResidualId) -> ResidualId {
        let yes = self.node(Node::Constant(true));
        self.combine(residual, yes, |a, b| a != b)
    }

    fn both(&mut self, left: &Formula, right: &Formula, operation: fn(bool, bool) -> bool) -> ResidualId {
        let left = self.of_formula(left);
        let right = self.of_formula(right);
        self.combine(left, right, operation)
    }

    fn combine(
        &mut self,
        left: ResidualId,
        right: ResidualId,
        operation: fn(bool, bool) -> bool,
    ) -> ResidualId {
        self.apply(left, right, operation, &mut FxHashMap::default())
    }

    fn apply(
        &mut self,
        left: ResidualId,
        right: ResidualId,
        operation: fn(bool, bool) -> bool,
        known: &mut FxHashMap<(ResidualId, ResidualId), ResidualId>,
    ) -> ResidualId {
        if let Some(&result) = known.get(&(left, right)) {
            return result;
        }
        let variable = |node| match node {
            Node::Choice(atom, ..) => Some(atom),
            Node::Constant(_) => None,
        };
        let (left_node, right_node) = (self.nodes[left], self.nodes[right]);
        let result = match (left_node, right_node) {
            (Node::Constant(a), Node::Constant(b)) => self.node(Node::Constant(operation(a, b))),
            _ => {
                let first = match (variable(left_node), variable(right_node)) {
                    (Some(a), Some(b)) => a.min(b),
                    (Some(atom), None) | (None, Some(atom)) => atom,
                    (None, None) => unreachable!("constants were dealt with"),
                };
                let split = |node, whole| match node {
                    Node::Choice(atom, absent, present) if atom == first => (absent, present),
                    _ => (whole, whole),
                };
                let (left_absent, left_present) = split(left_node, left);
                let (right_absent, right_present) = split(right_node, right);
                let absent = self.apply(left_absent, right_absent, operation, known);
                let present = self.apply(left_present, right_present, operation, known);
                self.node(Node::Choice(first, absent, present))
            }
        };
        known.insert((left, right), result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(index: usize) -> Formula {
        Formula::Contains(PatternId::new(index))
    }

    /// Atoms are numbered as their patterns here: each is met first in the order of the patterns.
    fn found(indices: &[usize]) -> BitSet<AtomId> {
        indices.iter().map(|&index| AtomId::new(index)).collect()
    }

    #[test]
    fn a_decided_formula_needs_nothing_more() {
        let mut residuals = Residuals::new(&(contains(0) & !contains(1)), 2);
        let formula = residuals.formula();
        let with_both = residuals.find(formula, &found(&[0, 1]));
        assert_eq!(residuals.find(formula, &found(&[1])), with_both);
        assert!(residuals.support(with_both).is_empty() && !residuals.value(with_both, |_| false));
        let with_first = residuals.find(formula, &found(&[0]));
        assert!(!residuals.support(with_first).is_empty() && residuals.value(with_first, |_| false));
        assert_eq!(residuals.certain(with_first), found(&[0]));
        assert_eq!(residuals.certain(with_both), found(&[1]), "the first may or may not be there");
    }

    #[test]
    fn a_long_disjunction_has_two_futures() {
        let formula = (1..12).map(contains).fold(contains(0), |all, next| all | next);
        let mut residuals = Residuals::new(&formula, 12);
        let undecided = residuals.formula();
        let futures: std::collections::BTreeSet<ResidualId> = (0..1 << 12)
            .map(|bits: usize| {
                let set = (0..12).filter(|i| bits >> i & 1 == 1).map(AtomId::new).collect();
                residuals.find(undecided, &set)
            })
            .collect();
        assert_eq!(futures.len(), 2);
    }

    #[test]
    fn joining_is_finding_the_union() {
        let formula = (contains(0) & contains(1)) | (contains(2) & !contains(3));
        let mut residuals = Residuals::new(&formula, 4);
        let start = residuals.formula();
        let sets: Vec<BitSet<AtomId>> = (0..16)
            .map(|bits: usize| (0..4).filter(|i| bits >> i & 1 == 1).map(AtomId::new).collect())
            .collect();
        for left in &sets {
            for right in &sets {
                let (of_left, of_right) = (residuals.find(start, left), residuals.find(start, right));
                let mut both = left.clone();
                both.union_with(right);
                assert_eq!(residuals.join(of_left, of_right), residuals.find(start, &both));
            }
        }
    }
}
