//! How the names of an expression refer to each other.

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::NonterminalId;

use super::expression::{NamedPattern, PatternId};
use super::model::Pattern;

/// The names that each name depends on: itself, those in its conditions, those in theirs, and so on.
pub fn dependencies(patterns: &IdVec<PatternId, NamedPattern>) -> IdVec<PatternId, BitSet<PatternId>> {
    let direct: IdVec<PatternId, Vec<PatternId>> = patterns
        .iter()
        .map(|named| {
            let conditions = named.alternatives.iter().flat_map(Pattern::conditions);
            conditions.flat_map(|condition| condition.names()).map(|(name, _)| name).collect()
        })
        .collect();
    let close = |name| {
        let mut all = BitSet::from_iter([name]);
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            open.extend(direct[name].iter().copied().filter(|&next| all.insert(next)));
        }
        all
    };
    patterns.ids().map(close).collect()
}

/// The names in an order in which each comes behind those on which it depends at the same node, a node of
/// `nonterminal`: because an alternative is nothing but a placeholder with a condition. Where a name depends on
/// itself, there is no such order, and any is as good.
pub fn order_at(patterns: &IdVec<PatternId, NamedPattern>, nonterminal: NonterminalId) -> Vec<PatternId> {
    sorted(patterns, nonterminal).0
}

/// A name that depends on itself at one and the same node, if there is any: it means nothing.
pub fn circular(patterns: &IdVec<PatternId, NamedPattern>) -> Option<PatternId> {
    let mut nonterminals: Vec<NonterminalId> = patterns
        .iter()
        .flat_map(|named| &named.alternatives)
        .filter(|pattern| pattern.node(pattern.root()).condition().is_some())
        .map(Pattern::characteristic)
        .collect();
    nonterminals.sort_unstable();
    nonterminals.dedup();
    nonterminals.into_iter().find_map(|nonterminal| sorted(patterns, nonterminal).1)
}

fn sorted(
    patterns: &IdVec<PatternId, NamedPattern>,
    nonterminal: NonterminalId,
) -> (Vec<PatternId>, Option<PatternId>) {
    let needed = |name: PatternId| -> Vec<PatternId> {
        let alternatives = patterns[name].alternatives.iter();
        alternatives
            .filter(|pattern| pattern.characteristic() == nonterminal)
            .filter_map(|pattern| pattern.node(pattern.root()).condition())
            .flat_map(|condition| condition.names())
            .map(|(name, _)| name)
            .collect()
    };
    let (mut order, mut circular) = (Vec::new(), None);
    let (mut begun, mut ended): (BitSet<PatternId>, BitSet<PatternId>) = (BitSet::new(), BitSet::new());
    for name in patterns.ids() {
        let mut open = vec![(name, false)];
        while let Some((name, is_ready)) = open.pop() {
            if is_ready {
                ended.insert(name);
                order.push(name);
            } else if begun.insert(name) {
                open.push((name, true));
                open.extend(needed(name).into_iter().map(|needed| (needed, false)));
            } else if !ended.contains(name) {
                circular = circular.or(Some(name));
            }
        }
    }
    (order, circular)
}
