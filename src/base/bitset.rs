//! Sets of small numbers, one bit each.
//!
//! Ordered and hashed by content: two sets with the same members are equal, whatever their history.

use super::id::Id;
use std::fmt;
use std::marker::PhantomData;

/// A set of ids of type `I`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitSet<I> {
    /// Never ends in a zero word, so that equality of words is equality of sets.
    words: Vec<u64>,
    id: PhantomData<fn(I)>,
}

impl<I: Id> BitSet<I> {
    /// The empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new(), id: PhantomData }
    }

    /// The set of the first `len` ids.
    pub fn full(len: usize) -> Self {
        (0..len).map(I::new).collect()
    }

    /// Adds `id`; says whether it was new.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes `id` out; says whether it was a member.
    pub fn remove(&mut self, id: I) -> bool {
        let member = self.contains(id);
        if member {
            self.words[id.index() / 64] &= !(1 << (id.index() % 64));
            self.trim();
        }
        member
    }

    /// Whether `id` is a member.
    pub fn contains(&self, id: I) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |word| {
                let rest = word & (word - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |word| I::new(index * 64 + word.trailing_zeros() as usize))
        })
    }

    /// Adds all members of `other`; says whether any was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// Keeps only what is in `other` too.
    pub fn intersect_with(&mut self, other: &Self) {
        self.words.truncate(other.words.len());
        for (word, &keep) in self.words.iter_mut().zip(&other.words) {
            *word &= keep;
        }
        self.trim();
    }

    /// Takes out what is in `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, &gone) in self.words.iter_mut().zip(&other.words) {
            *word &= !gone;
        }
        self.trim();
    }

    /// Whether some id is in both sets.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// The number of ids in both sets.
    pub fn common(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The last id in both sets that comes before `end`.
    pub fn last_common(&self, other: &Self, end: I) -> Option<I> {
        let (word, bit) = (end.index() / 64, end.index() % 64);
        let both = self.words.iter().zip(&other.words).enumerate().take(word + 1).rev();
        let mut both =
            both.map(|(index, (a, b))| (index, if index == word { a & b & ((1 << bit) - 1) } else { a & b }));
        let (index, word) = both.find(|&(_, word)| word != 0)?;
        Some(I::new(index * 64 + word.ilog2() as usize))
    }

    /// Whether every member is in `other` too.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.len() <= other.words.len() && self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl<I: Id> Default for BitSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> FromIterator<I> for BitSet<I> {
    fn from_iter<It: IntoIterator<Item = I>>(ids: It) -> Self {
        let mut set = Self::new();
        set.extend(ids);
        set
    }
}

impl<I: Id> Extend<I> for BitSet<I> {
    fn extend<It: IntoIterator<Item = I>>(&mut self, ids: It) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<I: Id> fmt::Debug for BitSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Id::index)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    crate::id_type!(
        /// A number, for the tests.
        N
    );

    fn set(numbers: &BTreeSet<usize>) -> BitSet<N> {
        numbers.iter().map(|&n| N::new(n)).collect()
    }

    proptest! {
        #[test]
        fn behaves_like_a_set_of_numbers(a: BTreeSet<u8>, b: BTreeSet<u8>) {
            let a: BTreeSet<usize> = a.into_iter().map(usize::from).collect();
            let b: BTreeSet<usize> = b.into_iter().map(usize::from).collect();
            prop_assert_eq!(set(&a).iter().map(Id::index).collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(set(&a).len(), a.len());
            prop_assert_eq!(set(&a).is_subset(&set(&b)), a.is_subset(&b));
            prop_assert_eq!(set(&a).intersects(&set(&b)), !a.is_disjoint(&b));
            prop_assert_eq!(set(&a).common(&set(&b)), a.intersection(&b).count());
            for end in 0..=256 {
                let last = (&a & &b).into_iter().rfind(|&id| id < end);
                prop_assert_eq!(set(&a).last_common(&set(&b), N::new(end)).map(Id::index), last);
            }
            let mut union = set(&a);
            prop_assert_eq!(union.union_with(&set(&b)), !b.is_subset(&a));
            prop_assert_eq!(union, set(&(&a | &b)));
            let mut both = set(&a);
            both.intersect_with(&set(&b));
            prop_assert_eq!(both, set(&(&a & &b)));
            let mut rest = set(&a);
            rest.subtract(&set(&b));
            prop_assert_eq!(rest, set(&(&a - &b)));
        }
    }
}
