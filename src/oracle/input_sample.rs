//! Which inputs are judged again: a share of all, chosen by the input itself.

use crate::base::share::Share;

/// A share of all inputs. Which ones these are depends on the input and the seed alone, so they are the
/// same at every run, for any caller and in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSample {
    /// How many of all.
    pub share: Share,
    /// From which the choice comes.
    pub seed: u64,
}

impl InputSample {
    /// No input at all.
    pub const NONE: Self = Self { share: Share::NONE, seed: 0 };

    /// Whether `input` is one of them.
    pub fn contains(&self, input: &[u8]) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(input);
        let hash = hasher.finalize();
        let number = hash.as_bytes().iter().take(8).fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        self.share.contains(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_all_inputs_is_chosen() {
        for (share, least, most) in
            [(0.0, 0, 0), (0.02, 150, 250), (0.5, 4_800, 5_200), (1.0, 10_000, 10_000)]
        {
            let sample = InputSample { share: Share::of(share).unwrap(), seed: 0 };
            let chosen = (0..10_000).filter(|input: &u32| sample.contains(&input.to_le_bytes())).count();
            assert!((least..=most).contains(&chosen), "{share}: {chosen}");
        }
        let one = InputSample { share: Share::of(0.5).unwrap(), seed: 0 };
        let other = InputSample { seed: 1, ..one };
        assert!((0..100_u32).any(|input| {
            let input = input.to_le_bytes();
            one.contains(&input) != other.contains(&input)
        }));
    }
}
