//! Seeded streams of random numbers.
//!
//! Every task draws from a stream of its own, derived from the campaign's seed and the task's name.
//! What a task draws therefore depends neither on the number of threads nor on the order in which
//! tasks run. The generator is PCG (O'Neill 2014, XSL-RR 128/64); the derivation is BLAKE3.
//! Bounded numbers are drawn here rather than by a crate, so that an update of a dependency never
//! changes a result.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A stream of random numbers that is the same at every run with the same seed and name.
#[derive(Clone, Debug)]
pub struct RandomStream {
    generator: Pcg64,
}

impl RandomStream {
    /// The stream of the task called `name` in a campaign with this `seed`.
    pub fn derive(seed: u64, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        hasher.update(name.as_bytes());
        Self { generator: Pcg64::from_seed(*hasher.finalize().as_bytes()) }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A number below `bound`, each equally likely (Lemire 2019, "Fast random integer generation").
    ///
    /// # Panics
    /// When `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        let bound = bound as u64;
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as usize
    }

    /// One of `items`, each equally likely.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_name_give_the_same_stream_and_others_do_not() {
        let draw = |seed, name: &str| {
            let mut stream = RandomStream::derive(seed, name);
            [stream.bits(), stream.bits()]
        };
        assert_eq!(draw(1, "reduce"), draw(1, "reduce"));
        assert_ne!(draw(1, "reduce"), draw(2, "reduce"));
        assert_ne!(draw(1, "reduce"), draw(1, "produce"));
    }

    /// Pinned: a change here changes every reference result.
    #[test]
    fn the_first_numbers_of_a_stream_are_pinned() {
        let mut stream = RandomStream::derive(0, "pinned");
        let numbers: Vec<usize> = (0..8).map(|_| stream.below(100)).collect();
        insta::assert_debug_snapshot!(numbers);
    }

    #[test]
    fn every_number_below_the_bound_is_about_equally_likely() {
        let mut stream = RandomStream::derive(7, "uniform");
        let mut counts = [0usize; 6];
        for _ in 0..60_000 {
            counts[stream.below(6)] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }
}
