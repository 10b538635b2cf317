//! Subjects that are small functions of this program: the examples of the papers.
//!
//! One file per subject. [`TABLE`] gives each function the name of its bug.

use crate::oracle::{Judgement, Oracle, OracleError};

/// Judges an input. Its evidence is the same at every run.
pub type Function = fn(&[u8]) -> Judgement;

/// The names of all builtin bugs and their functions, by name.
const TABLE: &[(&str, Function)] = &[];

/// An oracle that is a function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin(pub Function);

impl Builtin {
    /// The oracle of the builtin bug called `bug`.
    pub fn named(bug: &str) -> Option<Self> {
        TABLE.iter().find(|&&(name, _)| name == bug).map(|&(_, function)| Self(function))
    }

    /// The names of all builtin bugs.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|&(name, _)| name)
    }
}

impl Oracle for Builtin {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        Ok((self.0)(input))
    }
}
