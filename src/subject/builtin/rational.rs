//! Exact fractions of any size, for telling whether a divisor is zero.
//!
//! They are never brought to lowest terms: zero is seen by its numerator, and what an operation adds
//! to the sizes is the size of its operands, so that they stay linear in the expression.

/// A fraction. The denominator is not zero.
#[derive(Clone, Debug)]
pub(super) struct Rational {
    negative: bool,
    numerator: Natural,
    denominator: Natural,
}

/// Little-endian digits to the base 2^32, without zeros at the end.
type Natural = Vec<u32>;

impl Rational {
    /// The value of digits, perhaps with a point and more digits.
    pub(super) fn decimal(text: &[u8]) -> Self {
        let mut numerator = Vec::new();
        let mut denominator = vec![1];
        let mut is_fraction = false;
        for &byte in text {
            if byte == b'.' {
                is_fraction = true;
                continue;
            }
            times_small(&mut numerator, 10, u32::from(byte - b'0'));
            if is_fraction {
                times_small(&mut denominator, 10, 0);
            }
        }
        Self { negative: false, numerator, denominator }
    }

    pub(super) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    /// One over this; nothing if this is zero.
    pub(super) fn inverse(self) -> Option<Self> {
        let Self { negative, numerator, denominator } = self;
        let possible = !numerator.is_empty();
        possible.then_some(Self { negative, numerator: denominator, denominator: numerator })
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            numerator: product(&self.numerator, &other.numerator),
            denominator: product(&self.denominator, &other.denominator),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let left = product(&self.numerator, &other.denominator);
        let right = product(&other.numerator, &self.denominator);
        let (negative, numerator) = if self.negative == other.negative {
            (self.negative, sum(&left, &right))
        } else if is_less(&left, &right) {
            (other.negative, difference(&right, &left))
        } else {
            (self.negative, difference(&left, &right))
        };
        Self { negative, numerator, denominator: product(&self.denominator, &other.denominator) }
    }
}

fn times_small(number: &mut Natural, factor: u32, add: u32) {
    let mut carry = u64::from(add);
    for digit in number.iter_mut() {
        carry += u64::from(*digit) * u64::from(factor);
        *digit = carry as u32;
        carry >>= 32;
    }
    if carry > 0 {
        number.push(carry as u32);
    }
}

fn product(left: &Natural, right: &Natural) -> Natural {
    let mut result = vec![0_u32; left.len() + right.len()];
    for (shift, &a) in left.iter().enumerate() {
        let mut carry = 0_u64;
        for (index, &b) in right.iter().enumerate() {
            let digit = &mut result[shift + index];
            carry += u64::from(*digit) + u64::from(a) * u64::from(b);
            *digit = carry as u32;
            carry >>= 32;
        }
        result[shift + right.len()] = carry as u32;
    }
    trimmed(result)
}

fn sum(left: &Natural, right: &Natural) -> Natural {
    let mut carry = 0_u64;
    let mut result = Vec::with_capacity(left.len().max(right.len()) + 1);
    for index in 0..left.len().max(right.len()) {
        let digit = |number: &Natural| u64::from(number.get(index).copied().unwrap_or(0));
        carry += digit(left) + digit(right);
        result.push(carry as u32);
        carry >>= 32;
    }
    result.push(carry as u32);
    trimmed(result)
}

/// `left` without `right`, which is no larger.
fn difference(left: &Natural, right: &Natural) -> Natural {
    let mut borrow = 0_i64;
    let result = left.iter().enumerate().map(|(index, &digit)| {
        borrow += i64::from(digit) - i64::from(right.get(index).copied().unwrap_or(0));
        let digit = borrow as u32;
        borrow >>= 32;
        digit
    });
    trimmed(result.collect())
}

fn is_less(left: &Natural, right: &Natural) -> bool {
    (left.len(), left.iter().rev().collect::<Vec<_>>()) < (right.len(), right.iter().rev().collect())
}

fn trimmed(mut number: Natural) -> Natural {
    while number.last() == Some(&0) {
        number.pop();
    }
    number
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
        number.numerator.is_empty()
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
