//! The generalizers: a reduced failing input to an abstract one, in which placeholders stand for
//! whatever may vary, and to the smallest part of it that brings the failure about in every
//! context.
//!
//! Depends on [`crate::base`], [`crate::grammar`], [`crate::tree`], [`crate::pattern`],
//! [`crate::parse`], [`crate::produce`] and [`crate::oracle`].

mod abstract_input;
mod abstract_nodes;
mod abstracting;
mod characteristic;
mod cheapest;
mod context;
mod counterexamples;
mod ddset;
mod ddset_simple;
mod dictionary;
mod evidence;
mod isolation;
mod joint_trial;
mod learn;
mod refutation;
mod sharing;
mod substitution;
#[cfg(test)]
mod tests;
mod trial;

pub use abstract_input::AbstractInput;
pub use abstract_nodes::AbstractNodes;
pub use context::{RandomContextSampler, random_instance};
pub use ddset::Ddset;
pub use dictionary::{Dictionary, NoDictionary};
pub use learn::{Learn, LearnSettings};
pub use refutation::{Question, Refutation};

use std::sync::Arc;

use serde::Serialize;

use crate::base::budget::StopReason;
use crate::base::limits::Exceeded;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{Registry, UnknownPlugIn};
use crate::grammar::{Grammar, NonterminalId};
use crate::oracle::{Judge, OracleError, Verdict};
use crate::parse::Parser;
use crate::pattern::{Expression, Pattern};
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
    /// Make random inputs of the whole grammar, in turn; if there are none, the one that fills placeholders does.
    pub producers: &'a [Box<dyn Producer>],
    /// The failing input that was given, before it was reduced.
    pub given: &'a [u8],
    /// The words that the program itself has.
    pub dictionary: &'a dyn Dictionary,
}

impl<'a> Example<'a> {
    /// An example of a program of which no words are known, with one producer.
    pub fn new(tree: &'a Tree, parser: &'a Parser, producer: &'a dyn Producer, given: &'a [u8]) -> Self {
        let grammar = parser.grammar();
        Self { grammar, tree, parser, producer, producers: &[], given, dictionary: &NoDictionary }
    }
}

/// Makes inputs whose derivation trees contain a pattern, in a random context.
pub trait ContextSampler {
    /// A random input in whose derivation tree `pattern` occurs; `None` when there is none.
    fn sample(&mut self, pattern: &Pattern, stream: &mut RandomStream) -> Option<Vec<u8>>;

    /// A random input in which `text` stands as a `target`; `None` when there is none.
    fn around(&mut self, target: NonterminalId, text: &[u8], stream: &mut RandomStream) -> Option<Vec<u8>>;
}

/// How the characteristic node is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Characteristic {
    /// By asking the oracle: the smallest subtree that fails in every context.
    #[default]
    Asked,
    /// The papers' rule: the smallest subtree that holds all concrete terminals.
    Static,
}

/// How much evidence a generalizer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneralizerSettings {
    /// The number of different inputs that must fail in a trial before something may vary. Where there are fewer
    /// inputs, all of them must.
    pub checks: usize,
    /// The number of unresolved inputs that one trial may replace by others. A trial that will most
    /// likely need more is given up earlier.
    pub redraws: usize,
    /// The number of different inputs (or half of `checks`, if that is fewer) that must fail in a trial before a part that
    /// varies alone is taken for one that may, until it is verified together with all others.
    pub screening_checks: usize,
    /// After this number of consecutive repetitions no new input is expected.
    pub repetitions: usize,
    /// How the characteristic node is found.
    pub characteristic: Characteristic,
}

impl Default for GeneralizerSettings {
    /// The papers' settings.
    fn default() -> Self {
        Self::of_checks(100)
    }
}

impl GeneralizerSettings {
    /// The settings with this number of checks.
    pub fn of_checks(checks: usize) -> Self {
        Self {
            checks,
            redraws: checks.saturating_mul(3),
            screening_checks: 8,
            repetitions: 1_000,
            characteristic: Characteristic::default(),
        }
    }

    /// The share of inputs that must be resolved, so that a trial is completed before its redraws are
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

/// What generalizers call what brings the failure about.
pub(crate) const EXPRESSION_NAME: &str = "F";

/// What a generalizer found.
#[derive(Clone, Debug)]
pub struct Generalized {
    /// What brings the failure about, as far as is known.
    pub expression: Expression,
    /// Whether inputs of the expression failed whatever stood around it. If not, or if nobody asked, it is
    /// the best guess.
    pub verified: bool,
    /// The given input as an abstract one, if the generalizer makes one.
    pub abstract_input: Option<AbstractInput>,
    /// What spoke against a larger abstraction, in the order in which it was found out.
    pub refutations: Vec<Refutation>,
    /// The phases of the work, in their order.
    pub phases: Vec<Phase>,
    /// Why the work ended.
    pub stop: StopReason,
}

impl Generalized {
    /// The pattern whose occurrence is all that the expression says, if that is so.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.expression.only_pattern()
    }

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
        sampler: &mut dyn ContextSampler,
        judge: &mut Judge<'_>,
        stream: &mut RandomStream,
    ) -> Result<Generalized, GeneralizeError>;
}

/// Makes a generalizer that asks for a number of checks, unless its own settings say another.
pub type MakeGeneralizer = Arc<dyn Fn(usize) -> Box<dyn Generalizer> + Send + Sync>;

/// All generalizers.
pub const GENERALIZERS: Registry<MakeGeneralizer> =
    Registry::new("generalizer", &ddset::PLUG_IN, &[ddset::PLUG_IN, ddset_simple::PLUG_IN, learn::PLUG_IN]);

/// The generalizer called `name`, which asks for this number of checks.
///
/// # Errors
/// When there is none.
pub fn generalizer(name: &str, checks: usize) -> Result<Box<dyn Generalizer>, UnknownPlugIn> {
    GENERALIZERS.get(name).map(|variant| (variant.make)(checks))
}
