//! A test that was made, and what is said of several at once: Holm's correction (Holm 1979, "A simple sequentially rejective
//! multiple test procedure", Scandinavian Journal of Statistics 6), sharpened for discrete tests.
//!
//! Most accuracies are near 100 %, and where hardly anything failed no outcome of a test would be a surprise. Holm's correction
//! multiplies the smallest p-value by the number of tests; here each other test counts only with the probability with which
//! it could have had so small a p-value at all, given its totals (Westfall and Wolfinger 1997, "Multiple tests with discrete
//! distributions", The American Statistician 51). The probability of any false alarm is bounded as Holm's is, by
//! Bonferroni's inequality, so nothing is assumed of how tests depend on each other.

/// What a one-sided test came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// The probability of what was seen, or of more than that, if nothing has changed.
    pub p: f64,
    /// All p-values that there could have been, from the smallest; `None` if that is any number from 0 to 1.
    attainable: Option<Vec<f64>>,
}

impl Tested {
    /// A test that could have had these p-values alone. In each case the p-value is the probability of this case and all more
    /// extreme ones.
    pub fn discrete(p: f64, mut attainable: Vec<f64>) -> Self {
        attainable.sort_by(f64::total_cmp);
        Self { p: p.min(1.0), attainable: Some(attainable) }
    }

    /// A test that could have had any p-value.
    pub fn continuous(p: f64) -> Self {
        Self { p: p.min(1.0), attainable: None }
    }

    /// How probable it is that the p-value is at most `level` if nothing has changed.
    pub fn chance(&self, level: f64) -> f64 {
        match &self.attainable {
            None => level.min(1.0),
            Some(attainable) => {
                // What is computed in two ways need not be the same in the last digit.
                let below = attainable.partition_point(|&p| p <= level * (1.0 + 1e-9));
                below.checked_sub(1).map_or(0.0, |place| attainable[place])
            }
        }
    }
}

/// The p-values of tests that are made together, adjusted for their number: those that are at most `alpha` are no accident,
/// and the probability that any of them is one is at most `alpha`.
pub fn adjusted(tests: &[&Tested]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|&one, &other| tests[one].p.total_cmp(&tests[other].p));
    let mut adjusted = vec![1.0; tests.len()];
    let mut largest: f64 = 0.0;
    for (rank, &place) in order.iter().enumerate() {
        let level = tests[place].p;
        let others: f64 = order[rank + 1..].iter().map(|&other| tests[other].chance(level)).sum();
        largest = largest.max(level + others).min(1.0);
        adjusted[place] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of Holm's procedure that many textbooks have: four tests at 5 %.
    #[test]
    fn of_continuous_tests_it_is_holms_correction() {
        let tests = [0.01, 0.04, 0.03, 0.005].map(Tested::continuous);
        let found = adjusted(&tests.iter().collect::<Vec<_>>());
        let wanted = [0.03, 0.06, 0.06, 0.02];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn a_test_that_could_not_surprise_counts_for_nothing() {
        let one = Tested::discrete(0.03, vec![0.03, 0.5, 1.0]);
        let idle = Tested::discrete(1.0, vec![1.0]);
        let many: Vec<&Tested> = std::iter::once(&one).chain(std::iter::repeat_n(&idle, 40)).collect();
        assert_eq!(adjusted(&many)[0], 0.03);
        let busy = Tested::discrete(0.5, vec![0.02, 0.5, 1.0]);
        assert!((adjusted(&[&one, &busy])[0] - 0.05).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn adjusting_keeps_the_order_and_makes_nothing_smaller(
            ps in proptest::collection::vec(0.0..=1.0f64, 1..30)
        ) {
            let tests: Vec<Tested> = ps.iter().map(|&p| Tested::continuous(p)).collect();
            let found = adjusted(&tests.iter().collect::<Vec<_>>());
            for (one, p) in found.iter().zip(&ps) {
                prop_assert!(p <= one && *one <= 1.0);
                for (other, q) in found.iter().zip(&ps) {
                    prop_assert!(p > q || one <= other);
                }
            }
        }
    }
}
