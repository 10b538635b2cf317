//! Whole numbers of any size, as texts.

use std::borrow::Cow;
use std::cmp::Ordering;

use num_bigint::BigUint;

/// What stands before hexadecimal digits.
const HEXADECIMAL: [&[u8]; 2] = [b"0x", b"0X"];

/// A whole number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer<'a> {
    /// Less than zero.
    pub negative: bool,
    /// Its decimal digits, without zeros in front; none for zero.
    digits: Cow<'a, [u8]>,
}

impl<'a> Integer<'a> {
    /// The number that a text stands for: decimal digits, or hexadecimal ones behind `0x` or `0X`, perhaps behind a minus sign.
    pub fn read(text: &'a [u8]) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let digits = match hexadecimal(digits) {
            Some(digits) => Cow::Owned(decimal(digits)?),
            None if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                Cow::Borrowed(without_zeros(digits))
            }
            None => return None,
        };
        Some(Self { negative: sign && !digits.is_empty(), digits })
    }

    /// The length in bytes of the number with which a text begins, and 0 if it begins with none.
    pub fn length_in(text: &[u8]) -> usize {
        let unsigned = text.strip_prefix(b"-").unwrap_or(text);
        let (digits, is_digit): (_, fn(&u8) -> bool) = match hexadecimal(unsigned) {
            Some(digits) => (digits, u8::is_ascii_hexdigit),
            None => (unsigned, u8::is_ascii_digit),
        };
        match digits.iter().take_while(|&byte| is_digit(byte)).count() {
            0 => 0,
            number => text.len() - digits.len() + number,
        }
    }

    /// Whether a text is a whole number in hexadecimal notation.
    pub fn is_hexadecimal(text: &'a [u8]) -> bool {
        hexadecimal(text.strip_prefix(b"-").unwrap_or(text)).is_some() && Self::read(text).is_some()
    }

    /// It as a number of limited size, if it is one.
    pub fn to_i64(&self) -> Option<i64> {
        let sign = if self.negative { -1 } else { 1 };
        self.digits.iter().try_fold(0_i64, |value, digit| {
            value.checked_mul(10)?.checked_add(sign * i64::from(digit - b'0'))
        })
    }
}

/// The digits of a hexadecimal number without sign.
fn hexadecimal(text: &[u8]) -> Option<&[u8]> {
    HEXADECIMAL.iter().find_map(|prefix| text.strip_prefix(*prefix))
}

/// The decimal digits of a number whose hexadecimal ones these are.
fn decimal(digits: &[u8]) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let value = BigUint::parse_bytes(digits, 16)?.to_str_radix(10).into_bytes();
    Some(without_zeros(&value).to_vec())
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    &digits[zeros..]
}

impl Ord for Integer<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sizes = (self.digits.len(), &self.digits).cmp(&(other.digits.len(), &other.digits));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Option<Integer<'_>> {
        Integer::read(text.as_bytes())
    }

    proptest! {
        #[test]
        fn numbers_compare_as_their_values_in_each_notation(one: i64, other: i64, zeros in 0..3_usize) {
            let written = |value: i64| {
                let sign = if value < 0 { "-" } else { "" };
                let (size, zeros) = (value.unsigned_abs(), "0".repeat(zeros));
                [format!("{sign}{zeros}{size}"), format!("{sign}0x{zeros}{size:x}"), format!("{sign}0X{zeros}{size:X}")]
            };
            for one_text in written(one) {
                for other_text in written(other) {
                    let order = number(&one_text).zip(number(&other_text)).map(|(one, other)| one.cmp(&other));
                    prop_assert_eq!(order, Some(one.cmp(&other)), "{} and {}", one_text, other_text);
                }
            }
        }

        #[test]
        fn a_number_of_limited_size_is_its_value(value: i64) {
            for value in [value, i64::MIN, i64::MAX] {
                prop_assert_eq!(number(&value.to_string()).and_then(|number| number.to_i64()), Some(value));
            }
        }
    }

    #[test]
    fn a_number_ends_where_its_digits_do() {
        for (text, length) in
            [("12) & x", 2), ("-0x1fg", 5), ("0x7ff", 5), ("7a", 1), ("0x", 0), ("-", 0), ("a", 0)]
        {
            assert_eq!(Integer::length_in(text.as_bytes()), length, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_not_read() {
        for text in ["", "-", "0x", "-0x", "x1", "0xg", "0x-1", "1f", "1.0", " 1", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_may_be_of_any_size() {
        let large = format!("0x1{}", "0".repeat(100));
        let larger = format!("{}", BigUint::from(16_u8).pow(100) + 1_u8);
        assert!(number(&large) < number(&larger));
        assert_eq!(number(&large).and_then(|number| number.to_i64()), None);
    }
}
