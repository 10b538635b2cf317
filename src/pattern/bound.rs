//! What bound nodes ask for: that texts are equal.
//!
//! No context-free grammar, and so no tree automaton, can say that two texts are equal. What can be
//! said is the next best thing on either side: [`Expression::relaxed`] takes bound nodes as abstract,
//! and asks for so little that every tree that satisfies the expression satisfies it as well. A
//! statement about a pattern with bound nodes implies the same about the abstract pattern, so it is
//! replaced by that where it stands for itself; under a negation, where the abstract pattern may match
//! at nodes whose texts differ, nothing can be concluded, and it is dropped.

use crate::grammar::Grammar;
use crate::tree::{NodeId, Tree};

use super::expression::{Bound, Expression, Formula};
use super::model::{Pattern, PatternNode};

/// A formula that would become larger than this is given up for one that says nothing. Only `xor` of
/// formulas with bound nodes on both sides doubles what it is made of.
const MOST_PARTS: usize = 2_000;

impl Pattern {
    /// Whether two nodes or more have the same number, so that equality is asked for.
    pub fn is_bound(&self) -> bool {
        let mut numbers: Vec<u32> = self
            .nodes()
            .iter()
            .filter_map(|node| match node {
                PatternNode::Bound(_, number) => Some(*number),
                _ => None,
            })
            .collect();
        numbers.sort_unstable();
        numbers.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The nodes of `tree` at the pattern's bound nodes, with their numbers, in document order, when
    /// the subtree at `node` matches.
    pub fn bound_nodes(&self, tree: &Tree, node: NodeId) -> Vec<(u32, NodeId)> {
        let mut found = Vec::new();
        let mut work = vec![(self.root(), node)];
        while let Some((wanted, node)) = work.pop() {
            match self.node(wanted) {
                PatternNode::Rule(_, wanted) => {
                    work.extend(wanted.iter().copied().zip(tree.children(node).iter().copied()).rev());
                }
                PatternNode::Bound(_, number) => found.push((*number, node)),
                PatternNode::Literal(_) | PatternNode::Char(_) | PatternNode::Abstract(_) => {}
            }
        }
        found
    }

    /// The nodes of `tree` that match but for texts that should be equal and are not, in document order.
    pub fn unequal(&self, grammar: &Grammar, tree: &Tree) -> Vec<NodeId> {
        tree.preorder(tree.root())
            .filter(|&node| tree.nonterminal(grammar, node) == Some(self.characteristic()))
            .filter(|&node| self.matches(tree, node) && !self.is_bound_equally(grammar, tree, node))
            .collect()
    }
}

impl Expression {
    /// Whether the formula depends on the equality of texts: it speaks of a pattern with bound nodes.
    pub fn is_bound(&self) -> bool {
        self.speaks_of_bound(&self.formula)
    }

    /// An expression without bound nodes that holds of every tree of which this one holds, and of as few
    /// others as can be said statement by statement.
    #[must_use]
    pub fn relaxed(&self) -> Self {
        let mut patterns = self.patterns.clone();
        for id in self.patterns.ids() {
            patterns[id].pattern = self.patterns[id].pattern.unbound();
        }
        Self { start: self.start, formula: self.limits(&self.formula).over, patterns }
    }

    fn speaks_of_bound(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(_) => false,
            Formula::Contains(pattern) | Formula::Count(_, _, pattern) | Formula::Root(pattern) => {
                self.patterns[*pattern].pattern.is_bound()
            }
            Formula::Inside(one, other) | Formula::Before(one, other) => {
                self.patterns[*one].pattern.is_bound() || self.patterns[*other].pattern.is_bound()
            }
            Formula::Not(inner) => self.speaks_of_bound(inner),
            Formula::And(left, right)
            | Formula::Or(left, right)
            | Formula::Xor(left, right)
            | Formula::Implies(left, right) => self.speaks_of_bound(left) || self.speaks_of_bound(right),
        }
    }

    /// What can be said of a formula with bound nodes by formulas without.
    fn limits(&self, formula: &Formula) -> Limits {
        if !self.speaks_of_bound(formula) {
            return Limits { over: formula.clone(), under: formula.clone() };
        }
        let (yes, no) = (Formula::Constant(true), Formula::Constant(false));
        match formula {
            Formula::Constant(_)
            | Formula::Contains(_)
            | Formula::Inside(..)
            | Formula::Before(..)
            | Formula::Root(_) => Limits { over: formula.clone(), under: no },
            // The pattern occurs at no more nodes than its abstract form.
            Formula::Count(Bound::AtLeast, 0, _) => Limits { over: yes.clone(), under: yes },
            Formula::Count(Bound::AtLeast, ..) => Limits { over: formula.clone(), under: no },
            Formula::Count(Bound::AtMost, ..) => Limits { over: yes, under: formula.clone() },
            Formula::Count(Bound::Exactly, 0, _) => Limits { over: yes, under: formula.clone() },
            Formula::Count(Bound::Exactly, number, pattern) => {
                Limits { over: Formula::Count(Bound::AtLeast, *number, *pattern), under: no }
            }
            Formula::Not(inner) => {
                let inner = self.limits(inner);
                Limits { over: !inner.under, under: !inner.over }
            }
            Formula::And(left, right) => {
                let (left, right) = (self.limits(left), self.limits(right));
                Limits { over: both(left.over, right.over), under: both(left.under, right.under) }
            }
            Formula::Or(left, right) => {
                let (left, right) = (self.limits(left), self.limits(right));
                Limits { over: either(left.over, right.over), under: either(left.under, right.under) }
            }
            Formula::Implies(left, right) => {
                let (left, right) = (self.limits(left), self.limits(right));
                Limits { over: either(!left.under, right.over), under: either(!left.over, right.under) }
            }
            Formula::Xor(left, right) => {
                let (left, right) = (self.limits(left), self.limits(right));
                if left.parts() + right.parts() > MOST_PARTS {
                    return Limits { over: yes, under: no };
                }
                Limits {
                    over: either(
                        both(left.over.clone(), !right.under.clone()),
                        both(!left.under.clone(), right.over.clone()),
                    ),
                    under: either(both(left.under, !right.over), both(!left.over, right.under)),
                }
            }
        }
    }
}

/// Formulas without bound nodes on either side of one with: `under` implies it, and it implies `over`.
struct Limits {
    over: Formula,
    under: Formula,
}

impl Limits {
    fn parts(&self) -> usize {
        parts(&self.over) + parts(&self.under)
    }
}

fn parts(formula: &Formula) -> usize {
    match formula {
        Formula::Not(inner) => 1 + parts(inner),
        Formula::And(left, right)
        | Formula::Or(left, right)
        | Formula::Xor(left, right)
        | Formula::Implies(left, right) => 1 + parts(left) + parts(right),
        _ => 1,
    }
}

fn both(left: Formula, right: Formula) -> Formula {
    match (left, right) {
        (Formula::Constant(true), other) | (other, Formula::Constant(true)) => other,
        (Formula::Constant(false), _) | (_, Formula::Constant(false)) => Formula::Constant(false),
        (left, right) => left & right,
    }
}

fn either(left: Formula, right: Formula) -> Formula {
    match (left, right) {
        (Formula::Constant(false), other) | (other, Formula::Constant(false)) => other,
        (Formula::Constant(true), _) | (_, Formula::Constant(true)) => Formula::Constant(true),
        (left, right) => left | right,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::pattern::arbitrary::{bound_expression, recipes};
    use crate::tree::trees_up_to;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn what_is_relaxed_holds_wherever_the_expression_does(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
            let relaxed = expression.relaxed();
            let negated = expression.negated().relaxed();
            prop_assert!(!relaxed.is_bound());
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                let holds = expression.holds(&grammar, &tree);
                prop_assert!(!holds || relaxed.holds(&grammar, &tree));
                prop_assert!(holds || negated.holds(&grammar, &tree));
                if !expression.is_bound() {
                    prop_assert_eq!(holds, relaxed.holds(&grammar, &tree));
                }
            }
        }
    }
}
