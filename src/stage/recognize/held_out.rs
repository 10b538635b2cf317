//! Held-out inputs, which no stage before has met: random ones of the base grammar, and mutations of the failing
//! input (a subtree swapped for a random one), which fail far more often than random ones do.

use std::collections::HashSet;

use crate::base::stream::Stream;
use crate::grammar::NonterminalId;
use crate::produce::{Producer, distinct};
use crate::tree::NodeId;

use super::super::error::StageError;
use super::super::target::Target;
use super::RecognizeSettings;

/// After this many consecutive mutations that are not new, no more are expected.
const MOST_REPETITIONS: usize = 2_000;

/// Held-out inputs, and how many of them are random ones: these come first.
pub(super) type HeldOut = (Vec<Box<[u8]>>, usize);

/// Makes them.
pub(super) fn held_out(
    target: &Target<'_>,
    producer: &dyn Producer,
    settings: &RecognizeSettings,
    stream: &mut Stream,
) -> Result<HeldOut, StageError> {
    let any = |_: &[u8]| -> Result<bool, StageError> { Ok(true) };
    let mut inputs = distinct(producer, target.grammar().start(), stream, settings.random, any)?.inputs;
    let random = inputs.len();
    let mut known: HashSet<Box<[u8]>> = inputs.iter().cloned().collect();
    known.insert(target.failing().into());
    let mut repetitions = 0;
    let wanted = random + settings.mutations;
    let mutations = Mutations::of(target)?;
    while inputs.len() < wanted && repetitions < MOST_REPETITIONS {
        let input: Box<[u8]> = mutations.draw(producer, stream)?.into();
        if known.insert(input.clone()) {
            repetitions = 0;
            inputs.push(input);
        } else {
            repetitions += 1;
        }
    }
    Ok((inputs, random))
}

/// The failing input's nodes, and where their texts are.
struct Mutations<'a> {
    text: &'a [u8],
    nodes: Vec<(NonterminalId, (usize, usize))>,
}

impl<'a> Mutations<'a> {
    fn of(target: &'a Target<'_>) -> Result<Self, StageError> {
        let text = target.failing();
        let tree = target.parse(text)?;
        let spans = tree.spans(target.grammar());
        let place = |node: NodeId| Some((tree.nonterminal(target.grammar(), node)?, spans[node]));
        Ok(Self { text, nodes: tree.preorder(tree.root()).filter_map(place).collect() })
    }

    /// The failing input with one subtree swapped for a random one.
    fn draw(&self, producer: &dyn Producer, stream: &mut Stream) -> Result<Vec<u8>, StageError> {
        let &(nonterminal, (start, end)) = stream.pick(&self.nodes);
        let mut text = self.text[..start].to_vec();
        producer.produce(nonterminal, stream, &mut text)?;
        text.extend_from_slice(&self.text[end..]);
        Ok(text)
    }
}
