//! Gives each distinct value one id, in order of first appearance.
//!
//! Equal values get equal ids, so that comparing, hashing and storing structured values
//! (names, automaton states, sets of states) costs no more than comparing numbers.

use std::borrow::Borrow;
use std::hash::Hash;
use std::ops::Index;

use rustc_hash::FxHashMap;

use super::id::{Id, IdVec};

/// A table of distinct values.
#[derive(Clone, Debug)]
pub struct Interner<I, T> {
    ids: FxHashMap<T, I>,
    values: IdVec<I, T>,
}

impl<I: Id, T: Clone + Eq + Hash> Interner<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self { ids: FxHashMap::default(), values: IdVec::new() }
    }

    /// The id of `value`, which is added if it is new.
    pub fn intern(&mut self, value: T) -> I {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        self.ids.insert(value, id);
        id
    }

    /// The id of `value`, if it is in the table.
    pub fn lookup<Q>(&self, value: &Q) -> Option<I>
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.ids.get(value).copied()
    }

    /// The number of distinct values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the table has no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, by id.
    pub fn values(&self) -> &IdVec<I, T> {
        &self.values
    }
}

impl<I: Id, T: Clone + Eq + Hash> Default for Interner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for Interner<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.values[id]
    }
}

/// Two tables are equal when they give the same ids to the same values.
impl<I: Id, T: PartialEq> PartialEq for Interner<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<I: Id, T: Eq> Eq for Interner<I, T> {}
