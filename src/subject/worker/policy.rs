//! Whether to use workers, and how many of their verdicts to have judged again by a process of its own.

use std::fmt;

/// Whether to use workers, and how far to trust them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether they are used where a manifest has one.
    pub is_used: bool,
    /// The share of their verdicts that is judged again.
    pub judged_again: Share,
    /// From which the choice of these comes.
    pub seed: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { is_used: true, judged_again: Share::default(), seed: 0 }
    }
}

impl Policy {
    /// Whether a worker's verdict on `input` is judged again. The same at every run, whoever judges.
    pub fn is_judged_again(&self, input: &[u8]) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(input);
        let hash = hasher.finalize();
        let number = hash.as_bytes().iter().take(8).fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        // Of 2^64 numbers the first so many millionths.
        (u128::from(number) * 1_000_000) >> 64 < u128::from(self.judged_again.millionths)
    }
}

/// A share of all, between none and all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    millionths: u32,
}

impl Default for Share {
    /// One of fifty.
    fn default() -> Self {
        Self { millionths: 20_000 }
    }
}

impl Share {
    /// `share` of 1, to the millionth.
    ///
    /// # Errors
    /// What it must be, when it is none.
    pub fn of(share: f64) -> Result<Self, &'static str> {
        if (0.0..=1.0).contains(&share) {
            // In range: it is at most a million.
            Ok(Self { millionths: (share * 1e6).round() as u32 })
        } else {
            Err("a share is a number from 0 to 1")
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.millionths) / 1e6)
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
            let policy = Policy { judged_again: Share::of(share).unwrap(), ..Policy::default() };
            let chosen =
                (0..10_000).filter(|input: &u32| policy.is_judged_again(&input.to_le_bytes())).count();
            assert!((least..=most).contains(&chosen), "{share}: {chosen}");
        }
        let other = Policy { seed: 1, judged_again: Share::of(0.5).unwrap(), ..Policy::default() };
        let one = Policy { seed: 0, ..other };
        assert!((0..100_u32).any(|input| {
            let input = input.to_le_bytes();
            one.is_judged_again(&input) != other.is_judged_again(&input)
        }));
    }

    #[test]
    fn a_share_is_read_and_shown() {
        assert_eq!(Share::of(0.02), Ok(Share::default()));
        assert_eq!(Share::of(0.125).unwrap().to_string(), "0.125");
        for wrong in [-0.1, 1.1, f64::NAN] {
            assert!(Share::of(wrong).is_err());
        }
    }
}
