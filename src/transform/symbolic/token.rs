//! And / or / neg of tokens: the symbols of specialized rules.
//!
//! A token is a symbol of a base rule together with what it is restricted to (seed "inducing multiple
//! faults", "combining tokens"): a nonterminal with a condition, a class with some of its characters,
//! or a literal as it is. The `and` of a refined nonterminal and a base nonterminal is the refined
//! one, their `or` is the base one; otherwise the conditions are combined. Classes are what the
//! papers' grammars spell as one rule for each character; here `and` is the intersection and `neg`
//! the rest of the class.
//!
//! Example: `and(<elt E>, <elt neg(N)>)` is `<elt E & !N>`, and `neg([a])` for a symbol `[a-z]` is
//! `[b-z]`.

use crate::grammar::{CharClass, ClassId, NonterminalId, Symbol};

use super::super::TransformError;
use super::algebra::Algebra;
use super::condition::Condition;

/// A symbol of a specialized rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The literal of the base rule.
    Literal,
    /// Nothing: what a literal is not.
    Nothing,
    /// Some characters of a class.
    Chars {
        /// The class of the base rule.
        of: ClassId,
        /// Which of its characters.
        chars: CharClass,
    },
    /// The trees of a nonterminal that satisfy a condition. Only made by [`Token::nonterminal`].
    Nonterminal {
        /// The nonterminal of the base rule.
        of: NonterminalId,
        /// Which of its trees.
        condition: Condition,
    },
}

impl Token {
    /// The token for a symbol without any restriction.
    pub fn whole(symbol: Symbol, algebra: &Algebra<'_>) -> Self {
        match symbol {
            Symbol::Literal(_) => Self::Literal,
            Symbol::Class(of) => Self::Chars { of, chars: algebra.grammar.class(of).clone() },
            Symbol::Nonterminal(of) => Self::Nonterminal { of, condition: Condition::always() },
        }
    }

    /// A nonterminal with a condition, without what is plain of that nonterminal.
    pub fn nonterminal(
        of: NonterminalId,
        condition: &Condition,
        algebra: &Algebra<'_>,
    ) -> Result<Self, TransformError> {
        Ok(Self::Nonterminal { of, condition: algebra.simplify(of, condition)? })
    }

    /// Whether the token plainly derives nothing.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Literal => false,
            Self::Nothing => true,
            Self::Chars { chars, .. } => chars.is_empty(),
            Self::Nonterminal { condition, .. } => condition.is_never(),
        }
    }

    /// The number of terms of its condition.
    pub fn terms(&self) -> usize {
        match self {
            Self::Literal | Self::Nothing | Self::Chars { .. } => 1,
            Self::Nonterminal { condition, .. } => condition.terms().len(),
        }
    }

    /// What is in both.
    pub fn and(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        Ok(match (self, other) {
            (Self::Chars { of, chars }, Self::Chars { chars: others, .. }) => {
                Self::Chars { of: *of, chars: chars.intersection(others) }
            }
            (Self::Nonterminal { of, condition }, Self::Nonterminal { condition: other, .. }) => {
                if other.is_always() || condition == other {
                    self.clone()
                } else if condition.is_always() {
                    Self::Nonterminal { of: *of, condition: other.clone() }
                } else {
                    let both = condition.and(other, &mut algebra.meter())?;
                    Self::nonterminal(*of, &both, algebra)?
                }
            }
            (Self::Literal, Self::Literal) => Self::Literal,
            _ => Self::Nothing,
        })
    }

    /// What is in either.
    pub fn or(&self, other: &Self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        Ok(match (self, other) {
            (Self::Chars { of, chars }, Self::Chars { chars: others, .. }) => {
                Self::Chars { of: *of, chars: chars.union(others) }
            }
            (Self::Nonterminal { of, condition }, Self::Nonterminal { condition: other, .. }) => {
                let either = condition.or(other, &mut algebra.meter())?;
                Self::nonterminal(*of, &either, algebra)?
            }
            (Self::Nothing, other) => other.clone(),
            _ => self.clone(),
        })
    }

    /// What the symbol of the base rule derives and this does not.
    pub fn neg(&self, algebra: &Algebra<'_>) -> Result<Self, TransformError> {
        Ok(match self {
            Self::Literal => Self::Nothing,
            Self::Nothing => Self::Literal,
            Self::Chars { of, chars } => {
                Self::Chars { of: *of, chars: algebra.grammar.class(*of).difference(chars) }
            }
            Self::Nonterminal { of, condition } => {
                let others = condition.neg(&mut algebra.meter())?;
                Self::nonterminal(*of, &others, algebra)?
            }
        })
    }
}
