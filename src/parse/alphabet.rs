//! The input alphabet of a parser: characters, cut down to the few kinds that its grammar can tell
//! apart.
//!
//! Two characters that no terminal distinguishes are the same *unit*. Tables have one column for
//! each unit and one more for the end of the input.
//!
//! A grammar whose literals are all UTF-8 is read character by character: whatever it derives is a
//! sequence of whole characters, so nothing is lost. A grammar with other literals is read byte by
//! byte, and its classes are spelled out as UTF-8 (see [`super::productions`]).

use std::collections::HashMap;

use super::index::{SetId, UnitId};
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::id_type;

id_type!(
    /// Characters that no set so far tells apart.
    KindId
);

/// A set of characters or bytes, as inclusive ranges.
pub(super) type Ranges = Box<[(u32, u32)]>;

/// Which characters are the same to a grammar.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    /// The unit of each byte, if some terminal contains it; for characters beyond ASCII, `ranges` says more.
    direct: [Option<UnitId>; 256],
    /// From which number on (up to the next entry) which unit.
    ranges: Vec<(u32, Option<UnitId>)>,
    end: UnitId,
    by_bytes: bool,
}

impl Alphabet {
    /// The coarsest alphabet in which each of `sets` is a set of units, and these units.
    ///
    /// # Errors
    /// When a limit is reached: together the sets can have the square of the number of their ranges.
    pub(super) fn new(
        sets: &IdVec<SetId, Ranges>,
        by_bytes: bool,
        meter: &mut Meter,
    ) -> Result<(Self, IdVec<SetId, Vec<UnitId>>), Exceeded> {
        let mut cuts: Vec<u32> =
            sets.iter().flat_map(|set| set.iter().flat_map(|&(low, high)| [low, high + 1])).collect();
        cuts.push(0);
        cuts.sort_unstable();
        cuts.dedup();
        let interval = |at: u32| cuts.partition_point(|&cut| cut < at);
        // Refine by one set after the other: intervals are of one kind while no set separates them, and of none
        // while no set contains them.
        let mut kinds: Vec<Option<KindId>> = vec![None; cuts.len()];
        let mut fresh = (0..).map(KindId::new);
        let mut split: HashMap<Option<KindId>, Option<KindId>> = HashMap::new();
        for set in sets {
            split.clear();
            for &(low, high) in set {
                let intervals = interval(low)..interval(high + 1);
                // One of them becomes a unit of the set, which takes memory.
                meter.spend(16 * intervals.len() as u64)?;
                for kind in &mut kinds[intervals] {
                    *kind = *split.entry(*kind).or_insert_with(|| fresh.next());
                }
            }
        }
        let mut units: HashMap<KindId, UnitId> = HashMap::new();
        let ranges: Vec<(u32, Option<UnitId>)> = cuts
            .iter()
            .zip(kinds)
            .map(|(&cut, kind)| {
                let next = UnitId::new(units.len());
                (cut, kind.map(|kind| *units.entry(kind).or_insert(next)))
            })
            .collect();
        let sets = sets
            .iter()
            .map(|set| {
                let intervals =
                    set.iter().flat_map(|&(low, high)| &ranges[interval(low)..interval(high + 1)]);
                let mut units: Vec<UnitId> = intervals.filter_map(|&(_, unit)| unit).collect();
                units.sort_unstable();
                units.dedup();
                units
            })
            .collect();
        let end = UnitId::new(units.len());
        let mut alphabet = Self { direct: [None; 256], ranges, end, by_bytes };
        for byte in 0..=255 {
            if by_bytes || byte < 128 {
                alphabet.direct[byte as usize] = alphabet.unit(byte);
            }
        }
        Ok((alphabet, sets))
    }

    /// What stands for the end of the input.
    pub(super) fn end(&self) -> UnitId {
        self.end
    }

    /// The number of units and the end of the input together.
    pub(super) fn len(&self) -> usize {
        self.end.index() + 1
    }

    /// The unit that begins at `offset`, and how many bytes it has. What no terminal of the grammar contains is no
    /// unit; nor are bytes that are not UTF-8, unless the grammar is read by bytes.
    #[inline]
    pub(super) fn read(&self, input: &[u8], offset: usize) -> (Option<UnitId>, usize) {
        match input.get(offset) {
            Some(&byte) if byte < 128 || self.by_bytes => (self.direct[usize::from(byte)], 1),
            Some(_) => self.read_beyond_ascii(input, offset),
            None => (Some(self.end), 0),
        }
    }

    fn read_beyond_ascii(&self, input: &[u8], offset: usize) -> (Option<UnitId>, usize) {
        match decode(input, offset) {
            Some(c) => (self.unit(u32::from(c)), c.len_utf8()),
            None => (None, 1),
        }
    }

    /// The first character (or byte) of each unit, by its number.
    pub(super) fn firsts(&self) -> IdVec<UnitId, u32> {
        // Units are numbered in the order in which they first come.
        let mut firsts = IdVec::new();
        for &(from, unit) in &self.ranges {
            if unit.is_some_and(|unit| unit.index() == firsts.len()) {
                firsts.push(from);
            }
        }
        firsts
    }

    /// How many units a literal of the grammar has.
    pub(super) fn units_of(&self, literal: &[u8]) -> u32 {
        let length = match std::str::from_utf8(literal) {
            Ok(text) if !self.by_bytes => text.chars().count(),
            _ => literal.len(),
        };
        length as u32
    }

    /// The offset this many units after `offset`, or before it, in an input that was read that far;
    /// `None` where a character may be several units.
    pub(super) fn forward(&self, input: &[u8], offset: usize, units: u32) -> Option<usize> {
        if self.by_bytes {
            return None;
        }
        let mut offset = offset;
        for _ in 0..units {
            offset += self.read(input, offset).1;
        }
        Some(offset)
    }

    /// As [`Self::forward`], to the left.
    pub(super) fn backward(&self, input: &[u8], offset: usize, units: u32) -> Option<usize> {
        if self.by_bytes {
            return None;
        }
        let mut offset = offset;
        for _ in 0..units {
            offset -= 1;
            while input.get(offset).is_some_and(|byte| byte & 0xc0 == 0x80) {
                offset -= 1;
            }
        }
        Some(offset)
    }

    fn unit(&self, number: u32) -> Option<UnitId> {
        let after = self.ranges.partition_point(|&(from, _)| from <= number);
        self.ranges[after - 1].1
    }
}

/// The character that begins at `offset`, if one does.
pub(super) fn decode(input: &[u8], offset: usize) -> Option<char> {
    let length = match *input.get(offset)? {
        byte if byte < 0x80 => return Some(char::from(byte)),
        byte if byte < 0xe0 => 2,
        byte if byte < 0xf0 => 3,
        _ => 4,
    };
    std::str::from_utf8(input.get(offset..offset + length)?).ok()?.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::CharClass;
    use proptest::prelude::*;

    fn ranges(class: &CharClass) -> Ranges {
        class.ranges().iter().map(|&(low, high)| (u32::from(low), u32::from(high))).collect()
    }

    proptest! {
        #[test]
        fn a_set_contains_exactly_the_characters_of_its_units(
            classes in proptest::collection::vec(proptest::collection::vec((any::<char>(), any::<char>()), 0..4), 0..5),
            text: String,
        ) {
            let classes: Vec<CharClass> = classes.into_iter().map(CharClass::new).collect();
            let sets: IdVec<SetId, Ranges> = classes.iter().map(ranges).collect();
            let (alphabet, units) = Alphabet::new(&sets, false, &mut Meter::default()).unwrap();
            let mut offset = 0;
            for c in text.chars() {
                let (unit, width) = alphabet.read(text.as_bytes(), offset);
                offset += width;
                for (class, units) in classes.iter().zip(&units) {
                    let is_in_set = unit.is_some_and(|unit| units.contains(&unit));
                    prop_assert_eq!(class.contains(c), is_in_set);
                }
            }
            prop_assert_eq!(alphabet.read(text.as_bytes(), offset), (Some(alphabet.end()), 0));
        }
    }

    #[test]
    fn what_is_not_utf8_is_no_character() {
        let (alphabet, _) =
            Alphabet::new(&IdVec::filled(ranges(&CharClass::any()), 1), false, &mut Meter::default())
                .unwrap();
        for bytes in [&b"\xff"[..], b"\xc3", b"\xc3(", b"\xed\xa0\x80", b"\xf0\x82\x82\xac"] {
            assert_eq!(alphabet.read(bytes, 0), (None, 1));
        }
        assert_eq!(alphabet.read("é".as_bytes(), 0), (Some(UnitId::new(0)), 2));
    }
}
