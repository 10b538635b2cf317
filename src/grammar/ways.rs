//! The cheapest ways between nonterminals: Dijkstra's algorithm, over the rules that lead from one to another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::id::IdVec;

use super::model::NonterminalId;

/// For each nonterminal the cost of the cheapest way between it and the one that was asked for, and the link of the way that is next to it: no
/// link at the end of the way. `None` where there is no way.
pub type Ways<L> = IdVec<NonterminalId, Option<(u64, Option<L>)>>;

/// The cheapest ways between `end` and each of `count` nonterminals. `links` gives what links a nonterminal to those next to it, with these and
/// the costs; of equally cheap ways the one with the least link is taken.
pub fn cheapest_ways<L: Copy + Ord, I: IntoIterator<Item = (L, NonterminalId, u64)>>(
    count: usize,
    end: NonterminalId,
    links: impl Fn(NonterminalId) -> I,
) -> Ways<L> {
    let mut ways: Ways<L> = IdVec::filled(None, count);
    let mut queue = BinaryHeap::from([Reverse((0, None::<L>, end))]);
    while let Some(Reverse((cost, link, at))) = queue.pop() {
        if ways[at].is_some() {
            continue;
        }
        ways[at] = Some((cost, link));
        for (link, next, more) in links(at) {
            queue.push(Reverse((u64::saturating_add(cost, more), Some(link), next)));
        }
    }
    ways
}
