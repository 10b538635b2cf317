//! A number of inputs from a producer that may repeat itself: distinct ones, or as they come.

use std::collections::HashSet;

use crate::base::random_stream::RandomStream;
use crate::grammar::NonterminalId;

use super::{Producer, Unproductive};

/// After this many consecutive inputs that are not new, or not wanted, the producer is considered exhausted.
const MOST_IN_VAIN: usize = 2_000;

/// Inputs, in the order in which they were first produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The inputs.
    pub inputs: Vec<Box<[u8]>>,
    /// How many inputs were produced in all, those included that were not taken.
    pub produced: usize,
}

/// Draws until `wanted` distinct inputs that `accept` takes are there, or until nothing new comes:
/// a small language has fewer inputs than were asked for, and the caller says so.
///
/// # Errors
/// When the nonterminal derives nothing; what else `accept` reports.
pub fn distinct<E: From<Unproductive>>(
    producer: &dyn Producer,
    nonterminal: NonterminalId,
    stream: &mut RandomStream,
    wanted: usize,
    mut accept: impl FnMut(&[u8]) -> Result<bool, E>,
) -> Result<Drawn, E> {
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    repeated(producer, nonterminal, stream, wanted, |text| Ok(seen.insert(text.into()) && accept(text)?))
}

/// As [`distinct`], but an input may come again. After many inputs in a row that `accept` does not take
/// there are taken to be no more.
///
/// # Errors
/// As [`distinct`].
pub fn repeated<E: From<Unproductive>>(
    producer: &dyn Producer,
    nonterminal: NonterminalId,
    stream: &mut RandomStream,
    wanted: usize,
    mut accept: impl FnMut(&[u8]) -> Result<bool, E>,
) -> Result<Drawn, E> {
    let mut result = Drawn { inputs: Vec::new(), produced: 0 };
    let mut in_vain = 0;
    let mut session = producer.begin();
    while result.inputs.len() < wanted && in_vain < MOST_IN_VAIN {
        let mut text = Vec::new();
        session.produce(nonterminal, stream, &mut text)?;
        result.produced += 1;
        if accept(&text)? {
            in_vain = 0;
            result.inputs.push(text.into());
        } else {
            in_vain += 1;
        }
    }
    Ok(result)
}
