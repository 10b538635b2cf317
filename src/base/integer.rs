//! Whole numbers of any size, as texts.

use std::cmp::Ordering;

/// A whole number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer<'a> {
    /// Less than zero.
    pub negative: bool,
    /// Its digits, without zeros in front; none for zero.
    digits: &'a [u8],
}

impl<'a> Integer<'a> {
    /// The number that a text stands for: digits, perhaps behind a minus sign.
    pub fn read(text: &'a [u8]) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        let digits = &digits[zeros..];
        Some(Self { negative: sign && !digits.is_empty(), digits })
    }
}

impl Ord for Integer<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sizes = (self.digits.len(), self.digits).cmp(&(other.digits.len(), other.digits));
        match (self.negative, other.negative) {
            (false, false) => sizes,
            (true, true) => sizes.reverse(),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Integer<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
