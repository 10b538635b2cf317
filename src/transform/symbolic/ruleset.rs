//! And / or / neg of rulesets: all rules of a definition that have the same base rule.
//!
//! The rules of a ruleset never have a tree in common, and all operations keep it so. The seed
//! "inducing multiple faults" warns that `or` can make a grammar ambiguous, and hints at the way
//! out: instead of `R or S`, take `R` and `S and neg(R)`. Rules with a single difference are then
//! merged, by which no tree is gained, lost or doubled.
//!
//! Example: the `or` of `<A f1> <B f2>` and `<A f3> <B f4>` is
//!
//! ```text
//! <A f1> <B f2>
//! <A f3 & !f1> <B f4>
//! <A f1 & f3> <B f4 & !f2>
//! ```
//!
//! By De Morgan's laws the same trees are in `neg(and(neg(R),neg(S)))`. For two reaching rulesets, `<A E>
//! <A> | <A !E> <A E>` and the same with N, that is much shorter: `<A E | N> <A> | <A !E & !N> <A E | N>`.
//! So both are made, and the one with fewer rules is taken.

use crate::grammar::RuleId;

use super::super::TransformError;
use super::algebra::Algebra;
use super::rule::SpecializedRule;
use super::token::Token;

/// Rules with the same base rule and without a common tree.
#[derive(Clone, Debug)]
pub struct Ruleset {
    /// The base rule.
    pub base: RuleId,
    rules: Vec<SpecializedRule>,
}

impl Ruleset {
    /// A ruleset of rules that have no common tree.
    pub fn new(
        base: RuleId,
        rules: impl IntoIterator<Item = SpecializedRule>,
        algebra: &Algebra<'_>,
    ) -> Result<Self, TransformError> {
        Ok(Self { base, rules: merge(rules, algebra)? })
    }

    /// No tree.
    pub fn none(base: RuleId) -> Self {
        Self { base, rules: Vec::new() }
    }

    /// All trees that begin with the base rule.
    pub fn whole(base: RuleId, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        let rule = SpecializedRule::new(SpecializedRule::whole_tokens(base, algebra), algebra)?;
        Ok(Self { base, rules: rule.into_iter().collect() })
    }

    /// The rules.
    pub fn rules(&self) -> &[SpecializedRule] {
        &self.rules
    }

    /// The trees in both: all pairs of rules.
    pub fn and(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        let mut rules = Vec::new();
        for left in &self.rules {
            for right in &other.rules {
                rules.extend(left.and(right, algebra)?);
            }
        }
        Self::new(self.base, rules, algebra)
    }

    /// The trees in either, each once: in whichever way takes fewer rules, or else shorter conditions.
    pub fn or(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        if self.rules.is_empty() || other.rules.is_empty() {
            return Ok(if self.rules.is_empty() { other.clone() } else { self.clone() });
        }
        let new = other.and_neg(self, algebra)?;
        let added = Self::new(self.base, self.rules.iter().cloned().chain(new.rules), algebra)?;
        let neither = self.neg(algebra)?.and(&other.neg(algebra)?, algebra)?;
        let missed = neither.neg(algebra)?;
        Ok(if missed.size() < added.size() { missed } else { added })
    }

    /// The number of rules, and the number of terms of their conditions.
    fn size(&self) -> (usize, usize) {
        let terms = |rule: &SpecializedRule| rule.tokens().iter().map(Token::terms).sum::<usize>();
        (self.rules.len(), self.rules.iter().map(terms).sum())
    }

    /// The trees of the base rule that are not in this ruleset: they miss every rule of it.
    pub fn neg(&self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        Self::whole(self.base, algebra)?.and_neg(self, algebra)
    }

    fn and_neg(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        let mut rules = self.rules.clone();
        for missed in &other.rules {
            let mut rest = Vec::new();
            for rule in &rules {
                rest.extend(rule.and_neg(missed, algebra)?);
            }
            rules = merge(rest, algebra)?;
        }
        Ok(Self { base: self.base, rules })
    }
}

/// Merges rules as long as two of them have a single difference.
fn merge(
    rules: impl IntoIterator<Item = SpecializedRule>,
    algebra: &Algebra<'_>,
) -> Result<Vec<SpecializedRule>, TransformError> {
    let mut merged: Vec<SpecializedRule> = Vec::new();
    for mut rule in rules {
        let mut place = 0;
        while place < merged.len() {
            match merged[place].or(&rule, algebra)? {
                Some(both) => {
                    merged.remove(place);
                    rule = both;
                    place = 0;
                }
                None => place += 1,
            }
        }
        merged.push(rule);
    }
    Ok(merged)
}
