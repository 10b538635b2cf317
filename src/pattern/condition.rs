//! What a placeholder asks of its node: `<expr X & !has Y>`.
//!
//! A condition is a formula over the names of an expression, about the subtree of the placeholder: whether a name
//! occurs at its root, and whether one occurs in it.

use super::expression::{Formula, PatternId};

/// A formula about one node: which names occur at it, and which at it or below.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Condition(Formula);

impl Condition {
    /// The name occurs at this very node: `X`.
    pub fn at(name: PatternId) -> Self {
        Self(Formula::Root(name))
    }

    /// The name occurs at this node or below it: `has X`.
    pub fn has(name: PatternId) -> Self {
        Self(Formula::Contains(name))
    }

    /// The condition that a formula is, read as one about the subtree at the node: `Root` says that a name occurs
    /// at the node, `Contains` that one does there or below. Nothing when the formula says anything else.
    pub fn of_formula(formula: &Formula) -> Option<Self> {
        let both = |left: &Formula, right: &Formula| {
            Some((Box::new(Self::of_formula(left)?.0), Box::new(Self::of_formula(right)?.0)))
        };
        Some(Self(match formula {
            Formula::Constant(_) | Formula::Root(_) | Formula::Contains(_) => formula.clone(),
            // That is how it would be read.
            Formula::Not(inner) => !Self::of_formula(inner)?.0,
            Formula::And(left, right) => both(left, right).map(|(a, b)| Formula::And(a, b))?,
            Formula::Or(left, right) => both(left, right).map(|(a, b)| Formula::Or(a, b))?,
            Formula::Xor(left, right) => both(left, right).map(|(a, b)| Formula::Xor(a, b))?,
            Formula::Implies(left, right) => both(left, right).map(|(a, b)| Formula::Implies(a, b))?,
            Formula::Count(..) | Formula::Inside(..) | Formula::Before(..) | Formula::Some(..) => {
                return None;
            }
        }))
    }

    /// The condition as a formula about the subtree at the node.
    pub fn formula(&self) -> &Formula {
        &self.0
    }

    /// Whether it holds, given which names occur at the node, and which in its subtree.
    pub fn holds(&self, at: impl Fn(PatternId) -> bool, has: impl Fn(PatternId) -> bool) -> bool {
        self.0.value(&mut |statement| match statement {
            Formula::Root(name) => at(*name),
            Formula::Contains(name) => has(*name),
            other => unreachable!("{other:?} is no statement about a node"),
        })
    }

    /// The names that it speaks of, and whether it asks for them in the whole subtree.
    pub fn names(&self) -> Vec<(PatternId, bool)> {
        let mut names = Vec::new();
        self.0.statements(&mut |statement| match statement {
            Formula::Root(name) => names.push((*name, false)),
            Formula::Contains(name) => names.push((*name, true)),
            _ => {}
        });
        names
    }

    /// The condition with other names.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(PatternId) -> PatternId) -> Self {
        Self(self.0.renamed(&name))
    }
}

impl std::ops::Not for Condition {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl std::ops::BitAnd for Condition {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl std::ops::BitOr for Condition {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
