//! Distinct inputs from a producer that may repeat itself.

use std::collections::HashSet;

use crate::base::stream::Stream;
use crate::grammar::NonterminalId;

use super::{Producer, Unproductive};

/// After so many repetitions in a row the producer is taken to have nothing new.
const MOST_REPETITIONS: usize = 2_000;

/// Distinct inputs, in the order in which they were first produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// The inputs.
    pub inputs: Vec<Box<[u8]>>,
    /// How many inputs were produced in all, repetitions included.
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
    stream: &mut Stream,
    wanted: usize,
    mut accept: impl FnMut(&[u8]) -> Result<bool, E>,
) -> Result<Distinct, E> {
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    let mut result = Distinct { inputs: Vec::new(), produced: 0 };
    let mut repetitions = 0;
    let mut session = producer.begin();
    while result.inputs.len() < wanted && repetitions < MOST_REPETITIONS {
        let mut text = Vec::new();
        session.produce(nonterminal, stream, &mut text)?;
        result.produced += 1;
        if seen.contains(text.as_slice()) {
            repetitions += 1;
            continue;
        }
        let text: Box<[u8]> = text.into();
        seen.insert(text.clone());
        if accept(&text)? {
            repetitions = 0;
            result.inputs.push(text);
        } else {
            // New, yet not wanted: counts as well, or a producer of unwanted inputs would never end.
            repetitions += 1;
        }
    }
    Ok(result)
}
