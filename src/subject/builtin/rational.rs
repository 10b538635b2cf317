//! Exact fractions of any size, for telling whether a divisor is zero.
//!
//! They are never brought to lowest terms: zero is seen by its numerator, and what an operation adds
//! to the sizes is the size of its operands, so that they stay linear in the expression. A library's
//! fractions look for a common divisor after each operation, which takes most of their time.

use num_bigint::BigInt;

/// A fraction. The denominator is not zero.
#[derive(Clone, Debug)]
pub(super) struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

impl Rational {
    /// The value of digits, perhaps with a point and more digits.
    pub(super) fn decimal(text: &[u8]) -> Self {
        let after_point = text.iter().rev().position(|&byte| byte == b'.').unwrap_or(0);
        let digits: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'.').collect();
        Self {
            numerator: BigInt::parse_bytes(&digits, 10).unwrap_or_default(),
            denominator: BigInt::from(10).pow(after_point as u32),
        }
    }

    pub(super) fn negated(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }

    /// One over this; nothing if this is zero.
    pub(super) fn inverse(self) -> Option<Self> {
        let Self { numerator, denominator } = self;
        let possible = numerator != BigInt::ZERO;
        possible.then_some(Self { numerator: denominator, denominator: numerator })
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(above: i128, below: u64) -> Rational {
        let digits = |number: u128| Rational::decimal(number.to_string().as_bytes());
        let value = digits(above.unsigned_abs()).times(&digits(u128::from(below)).inverse().unwrap());
        if above < 0 { value.negated() } else { value }
    }

    fn is_zero(number: &Rational) -> bool {
        number.numerator == BigInt::ZERO
    }

    proptest! {
        #[test]
        fn sums_and_products_are_those_of_numbers(a in -(1i128 << 62)..1i128 << 62, b in -(1i128 << 62)..1i128 << 62, c in 1u64.., d in 1u64..) {
            let same = |value: &Rational, above: i128| is_zero(&value.plus(&fraction(above, 1).negated()));
            prop_assert!(same(&fraction(a, 1).plus(&fraction(b, 1)), a + b));
            prop_assert!(same(&fraction(a, 1).times(&fraction(b, 1)), a * b));
            // a/c + b/d = (ad + bc) / cd, and a/c * c = a.
            let (c_number, d_number) = (fraction(i128::from(c), 1), fraction(i128::from(d), 1));
            let whole = fraction(a, c).plus(&fraction(b, d)).times(&c_number).times(&d_number);
            let parts = fraction(a, 1).times(&d_number).plus(&fraction(b, 1).times(&c_number));
            prop_assert!(is_zero(&whole.plus(&parts.negated())));
            prop_assert_eq!(is_zero(&fraction(a, c)), a == 0);
        }
    }
}
