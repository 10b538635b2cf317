//! Whether a share has become smaller: Fisher's exact test (Fisher 1935, *The Design of Experiments*), one-sided, since a
//! regression has a direction; and which drop it would have found.

use statrs::distribution::{Binomial, Discrete, DiscreteCDF, Hypergeometric};
use statrs::statistics::{Max, Min};

use super::tested::Tested;
use crate::report::statistics::Proportion;

/// Whether the share `after` is smaller than `before`. `None` where there is nothing to compare: no inputs, or nothing
/// but hits or misses.
pub fn drop(before: Proportion, after: Proportion) -> Option<Tested> {
    let hits = before.hits + after.hits;
    let all = before.of + after.of;
    if before.of == 0 || after.of == 0 || hits == 0 || hits == all {
        return None;
    }
    // How many of the hits are among those after, if each input is as good as any other.
    let chance = Hypergeometric::new(all, hits, after.of).ok()?;
    let mut p = 1.0;
    let mut sum = 0.0;
    let mut attainable = Vec::new();
    for count in chance.min()..=chance.max() {
        sum += chance.pmf(count);
        attainable.push(f64::min(sum, 1.0));
        if count == after.hits {
            p = sum;
        }
    }
    Some(Tested::discrete(p, attainable))
}

/// The smallest drop from `before`, as a share, that `of` inputs show with a probability of 80 %: of which a test finds a
/// p-value of at most `level`. `None` if not even the loss of all would.
pub fn smallest_drop(before: Proportion, of: u64, level: f64) -> Option<f64> {
    const POWER: f64 = 0.8;
    if before.of == 0 || before.hits == 0 {
        return None;
    }
    let shows = |hits: u64| drop(before, Proportion::new(hits, of)).is_some_and(|test| test.p <= level);
    if of == 0 || !shows(0) {
        return None;
    }
    // The largest number of hits that would be a drop; the fewer hits, the clearer.
    let (mut low, mut high) = (0, of);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if shows(middle) { low = middle } else { high = middle }
    }
    let found = |share: f64| Binomial::new(share, of).map_or(0.0, |seen| seen.cdf(low));
    let now = before.hits as f64 / before.of as f64;
    let (mut sure, mut unsure) = (0.0, now);
    for _ in 0..40 {
        let middle = f64::midpoint(sure, unsure);
        if found(middle) >= POWER { sure = middle } else { unsure = middle }
    }
    Some(now - sure)
}

/// `share` as if it were of fewer inputs: each `effect` of them count as one.
pub fn thinned(share: Proportion, effect: f64) -> Proportion {
    if effect <= 1.0 || share.of == 0 {
        return share;
    }
    let of = (share.of as f64 / effect).round().max(1.0);
    let hits = (of * share.hits as f64 / share.of as f64).round();
    Proportion::new(hits as u64, of as u64)
}

/// How much more the shares of repetitions differ than those of independent inputs would: 1 if not at all. That is Pearson's
/// dispersion (McCullagh and Nelder 1989, *Generalized Linear Models*, 4.5), of all sides together. The second is its
/// degrees of freedom, by which to tell how much it is worth.
pub fn dispersion(sides: &[Vec<Proportion>]) -> (f64, usize) {
    let (mut squares, mut freedom) = (0.0, 0);
    for side in sides {
        let side: Vec<&Proportion> = side.iter().filter(|share| share.of > 0).collect();
        let pooled: Proportion = side.iter().copied().copied().sum();
        freedom += side.len().saturating_sub(1);
        let share = pooled.hits as f64 / pooled.of.max(1) as f64;
        let variance = share * (1.0 - share);
        if variance > 0.0 {
            let square = |one: &&Proportion| {
                let expected = one.of as f64 * share;
                (one.hits as f64 - expected).powi(2) / (one.of as f64 * variance)
            };
            squares += side.iter().map(square).sum::<f64>();
        }
    }
    if freedom == 0 { (1.0, 0) } else { (f64::max(squares / freedom as f64, 1.0), freedom) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::stats_tests::Alternative;
    use statrs::stats_tests::fisher::fishers_exact;

    /// The lady tasting tea: three of four cups right has the probability 17/70.
    #[test]
    fn fishers_own_example_has_his_probability() {
        let test = drop(Proportion::new(3, 4), Proportion::new(1, 4)).unwrap();
        assert!((test.p - 17.0 / 70.0).abs() < 1e-12, "{test:?}");
        assert!((test.chance(0.02) - 1.0 / 70.0).abs() < 1e-12);
        assert_eq!(drop(Proportion::new(5, 5), Proportion::new(9, 9)), None);
    }

    #[test]
    fn what_a_hundred_inputs_show() {
        let all = Proportion::new(100, 100);
        // Five misses have p = 0.0297, four p = 0.0606.
        assert!((drop(all, Proportion::new(95, 100)).unwrap().p - 0.0297).abs() < 1e-4);
        let shown = smallest_drop(all, 100, 0.05).unwrap();
        // Of 100 inputs with a share of misses of 6.6 %, five or more miss with a probability of 80 %.
        assert!((shown - 0.0667).abs() < 1e-3, "{shown}");
        assert!(smallest_drop(all, 100, 0.001).unwrap() > shown);
        assert_eq!(smallest_drop(Proportion::new(3, 3), 2, 0.05), None);
    }

    #[test]
    fn repetitions_that_differ_more_than_inputs_do_count_for_less() {
        let shares = |hits: &[u64]| hits.iter().map(|&hits| Proportion::new(hits, 100)).collect::<Vec<_>>();
        let (steady, freedom) = dispersion(&[shares(&[50, 52, 48]), shares(&[49, 51])]);
        assert_eq!((steady, freedom), (1.0, 3));
        let (wild, _) = dispersion(&[shares(&[10, 90, 50]), shares(&[20, 80])]);
        // (40² + 40²) / 25 + (30² + 30²) / 25 by three degrees of freedom.
        assert!((wild - 200.0 / 3.0).abs() < 1e-9, "{wild}");
        assert_eq!(thinned(Proportion::new(181, 249), 20.0), Proportion::new(9, 12));
        assert_eq!(thinned(Proportion::new(1, 2), 1.0), Proportion::new(1, 2));
    }

    proptest! {
        #[test]
        fn it_is_the_test_of_the_library(a in 0u64..60, b in 0u64..60, c in 0u64..60, d in 0u64..60) {
            let (before, after) = (Proportion::new(a, a + b), Proportion::new(c, c + d));
            if let Some(test) = drop(before, after) {
                let known = fishers_exact(&[c, d, a, b], Alternative::Less).unwrap();
                prop_assert!((test.p - known).abs() < 1e-9, "{} {known}", test.p);
                prop_assert!((test.chance(test.p) - test.p).abs() < 1e-9);
            }
        }
    }
}
