//! What is said of a few numbers that were measured in the same way: mean, median, standard deviation, and the interval in
//! which the mean is to be expected.
//!
//! The interval is that of Student (1908, "The probable error of a mean") for numbers that are normally distributed. Its
//! quantiles are those of Hill (1970, "Algorithm 396: Student's t-quantiles", Communications of the ACM 13), which are
//! right to six digits.

use std::f64::consts::FRAC_PI_2;

use super::statistics::Z;

/// What is said of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// How many there are.
    pub size: usize,
    /// Their mean.
    pub mean: f64,
    /// As many are smaller as are larger.
    pub median: f64,
    /// Their standard deviation, estimated from them; `None` of a single one.
    pub deviation: Option<f64>,
    /// The ends of the 95 % interval of the mean; `None` of a single one.
    pub interval: Option<(f64, f64)>,
}

impl Sample {
    /// What is said of `numbers`; `None` of none.
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let size = numbers.len();
        let middle = |place: usize| numbers.get(place).copied();
        let median = (middle(size.checked_sub(1)? / 2)? + middle(size / 2)?) / 2.0;
        let count = size as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = (size > 1).then(|| (squares / (count - 1.0)).sqrt());
        let interval = deviation.map(|deviation| {
            let reach = quantile(size - 1) * deviation / count.sqrt();
            (mean - reach, mean + reach)
        });
        Some(Self { size, mean, median, deviation, interval })
    }
}

/// The 97.5 % quantile of Student's distribution with this many degrees of freedom, at least one.
fn quantile(freedom: usize) -> f64 {
    // Both tails together.
    const TAILS: f64 = 0.05;
    let n = freedom as f64;
    match freedom {
        0 | 1 => return (TAILS * FRAC_PI_2).tan().recip(),
        2 => return (2.0 / (TAILS * (2.0 - TAILS)) - 2.0).sqrt(),
        _ => {}
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
    let mut y = (d * TAILS).powf(2.0 / n);
    if y > 0.05 + a {
        let x = -Z;
        y = x * x;
        if freedom < 5 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) + 0.5 / (n + 4.0)) * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// From the tables that every book has.
    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        for (freedom, wanted) in [
            (1, 12.706_205),
            (2, 4.302_653),
            (3, 3.182_446),
            (4, 2.776_445),
            (5, 2.570_582),
            (9, 2.262_157),
            (29, 2.045_230),
            (99, 1.984_217),
            (9_999, 1.960_201),
        ] {
            assert!((quantile(freedom) - wanted).abs() < 5e-5, "{freedom}: {}", quantile(freedom));
        }
    }

    #[test]
    fn a_single_number_has_no_deviation() {
        let one = Sample::of(vec![7.0]).unwrap();
        assert_eq!((one.mean, one.median, one.deviation, one.interval), (7.0, 7.0, None, None));
        assert_eq!(Sample::of(Vec::new()), None);
        let four = Sample::of(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((four.size, four.mean, four.median), (4, 2.5, 2.5));
        assert!((four.deviation.unwrap() - 1.290_994).abs() < 1e-6);
        let (low, high) = four.interval.unwrap();
        assert!((low - 0.445_739).abs() < 1e-4 && (high - 4.554_260).abs() < 1e-4, "{low} {high}");
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_mean_and_moves_with_the_numbers(
            numbers in proptest::collection::vec(0.0..100.0f64, 2..40),
            by in -50.0..50.0f64,
        ) {
            let sample = Sample::of(numbers.clone()).unwrap();
            let (low, high) = sample.interval.unwrap();
            prop_assert!(low <= sample.mean && sample.mean <= high);
            let moved = Sample::of(numbers.iter().map(|number| number + by).collect()).unwrap();
            prop_assert!((moved.mean - sample.mean - by).abs() < 1e-9);
            prop_assert!((moved.deviation.unwrap() - sample.deviation.unwrap()).abs() < 1e-9);
        }
    }
}
