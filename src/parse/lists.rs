//! Lists of items, one for each id, in one vector.

use crate::base::id::{Id, IdVec};

/// A list of items for each id.
#[derive(Clone, Debug)]
pub(super) struct Lists<I, T> {
    /// Where in `items` each list ends.
    ends: IdVec<I, u32>,
    items: Vec<T>,
}

impl<I: Id, T: Copy> Lists<I, T> {
    /// No lists yet, with room for this number of items.
    pub(super) fn with_capacity(items: usize) -> Self {
        Self { ends: IdVec::new(), items: Vec::with_capacity(items) }
    }

    /// Adds the list of the next id.
    pub(super) fn push(&mut self, items: impl Iterator<Item = T>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u32);
    }

    /// The lists of the first `count` ids, with the items of these pairs in their order.
    pub(super) fn grouped(count: usize, pairs: &[(I, T)]) -> Self {
        let mut ends: IdVec<I, u32> = IdVec::filled(0, count);
        for &(id, _) in pairs {
            ends[id] += 1;
        }
        let mut sum = 0;
        for id in ends.ids() {
            sum += std::mem::replace(&mut ends[id], sum);
        }
        // Each end is the begin until its list is filled.
        let mut items: Vec<T> = pairs.iter().map(|&(_, item)| item).collect();
        for &(id, item) in pairs {
            let place = &mut ends[id];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { ends, items }
    }

    /// The number of lists.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of items in all lists.
    pub(super) fn items(&self) -> usize {
        self.items.len()
    }

    /// All ids that have a list.
    pub(super) fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        self.ends.ids()
    }
}

impl<I: Id, T> std::ops::Index<I> for Lists<I, T> {
    type Output = [T];

    fn index(&self, id: I) -> &[T] {
        let begin = id.index().checked_sub(1).map_or(0, |before| self.ends[I::new(before)]);
        &self.items[begin as usize..self.ends[id] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::index::GroupId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_list_has_its_items_in_their_order(pairs in proptest::collection::vec((0usize..9, any::<u8>()), 0..40)) {
            let typed: Vec<(GroupId, u8)> = pairs.iter().map(|&(id, item)| (GroupId::new(id), item)).collect();
            let lists = Lists::grouped(9, &typed);
            let mut pushed: Lists<GroupId, u8> = Lists::with_capacity(3);
            prop_assert_eq!((lists.len(), lists.items()), (9, pairs.len()));
            for id in lists.ids() {
                let own: Vec<u8> = typed.iter().filter(|pair| pair.0 == id).map(|pair| pair.1).collect();
                prop_assert_eq!(&lists[id], &own[..]);
                pushed.push(own.iter().copied());
                prop_assert_eq!(&pushed[id], &own[..]);
            }
        }
    }
}
