//! Sparse rows of a table in one vector.
//!
//! They are laid over each other such that entries do not collide (row displacement; Tarjan and Yao, "Storing a
//! Sparse Table", CACM 1979). An entry names its column; as no two different rows begin at the same place, that
//! tells whose entry it is.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::id_type;

id_type!(
    /// A row that differs from all others.
    DistinctId
);

/// Where a row begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowStart(u32);

/// A row: its columns, ascending, with their values.
pub(super) type Row<C, V> = Vec<(C, V)>;

/// Sparse rows in one vector.
#[derive(Debug)]
pub(super) struct DisplacedRows<C, V> {
    /// Column and value.
    entries: Vec<Option<(C, V)>>,
}

impl<C: Id, V: Copy + Eq + Hash> DisplacedRows<C, V> {
    /// Lays out `rows` of a table with this number of columns; says where each begins.
    ///
    /// # Errors
    /// When a limit is reached.
    pub(super) fn new(
        rows: &[Row<C, V>],
        columns: usize,
        meter: &mut Meter,
    ) -> Result<(Self, Vec<RowStart>), Exceeded> {
        let mut by_row: FxHashMap<&[(C, V)], DistinctId> = FxHashMap::default();
        let mut distinct: IdVec<DistinctId, &[(C, V)]> = IdVec::new();
        let ids: Vec<DistinctId> =
            rows.iter().map(|row| *by_row.entry(row).or_insert_with(|| distinct.push(row))).collect();
        let mut order: Vec<DistinctId> = distinct.ids().collect();
        order.sort_by_key(|&row| (std::cmp::Reverse(distinct[row].len()), row));
        let mut layout = RowDisplacement::default();
        let mut starts: IdVec<DistinctId, usize> = IdVec::filled(0, distinct.len());
        for row in order {
            starts[row] = layout.place(distinct[row], meter)?;
        }
        let mut entries = layout.entries;
        let last = starts.iter().max().copied().unwrap_or(0);
        entries.resize(last + columns, None);
        entries.shrink_to_fit();
        Ok((Self { entries }, ids.into_iter().map(|row| RowStart(starts[row] as u32)).collect()))
    }

    /// What a row has in a column, if anything.
    #[inline]
    pub(super) fn get(&self, row: RowStart, column: C) -> Option<V> {
        match self.entries.get(row.0 as usize + column.index()) {
            Some(&Some((found, value))) if found == column => Some(value),
            _ => None,
        }
    }

    /// The number of entries, used or not.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The vector of rows in the making.
struct RowDisplacement<C, V> {
    entries: Vec<Option<(C, V)>>,
    /// At which places a row begins.
    begun: Vec<bool>,
    /// Before this place all are taken.
    full: usize,
}

impl<C, V> Default for RowDisplacement<C, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), begun: Vec::new(), full: 0 }
    }
}

impl<C: Id, V: Copy> RowDisplacement<C, V> {
    /// Finds a place for `row` and puts it there.
    ///
    /// # Errors
    /// When a limit is reached.
    fn place(&mut self, row: &[(C, V)], meter: &mut Meter) -> Result<usize, Exceeded> {
        // Looking everywhere would cost the square of the number of rows.
        const MOST_TRIES: usize = 400;
        let first = row.first().map_or(0, |&(column, _)| column.index());
        let mut base = self.full.saturating_sub(first);
        let mut tries = 0;
        while self.begun.get(base) == Some(&true)
            || row.iter().any(|&(column, _)| self.is_taken(base + column.index()))
        {
            base += 1;
            tries += 1;
            if tries == MOST_TRIES {
                // Nothing begins here for the next rows either.
                self.full = self.full.max(base + first);
                base = base.max(self.entries.len().saturating_sub(first));
            }
        }
        let end = base + row.last().map_or(0, |&(column, _)| column.index() + 1);
        meter.spend((tries * 4 + row.len()) as u64)?;
        if self.entries.len() < end {
            meter.spend(16 * (end - self.entries.len()) as u64)?;
            self.entries.resize(end, None);
        }
        if self.begun.len() <= base {
            self.begun.resize(base + 1, false);
        }
        self.begun[base] = true;
        for &(column, value) in row {
            self.entries[base + column.index()] = Some((column, value));
        }
        while self.is_taken(self.full) {
            self.full += 1;
        }
        Ok(base)
    }

    fn is_taken(&self, place: usize) -> bool {
        self.entries.get(place).is_some_and(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::index::UnitId;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn each_row_has_its_own_entries_and_no_others(
            rows in proptest::collection::vec(proptest::collection::btree_map(0usize..12, 0u8..4, 0..6), 0..30),
        ) {
            let typed = |row: &BTreeMap<usize, u8>| row.iter().map(|(&c, &v)| (UnitId::new(c), v)).collect();
            let typed: Vec<Row<UnitId, u8>> = rows.iter().map(typed).collect();
            let (table, starts) = DisplacedRows::new(&typed, 12, &mut Meter::default()).unwrap();
            for (row, start) in rows.iter().zip(starts) {
                for column in 0..12 {
                    prop_assert_eq!(table.get(start, UnitId::new(column)), row.get(&column).copied());
                }
            }
        }
    }
}
