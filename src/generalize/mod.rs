//! The generalizers: a reduced failing input to an abstract one, in which placeholders stand for
//! whatever may vary, and to the smallest part of it that brings the failure about wherever it is
//! planted.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`], [`crate::pattern`],
//! [`crate::parse`], [`crate::produce`] and [`crate::oracle`].

mod abstracting;
mod characteristic;
mod cheapest;
mod compact;
mod context;
mod ddset;
mod evidence;
mod isolation;
mod joint;
mod likely;
mod openings;
mod row;
mod sharing;
#[cfg(test)]
mod tests;
mod vary;

pub use context::{RandomContext, random_instance};
pub use ddset::Ddset;
pub use openings::Openings;

use crate::base::budget::StopReason;
use crate::base::limits::Exceeded;
use crate::base::stream::Stream;
use crate::grammar::Grammar;
use crate::oracle::{Judge, OracleError, Verdict};
use crate::parse::Parser;
use crate::pattern::Pattern;
use crate::produce::Producer;
use crate::tree::{NodeId, Tree};

/// A reduced failing input, with what a generalizer needs to vary it.
#[derive(Clone, Copy)]
pub struct Example<'a> {
    /// The grammar of the subject.
    pub grammar: &'a Grammar,
    /// The derivation tree of the input.
    pub tree: &'a Tree,
    /// The parser of the grammar.
    pub parser: &'a Parser,
    /// Fills placeholders at random.
    pub producer: &'a dyn Producer,
}

/// Makes inputs whose derivation trees contain a pattern, in a random context.
pub trait Planter {
    /// A random input in whose derivation tree `pattern` occurs; `None` when there is none.
    fn plant(&mut self, pattern: &Pattern, stream: &mut Stream) -> Option<Vec<u8>>;
}

/// How the characteristic node is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Characteristic {
    /// By asking the oracle: the smallest subtree that fails wherever it is planted.
    #[default]
    Asked,
    /// The papers' rule: the smallest subtree that holds all concrete terminals.
    Static,
}

/// How sure a generalizer must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// So many different inputs must fail in a row before something may vary. Where there are fewer
    /// inputs, all of them must.
    pub checks: usize,
    /// At most so many unresolved inputs are replaced by others in one row. A row that will most
    /// likely need more is given up earlier.
    pub redraws: usize,
    /// So many different inputs (or half of `checks`, if that is fewer) must fail in a row before a part that
    /// varies alone is taken for one that may, until it is verified together with all others.
    pub look: usize,
    /// After so many repetitions in a row there is taken to be nothing new.
    pub repetitions: usize,
    /// How the characteristic node is found.
    pub characteristic: Characteristic,
}

impl Default for Settings {
    /// The papers' settings.
    fn default() -> Self {
        Self::of_checks(100)
    }
}

impl Settings {
    /// The settings with so many checks.
    pub fn of_checks(checks: usize) -> Self {
        Self {
            checks,
            redraws: checks.saturating_mul(3),
            look: 8,
            repetitions: 1_000,
            characteristic: Characteristic::default(),
        }
    }

    /// The share of inputs that must be resolved, so that a row is completed before its redraws are
    /// used up.
    fn resolved_share(self) -> f64 {
        self.checks as f64 / (self.checks as f64 + self.redraws as f64)
    }
}

/// The executions that each phase took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// Confirming the input and finding out which nodes may vary.
    pub abstraction: u64,
    /// Verifying that they may vary together.
    pub isolation: u64,
    /// Finding the characteristic node.
    pub characteristic: u64,
}

/// An abstract failing input.
#[derive(Clone, Debug)]
pub struct Generalized {
    /// The derivation tree of the input that was generalized.
    pub tree: Tree,
    /// What may vary.
    pub openings: Openings,
    /// The whole input as a pattern.
    pub pattern: Pattern,
    /// The smallest subtree that fails wherever it is planted, as far as is known.
    pub characteristic: NodeId,
    /// The pattern of that subtree.
    pub characteristic_pattern: Pattern,
    /// Whether the characteristic subtree failed wherever it was planted. If not, or if nobody asked,
    /// the pattern is the best guess: the subtree at the root, or that of the static rule.
    pub verified: bool,
    /// The executions that each phase took.
    pub executions: Executions,
    /// Why the work ended.
    pub stop: StopReason,
}

/// Why there is nothing to show for a generalization.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeneralizeError {
    /// The oracle cannot work.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The input to be generalized does not fail.
    #[error("the input does not fail: its verdict is `{0}`")]
    NotFailing(Verdict),
    /// To parse an input takes too much.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

/// Finds out what of a failing input may vary.
pub trait Generalizer: Send + Sync {
    /// The name by which configurations ask for this generalizer.
    fn name(&self) -> &'static str;

    /// Generalizes an input.
    ///
    /// # Errors
    /// When the oracle cannot work, the input does not fail, or another one takes too much to parse.
    fn generalize(
        &self,
        example: Example<'_>,
        planter: &mut dyn Planter,
        judge: &mut Judge<'_>,
        stream: &mut Stream,
    ) -> Result<Generalized, GeneralizeError>;
}

/// The names of all generalizers.
pub const NAMES: [&str; 1] = ["ddset"];

/// The generalizer called `name`, if there is one.
pub fn generalizer(name: &str, settings: Settings) -> Option<Box<dyn Generalizer>> {
    match name {
        "ddset" => Some(Box::new(Ddset::new(settings))),
        _ => None,
    }
}

/// The subtree at `root` as a pattern, open where nodes may vary.
fn pattern_of(grammar: &Grammar, tree: &Tree, root: NodeId, openings: &Openings) -> Pattern {
    let open = openings.below(tree, root);
    Pattern::from_tree(grammar, tree, root, |node, _| open.get(&node).copied())
}
