//! What a parse with several stacks has made so far at the current offset, so that nothing is made twice.
//!
//! Hash tables that are emptied in one step, since that happens at each offset.

use super::index::{GssNodeId, ProductionId, SppfNodeId, VariableId};
use crate::base::id::Id;

#[derive(Clone, Copy, Debug)]
struct Entry<const N: usize, V> {
    key: [u32; N],
    value: V,
    round: u32,
}

impl<const N: usize, V: Default> Default for Entry<N, V> {
    fn default() -> Self {
        Self { key: [0; N], value: V::default(), round: 0 }
    }
}

/// A table from `N` numbers to a value.
#[derive(Debug)]
struct Memo<const N: usize, V> {
    /// Twice as many as can be used, a power of two. Entries of earlier rounds are free.
    entries: Vec<Entry<N, V>>,
    used: usize,
    round: u32,
}

impl<const N: usize, V: Copy + Default> Default for Memo<N, V> {
    fn default() -> Self {
        Self { entries: vec![Entry::default(); 128], used: 0, round: 1 }
    }
}

impl<const N: usize, V: Copy + Default> Memo<N, V> {
    /// Forgets everything.
    fn clear(&mut self) {
        self.used = 0;
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(Entry::default());
            1
        });
    }

    /// The value of a key, if it has one; else it gets `value`.
    #[inline]
    fn get_or_insert(&mut self, key: [u32; N], value: V) -> Option<V> {
        let place = self.find(key);
        let entry = &mut self.entries[place];
        if entry.round == self.round {
            return Some(entry.value);
        }
        *entry = Entry { key, value, round: self.round };
        self.used += 1;
        if 2 * self.used > self.entries.len() {
            self.grow();
        }
        None
    }

    /// Where the key is, or is to be put.
    #[inline]
    fn find(&self, key: [u32; N]) -> usize {
        let mut hash = 0;
        // Two numbers at a time, as multiplications wait for each other.
        for pair in key.chunks(2) {
            let pair = pair.iter().fold(0, |pair, &number| pair << 32 | u64::from(number));
            hash = (u64::rotate_left(hash, 25) ^ pair).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mask = self.entries.len() - 1;
        let mut place = (hash >> 32) as usize & mask;
        while self.entries[place].round == self.round && self.entries[place].key != key {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![Entry::default(); 2 * self.entries.len()];
        let smaller = std::mem::replace(&mut self.entries, larger);
        for entry in smaller.into_iter().filter(|entry| entry.round == self.round) {
            let place = self.find(entry.key);
            self.entries[place] = entry;
        }
    }
}

/// The edges of the graph-structured stack that begin at the current offset.
#[derive(Debug, Default)]
pub(super) struct EdgeMemo(Memo<2, ()>);

impl EdgeMemo {
    /// Whether there was no edge between these nodes; from here on there is one.
    #[inline]
    pub(super) fn is_new(&mut self, above: GssNodeId, below: GssNodeId) -> bool {
        self.0.get_or_insert([above.key(), below.key()], ()).is_none()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// What the semantic actions have made.
#[derive(Debug, Default)]
pub(super) struct NodeMemo {
    /// The node of a variable that begins at an offset.
    nodes: Memo<2, Option<SppfNodeId>>,
    /// The alternatives of nodes: the node, the production and its two nodes.
    alternatives: Memo<4, ()>,
}

impl NodeMemo {
    /// The node of a variable that begins at `start`, if it has one; else it gets `new`.
    #[inline]
    pub(super) fn node(&mut self, variable: VariableId, start: u32, new: SppfNodeId) -> Option<SppfNodeId> {
        self.nodes.get_or_insert([variable.key(), start], Some(new)).flatten()
    }

    /// Whether a node had no such alternative; from here on it has it.
    #[inline]
    pub(super) fn is_new_alternative(
        &mut self,
        node: SppfNodeId,
        production: ProductionId,
        nodes: [Option<SppfNodeId>; 2],
    ) -> bool {
        let [node, left, right] = [Some(node), nodes[0], nodes[1]].map(SppfNodeId::key);
        self.alternatives.get_or_insert([node, production.index() as u32, left, right], ()).is_none()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.alternatives.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_remembers_until_it_is_cleared() {
        let mut memo = Memo::<2, u32>::default();
        let mut other = Memo::<4, ()>::default();
        for round in 0..3 {
            for number in 0..2_000 {
                assert_eq!(memo.get_or_insert([number, round], number), None);
                assert_eq!(other.get_or_insert([1, number, round, 2], ()), None);
            }
            for number in 0..2_000 {
                assert_eq!(memo.get_or_insert([number, round], 0), Some(number));
                assert_eq!(other.get_or_insert([1, number, round, 2], ()), Some(()));
            }
            memo.clear();
            other.clear();
        }
    }
}
