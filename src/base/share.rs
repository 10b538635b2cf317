//! A share of something, such as a config gives it: a number from 0 to 1, to the millionth.

use std::fmt;
use std::str::FromStr;

/// A share of all, between none and all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    millionths: u32,
}

impl Share {
    /// None.
    pub const NONE: Self = Self { millionths: 0 };

    /// This many millionths, at most all.
    pub const fn of_millionths(millionths: u32) -> Self {
        Self { millionths: if millionths < 1_000_000 { millionths } else { 1_000_000 } }
    }

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

    /// Whether `number`, which is anywhere among all numbers alike, is among the first of this share.
    pub fn contains(self, number: u64) -> bool {
        (u128::from(number) * 1_000_000) >> 64 < u128::from(self.millionths)
    }

    /// Whether `part` of `whole` is more than this share.
    pub fn is_exceeded_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * 1_000_000 > u128::from(whole) * u128::from(self.millionths)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.millionths) / 1e6)
    }
}

impl FromStr for Share {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::of(text.parse().map_err(|_| "a share is a number from 0 to 1")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read_and_shown() {
        assert_eq!(Share::of(0.02), Ok(Share::of_millionths(20_000)));
        assert_eq!(Share::of(0.125).unwrap().to_string(), "0.125");
        assert_eq!("0.125".parse(), Share::of(0.125));
        for wrong in [-0.1, 1.1, f64::NAN] {
            assert!(Share::of(wrong).is_err());
        }
        assert!("most".parse::<Share>().is_err());
    }

    #[test]
    fn a_part_is_compared_with_a_share() {
        let share = Share::of(0.01).unwrap();
        assert!(!share.is_exceeded_by(1, 100) && share.is_exceeded_by(1, 99));
        assert!(!Share::NONE.is_exceeded_by(0, 5) && Share::NONE.is_exceeded_by(1, u64::MAX));
        assert!(Share::of(1.0).unwrap().contains(u64::MAX) && !Share::NONE.contains(0));
    }
}
