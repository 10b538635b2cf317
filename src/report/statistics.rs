//! Percentages and their 95 % intervals, as all reports write them: with one decimal.
//!
//! The interval is Wilson's score interval (Wilson 1927, "Probable inference, the law of succession,
//! and statistical inference"), without continuity correction. It keeps its promise for few inputs
//! and for shares near 0 and 1 (Newcombe 1998; Brown, Cai and DasGupta 2001), which is where these
//! tables live. That of a difference of two shares is made of theirs.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Serialize, Serializer};

/// The 97.5 % quantile of the standard normal distribution: 95 % lie within as many deviations.
pub const Z: f64 = 1.959_963_984_540_054;

/// A proportion: a count out of a total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proportion {
    /// How many have the property.
    pub hits: u64,
    /// How many there are.
    pub of: u64,
}

impl Proportion {
    /// `hits` of `of`.
    ///
    /// # Panics
    /// When there are more hits than there are.
    pub fn new(hits: u64, of: u64) -> Self {
        assert!(hits <= of, "{hits} of {of} is no proportion");
        Self { hits, of }
    }

    /// The percentage; `None` of nothing.
    pub fn percent(self) -> Option<Percent> {
        let (hits, of) = (u128::from(self.hits), u128::from(self.of));
        // Half a tenth is rounded up. All and none are said of all and none only.
        let tenths = (2_000 * hits + of).checked_div(2 * of)?;
        let bounded = match self.hits {
            0 => 0,
            hits if hits == self.of => 1_000,
            _ => tenths.clamp(1, 999),
        };
        Some(Percent::of_tenths(u16::try_from(bounded).expect("a share is at most 1000 tenths of a percent")))
    }

    /// The 95 % interval of the percentage; `None` of nothing.
    pub fn interval(self) -> Option<(Percent, Percent)> {
        let (low, high) = wilson(self.hits, self.of)?;
        Some((Percent::nearest(100.0 * low), Percent::nearest(100.0 * high)))
    }
}

impl Add for Proportion {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { hits: self.hits + other.hits, of: self.of + other.of }
    }
}

impl Sum for Proportion {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), Add::add)
    }
}

/// Wilson's 95 % interval of the share of which `hits` of `of` were seen.
pub fn wilson(hits: u64, of: u64) -> Option<(f64, f64)> {
    if of == 0 {
        return None;
    }
    let (n, z2) = (of as f64, Z * Z);
    let p = hits as f64 / n;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let reach = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    // What is exact is not left to rounding.
    let low = if hits == 0 { 0.0 } else { (middle - reach).max(0.0) };
    let high = if hits == of { 1.0 } else { (middle + reach).min(1.0) };
    Some((low, high))
}

/// The 95 % interval of how much larger the share behind `one` is than that behind `other`; `None` if one of them is of
/// nothing. This is method 10 of Newcombe (1998), "Interval estimation for the difference between independent proportions:
/// comparison of eleven methods", which is made of the two intervals of Wilson.
pub fn difference(one: Proportion, other: Proportion) -> Option<(f64, f64)> {
    let (low_one, high_one) = wilson(one.hits, one.of)?;
    let (low_other, high_other) = wilson(other.hits, other.of)?;
    let (p, q) = (one.hits as f64 / one.of as f64, other.hits as f64 / other.of as f64);
    let low = p - q - (p - low_one).hypot(high_other - q);
    let high = p - q + (high_one - p).hypot(q - low_other);
    Some((low, high))
}

/// A percentage in tenths: what is written is what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent {
    tenths: u16,
}

impl Percent {
    /// Tenths of a percent.
    ///
    /// # Panics
    /// When it is more than 100 %.
    pub fn of_tenths(tenths: u16) -> Self {
        assert!(tenths <= 1_000, "{tenths} tenths of a percent is more than all");
        Self { tenths }
    }

    /// The percentage nearest to `percent`, which is between 0 and 100.
    fn nearest(percent: f64) -> Self {
        Self::of_tenths((percent * 10.0).round() as u16)
    }

    /// In tenths.
    pub fn tenths(self) -> u16 {
        self.tenths
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.tenths / 10, self.tenths % 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The examples of Newcombe 1998, "Two-sided confidence intervals for the single proportion",
    /// table I, method 3.
    #[test]
    fn the_interval_is_that_of_the_literature() {
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (a, b) = wilson(hits, of).unwrap();
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{hits} of {of}: {a} {b}");
        }
        assert_eq!(wilson(0, 0), None);
    }

    /// The examples of Newcombe 1998, table II, method 10.
    #[test]
    fn the_interval_of_a_difference_is_that_of_the_literature() {
        for (one, other, low, high) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((10, 10), (0, 20), 0.6791, 1.0),
        ] {
            let share = |(hits, of)| Proportion::new(hits, of);
            let (a, b) = difference(share(one), share(other)).unwrap();
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{one:?} {other:?}: {a} {b}");
        }
        assert_eq!(difference(Proportion::new(1, 2), Proportion::default()), None);
    }

    #[test]
    fn percentages_have_one_decimal_and_only_all_is_all() {
        let text = |hits, of| Proportion::new(hits, of).percent().map(|percent| percent.to_string());
        assert_eq!(text(191, 213).as_deref(), Some("89.7"));
        assert_eq!(text(657, 682).as_deref(), Some("96.3"));
        assert_eq!(text(1, 2000).as_deref(), Some("0.1"));
        assert_eq!(text(1, 16).as_deref(), Some("6.3"), "half a tenth is rounded up");
        assert_eq!(text(99_999, 100_000).as_deref(), Some("99.9"));
        assert_eq!(text(1, 100_000).as_deref(), Some("0.1"));
        assert_eq!(text(100, 100).as_deref(), Some("100.0"));
        assert_eq!(text(0, 7).as_deref(), Some("0.0"));
        assert_eq!(text(0, 0), None);
        let (low, high) = Proportion::new(96, 100).interval().unwrap();
        assert_eq!((low.to_string(), high.to_string()), ("90.2".into(), "98.4".into()));
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_share_and_is_symmetric(of in 1u64..1_000_000, part in 0.0..=1.0f64) {
            let hits = ((of as f64 * part) as u64).min(of);
            let (low, high) = wilson(hits, of).unwrap();
            let p = hits as f64 / of as f64;
            prop_assert!(0.0 <= low && low <= p && p <= high && high <= 1.0 && low < high);
            let (a, b) = wilson(of - hits, of).unwrap();
            prop_assert!((a - (1.0 - high)).abs() < 1e-9 && (b - (1.0 - low)).abs() < 1e-9);
            let (low, high) = Proportion::new(hits, of).interval().unwrap();
            prop_assert!(low <= high);
        }

        #[test]
        fn a_percentage_is_the_nearest_tenth(of in 1u64..1_000_000, part in 0.0..=1.0f64) {
            let hits = ((of as f64 * part) as u64).min(of);
            let written = f64::from(Proportion::new(hits, of).percent().unwrap().tenths()) / 10.0;
            let exact = 100.0 * hits as f64 / of as f64;
            let off = (written - exact).abs();
            prop_assert!(off < 0.05 + 1e-9 || (off < 0.1 && !(0.05..99.95).contains(&exact)));
        }
    }
}
