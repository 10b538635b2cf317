//! `CDD` of "Deep Dive into Probabilistic Delta Debugging: Insights and Simplifications" (Zhang, Xu, Tian, Cheng and Sun, 2024).
//!
//! What ProbDD's probabilities come to is a counter: in each round the list is cut into parts of one size, each of which is left
//! out in turn. After `c` rounds an element that is left is needed with probability p = 0.25/(1-1/e)^c, and the size s of the parts
//! is the one that maximizes s(1-p)^s. The round whose parts are single elements is the last.

use super::{Test, leave_out};

use crate::oracle::Halt;

/// The elements that are left.
pub(super) fn minimize(count: usize, test: &mut Test<'_>) -> Result<Vec<usize>, Halt> {
    let mut elements: Vec<usize> = (0..count).collect();
    let mut rest = Vec::new();
    for round in 0.. {
        let size = size(round);
        // The last part first, as elements further back mostly depend on those before.
        for part in elements.clone().rchunks(size) {
            leave_out(&elements, part, &mut rest);
            // None is left: that was asked before anything else.
            if !rest.is_empty() && test(&rest)? {
                std::mem::swap(&mut elements, &mut rest);
            }
        }
        if size == 1 {
            break;
        }
    }
    Ok(elements)
}

/// The size of the parts after some rounds: -1/ln(1-p), rounded to the better of its neighbours.
fn size(rounds: i32) -> usize {
    let needed = 0.25 / (1.0 - (-1.0f64).exp()).powi(rounds);
    if needed >= 1.0 {
        return 1;
    }
    let gain = |size: usize| size as f64 * (1.0 - needed).powi(size as i32);
    let best = (-1.0 / (1.0 - needed).ln()).floor().max(1.0) as usize;
    if gain(best + 1) > gain(best) { best + 1 } else { best }
}

#[cfg(test)]
mod tests {
    use super::super::Minimizer;
    use super::super::tests::run;
    use super::*;

    /// s * 0.75^s is the same for 3 and 4 but for rounding, then p is 0.395, then 0.626.
    #[test]
    fn the_sizes_follow_from_the_counter() {
        assert!((3..=4).contains(&size(0)));
        assert_eq!([size(1), size(2), size(3), size(9)], [2, 1, 1, 1]);
    }

    #[test]
    fn parts_are_left_out_from_the_end() {
        let (left, asked) = run(Minimizer::Cdd, &[1; 4], &|elements| elements.contains(&3));
        assert_eq!(left, [3]);
        assert!(asked.len() <= 8, "{asked:?}");
    }
}
