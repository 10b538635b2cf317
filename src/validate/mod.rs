//! The validators: does an input satisfy an expression?
//!
//! Pure. Depends on [`crate::base`], [`crate::grammar`], [`crate::parse`], [`crate::pattern`] and
//! [`crate::automaton`].

mod automaton;
mod states;

pub use automaton::AutomatonValidator;

use crate::parse::SyntaxError;

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
    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Some => "some",
            Self::None => "none",
        }
    }
}

/// Decides whether inputs satisfy an expression.
pub trait Validator: Send + Sync {
    /// The name used in configs and reports.
    fn name(&self) -> &'static str;

    /// Which derivation trees of `input` in the base grammar satisfy the expression.
    ///
    /// # Errors
    /// When the input is not of the base grammar.
    fn validate(&self, input: &[u8]) -> Result<Answer, SyntaxError>;
}
