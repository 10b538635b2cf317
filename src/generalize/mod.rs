//! The generalizers: a reduced failing input to an abstract one, in which placeholders stand for
//! whatever may vary, and to the smallest part of it that brings the failure about wherever it is
//! planted.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`], [`crate::pattern`],
//! [`crate::produce`] and [`crate::oracle`].

mod abstracting;
mod characteristic;
mod cheapest;
mod context;
mod ddset;
mod isolation;
mod likely;
mod row;
#[cfg(test)]
mod tests;

pub use context::RandomContext;
pub use ddset::Ddset;

use crate::base::bitset::BitSet;
use crate::base::budget::StopReason;
use crate::base::stream::Stream;
use crate::grammar::Grammar;
use crate::oracle::{Judge, OracleError, Verdict};
use crate::pattern::{Openness, Pattern};
use crate::produce::Producer;
use crate::tree::{NodeId, Tree};

/// A reduced failing input, with what a generalizer needs to vary it.
#[derive(Clone, Copy)]
pub struct Example<'a> {
    /// The grammar of the subject.
    pub grammar: &'a Grammar,
    /// The derivation tree of the input.
    pub tree: &'a Tree,
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
    /// At most so many unresolved inputs are replaced by others in one row.
    pub redraws: usize,
    /// After so many repetitions in a row there is taken to be nothing new.
    pub repetitions: usize,
    /// How the characteristic node is found.
    pub characteristic: Characteristic,
}

impl Default for Settings {
    /// The papers' settings.
    fn default() -> Self {
        Self { checks: 100, redraws: 100, repetitions: 1_000, characteristic: Characteristic::default() }
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
    /// The topmost nodes that may vary.
    pub abstract_nodes: BitSet<NodeId>,
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
}

/// Finds out what of a failing input may vary.
pub trait Generalizer: Send + Sync {
    /// The name by which configurations ask for this generalizer.
    fn name(&self) -> &'static str;

    /// Generalizes an input.
    ///
    /// # Errors
    /// When the oracle cannot work, or the input does not fail.
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

/// The subtree at `root` as a pattern, open at `abstract_nodes`.
fn pattern_of(grammar: &Grammar, tree: &Tree, root: NodeId, abstract_nodes: &BitSet<NodeId>) -> Pattern {
    Pattern::from_tree(grammar, tree, root, |node, _| {
        abstract_nodes.contains(node).then_some(Openness::Abstract)
    })
}
