//! The producers: grammar to inputs.
//!
//! Depends on [`crate::base`] and [`crate::grammar`]; pure.

mod distinct;
mod limit;

pub use distinct::{Distinct, distinct};
pub use limit::LimitProducer;

use std::sync::Arc;

use crate::base::stream::Stream;
use crate::grammar::{Grammar, NonterminalId};

/// Makes random inputs of a grammar. The same stream gives the same inputs.
pub trait Producer: Send + Sync {
    /// Appends a random string that `nonterminal` derives to `text`. Always ends.
    ///
    /// # Errors
    /// When the nonterminal derives nothing.
    fn produce(
        &self,
        nonterminal: NonterminalId,
        stream: &mut Stream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive>;
}

/// The names of all producers.
pub const NAMES: [&str; 1] = ["limit"];

/// The producer called `name` for `grammar`, if there is one. It chooses freely down to `depth`.
pub fn producer(name: &str, grammar: &Arc<Grammar>, depth: u32) -> Option<Box<dyn Producer>> {
    match name {
        "limit" => Some(Box::new(LimitProducer::new(Arc::clone(grammar), depth))),
        _ => None,
    }
}

/// The nonterminal derives no string at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no string can be derived")]
pub struct Unproductive;
