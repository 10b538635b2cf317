//! What of a formula is still undecided.
//!
//! While patterns are found in a tree, the formula is simplified with "this pattern occurs". Two
//! sets of found patterns that leave the same Boolean function have the same future, so the function
//! itself is the state. Functions are kept as reduced ordered binary decision diagrams (Bryant 1986),
//! in which equal functions are equal numbers. A disjunction of twelve patterns thus has one state
//! for "none found yet" and one for "decided", not 2^12.

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::base::interner::Interner;
use crate::id_type;
use crate::pattern::{Formula, PatternId};

id_type!(
    /// A Boolean function of which patterns occur.
    ResidualId
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Constant(bool),
    /// The function's value when the pattern does not occur, and when it does.
    Choice(PatternId, ResidualId, ResidualId),
}

/// All functions met so far.
#[derive(Clone, Debug)]
pub struct Residuals {
    nodes: Interner<ResidualId, Node>,
    supports: Vec<BitSet<PatternId>>,
    joins: HashMap<(ResidualId, ResidualId), ResidualId>,
    formula: ResidualId,
    patterns: usize,
}

impl Residuals {
    /// The table that holds just `formula`, over the first `patterns` patterns.
    pub fn new(formula: &Formula, patterns: usize) -> Self {
        let mut residuals = Self {
            nodes: Interner::new(),
            supports: Vec::new(),
            joins: HashMap::new(),
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

    /// The patterns whose occurrence still matters.
    pub fn support(&self, residual: ResidualId) -> &BitSet<PatternId> {
        &self.supports[residual.index()]
    }

    /// The value when nothing more is found.
    pub fn value(&self, residual: ResidualId) -> bool {
        let mut residual = residual;
        loop {
            match self.nodes[residual] {
                Node::Constant(value) => return value,
                Node::Choice(_, absent, _) => residual = absent,
            }
        }
    }

    /// The value once it is decided.
    pub fn decided(&self, residual: ResidualId) -> Option<bool> {
        match self.nodes[residual] {
            Node::Constant(value) => Some(value),
            Node::Choice(..) => None,
        }
    }

    /// What is left of `residual` once the patterns of `found` are found too.
    pub fn find(&mut self, residual: ResidualId, found: &BitSet<PatternId>) -> ResidualId {
        if !self.support(residual).intersects(found) {
            return residual;
        }
        self.restrict(residual, found, &mut HashMap::new())
    }

    /// What is left of the formula for a tree with two subtrees, of which these are left.
    ///
    /// Everything outside a function's support counts as found: what does not matter any more may as
    /// well be there. (Sets of found patterns that leave the same function are closed under union, so
    /// the largest of them stands for all.)
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
        let mut found = BitSet::full(self.patterns);
        found.subtract(self.support(right));
        let joined = self.find(left, &found);
        self.joins.insert(key, joined);
        joined
    }

    /// The patterns that have certainly been found when the formula has become `residual`.
    pub fn certain(&mut self, residual: ResidualId) -> BitSet<PatternId> {
        let mut irrelevant = BitSet::full(self.patterns);
        irrelevant.subtract(self.support(residual));
        let formula = self.formula;
        irrelevant
            .iter()
            .filter(|&pattern| {
                let mut others = irrelevant.clone();
                others.remove(pattern);
                self.find(formula, &others) != residual
            })
            .collect()
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
            let mut support = BitSet::new();
            if let Node::Choice(pattern, absent, present) = node {
                support.insert(pattern);
                support.union_with(&self.supports[absent.index()]);
                support.union_with(&self.supports[present.index()]);
            }
            self.supports.push(support);
        }
        id
    }

    /// Recursion is as deep as there are patterns.
    fn restrict(
        &mut self,
        residual: ResidualId,
        found: &BitSet<PatternId>,
        known: &mut HashMap<ResidualId, ResidualId>,
    ) -> ResidualId {
        let Node::Choice(pattern, absent, present) = self.nodes[residual] else { return residual };
        if let Some(&result) = known.get(&residual) {
            return result;
        }
        let present = self.restrict(present, found, known);
        let result = if found.contains(pattern) {
            present
        } else {
            let absent = self.restrict(absent, found, known);
            self.node(Node::Choice(pattern, absent, present))
        };
        known.insert(residual, result);
        result
    }

    /// Recursion is as deep as the formula, whose depth its reader limits.
    fn of_formula(&mut self, formula: &Formula) -> ResidualId {
        match formula {
            Formula::Constant(value) => self.node(Node::Constant(*value)),
            Formula::Contains(pattern) => {
                let absent = self.node(Node::Constant(false));
                let present = self.node(Node::Constant(true));
                self.node(Node::Choice(*pattern, absent, present))
            }
            Formula::Not(inner) => {
                let inner = self.of_formula(inner);
                let yes = self.node(Node::Constant(true));
                self.combine(inner, yes, |a, b| a != b)
            }
            Formula::And(left, right) => self.both(left, right, |a, b| a && b),
            Formula::Or(left, right) => self.both(left, right, |a, b| a || b),
            Formula::Xor(left, right) => self.both(left, right, |a, b| a != b),
            Formula::Implies(left, right) => self.both(left, right, |a, b| !a || b),
        }
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
        self.apply(left, right, operation, &mut HashMap::new())
    }

    fn apply(
        &mut self,
        left: ResidualId,
        right: ResidualId,
        operation: fn(bool, bool) -> bool,
        known: &mut HashMap<(ResidualId, ResidualId), ResidualId>,
    ) -> ResidualId {
        if let Some(&result) = known.get(&(left, right)) {
            return result;
        }
        let variable = |node| match node {
            Node::Choice(pattern, ..) => Some(pattern),
            Node::Constant(_) => None,
        };
        let (left_node, right_node) = (self.nodes[left], self.nodes[right]);
        let result = match (left_node, right_node) {
            (Node::Constant(a), Node::Constant(b)) => self.node(Node::Constant(operation(a, b))),
            _ => {
                let first = match (variable(left_node), variable(right_node)) {
                    (Some(a), Some(b)) => a.min(b),
                    (Some(pattern), None) | (None, Some(pattern)) => pattern,
                    (None, None) => unreachable!("constants were dealt with"),
                };
                let split = |node, whole| match node {
                    Node::Choice(pattern, absent, present) if pattern == first => (absent, present),
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

    fn found(indices: &[usize]) -> BitSet<PatternId> {
        indices.iter().map(|&index| PatternId::new(index)).collect()
    }

    #[test]
    fn a_decided_formula_needs_nothing_more() {
        let mut residuals = Residuals::new(&(contains(0) & !contains(1)), 2);
        let formula = residuals.formula();
        let with_both = residuals.find(formula, &found(&[0, 1]));
        assert_eq!(residuals.find(formula, &found(&[1])), with_both);
        assert_eq!(residuals.decided(with_both), Some(false));
        let with_first = residuals.find(formula, &found(&[0]));
        assert_eq!(residuals.decided(with_first), None);
        assert!(residuals.value(with_first));
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
                let set = (0..12).filter(|i| bits >> i & 1 == 1).map(PatternId::new).collect();
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
        let sets: Vec<BitSet<PatternId>> = (0..16)
            .map(|bits: usize| (0..4).filter(|i| bits >> i & 1 == 1).map(PatternId::new).collect())
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
