//! Small random numbers, several from each draw.

use crate::base::random_stream::RandomStream;

/// Makes choices: random ones, or in a test one after the other.
pub(super) trait RandomBelow {
    /// A number below `bound`, which is not 0, each equally likely.
    fn below(&mut self, bound: u32) -> u32;
}

/// Cuts the 64 bits of a draw into four pieces, and makes a choice of each.
///
/// As in [`RandomStream::below`] a piece that would favour some number is rejected, so that all are exactly
/// equally likely (Lemire 2019).
pub(super) struct BatchedRandom<'a> {
    stream: &'a mut RandomStream,
    /// A copy, which the compiler keeps at hand; written back at the end.
    local: RandomStream,
    bits: u64,
    left: u32,
}

const BITS: u32 = 16;

impl<'a> BatchedRandom<'a> {
    pub fn new(stream: &'a mut RandomStream) -> Self {
        let local = stream.clone();
        Self { stream, local, bits: 0, left: 0 }
    }

    #[inline]
    fn piece(&mut self) -> u32 {
        if self.left == 0 {
            self.bits = self.local.bits();
            self.left = u64::BITS / BITS;
        }
        self.left -= 1;
        let piece = self.bits as u16;
        self.bits >>= BITS;
        piece.into()
    }
}

/// All of it is inlined, so that what it counts stays in registers.
impl RandomBelow for BatchedRandom<'_> {
    #[inline]
    fn below(&mut self, bound: u32) -> u32 {
        if bound >= 1 << (BITS - 4) {
            let draw = |stream: &mut RandomStream| u128::from(stream.bits()) * u128::from(bound);
            let mut product = draw(&mut self.local);
            let bound = u64::from(bound);
            if (product as u64) < bound {
                let threshold = bound.wrapping_neg() % bound;
                while (product as u64) < threshold {
                    product = draw(&mut self.local);
                }
            }
            return (product >> 64) as u32;
        }
        let mut product = self.piece() * bound;
        if product & 0xffff < bound {
            let threshold = (1 << BITS) % bound;
            while product & 0xffff < threshold {
                product = self.piece() * bound;
            }
        }
        product >> BITS
    }
}

impl Drop for BatchedRandom<'_> {
    fn drop(&mut self) {
        self.stream.clone_from(&self.local);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_is_about_equally_likely() {
        let mut stream = RandomStream::derive(7, "pieces");
        let mut random = BatchedRandom::new(&mut stream);
        for bound in [1, 2, 3, 6, 62, 4_095, 5_000] {
            let mut counts = vec![0usize; bound as usize];
            for _ in 0..bound * 1_000 {
                counts[random.below(bound) as usize] += 1;
            }
            assert!(counts.iter().all(|count| (800..1_200).contains(count)), "{bound}");
        }
    }

    #[test]
    fn the_stream_goes_on_where_the_pieces_ended() {
        let mut stream = RandomStream::derive(7, "pieces");
        let mut other = stream.clone();
        BatchedRandom::new(&mut stream).below(6);
        other.bits();
        assert_eq!(stream.bits(), other.bits());
    }
}
