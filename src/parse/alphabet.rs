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

use crate::base::limits::{Exceeded, Meter};

/// The unit of what no terminal of the grammar contains. No table has a column for it.
pub(super) const NO_UNIT: u32 = u32::MAX;

/// A set of characters or bytes, as inclusive ranges.
pub(super) type Ranges = Box<[(u32, u32)]>;

/// Which characters are the same to a grammar.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    /// The unit of each byte; for characters beyond ASCII, `ranges` says more.
    direct: [u32; 256],
    /// From which number on (up to the next entry) which unit.
    ranges: Vec<(u32, u32)>,
    units: u32,
    by_bytes: bool,
}

impl Alphabet {
    /// The coarsest alphabet in which each of `sets` is a set of units, and these units.
    ///
    /// # Errors
    /// When a limit is reached: together the sets can have the square of the number of their ranges.
    pub(super) fn new(
        sets: &[Ranges],
        by_bytes: bool,
        meter: &mut Meter,
    ) -> Result<(Self, Vec<Vec<u32>>), Exceeded> {
        let mut cuts: Vec<u32> =
            sets.iter().flat_map(|set| set.iter().flat_map(|&(low, high)| [low, high + 1])).collect();
        cuts.push(0);
        cuts.sort_unstable();
        cuts.dedup();
        let interval = |at: u32| cuts.partition_point(|&cut| cut < at);
        // Refine by one set after the other: intervals are the same unit while no set separates them.
        let mut kinds: Vec<u32> = vec![0; cuts.len()];
        let mut fresh = 1;
        let mut split: HashMap<u32, u32> = HashMap::new();
        for set in sets {
            split.clear();
            for &(low, high) in set {
                let intervals = interval(low)..interval(high + 1);
                // One of them becomes a unit of the set, which takes memory.
                meter.spend(16 * intervals.len() as u64)?;
                for kind in &mut kinds[intervals] {
                    *kind = *split.entry(*kind).or_insert_with(|| {
                        fresh += 1;
                        fresh - 1
                    });
                }
            }
        }
        let mut units: HashMap<u32, u32> = HashMap::from([(0, NO_UNIT)]);
        let mut count = 0;
        let ranges: Vec<(u32, u32)> = cuts
            .iter()
            .zip(kinds)
            .map(|(&cut, kind)| {
                let unit = *units.entry(kind).or_insert_with(|| {
                    count += 1;
                    count - 1
                });
                (cut, unit)
            })
            .collect();
        let sets = sets
            .iter()
            .map(|set| {
                let intervals =
                    set.iter().flat_map(|&(low, high)| &ranges[interval(low)..interval(high + 1)]);
                let mut units: Vec<u32> = intervals.map(|&(_, unit)| unit).collect();
                units.sort_unstable();
                units.dedup();
                units
            })
            .collect();
        let mut alphabet = Self { direct: [NO_UNIT; 256], ranges, units: count, by_bytes };
        for byte in 0..=255 {
            if by_bytes || byte < 128 {
                alphabet.direct[byte as usize] = alphabet.unit(byte);
            }
        }
        Ok((alphabet, sets))
    }

    /// The column of the end of the input; also the number of units.
    pub(super) fn end(&self) -> u32 {
        self.units
    }

    /// The unit that begins at `offset`, and how many bytes it has. Bytes that are not UTF-8 belong
    /// to no unit unless the grammar is read by bytes.
    #[inline]
    pub(super) fn read(&self, input: &[u8], offset: usize) -> (u32, usize) {
        match input.get(offset) {
            Some(&byte) if byte < 128 || self.by_bytes => (self.direct[usize::from(byte)], 1),
            Some(_) => match decode(input, offset) {
                Some(c) => (self.unit(u32::from(c)), c.len_utf8()),
                None => (NO_UNIT, 1),
            },
            None => (self.units, 0),
        }
    }

    /// The first character (or byte) of each unit, by its number.
    pub(super) fn firsts(&self) -> Vec<u32> {
        // Units are numbered in the order in which they first come.
        let mut firsts = Vec::with_capacity(self.units as usize);
        for &(from, unit) in &self.ranges {
            if unit as usize == firsts.len() {
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

    /// As [`Self::forth`], to the left.
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

    fn unit(&self, number: u32) -> u32 {
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
            let sets: Vec<Ranges> = classes.iter().map(ranges).collect();
            let (alphabet, units) = Alphabet::new(&sets, false, &mut Meter::default()).unwrap();
            let mut offset = 0;
            for c in text.chars() {
                let (unit, width) = alphabet.read(text.as_bytes(), offset);
                offset += width;
                for (class, units) in classes.iter().zip(&units) {
                    prop_assert_eq!(class.contains(c), units.contains(&unit));
                }
            }
            prop_assert_eq!(alphabet.read(text.as_bytes(), offset), (alphabet.end(), 0));
        }
    }

    #[test]
    fn what_is_not_utf8_is_no_character() {
        let (alphabet, _) =
            Alphabet::new(&[ranges(&CharClass::any())], false, &mut Meter::default()).unwrap();
        for bytes in [&b"\xff"[..], b"\xc3", b"\xc3(", b"\xed\xa0\x80", b"\xf0\x82\x82\xac"] {
            assert_eq!(alphabet.read(bytes, 0), (NO_UNIT, 1));
        }
        assert_eq!(alphabet.read("é".as_bytes(), 0), (0, 2));
    }
}
