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
use crate::base::limits::{Exceeded, Meter};
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
    /// The patterns that the atoms are about, and those on which these depend.
    patterns: BitSet<PatternId>,
    /// How far the occurrences of each pattern must be counted; nothing when none must.
    counts: Box<[u32]>,
}

/// The steps that a new node counts as: it takes memory.
const NODE: u64 = 300;

/// The steps that a visit of a node counts as.
const VISIT: u64 = 10;

/// All functions met so far.
#[derive(Clone, Debug)]
pub struct Residuals {
    atoms: Interner<AtomId, Atom>,
    nodes: Interner<ResidualId, Node>,
    supports: Vec<Support>,
    joins: FxHashMap<(ResidualId, ResidualId), ResidualId>,
    formula: ResidualId,
    /// The patterns on which each pattern depends, itself among them.
    dependencies: IdVec<PatternId, BitSet<PatternId>>,
}

impl Residuals {
    /// The table that holds just `formula`, over patterns that depend on these, each on itself at least.
    ///
    /// # Errors
    /// When the formula takes too many nodes, as some do.
    pub fn new(
        formula: &Formula,
        dependencies: IdVec<PatternId, BitSet<PatternId>>,
        meter: &mut Meter,
    ) -> Result<Self, Exceeded> {
        let mut residuals = Self {
            atoms: Interner::new(),
            nodes: Interner::new(),
            supports: Vec::new(),
            joins: FxHashMap::default(),
            formula: ResidualId::new(0),
            dependencies,
        };
        residuals.formula = residuals.of_formula(formula, meter)?;
        Ok(residuals)
    }

    /// How many nodes there are.
    pub fn size(&self) -> usize {
        self.nodes.len()
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

    /// The patterns whose occurrences still matter, and those on which these depend.
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
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn find(
        &mut self,
        residual: ResidualId,
        found: &BitSet<AtomId>,
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        if !self.support(residual).intersects(found) {
            return Ok(residual);
        }
        self.restrict(residual, found, &mut FxHashMap::default(), meter)
    }

    /// What is left of the formula for a tree with two subtrees, of which these are left.
    ///
    /// Everything outside a function's support counts as true: what does not matter any more may as
    /// well be. (Sets of true atoms that leave the same function are closed under union, so the largest
    /// of them stands for all.)
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn join(
        &mut self,
        left: ResidualId,
        right: ResidualId,
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        if left == right || right == self.formula {
            return Ok(left);
        }
        if left == self.formula {
            return Ok(right);
        }
        let key = (left.min(right), left.max(right));
        if let Some(&known) = self.joins.get(&key) {
            return Ok(known);
        }
        let irrelevant = self.irrelevant(right);
        let joined = self.find(left, &irrelevant, meter)?;
        self.joins.insert(key, joined);
        Ok(joined)
    }

    /// The atoms that have certainly become true when the formula has become `residual`.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn certain(&mut self, residual: ResidualId, meter: &mut Meter) -> Result<BitSet<AtomId>, Exceeded> {
        let irrelevant = self.irrelevant(residual);
        let formula = self.formula;
        let mut certain = BitSet::new();
        for atom in irrelevant.iter() {
            let mut others = irrelevant.clone();
            others.remove(atom);
            if self.find(formula, &others, meter)? != residual {
                certain.insert(atom);
            }
        }
        Ok(certain)
    }

    fn irrelevant(&self, residual: ResidualId) -> BitSet<AtomId> {
        let mut atoms = BitSet::full(self.atoms.len());
        atoms.subtract(self.support(residual));
        atoms
    }

    fn node(&mut self, node: Node, meter: &mut Meter) -> Result<ResidualId, Exceeded> {
        if let Node::Choice(_, absent, present) = node
            && absent == present
        {
            return Ok(absent);
        }
        let known = self.nodes.len();
        let id = self.nodes.intern(node);
        if self.nodes.len() > known {
            meter.spend(NODE + self.atoms.len() as u64)?;
            let mut atoms = BitSet::new();
            if let Node::Choice(atom, absent, present) = node {
                atoms.insert(atom);
                atoms.union_with(self.support(absent));
                atoms.union_with(self.support(present));
            }
            self.supports.push(self.support_of(atoms));
        }
        Ok(id)
    }

    fn support_of(&self, atoms: BitSet<AtomId>) -> Support {
        let mut patterns = BitSet::new();
        for pattern in atoms.iter().flat_map(|atom| self.atoms[atom].patterns()) {
            patterns.union_with(&self.dependencies[pattern]);
        }
        let mut counts = vec![0; self.dependencies.len()].into_boxed_slice();
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
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        let Node::Choice(atom, absent, present) = self.nodes[residual] else { return Ok(residual) };
        if let Some(&result) = known.get(&residual) {
            return Ok(result);
        }
        meter.spend(VISIT)?;
        let present = self.restrict(present, found, known, meter)?;
        let result = if found.contains(atom) {
            present
        } else {
            let absent = self.restrict(absent, found, known, meter)?;
            self.node(Node::Choice(atom, absent, present), meter)?
        };
        known.insert(residual, result);
        Ok(result)
    }

    /// Recursion is as deep as the formula, whose depth its reader limits.
    fn of_formula(&mut self, formula: &Formula, meter: &mut Meter) -> Result<ResidualId, Exceeded> {
        match formula {
            Formula::Constant(value) => self.node(Node::Constant(*value), meter),
            Formula::Contains(pattern) => self.at_least(1, *pattern, meter),
            Formula::Count(Bound::AtLeast, number, pattern) => self.at_least(*number, *pattern, meter),
            Formula::Count(Bound::AtMost, number, pattern) => {
                let more = self.at_least(*number + 1, *pattern, meter)?;
                self.negation(more, meter)
            }
            Formula::Count(Bound::Exactly, number, pattern) => {
                let enough = self.at_least(*number, *pattern, meter)?;
                let more = self.at_least(*number + 1, *pattern, meter)?;
                self.combine(enough, more, |enough, more| enough && !more, meter)
            }
            Formula::Inside(inner, outer) => self.atom(Atom::Inside(*inner, *outer), meter),
            Formula::Before(first, second) => self.atom(Atom::Before(*first, *second), meter),
            Formula::Root(pattern) => self.atom(Atom::Root(*pattern), meter),
            Formula::Some(..) => unreachable!("it is said by names: `Expression::without_surroundings`"),
            Formula::Not(inner) => {
                let inner = self.of_formula(inner, meter)?;
                self.negation(inner, meter)
            }
            Formula::And(left, right) => self.both(left, right, |a, b| a && b, meter),
            Formula::Or(left, right) => self.both(left, right, |a, b| a || b, meter),
            Formula::Xor(left, right) => self.both(left, right, |a, b| a != b, meter),
            Formula::Implies(left, right) => self.both(left, right, |a, b| !a || b, meter),
        }
    }

    fn at_least(
        &mut self,
        number: u32,
        pattern: PatternId,
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        match number {
            0 => self.node(Node::Constant(true), meter),
            _ => self.atom(Atom::AtLeast(number, pattern), meter),
        }
    }

    fn atom(&mut self, atom: Atom, meter: &mut Meter) -> Result<ResidualId, Exceeded> {
        let absent = self.node(Node::Constant(false), meter)?;
        let present = self.node(Node::Constant(true), meter)?;
        let atom = self.atoms.intern(atom);
        self.node(Node::Choice(atom, absent, present), meter)
    }

    fn negation(&mut self, residual: ResidualId, meter: &mut Meter) -> Result<ResidualId, Exceeded> {
        let yes = self.node(Node::Constant(true), meter)?;
        self.combine(residual, yes, |a, b| a != b, meter)
    }

    fn both(
        &mut self,
        left: &Formula,
        right: &Formula,
        operation: fn(bool, bool) -> bool,
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        let left = self.of_formula(left, meter)?;
        let right = self.of_formula(right, meter)?;
        self.combine(left, right, operation, meter)
    }

    fn combine(
        &mut self,
        left: ResidualId,
        right: ResidualId,
        operation: fn(bool, bool) -> bool,
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        self.apply(left, right, operation, &mut FxHashMap::default(), meter)
    }

    fn apply(
        &mut self,
        left: ResidualId,
        right: ResidualId,
        operation: fn(bool, bool) -> bool,
        known: &mut FxHashMap<(ResidualId, ResidualId), ResidualId>,
        meter: &mut Meter,
    ) -> Result<ResidualId, Exceeded> {
        if let Some(&result) = known.get(&(left, right)) {
            return Ok(result);
        }
        meter.spend(VISIT)?;
        let variable = |node| match node {
            Node::Choice(atom, ..) => Some(atom),
            Node::Constant(_) => None,
        };
        let (left_node, right_node) = (self.nodes[left], self.nodes[right]);
        let result = match (left_node, right_node) {
            (Node::Constant(a), Node::Constant(b)) => self.node(Node::Constant(operation(a, b)), meter)?,
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
                let absent = self.apply(left_absent, right_absent, operation, known, meter)?;
                let present = self.apply(left_present, right_present, operation, known, meter)?;
                self.node(Node::Choice(first, absent, present), meter)?
            }
        };
        known.insert((left, right), result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::{Limits, Sizes};

    fn contains(index: usize) -> Formula {
        Formula::Contains(PatternId::new(index))
    }

    /// That number of patterns, none of which depends on another.
    fn alone(patterns: usize) -> IdVec<PatternId, BitSet<PatternId>> {
        (0..patterns).map(|index| BitSet::from_iter([PatternId::new(index)])).collect()
    }

    /// Atoms are numbered as their patterns here: each is met first in the order of the patterns.
    fn found(indices: &[usize]) -> BitSet<AtomId> {
        indices.iter().map(|&index| AtomId::new(index)).collect()
    }

    #[test]
    fn a_decided_formula_needs_nothing_more() {
        let mut residuals =
            Residuals::new(&(contains(0) & !contains(1)), alone(2), &mut Meter::default()).unwrap();
        let formula = residuals.formula();
        let with_both = residuals.find(formula, &found(&[0, 1]), &mut Meter::default()).unwrap();
        assert_eq!(residuals.find(formula, &found(&[1]), &mut Meter::default()).unwrap(), with_both);
        assert!(residuals.support(with_both).is_empty() && !residuals.value(with_both, |_| false));
        let with_first = residuals.find(formula, &found(&[0]), &mut Meter::default()).unwrap();
        assert!(!residuals.support(with_first).is_empty() && residuals.value(with_first, |_| false));
        assert_eq!(residuals.certain(with_first, &mut Meter::default()).unwrap(), found(&[0]));
        assert_eq!(
            residuals.certain(with_both, &mut Meter::default()).unwrap(),
            found(&[1]),
            "the first may or may not be there"
        );
    }

    #[test]
    fn a_long_disjunction_has_two_futures() {
        let formula = (1..12).map(contains).fold(contains(0), |all, next| all | next);
        let mut residuals = Residuals::new(&formula, alone(12), &mut Meter::default()).unwrap();
        let undecided = residuals.formula();
        let futures: std::collections::BTreeSet<ResidualId> = (0..1 << 12)
            .map(|bits: usize| {
                let set = (0..12).filter(|i| bits >> i & 1 == 1).map(AtomId::new).collect();
                residuals.find(undecided, &set, &mut Meter::default()).unwrap()
            })
            .collect();
        assert_eq!(futures.len(), 2);
    }

    #[test]
    fn joining_is_finding_the_union() {
        let formula = (contains(0) & contains(1)) | (contains(2) & !contains(3));
        let mut residuals = Residuals::new(&formula, alone(4), &mut Meter::default()).unwrap();
        let start = residuals.formula();
        let sets: Vec<BitSet<AtomId>> = (0..16)
            .map(|bits: usize| (0..4).filter(|i| bits >> i & 1 == 1).map(AtomId::new).collect())
            .collect();
        for left in &sets {
            for right in &sets {
                let mut find = |set| residuals.find(start, set, &mut Meter::default()).unwrap();
                let (of_left, of_right) = (find(left), find(right));
                let mut both = left.clone();
                both.union_with(right);
                let joined = residuals.join(of_left, of_right, &mut Meter::default()).unwrap();
                assert_eq!(joined, residuals.find(start, &both, &mut Meter::default()).unwrap());
            }
        }
    }

    /// In this order of the atoms, which is that of the text, the diagram has 2^20 nodes.
    #[test]
    fn a_formula_without_a_small_diagram_is_an_error_and_not_a_full_memory() {
        let all = (0..40).map(contains).reduce(|all, next| all & next).expect("there are 40");
        let pairs = (0..20).map(|index| contains(index) & contains(index + 20));
        let formula = all | pairs.reduce(|any, next| any | next).expect("there are 20");
        let mut meter = Limits::of(Sizes { steps: 1_000_000, ..Sizes::default() }).meter();
        assert_eq!(Residuals::new(&formula, alone(40), &mut meter).err(), Some(Exceeded::Steps(1_000_000)));
    }
}
