//! The producers: grammar to inputs.
//!
//! Depends on [`crate::base`], [`crate::grammar`] and, to count, [`crate::automaton`]; for expressions with
//! bound nodes on [`crate::parse`], [`crate::tree`], [`crate::pattern`] and [`crate::validate`]. Pure.

mod bound_text;
mod coverage;
mod distinct;
#[cfg(test)]
mod laws;
mod lengths;
mod limit;
mod mutate;
mod paths;
mod planted;
mod program;
mod random_below;
mod random_inputs;
mod token_separator;
mod uniform;
mod weighted_sampler;

pub use bound_text::BoundTextProducer;
pub use coverage::CoverageProducer;
pub use distinct::{Drawn, distinct, repeated};
pub use lengths::{LengthError, Lengths};
pub use limit::LimitProducer;
pub use mutate::{ChangeKind, Grower, Growing, Insertion, Mutator};
pub use planted::plant;
pub use random_inputs::{RandomInputs, all_producers};
pub use uniform::UniformProducer;

use std::sync::Arc;

use crate::automaton::CountError;
use crate::base::limits::Limits;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{Registry, UnknownPlugIn};
use crate::grammar::{Grammar, Lexis, NonterminalId};

/// Makes random inputs of a grammar. The same stream gives the same inputs.
pub trait Producer: Send + Sync {
    /// Begins a sequence of inputs, each of which may depend on those before.
    fn begin(&self) -> Box<dyn ProducerSession + '_>;

    /// The lengths that all its inputs have, if it keeps to some.
    fn lengths(&self) -> Option<Lengths> {
        None
    }

    /// Appends one random string that `nonterminal` derives to `text`, whatever was produced before.
    ///
    /// # Errors
    /// When there is no such string.
    fn produce(
        &self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        self.begin().produce(nonterminal, stream, text)
    }
}

/// A sequence of inputs.
pub trait ProducerSession {
    /// Appends the next random string that `nonterminal` derives to `text`. Always ends.
    ///
    /// # Errors
    /// When there is no such string.
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive>;
}

/// What a producer is made of.
#[derive(Clone, Copy)]
pub struct ProducerSpec<'a> {
    /// The grammar.
    pub grammar: &'a Arc<Grammar>,
    /// The words to keep apart, if they are not those of the grammar: a specialized grammar may have lost words
    /// that others run into.
    pub words: Option<&'a Lexis>,
    /// Down to this depth producers that have one choose freely, below it the cheapest rules.
    pub depth: u32,
    /// At these, counting ends.
    pub limits: &'a Limits,
}

/// Makes a producer.
pub type MakeProducer =
    Arc<dyn Fn(ProducerSpec<'_>) -> Result<Box<dyn Producer>, ProducerError> + Send + Sync>;

/// All producers.
pub const PRODUCERS: Registry<MakeProducer> =
    Registry::new("producer", &limit::PLUG_IN, &[limit::PLUG_IN, uniform::PLUG_IN, coverage::PLUG_IN]);

/// The producer called `name` for `grammar`, with its default settings. Where the grammar has words (`@token`), `limit` and `coverage` keep
/// them apart; `uniform` does not, and many of its inputs may not be of the language then. A specialized
/// grammar may have lost words that others run into: `words` are those of its base. Counting, for `uniform`, ends
/// at `limits`.
///
/// # Errors
/// When there is none of that name, or it cannot work on this grammar.
pub fn producer(
    name: &str,
    grammar: &Arc<Grammar>,
    words: Option<&Lexis>,
    depth: u32,
    limits: &Limits,
) -> Result<Box<dyn Producer>, ProducerError> {
    (PRODUCERS.get(name)?.make)(ProducerSpec { grammar, words, depth, limits })
}

/// Why there is no producer for a grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProducerError {
    /// There is no producer of that name.
    #[error(transparent)]
    Unknown(#[from] UnknownPlugIn),
    /// Derivations of a length cannot be counted.
    #[error("the producer `uniform` cannot count derivations: {0}")]
    Uncountable(#[from] CountError),
    /// Paths are too long for this grammar.
    #[error("the grammar has more than {most} paths of {symbols} symbols; cover shorter ones")]
    TooManyPaths {
        /// The number of symbols in a path.
        symbols: usize,
        /// The maximum number of paths.
        most: usize,
    },
}

/// Why nothing can be produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproductive {
    /// The nonterminal derives no string at all.
    #[error("no string can be derived")]
    Nothing,
    /// The nonterminal derives no string of these lengths.
    #[error("no string of {0} bytes can be derived")]
    Length(Lengths),
}
