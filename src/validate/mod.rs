//! The validators: does an input satisfy an expression?
//!
//! Pure. Depends on [`crate::base`], [`crate::grammar`], [`crate::parse`], [`crate::pattern`] and
//! [`crate::automaton`].

mod automaton;
mod finding;
mod necessity;
mod states;
#[cfg(test)]
mod steps;
mod survey;

pub use automaton::AutomatonValidator;
pub use necessity::{Necessity, necessities};
pub use survey::Survey;

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::limits::Exceeded;
use crate::parse::{ParseError, SyntaxError};
#[cfg(test)]
use crate::{grammar::Grammar, pattern::Expression, tree::Tree};

/// Which derivation trees of an input satisfy an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Every parse does.
    Every,
    /// Some do and some do not; only for ambiguous inputs.
    Some,
    /// None does.
    None,
}

impl Answer {
    /// The answer when this many of `all` ways in which the parses differ satisfy the expression.
    fn of(satisfying: usize, all: usize) -> Self {
        match satisfying {
            0 => Self::None,
            _ if satisfying == all => Self::Every,
            _ => Self::Some,
        }
    }

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Some => "some",
            Self::None => "none",
        }
    }
}

/// Why there is no answer for an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// It is not of the base grammar.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It leads to too many states of the automaton, or to states that take too much to find.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    /// Its derivation trees differ in too many ways that matter to bound nodes.
    #[error(
        "the input is too ambiguous: its parses differ in more than {limit} ways that matter to bound nodes"
    )]
    TooAmbiguous {
        /// The number that were visited.
        limit: usize,
    },
}

impl From<ParseError> for Unanswered {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::Syntax(error) => error.into(),
            ParseError::Exceeded(exceeded) => exceeded.into(),
        }
    }
}

impl Unanswered {
    /// The error with its place in the input.
    pub fn diagnostic(&self, input: &Arc<Source>) -> Diagnostic {
        match self {
            Self::Syntax(error) => error.diagnostic(input),
            Self::Exceeded(_) | Self::TooAmbiguous { .. } => {
                Diagnostic::error(self.to_string()).at(input, 0..0, "")
            }
        }
    }
}

/// Decides whether inputs satisfy an expression.
pub trait Validator: Send + Sync {
    /// Which derivation trees of `input` in the base grammar satisfy the expression.
    ///
    /// # Errors
    /// When the input is not of the base grammar, or too ambiguous for an expression with bound nodes, or when
    /// a limit is reached.
    fn validate(&self, input: &[u8]) -> Result<Answer, Unanswered>;
}

/// The answer by looking at all derivation trees, to test against.
#[cfg(test)]
fn one_by_one(expression: &Expression, grammar: &Grammar, trees: &[Tree]) -> Answer {
    let holds = |tree: &Tree| expression.holds(grammar, tree);
    match (trees.iter().any(holds), trees.iter().all(holds)) {
        (true, true) => Answer::Every,
        (true, false) => Answer::Some,
        (false, _) => Answer::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_word_of_its_own() {
        let all = [Answer::of(2, 2), Answer::of(1, 2), Answer::of(0, 2)];
        assert_eq!(all.map(Answer::as_str), ["every", "some", "none"]);
    }
}
