//! Ranges of characters as ranges of bytes, for grammars that are read byte by byte.
//!
//! A range is cut where the length of the encoding changes, at the surrogates, and where a byte other
//! than the last would need a range of its own for different bytes that follow. What is left is a
//! product of one range for each byte.

/// The UTF-8 encodings of the characters from `low` to `high`, as sequences of byte ranges.
pub(super) fn utf8_sequences(low: u32, high: u32) -> Vec<Vec<(u32, u32)>> {
    let mut sequences = Vec::new();
    let mut open = vec![(low, high)];
    'ranges: while let Some((low, high)) = open.pop() {
        // At each of these a new length or the surrogates begin.
        for last in [0x7f, 0x7ff, 0xd7ff, 0xdfff, 0xffff] {
            if low <= last && last < high {
                open.extend([(last + 1, high), (low, last)]);
                continue 'ranges;
            }
        }
        let (Some(first), Some(last)) = (char::from_u32(low), char::from_u32(high)) else { continue };
        for bits in (6..6 * first.len_utf8()).step_by(6) {
            let mask = (1 << bits) - 1;
            if low & !mask == high & !mask {
                continue;
            }
            if low & mask != 0 {
                open.extend([((low | mask) + 1, high), (low, low | mask)]);
                continue 'ranges;
            }
            if high & mask != mask {
                open.extend([(high & !mask, high), (low, (high & !mask) - 1)]);
                continue 'ranges;
            }
        }
        let (mut from, mut to) = ([0; 4], [0; 4]);
        let (from, to) = (first.encode_utf8(&mut from).as_bytes(), last.encode_utf8(&mut to).as_bytes());
        sequences.push(from.iter().zip(to).map(|(&a, &b)| (u32::from(a), u32::from(b))).collect());
    }
    sequences
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_byte_ranges_of_a_range_hold_its_characters_only(a: char, b: char, c: char) {
            let (low, high) = (a.min(b), a.max(b));
            let sequences = utf8_sequences(low.into(), high.into());
            for c in [a, b, c, '\u{d7ff}', '\u{e000}'] {
                let mut bytes = [0; 4];
                let bytes = c.encode_utf8(&mut bytes).as_bytes();
                let fitting = sequences.iter().filter(|sequence| {
                    sequence.len() == bytes.len()
                        && sequence.iter().zip(bytes).all(|(&(a, b), &byte)| (a..=b).contains(&byte.into()))
                });
                prop_assert_eq!(fitting.count(), usize::from((low..=high).contains(&c)));
            }
        }
    }
}
