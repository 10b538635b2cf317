//! `ProbDD` of "Probabilistic Delta Debugging" (Wang, Shen, Chen, Xiong and Zhang, ESEC/FSE 2021), and a weighted form.
//!
//! Each element has a probability of being needed. Those are left out together whose gain is expected to be largest, where
//! the gain is how many they are (in the weighted form what they weigh) if none of them is needed, and nothing otherwise.
//! When the rest does not fail, at least one of them is needed, and the probabilities of all of them rise by Bayes' rule. An element
//! is needed for sure when it was left out alone. Elements that are equally likely go by their place.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::{Test, leave_out};

use crate::oracle::Halt;

/// The probability that an element is needed, before anything is known: the paper's.
const INITIAL: f64 = 0.1;

/// The elements that are left.
pub(super) fn minimize(weights: &[usize], test: &mut Test<'_>) -> Result<Vec<usize>, Halt> {
    let mut elements: Vec<usize> = (0..weights.len()).collect();
    let mut needed = vec![INITIAL; weights.len()];
    let mut order = Order::new(weights);
    let mut rest = Vec::new();
    loop {
        let part = order.next(&needed, weights);
        if part.is_empty() {
            return Ok(elements);
        }
        leave_out(&elements, &part, &mut rest);
        // None is left: that was asked before anything else.
        let is_left = !rest.is_empty() && test(&rest)?;
        order.remove(&part, &needed, weights);
        if is_left {
            std::mem::swap(&mut elements, &mut rest);
        } else {
            update(&mut needed, &part);
            order.add(&part, &needed, weights);
        }
    }
}

/// What an element is ordered by: what is most likely to go in relation to its weight is first.
#[derive(Clone, Copy, Debug)]
struct Worth(f64);

impl Ord for Worth {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worth {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worth {}

/// The elements that are not needed for sure, in their order. It is kept from question to question: each changes the places of the few elements
/// that were asked about.
struct Order {
    elements: BTreeSet<(Worth, usize)>,
    /// The weight of all of them.
    weight: f64,
}

impl Order {
    /// All elements, of which nothing is known.
    fn new(weights: &[usize]) -> Self {
        // The logarithm of the one probability that all have is taken once.
        let logarithm = (1.0 - INITIAL).ln();
        let place = |(element, &weight): (usize, &usize)| (Worth(logarithm / weight as f64), element);
        let elements = weights.iter().enumerate().map(place).collect();
        Self { elements, weight: weights.iter().map(|&weight| weight as f64).sum() }
    }

    fn place(element: usize, needed: &[f64], weights: &[usize]) -> (Worth, usize) {
        (Worth((1.0 - needed[element]).ln() / weights[element] as f64), element)
    }

    fn add(&mut self, part: &[usize], needed: &[f64], weights: &[usize]) {
        for &element in part.iter().filter(|&&element| needed[element] < 1.0) {
            self.elements.insert(Self::place(element, needed, weights));
            self.weight += weights[element] as f64;
        }
    }

    fn remove(&mut self, part: &[usize], needed: &[f64], weights: &[usize]) {
        for &element in part {
            self.elements.remove(&Self::place(element, needed, weights));
            self.weight -= weights[element] as f64;
        }
    }

    /// The elements whose expected gain is largest, ascending; none when all are needed for sure.
    fn next(&self, needed: &[f64], weights: &[usize]) -> Vec<usize> {
        let (mut best, mut best_gain) = (0, 0.0);
        let (mut weight, mut unneeded) = (0.0, 1.0);
        for (index, &(_, element)) in self.elements.iter().enumerate() {
            weight += weights[element] as f64;
            unneeded *= 1.0 - needed[element];
            if weight * unneeded > best_gain {
                (best, best_gain) = (index + 1, weight * unneeded);
            }
            // No more can be gained, whatever follows.
            if self.weight * unneeded <= best_gain {
                break;
            }
        }
        // Where nothing is likely to go, one element at least is asked for.
        let mut part: Vec<usize> =
            self.elements.iter().map(|&(_, element)| element).take(best.max(1)).collect();
        part.sort_unstable();
        part
    }
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
        let next = |probability: f64| {
            let elements: Vec<usize> = (0..100).collect();
            let mut order = Order { elements: BTreeSet::new(), weight: 0.0 };
            order.add(&elements, &[probability; 100], &[1; 100]);
            order.next(&[probability; 100], &[1; 100]).len()
        };
        assert_eq!([next(0.1), next(0.5), next(1.0)], [9, 1, 0]);
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
