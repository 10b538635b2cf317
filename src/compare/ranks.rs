//! Whether numbers have become larger: the test of Mann and Whitney (1947, "On a test of whether one of two random variables is
//! stochastically larger than the other", Annals of Mathematical Statistics 18), one-sided, and the effect size of Vargha
//! and Delaney (2000, "A critique and improvement of the CL common language effect size statistics").
//!
//! For a few numbers the distribution is computed exactly, given the ties; for many there is the normal approximation.

use statrs::stats_tests::Alternative;
use statrs::stats_tests::mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu};

use super::tested::Tested;

/// Up to this number of values the test is exact.
const FEW: usize = 40;

/// Whether those `after` are larger than those `before`. `None` where there are none.
pub fn rise(before: &[f64], after: &[f64]) -> Option<Tested> {
    if before.is_empty() || after.is_empty() {
        return None;
    }
    if before.len() + after.len() <= FEW {
        return Some(exact(before, after));
    }
    let method = MannWhitneyUMethod::AsymptoticInclContinuityCorrection;
    let (_, p) = mannwhitneyu(after, before, method, Alternative::Greater).ok()?;
    Some(Tested::continuous(if p.is_nan() { 1.0 } else { p }))
}

/// The probability that a number after is larger than one before, half of it where they are the same: A₁₂. One half if
/// nothing has changed.
pub fn effect(before: &[f64], after: &[f64]) -> f64 {
    let mut sorted = before.to_vec();
    sorted.sort_by(f64::total_cmp);
    let wins = |one: f64| {
        let smaller = sorted.partition_point(|&other| other < one);
        let same = sorted.partition_point(|&other| other <= one) - smaller;
        smaller as f64 + same as f64 / 2.0
    };
    let sum: f64 = after.iter().map(|&one| wins(one)).sum();
    sum / (before.len() * after.len()) as f64
}

/// By counting all ways to choose which of the numbers are those after.
fn exact(before: &[f64], after: &[f64]) -> Tested {
    let mut all: Vec<f64> = before.iter().chain(after).copied().collect();
    all.sort_by(f64::total_cmp);
    // Twice the rank, so that it is whole also where some are the same.
    let rank = |number: f64| {
        all.partition_point(|&other| other < number) + all.partition_point(|&other| other <= number) + 1
    };
    let sum: usize = after.iter().map(|&number| rank(number)).sum();
    let most: usize = all.iter().map(|&number| rank(number)).sum();
    // ways[k][s]: how many choices of k numbers have ranks that add up to s.
    let mut ways = vec![vec![0.0_f64; most + 1]; after.len() + 1];
    ways[0][0] = 1.0;
    for (seen, &number) in all.iter().enumerate() {
        let rank = rank(number);
        for chosen in (1..=after.len().min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(chosen);
            let (fewer, more) = (&fewer[chosen - 1], &mut more[0]);
            for (place, count) in fewer[..=most - rank].iter().enumerate() {
                more[place + rank] += count;
            }
        }
    }
    let ways = &ways[after.len()];
    let total: f64 = ways.iter().sum();
    let (mut tail, mut p, mut attainable) = (0.0, 1.0, Vec::new());
    for (place, count) in ways.iter().enumerate().rev().filter(|(_, count)| **count > 0.0) {
        tail += count / total;
        attainable.push(f64::min(tail, 1.0));
        if place == sum {
            p = tail;
        }
    }
    Tested::discrete(p, attainable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ages at diagnosis of diabetes, an example of SciPy's documentation: U = 17 of 20, and the two-sided exact p-value is
    /// 0.1111.
    #[test]
    fn a_published_example_has_its_probability() {
        let (males, females) = ([19.0, 22.0, 16.0, 29.0, 24.0], [20.0, 11.0, 17.0, 12.0]);
        let test = rise(&females, &males).unwrap();
        assert!((2.0 * test.p - 0.111_111).abs() < 1e-6, "{test:?}");
        assert!((effect(&females, &males) - 17.0 / 20.0).abs() < 1e-12);
    }

    #[test]
    fn ties_are_part_of_the_distribution() {
        // Of the 20 choices of three numbers, one has the sum of ranks of what was seen.
        let test = rise(&[12.0, 12.0, 12.0], &[14.0, 14.0, 14.0]).unwrap();
        assert!((test.p - 0.05).abs() < 1e-12, "{test:?}");
        assert_eq!(rise(&[12.0; 4], &[12.0; 3]).unwrap().p, 1.0);
        assert_eq!(effect(&[12.0; 4], &[12.0; 3]), 0.5);
        assert_eq!(rise(&[], &[1.0]), None);
    }

    #[test]
    fn many_numbers_are_tested_by_the_approximation() {
        let before: Vec<f64> = (0..30).map(f64::from).collect();
        let after: Vec<f64> = (10..40).map(f64::from).collect();
        assert!(rise(&before, &after).unwrap().p < 1e-3);
        assert!(rise(&after, &before).unwrap().p > 0.99);
        assert_eq!(rise(&[1.0; 30], &[1.0; 30]).unwrap().p, 1.0);
    }

    proptest! {
        #[test]
        fn the_probability_is_that_of_all_choices(
            before in proptest::collection::vec(0u8..6, 1..6),
            after in proptest::collection::vec(0u8..6, 1..6),
        ) {
            let numbers = |from: &[u8]| from.iter().map(|&number| f64::from(number)).collect::<Vec<_>>();
            let all = numbers(&[before.clone(), after.clone()].concat());
            let statistic = |is_after: u32| {
                let side = |wanted: bool| -> Vec<f64> {
                    let is_chosen = |place: &usize| (is_after >> place & 1 == 1) == wanted;
                    (0..all.len()).filter(is_chosen).map(|place| all[place]).collect()
                };
                effect(&side(false), &side(true))
            };
            let seen = effect(&numbers(&before), &numbers(&after));
            let choices: Vec<f64> = (0u32..1 << all.len())
                .filter(|choice| choice.count_ones() as usize == after.len())
                .map(statistic)
                .collect();
            let extreme = choices.iter().filter(|&&one| one >= seen - 1e-9).count();
            let test = rise(&numbers(&before), &numbers(&after)).unwrap();
            prop_assert!((test.p - extreme as f64 / choices.len() as f64).abs() < 1e-9);
        }
    }
}
