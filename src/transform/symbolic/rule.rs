//! And / or / neg of rules that have the same base rule.
//!
//! A rule stands for the trees that begin with its base rule and whose children are in its tokens:
//! geometrically a box. Rules with different base rules have nothing in common, and are never
//! combined.
//!
//! - `and(<A f1> <B f2> "t", <A f3> <B f4> "t")` is `<A f1 & f3> <B f2 & f4> "t"`, token by token.
//! - `or` merges two rules with a single difference: of `<A f1> <B f2>` and `<A f3> <B f2>` it makes
//!   `<A f1 | f3> <B f2>`. Others stay two rules (seed "inducing multiple faults", "rules").
//! - `neg` of a rule are rules that each *just miss* it (update notes). The notes give, for
//!   `<B E> <C F> <D>`, the rules `<B neg(E)> <C F> <D>` and `<B E> <C neg(F)> <D>`; but a tree that
//!   misses in both places is in neither. The rules made here miss at one place, match at all before
//!   it, and are free after it: `<B neg(E)> <C> <D>` and `<B E> <C neg(F)> <D>`. Each tree that misses
//!   is in exactly one of them: the one of the first place where it misses.

use crate::grammar::RuleId;

use super::super::TransformError;
use super::algebra::Algebra;
use super::token::Token;

/// The right-hand side of a specialized rule: one token for each symbol of its base rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecializedRule {
    tokens: Vec<Token>,
}

impl SpecializedRule {
    /// A rule of these tokens; `None` when one of them is empty.
    ///
    /// # Errors
    /// When too many rules were made.
    pub fn new(tokens: Vec<Token>, algebra: &Algebra<'_>) -> Result<Option<Self>, TransformError> {
        algebra.count_rule()?;
        Ok((!tokens.iter().any(Token::is_empty)).then_some(Self { tokens }))
    }

    /// The tokens of a base rule without any restriction.
    pub fn whole_tokens(base: RuleId, algebra: &Algebra<'_>) -> Vec<Token> {
        let symbols = &algebra.grammar.rule(base).symbols;
        symbols.iter().map(|&symbol| Token::whole(symbol, algebra)).collect()
    }

    /// The tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The trees in both rules; `None` when there plainly are none.
    pub fn and(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Option<Self>, TransformError> {
        algebra.count_pair()?;
        let mut tokens = Vec::with_capacity(self.tokens.len());
        for (left, right) in self.tokens.iter().zip(&other.tokens) {
            let both = left.and(right, algebra)?;
            if both.is_empty() {
                return Ok(None);
            }
            tokens.push(both);
        }
        Self::new(tokens, algebra)
    }

    /// The trees in either rule, as one rule; `None` when that would take two.
    pub fn or(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Option<Self>, TransformError> {
        algebra.count_pair()?;
        let mut differences =
            (0..self.tokens.len()).filter(|&place| self.tokens[place] != other.tokens[place]);
        match (differences.next(), differences.next()) {
            (None, _) => Ok(Some(self.clone())),
            (Some(place), None) => {
                let mut tokens = self.tokens.clone();
                tokens[place] = tokens[place].or(&other.tokens[place], algebra)?;
                Self::new(tokens, algebra)
            }
            (Some(_), Some(_)) => Ok(None),
        }
    }

    /// The trees in this rule that just miss the other one, `and(self, neg(other))`, as rules without
    /// a common tree. A rule that has nothing in common with the other one stays whole.
    pub fn and_neg(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Vec<Self>, TransformError> {
        if self.and(other, algebra)?.is_none() {
            return Ok(vec![self.clone()]);
        }
        let mut rules = Vec::new();
        let mut tokens = self.tokens.clone();
        for (place, wanted) in other.tokens.iter().enumerate() {
            let missing = self.tokens[place].and(&wanted.neg(algebra)?, algebra)?;
            if !missing.is_empty() {
                let mut missed = tokens.clone();
                missed[place] = missing;
                rules.extend(Self::new(missed, algebra)?);
            }
            tokens[place] = self.tokens[place].and(wanted, algebra)?;
        }
        Ok(rules)
    }
}
