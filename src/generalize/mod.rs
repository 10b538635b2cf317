//! The generalizers: a reduced failing input to an abstract one, in which placeholders stand for
//! whatever may vary, and to the smallest part of it that brings the failure about wherever it is
//! planted.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`], [`crate::pattern`],
//! [`crate::parse`], [`crate::produce`] and [`crate::oracle`].

mod abstract_input;
mod abstracting;
mod characteristic;
mod cheapest;
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

pub use abstract_input::AbstractInput;
pub use context::{RandomContext, random_instance};
pub use ddset::Ddset;
pub use openings::Openings;

use crate::base::budget::StopReason;
use crate::base::limits::Exceeded;
use crate::base::registry::{Registry, UnknownPlugIn};
use crate::base::stream::Stream;
use crate::grammar::Grammar;
use crate::oracle::{Judge, OracleError, Verdict};
use crate::parse::Parser;
use crate::pattern::Pattern;
use crate::produce::Producer;
use crate::tree::Tree;

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

/// One of the phases of a generalizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What the generalizer calls it.
    pub name: &'static str,
    /// The executions that it took.
    pub executions: u64,
}

/// What a generalizer found.
#[derive(Clone, Debug)]
pub struct Generalized {
    /// The pattern that brings the failure about, as far as is known.
    pub pattern: Pattern,
    /// Whether inputs with the pattern failed whatever stood around it. If not, or if nobody asked, it is
    /// the best guess.
    pub verified: bool,
    /// The given input as an abstract one, if the generalizer makes one.
    pub abstract_input: Option<AbstractInput>,
    /// The phases of the work, in their order.
    pub phases: Vec<Phase>,
    /// Why the work ended.
    pub stop: StopReason,
}

impl Generalized {
    /// The executions that the phase called `name` took.
    pub fn executions_of(&self, name: &str) -> u64 {
        self.phases.iter().filter(|phase| phase.name == name).map(|phase| phase.executions).sum()
    }
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

/// Makes a generalizer.
pub type MakeGeneralizer = fn(Settings) -> Box<dyn Generalizer>;

/// All generalizers.
pub const GENERALIZERS: Registry<MakeGeneralizer> =
    Registry::new("generalizer", &ddset::PLUG_IN, &[ddset::PLUG_IN]);

/// The generalizer called `name`.
///
/// # Errors
/// When there is none.
pub fn generalizer(name: &str, settings: Settings) -> Result<Box<dyn Generalizer>, UnknownPlugIn> {
    GENERALIZERS.get(name).map(|make| make(settings))
}
