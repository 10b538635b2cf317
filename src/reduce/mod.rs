//! The reducers: a failing input to a smaller one that still fails.
//!
//! A reducer first confirms that the input fails, then asks a [`Judge`] about smaller candidates, in
//! an order that depends on the input and the answers alone. It never fails because of a limit: when
//! the budget is used up it returns the smallest failing input so far and the reason for stopping.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`] and [`crate::oracle`]; knows no
//! processes, and of parsing only the function that a [`Syntax`] brings along.

mod auto;
mod chains;
mod choices;
mod confirmed;
mod ddmin;
mod derivable;
#[cfg(test)]
mod example;
mod frames;
mod hdd;
mod hoist;
mod identifiers;
mod level;
mod list;
mod minimal;
mod minimality;
mod minimize;
mod pardis;
mod pass;
mod perses;
mod places;
mod replace;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
mod tokens;
mod windows;
mod workpiece;

pub use confirmed::reduce_confirmed;
pub use minimality::{Minimality, TreeSize};
pub use minimize::Minimizer;

use std::sync::Arc;

use crate::base::budget::StopReason;
use crate::base::limits::Exceeded;
use crate::base::registry::{PlugIn, Registry, UnknownPlugIn};
use crate::grammar::Grammar;
use crate::oracle::{Judge, OracleError, Verdict};
use crate::tree::Tree;

/// Parses an input: its first derivation tree, or `None` when the grammar does not derive it; an error when
/// that takes too much.
pub type ParseFn<'a> = dyn Fn(&[u8]) -> Result<Option<Tree>, Exceeded> + Sync + 'a;

/// Says whether the grammar derives an input, which takes less than to parse it; an error when that takes too much.
pub type DerivesFn<'a> = dyn Fn(&[u8]) -> Result<bool, Exceeded> + Sync + 'a;

/// A failing input, with what a reducer may use to make it smaller.
#[derive(Clone, Copy)]
pub struct Failing<'a> {
    /// The input.
    pub text: &'a [u8],
    /// Its syntax. Reducers that need none work without; most do not.
    pub syntax: Option<Syntax<'a>>,
}

/// The syntax of a failing input.
#[derive(Clone, Copy)]
pub struct Syntax<'a> {
    /// The grammar of the subject.
    pub grammar: &'a Grammar,
    /// The input's derivation tree.
    pub tree: &'a Tree,
    /// The grammar's parser.
    pub parse: &'a ParseFn<'a>,
    /// The grammar's parser, where no tree is asked for.
    pub derives: &'a DerivesFn<'a>,
}

/// What a reduction ended with.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest failing input found.
    pub text: Vec<u8>,
    /// Its derivation tree, if the syntax was given and derives it.
    pub tree: Option<Tree>,
    /// Why the reduction ended.
    pub stop: StopReason,
}

/// Why there is nothing to show for a reduction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReduceError {
    /// The oracle cannot work.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The input to be reduced does not fail.
    #[error("the input does not fail: its verdict is `{0}`")]
    NotFailing(Verdict),
    /// The reducer works on derivation trees and was given none.
    #[error("the reducer `{0}` needs a grammar that derives the input")]
    NoSyntax(&'static str),
    /// The program that is to reduce the input did not do so.
    #[error("the program `{program}` did not reduce the input: {reason}")]
    Command {
        /// The program.
        program: String,
        /// What it did instead.
        reason: String,
    },
    /// To parse a candidate takes too much.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

/// Makes failing inputs smaller.
pub trait Reducer: Send + Sync {
    /// The smallest failing input that can be reached from `failing` by the steps of this reducer.
    ///
    /// # Errors
    /// When the oracle cannot work, the input does not fail, the reducer needs a syntax and there
    /// is none, or a candidate takes too much to parse.
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError>;
}

/// A reducer with its settings.
pub type AnyReducer = Arc<dyn Reducer>;

/// All reducers that run no programs of their own.
pub const REDUCERS: Registry<AnyReducer> = Registry::new("reducer", &perses::PLUG_IN, PLUG_INS);

/// What is registered.
pub const PLUG_INS: &[PlugIn<AnyReducer>] = &[
    auto::PLUG_IN,
    chains::PLUG_IN,
    ddmin::PLUG_IN,
    hdd::PLUG_IN,
    hdd::STAR_PLUG_IN,
    hoist::PLUG_IN,
    replace::PLUG_IN,
    perses::PLUG_IN,
    pardis::PLUG_IN,
    choices::PLUG_IN,
    pass::PLUG_IN,
    #[cfg(test)]
    example::PLUG_IN,
];

/// All passes of which reducers can be composed.
const PASSES: &[pass::PassEntry] = &[
    pass::entry::<chains::Chains>(),
    pass::entry::<hdd::Hdd>(),
    pass::entry::<hdd::HddStar>(),
    pass::entry::<hoist::HddHoist>(),
    pass::entry::<replace::HddReplace>(),
    pass::entry::<perses::Perses>(),
    pass::entry::<pardis::Pardis>(),
    pass::entry::<tokens::Tokens>(),
    pass::entry::<identifiers::Identifiers>(),
    pass::entry::<windows::Windows>(),
    pass::entry::<frames::Frames>(),
];

/// The reducer called `name`, with its default settings.
///
/// # Errors
/// When there is none.
pub fn reducer(name: &str) -> Result<AnyReducer, UnknownPlugIn> {
    REDUCERS.get(name).map(|variant| variant.make)
}

/// Asks whether the input fails at all, before any work is done on it. The reason for stopping, when
/// the budget does not even allow that.
///
/// # Errors
/// When the oracle cannot work, or the input does not fail.
pub fn confirm(text: &[u8], judge: &mut Judge<'_>) -> Result<Option<StopReason>, ReduceError> {
    match judge.judge(text) {
        Ok(Verdict::Fail) => Ok(None),
        Ok(verdict) => Err(ReduceError::NotFailing(verdict)),
        Err(halt) => halt.reason().map(Some),
    }
}
