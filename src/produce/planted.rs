//! Parts of failing inputs at random places of random inputs: where random inputs hardly ever fail, these do.

use crate::base::limits::Exceeded;
use crate::base::random_stream::RandomStream;
use crate::grammar::NonterminalId;
use crate::parse::Parser;
use crate::tree::{NodeId, Tree};

use super::{Mutator, RandomInputs};

/// The number of times that a part and an input are drawn before there is taken to be no place for any.
const MOST_IN_VAIN: usize = 200;

/// A random input with a random part of one of `failing` in it; `None` when there is none.
///
/// # Errors
/// When a limit is reached.
pub fn plant(
    failing: &[Tree],
    random: &mut RandomInputs<'_>,
    mutator: &Mutator<'_>,
    parser: &Parser,
    stream: &mut RandomStream,
) -> Result<Option<Vec<u8>>, Exceeded> {
    for _ in 0..MOST_IN_VAIN {
        let Some(host) = random.draw(stream)? else { return Ok(None) };
        let Some(host) = mutator.tree(&host)? else { continue };
        let tree = stream.pick(failing);
        let parts = places(parser, tree);
        let mut kinds: Vec<NonterminalId> = parts.iter().map(|&(id, _)| id).collect();
        kinds.sort_unstable();
        kinds.dedup();
        // A place is needed: only what both of them have.
        let hosts = places(parser, &host);
        kinds.retain(|kind| hosts.iter().any(|(id, _)| id == kind));
        if kinds.is_empty() {
            continue;
        }
        let kind = *stream.pick(&kinds);
        let mut of_kind = |places: &[(NonterminalId, NodeId)]| {
            let nodes: Vec<NodeId> =
                places.iter().filter(|(id, _)| *id == kind).map(|&(_, node)| node).collect();
            *stream.pick(&nodes)
        };
        let (part, place) = (of_kind(&parts), of_kind(&hosts));
        let mut text = Vec::new();
        tree.write_yield(parser.grammar(), part, &mut text);
        if let Some(planted) = mutator.replaced(&host, place, &text)? {
            return Ok(Some(planted));
        }
    }
    Ok(None)
}

/// The nodes below the root, with their nonterminals. What is inside of words, and between them, bears no failure.
fn places(parser: &Parser, tree: &Tree) -> Vec<(NonterminalId, NodeId)> {
    let is_within_words =
        |id: NonterminalId| parser.lexis().is_some_and(|lexis| lexis.is_lexical(id) || lexis.is_gap(id));
    let is_token = |id: NonterminalId| parser.grammar().nonterminal(id).token.is_some();
    let nodes = tree.preorder(tree.root()).skip(1);
    let nodes = nodes.filter_map(|node| Some((tree.nonterminal(parser.grammar(), node)?, node)));
    nodes.filter(|&(id, _)| is_token(id) || !is_within_words(id)).collect()
}
