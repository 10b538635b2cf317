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
