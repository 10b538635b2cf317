//! What derivations are counted in: numbers of 128 bits, or of any size.

use num_bigint::BigUint;
use rayon::prelude::*;

/// A sum of products that counts as fewer steps is not worth sharing among threads.
pub(super) const MOST_ALONE: u64 = 1 << 14;

/// What derivations are counted in.
pub trait Number: Clone + Send + Sync {
    /// A small number.
    fn small(number: u64) -> Self;

    /// About how many bytes of memory a number of inputs of this length takes at most.
    fn memory(length: usize) -> usize;

    /// The steps that multiplying two numbers of inputs of half this length counts as.
    fn steps(length: usize) -> u64;

    /// Whether this is 0.
    fn is_zero(&self) -> bool;

    /// Adds the product of two numbers; `None` when the sum is too large for this kind.
    fn add_product(&mut self, a: &Self, b: &Self) -> Option<()>;
}

impl Number for u128 {
    fn small(number: u64) -> Self {
        number.into()
    }

    fn memory(_: usize) -> usize {
        size_of::<Self>()
    }

    fn steps(_: usize) -> u64 {
        1
    }

    fn is_zero(&self) -> bool {
        *self == 0
    }

    fn add_product(&mut self, a: &Self, b: &Self) -> Option<()> {
        *self = self.checked_add(a.checked_mul(*b)?)?;
        Some(())
    }
}

/// Never too small.
impl Number for BigUint {
    fn small(number: u64) -> Self {
        number.into()
    }

    /// There are 256 times as many strings that are a byte longer.
    fn memory(length: usize) -> usize {
        size_of::<Self>() + length
    }

    /// A number has about a word for each ten bytes.
    fn steps(length: usize) -> u64 {
        let words = length as u64 / 10;
        4 + words * words / 20
    }

    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    fn add_product(&mut self, a: &Self, b: &Self) -> Option<()> {
        *self += a * b;
        Some(())
    }
}

/// The sum of the products of `pairs`, and how many there are; `None` when it is too large for the kind of number. A
/// large one is made by all threads of rayon's: numbers are exact, so that the order does not matter.
pub(super) fn sum_of_products<'n, N: Number + 'n>(
    pairs: impl Iterator<Item = (&'n N, &'n N)>,
    is_large: bool,
) -> Option<(N, u64)> {
    if !is_large {
        let mut sum = N::small(0);
        let mut count = 0;
        for (a, b) in pairs {
            sum.add_product(a, b)?;
            count += 1;
        }
        return Some((sum, count));
    }
    let pairs: Vec<(&N, &N)> = pairs.collect();
    let part = pairs.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let parts = pairs.par_chunks(part).map(|part| sum_of_products(part.iter().copied(), false));
    let none = || (N::small(0), 0);
    parts.try_reduce(none, |(mut sum, count), (other, others)| {
        sum.add_product(&other, &N::small(1))?;
        Some((sum, count + others))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What `sum_of_products` is to be, from numbers that are far too small to be too large.
    fn expected(pairs: &[(u32, u32)]) -> u128 {
        pairs.iter().map(|&(a, b)| u128::from(a) * u128::from(b)).sum()
    }

    fn of<N: Number>(pairs: &[(u32, u32)], is_large: bool) -> Option<(N, u64)> {
        let numbers: Vec<(N, N)> =
            pairs.iter().map(|&(a, b)| (N::small(a.into()), N::small(b.into()))).collect();
        sum_of_products(numbers.iter().map(|(a, b)| (a, b)), is_large)
    }

    proptest! {
        #[test]
        fn sums_are_the_same_of_both_kinds_and_in_parts(
            pairs in proptest::collection::vec(any::<(u32, u32)>(), 0..60),
        ) {
            let count = pairs.len() as u64;
            for is_large in [false, true] {
                prop_assert_eq!(of::<u128>(&pairs, is_large), Some((expected(&pairs), count)));
                prop_assert_eq!(of::<BigUint>(&pairs, is_large), Some((expected(&pairs).into(), count)));
            }
        }

        /// Counting longer trees is never cheaper, and never free: a limit on steps ends it.
        #[test]
        fn longer_numbers_cost_no_less(length in 0usize..10_000) {
            prop_assert_eq!(u128::steps(length), 1);
            prop_assert!(BigUint::steps(length) >= u128::steps(length));
            prop_assert!(BigUint::steps(length + 1) >= BigUint::steps(length));
            prop_assert!(BigUint::steps(length + 200) > BigUint::steps(length));
            prop_assert!(BigUint::memory(length) > length && u128::memory(length) == u128::memory(0));
        }
    }

    #[test]
    fn a_sum_that_is_too_large_is_none_and_never_a_wrong_one() {
        let (one, most) = (1, u128::MAX);
        for is_large in [false, true] {
            let sum = |pairs: &[(&u128, &u128)]| sum_of_products(pairs.iter().copied(), is_large);
            assert_eq!(sum(&[(&most, &one)]), Some((most, 1)));
            assert_eq!(sum(&[(&most, &one), (&one, &one)]), None);
            assert_eq!(sum(&[(&most, &2)]), None);
        }
    }
}
