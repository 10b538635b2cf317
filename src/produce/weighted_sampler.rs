//! Exact choices with large weights.
//!
//! A point between 0 and 1 is drawn, bit by bit, and falls into one of the intervals into which the
//! weights cut this line. The first 64 bits nearly always tell which; so for each border between two
//! intervals only its first 64 bits are kept. When the point agrees with a border in all of them, the
//! weights are asked for again, and more bits are drawn until it is on one side. No probability is
//! rounded. (The idea of Denise and Zimmermann, "Uniform random generation of decomposable structures
//! using floating-point arithmetic", 1999, with integers.)

use num_bigint::BigUint;

use crate::base::random_stream::RandomStream;

/// Items and how likely each is.
#[derive(Clone, Debug)]
pub(super) struct WeightedSampler {
    items: Box<[u32]>,
    /// The first 64 bits of the borders between two items, ascending.
    borders: Box<[u64]>,
}

impl WeightedSampler {
    /// A sampler of items with weights, none of which is 0.
    ///
    /// # Panics
    /// When there are no items.
    pub fn new(weights: &[(u32, BigUint)]) -> Self {
        assert!(!weights.is_empty(), "a sampler needs items");
        let sums = sums(weights);
        let (total, inner) = sums.split_last().expect("there are items");
        let border = |sum: &BigUint| -> u64 {
            let scaled: BigUint = (sum << u64::BITS) / total;
            scaled.try_into().expect("an inner border is below 1")
        };
        Self {
            items: weights.iter().map(|&(item, _)| item).collect(),
            borders: inner.iter().map(border).collect(),
        }
    }

    /// Draws an item. `weights` are those that the sampler was made of.
    pub fn sample(&self, stream: &mut RandomStream, weights: impl Fn() -> Vec<(u32, BigUint)>) -> u32 {
        if let [only] = *self.items {
            return only;
        }
        let point = stream.bits();
        let index = self.borders.partition_point(|&border| border < point);
        if self.borders.get(index) == Some(&point) {
            let exact = side(&sums(&weights()), point, u64::BITS, || stream.bits());
            return self.items[exact];
        }
        self.items[index]
    }
}

/// The weights added up.
fn sums(weights: &[(u32, BigUint)]) -> Vec<BigUint> {
    weights
        .iter()
        .scan(BigUint::ZERO, |sum, (_, weight)| {
            *sum += weight;
            Some(sum.clone())
        })
        .collect()
}

/// The interval of a point of which the first bits are known; `more` draws as many again.
fn side(sums: &[BigUint], point: u64, bits: u32, mut more: impl FnMut() -> u64) -> usize {
    let total = sums.last().expect("there are items");
    let mut point = BigUint::from(point);
    let mut scale = BigUint::from(1u8) << bits;
    loop {
        // The point is in [point, point + 1) / scale.
        let low = &point * total;
        let high = &low + total;
        let index = sums.partition_point(|sum| sum * &scale <= low);
        if high <= &sums[index] * &scale {
            return index;
        }
        point = (point << bits) + more();
        scale <<= bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(of: &[u64]) -> Vec<(u32, BigUint)> {
        of.iter().enumerate().map(|(item, &weight)| (item as u32, weight.into())).collect()
    }

    #[test]
    fn points_that_are_told_bit_by_bit_are_shared_out_by_weight() {
        const BITS: u32 = 12;
        for of in [&[1, 2][..], &[1, 1], &[3, 1, 5, 1], &[1, 1_000]] {
            let sums = sums(&weights(of));
            let total: u64 = of.iter().sum();
            let mut found = vec![0u64; of.len()];
            for point in 0..1u64 << BITS {
                let mut bits = (0..BITS).rev().map(|bit| point >> bit & 1).chain([0]);
                let first = bits.next().unwrap();
                // A point on a border belongs to what is above it, as its further bits are all 0.
                let index = side(&sums, first, 1, || bits.next().unwrap_or(0));
                found[index] += 1;
            }
            for (found, weight) in found.iter().zip(of) {
                let exact = weight * (1 << BITS);
                assert!(found * total < exact + total && exact < found * total + total, "{of:?}: {found}");
            }
        }
    }

    #[test]
    fn what_the_first_bits_leave_open_is_decided_by_the_next() {
        let weights = weights(&[1, 2]);
        let sampler = WeightedSampler::new(&weights);
        let border = sampler.borders[0];
        assert_eq!(border, u64::MAX / 3);
        // A third is 0.010101.. in bits.
        assert_eq!(side(&sums(&weights), border, 64, || border - 1), 0);
        assert_eq!(side(&sums(&weights), border, 64, || border + 1), 1);
    }

    #[test]
    fn items_come_as_often_as_they_weigh() {
        let huge: BigUint = BigUint::from(1u8) << 300;
        let weights = vec![(7, &huge * 3u8), (8, huge.clone()), (9, &huge * 6u8)];
        let sampler = WeightedSampler::new(&weights);
        let mut stream = RandomStream::derive(1, "sampler");
        let mut found = [0; 3];
        for _ in 0..10_000 {
            found[sampler.sample(&mut stream, || weights.clone()) as usize - 7] += 1;
        }
        for (found, expected) in found.into_iter().zip([3_000i32, 1_000, 6_000]) {
            assert!((found - expected).abs() < 200, "{found}");
        }
    }
}
