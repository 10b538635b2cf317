//! The producers: grammar to inputs.
//!
//! Depends on [`crate::base`] and [`crate::grammar`]; pure.

mod distinct;
mod limit;

pub use distinct::{Distinct, distinct};
pub use limit::LimitProducer;

use crate::base::stream::Stream;
use crate::grammar::NonterminalId;

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

/// The nonterminal derives no string at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no string can be derived")]
pub struct Unproductive;
