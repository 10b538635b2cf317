//! And / or / neg of definitions: all rules of one nonterminal, ruleset by ruleset.
//!
//! A definition is the disjunction of its rules. By the distributive law the `and` of two definitions
//! is the disjunction of the `and`s of all pairs of rules, and only pairs with the same base rule
//! have trees in common (seed "inducing multiple faults", "definition conjunction"). So all three
//! operations go ruleset by ruleset.
//!
//! Example: of `<elt E> ::= <object E> | <array E>` and `<elt N> ::= <object N> | <array N>` the `and`
//! is `<elt E & N> ::= <object E & N> | <array E & N>`.

use crate::grammar::NonterminalId;

use super::super::TransformError;
use super::algebra::Algebra;
use super::ruleset::Ruleset;

/// The rules of a specialized nonterminal: a ruleset for each rule of its base nonterminal.
#[derive(Clone, Debug)]
pub struct Definition {
    rulesets: Vec<Ruleset>,
}

impl Definition {
    /// A definition of these rulesets, one for each base rule and in their order.
    pub fn new(rulesets: Vec<Ruleset>) -> Self {
        Self { rulesets }
    }

    /// The definition of a nonterminal of the base grammar.
    pub fn whole(of: NonterminalId, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        let rules = algebra.grammar.rules_of(of);
        Ok(Self {
            rulesets: rules.iter().map(|&rule| Ruleset::whole(rule, algebra)).collect::<Result<_, _>>()?,
        })
    }

    /// The definition without any rule.
    pub fn none(of: NonterminalId, algebra: &Algebra<'_>) -> Self {
        Self { rulesets: algebra.grammar.rules_of(of).iter().map(|&rule| Ruleset::none(rule)).collect() }
    }

    /// The rulesets.
    pub fn rulesets(&self) -> &[Ruleset] {
        &self.rulesets
    }

    /// The trees of both.
    pub fn and(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        self.each(other, |left, right| left.and(right, algebra))
    }

    /// The trees of either.
    pub fn or(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        self.each(other, |left, right| left.or(right, algebra))
    }

    /// The trees of the base nonterminal that are not in this definition.
    pub fn neg(&self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        let rulesets = self.rulesets.iter().map(|ruleset| ruleset.neg(algebra));
        Ok(Self { rulesets: rulesets.collect::<Result<_, _>>()? })
    }

    fn each(
        &self,
        other: &Self,
        operation: impl Fn(&Ruleset, &Ruleset) -> Result<Ruleset, TransformError>,
    ) -> Result<Self, TransformError> {
        let pairs = self.rulesets.iter().zip(&other.rulesets);
        Ok(Self { rulesets: pairs.map(|(left, right)| operation(left, right)).collect::<Result<_, _>>()? })
    }
}
