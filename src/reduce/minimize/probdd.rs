//! `ProbDD` of "Probabilistic Delta Debugging" (Wang, Shen, Chen, Xiong and Zhang, ESEC/FSE 2021), and a weighted form.
//!
//! Each element has a probability of being needed. Those are left out together whose gain is expected to be largest, where
//! the gain is how many they are (in the weighted form what they weigh) if none of them is needed, and nothing otherwise.
//! When the rest does not fail, at least one of them is needed, and the probabilities of all of them rise by Bayes' rule. An element
//! is needed for sure when it was left out alone. Elements that are equally likely go by their place.

use super::{Test, without};

use crate::oracle::Halt;

/// The probability that an element is needed, before anything is known: the paper's.
const INITIAL: f64 = 0.1;

/// The elements that are left.
pub(super) fn minimize(weights: &[usize], test: &mut Test<'_>) -> Result<Vec<usize>, Halt> {
    let mut elements: Vec<usize> = (0..weights.len()).collect();
    let mut needed = vec![INITIAL; weights.len()];
    loop {
        let part = next(&elements, &needed, weights);
        if part.is_empty() {
            return Ok(elements);
        }
        let rest = without(&elements, &part);
        // None is left: that was asked before anything else.
        if !rest.is_empty() && test(&rest)? {
            elements = rest;
        } else {
            update(&mut needed, &part);
        }
    }
}

/// The elements whose expected gain is largest, ascending; none when all are needed for sure.
fn next(elements: &[usize], needed: &[f64], weights: &[usize]) -> Vec<usize> {
    // Neighbours mostly are as likely: a logarithm is taken once for all of them, and not in each comparison.
    let (mut last, mut logarithm) = (f64::NAN, 0.0);
    let worth = |element: usize| {
        if needed[element] != last {
            (last, logarithm) = (needed[element], (1.0 - needed[element]).ln());
        }
        (logarithm / weights[element] as f64, element)
    };
    let mut order: Vec<(f64, usize)> =
        elements.iter().copied().filter(|&element| needed[element] < 1.0).map(worth).collect();
    order.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let (mut best, mut best_gain) = (0, 0.0);
    let (mut weight, mut unneeded) = (0.0, 1.0);
    for (index, &(_, element)) in order.iter().enumerate() {
        weight += weights[element] as f64;
        unneeded *= 1.0 - needed[element];
        if weight * unneeded > best_gain {
            (best, best_gain) = (index + 1, weight * unneeded);
        }
    }
    // Where nothing is likely to go, one element at least is asked for.
    order.truncate(best.max(1));
    let mut part: Vec<usize> = order.into_iter().map(|(_, element)| element).collect();
    part.sort_unstable();
    part
}

/// One of these is needed.
fn update(needed: &mut [f64], part: &[usize]) {
    if let [element] = part {
        needed[*element] = 1.0;
        return;
    }
    let none = part.iter().map(|&element| 1.0 - needed[element]).product::<f64>();
    for &element in part {
        // Never for sure, as long as it was not alone.
        needed[element] = (needed[element] / (1.0 - none)).min(1.0 - 1e-9);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Minimizer;
    use super::super::tests::run;
    use super::*;

    /// With the paper's probability of 0.1, ten elements are left out at first: s(1-p)^s is largest for s = 9 and 10, the
    /// same for both, and the smaller is taken.
    #[test]
    fn what_is_left_out_first_has_the_largest_expected_gain() {
        let elements: Vec<usize> = (0..100).collect();
        assert_eq!(next(&elements, &[0.1; 100], &[1; 100]).len(), 9);
        assert_eq!(next(&elements, &[0.5; 100], &[1; 100]).len(), 1);
        assert!(next(&elements, &[1.0; 100], &[1; 100]).is_empty());
    }

    #[test]
    fn probabilities_rise_by_the_rule_of_bayes() {
        let mut needed = vec![0.1, 0.1, 0.1, 0.4];
        update(&mut needed, &[0, 1]);
        // One of two, each as likely as the other: 0.1 / (1 - 0.9 * 0.9).
        assert!((needed[0] - 0.1 / 0.19).abs() < 1e-12 && needed[0] == needed[1]);
        assert_eq!(needed[2..], [0.1, 0.4]);
        update(&mut needed, &[3]);
        assert_eq!(needed[3], 1.0);
    }

    #[test]
    fn few_needed_elements_take_fewer_questions_than_with_ddmin() {
        let fails = |elements: &[usize]| elements.contains(&17) && elements.contains(&230);
        let asked = |minimizer| run(minimizer, &[1; 256], &fails).1.len();
        assert!(asked(Minimizer::Probdd) < 256, "{}", asked(Minimizer::Probdd));
    }

    #[test]
    fn what_weighs_much_goes_first() {
        let (_, asked) = run(Minimizer::WeightedProbdd, &[1, 1, 1, 100], &|elements| elements.contains(&0));
        assert_eq!(asked[1], [0, 1, 2]);
    }
}
