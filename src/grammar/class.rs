//! Character classes: sets of Unicode characters, kept as sorted ranges.
//!
//! A class is one terminal symbol of a grammar. It matches one character, which is encoded as UTF-8
//! in the input.

use std::fmt;

/// A set of characters.
///
/// Ranges are inclusive, sorted, and neither overlap nor touch, so that equal sets are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct CharClass {
    ranges: Vec<(char, char)>,
}

impl CharClass {
    /// The class of all characters that lie in one of `ranges` (inclusive; an empty range adds none).
    pub fn new(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let mut ranges: Vec<(char, char)> = ranges.into_iter().filter(|(low, high)| low <= high).collect();
        ranges.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some((_, last)) if *last >= low || successor(*last) == Some(low) => *last = (*last).max(high),
                _ => merged.push((low, high)),
            }
        }
        Self { ranges: merged }
    }

    /// The class of these characters.
    pub fn of(characters: impl IntoIterator<Item = char>) -> Self {
        Self::new(characters.into_iter().map(|c| (c, c)))
    }

    /// The class of all characters.
    pub fn any() -> Self {
        Self { ranges: vec![('\0', char::MAX)] }
    }

    /// The ranges, inclusive and in ascending order.
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Whether no character is in the class.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether `c` is in the class.
    pub fn contains(&self, c: char) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= c);
        after > 0 && self.ranges[after - 1].1 >= c
    }

    /// The number of characters in the class.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|&(low, high)| size(low, high)).sum()
    }

    /// The `index`th character, counted from 0 in ascending order.
    pub fn nth(&self, index: usize) -> Option<char> {
        let mut rest = index;
        for &(low, high) in &self.ranges {
            let size = size(low, high);
            if rest < size {
                return (low..=high).nth(rest);
            }
            rest -= size;
        }
        None
    }

    /// How many characters of the class come before `c`, if it is one of them: the inverse of [`Self::nth`].
    pub fn position(&self, c: char) -> Option<usize> {
        let before = self.ranges.iter().take_while(|&&(low, _)| low <= c);
        let before = before.map(|&(low, high)| size(low, high.min(c))).sum::<usize>();
        self.contains(c).then(|| before - 1)
    }

    /// The characters whose encoding takes this many bytes: 1 to 4.
    #[must_use]
    pub fn encoded_in(&self, bytes: usize) -> Self {
        let range = match bytes {
            1 => ('\0', '\u{7f}'),
            2 => ('\u{80}', '\u{7ff}'),
            3 => ('\u{800}', '\u{ffff}'),
            4 => ('\u{10000}', char::MAX),
            _ => return Self::new([]),
        };
        self.intersection(&Self::new([range]))
    }

    /// All characters, in ascending order.
    pub fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.ranges.iter().flat_map(|&(low, high)| low..=high)
    }

    /// All characters that are not in this class.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = Some('\0');
        for &(low, high) in &self.ranges {
            if let (Some(from), Some(to)) = (next, predecessor(low))
                && from <= to
            {
                ranges.push((from, to));
            }
            next = successor(high);
        }
        if let Some(from) = next {
            ranges.push((from, char::MAX));
        }
        Self { ranges }
    }

    /// What is in either class.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.ranges.iter().chain(&other.ranges).copied())
    }

    /// What is in both classes.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(&&(a, b)), Some(&&(c, d))) = (left.peek(), right.peek()) {
            if a.max(c) <= b.min(d) {
                ranges.push((a.max(c), b.min(d)));
            }
            if b < d {
                left.next();
            } else {
                right.next();
            }
        }
        Self { ranges }
    }

    /// What is in this class and not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.intersection(&other.complement())
    }
}

/// In the notation of the project's grammars: `[a-z0-9_]`.
impl fmt::Display for CharClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, c: char| match c {
            '\n' => f.write_str("\\n"),
            '\t' => f.write_str("\\t"),
            '\r' => f.write_str("\\r"),
            '\\' | ']' | '[' | '^' | '-' => write!(f, "\\{c}"),
            c if c.is_control() || (c.is_whitespace() && c != ' ') || !c.is_ascii() => {
                write!(f, "\\u{{{:x}}}", u32::from(c))
            }
            c => write!(f, "{c}"),
        };
        // The shorter of the two forms, as a person would write it.
        let complement = self.complement();
        let (sign, class) = if self.ranges.last().is_some_and(|&(_, high)| high == char::MAX) {
            ("^", &complement)
        } else {
            ("", self)
        };
        write!(f, "[{sign}")?;
        for &(low, high) in &class.ranges {
            write(f, low)?;
            if low != high {
                if successor(low) != Some(high) {
                    f.write_str("-")?;
                }
                write(f, high)?;
            }
        }
        f.write_str("]")
    }
}

/// The number of characters from `low` to `high`, surrogates apart.
fn size(low: char, high: char) -> usize {
    let all = u32::from(high) - u32::from(low) + 1;
    let surrogates = if u32::from(low) < 0xd800 && u32::from(high) > 0xdfff { 0x800 } else { 0 };
    (all - surrogates) as usize
}

fn successor(c: char) -> Option<char> {
    (c..=char::MAX).nth(1)
}

fn predecessor(c: char) -> Option<char> {
    ('\0'..c).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn class() -> impl Strategy<Value = CharClass> {
        proptest::collection::vec((any::<char>(), 0u32..300), 0..6).prop_map(|ranges| {
            CharClass::new(
                ranges
                    .into_iter()
                    .map(|(low, more)| (low, char::from_u32(u32::from(low) + more).unwrap_or(low))),
            )
        })
    }

    proptest! {
        #[test]
        fn the_operations_are_those_of_sets(a in class(), b in class(), c: char) {
            prop_assert_eq!(a.complement().contains(c), !a.contains(c));
            prop_assert_eq!(a.complement().complement(), a.clone());
            prop_assert_eq!(a.union(&b).contains(c), a.contains(c) || b.contains(c));
            prop_assert_eq!(a.intersection(&b).contains(c), a.contains(c) && b.contains(c));
            prop_assert_eq!(a.difference(&b).contains(c), a.contains(c) && !b.contains(c));
            prop_assert_eq!(a.difference(&b).len() + a.intersection(&b).len(), a.len());
        }

        #[test]
        fn each_character_has_one_encoded_length(a in class(), c: char) {
            let of_length = (0..6).map(|bytes| a.encoded_in(bytes));
            prop_assert_eq!(of_length.clone().map(|part| part.len()).sum::<usize>(), a.len());
            for (bytes, part) in of_length.enumerate() {
                prop_assert_eq!(part.contains(c), a.contains(c) && c.len_utf8() == bytes);
            }
        }

        #[test]
        fn characters_are_counted_from_zero(a in class()) {
            for (index, c) in a.chars().enumerate().take(500) {
                prop_assert_eq!(a.nth(index), Some(c));
                prop_assert!(a.contains(c));
            }
            prop_assert_eq!(a.nth(a.len()), None);
        }
    }

    #[test]
    fn surrogates_are_no_characters() {
        assert_eq!(CharClass::any().len(), 0x11_0000 - 0x800);
        assert!(CharClass::any().complement().is_empty());
    }

    #[test]
    fn a_class_is_written_as_a_person_would() {
        assert_eq!(CharClass::new([('a', 'z'), ('0', '9'), ('_', '_')]).to_string(), "[0-9_a-z]");
        assert_eq!(CharClass::of(['"', '\\']).complement().to_string(), "[^\"\\\\]");
        assert_eq!(CharClass::of(['a', 'b', 'é']).to_string(), "[ab\\u{e9}]");
        assert_eq!(CharClass::any().to_string(), "[^]");
        assert_eq!(CharClass::new([]).to_string(), "[]");
    }
}
