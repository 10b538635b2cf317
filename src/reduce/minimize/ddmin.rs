//! `ddmin` of "Simplifying and Isolating Failure-Inducing Input" (Zeller and Hildebrandt, TSE 2002, figure 5), and its weighted
//! form (Zhou et al., "WDD: Weighted Delta Debugging", ICSE 2025), which cuts a list where the weights on both sides are equal.

use super::{Test, without};

use crate::oracle::Halt;

/// The elements that are left. All of them fail, and none of them does not.
pub(super) fn minimize(weights: &[usize], test: &mut Test<'_>) -> Result<Vec<usize>, Halt> {
    let mut elements: Vec<usize> = (0..weights.len()).collect();
    let mut granularity = 2;
    while elements.len() >= 2 {
        let subsets = split(&elements, weights, granularity);
        // Reduce to subset.
        let mut found = None;
        for subset in &subsets {
            if test(subset)? {
                found = Some((subset.to_vec(), 2));
                break;
            }
        }
        // Reduce to complement. With two subsets, each is the complement of the other.
        if found.is_none() && subsets.len() > 2 {
            for subset in &subsets {
                let complement = without(&elements, subset);
                if test(&complement)? {
                    found = Some((complement, (granularity - 1).max(2)));
                    break;
                }
            }
        }
        match found {
            Some((fewer, next)) => (elements, granularity) = (fewer, next),
            // Done.
            None if subsets.len() == elements.len() => break,
            // Increase granularity.
            None => granularity = (2 * granularity).min(elements.len()),
        }
    }
    Ok(elements)
}

/// Cuts a list into `count` parts of about the same weight, none of which is empty; one element each, if there are not more.
fn split<'e>(elements: &'e [usize], weights: &[usize], count: usize) -> Vec<&'e [usize]> {
    let count = count.min(elements.len());
    let total: usize = elements.iter().map(|&element| weights[element]).sum();
    let (mut parts, mut begin, mut weight) = (Vec::with_capacity(count), 0, 0);
    for (index, &element) in elements.iter().enumerate() {
        weight += weights[element];
        let (end, parts_left) = (index + 1, count - parts.len() - 1);
        let is_full = weight * count >= total * (parts.len() + 1);
        // There must be an element left for each part, and no more parts than that.
        if parts_left > 0
            && (is_full || elements.len() - end == parts_left)
            && elements.len() - end >= parts_left
        {
            parts.push(&elements[begin..end]);
            begin = end;
        }
    }
    parts.push(&elements[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::super::Minimizer;
    use super::super::tests::run;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_list_is_cut_into_as_many_parts_as_asked_for(weights in prop::collection::vec(1usize..50, 1..40), count in 1usize..50) {
            let elements: Vec<usize> = (0..weights.len()).collect();
            let parts = split(&elements, &weights, count);
            prop_assert_eq!(parts.len(), count.min(elements.len()));
            prop_assert!(parts.iter().all(|part| !part.is_empty()));
            prop_assert_eq!(&parts.concat(), &elements);
            let even = split(&parts.concat(), &vec![1; weights.len()], count).iter().map(|part| part.len()).collect::<Vec<_>>();
            prop_assert!(even.iter().max().unwrap() - even.iter().min().unwrap() <= 1, "{:?}", even);
        }

        #[test]
        fn the_result_is_one_minimal(count in 1usize..24, salt: u8) {
            let all: Vec<usize> = (0..count).collect();
            let fails = |elements: &[usize]| {
                let bytes: Vec<u8> = elements.iter().map(|&element| element as u8).collect();
                elements == all || blake3::hash(&bytes).as_bytes()[0].wrapping_add(salt) < 60
            };
            let (left, _) = run(Minimizer::Ddmin, &vec![1; count], &fails);
            for element in &left {
                prop_assert!(!fails(&without(&left, &[*element])));
            }
        }
    }

    /// The paper's example: of eight elements, the first, seventh and eighth are needed. Halves are asked about, then
    /// quarters and their complements, and so on.
    #[test]
    fn the_papers_example() {
        let needed = [0, 6, 7];
        let fails = |elements: &[usize]| needed.iter().all(|element| elements.contains(element));
        let (left, asked) = run(Minimizer::Ddmin, &[1; 8], &fails);
        assert_eq!(left, needed);
        let steps: [&[usize]; 8] =
            [&[], &[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1], &[2, 3], &[4, 5], &[6, 7], &[2, 3, 4, 5, 6, 7]];
        assert_eq!(asked[..8], steps);
        assert_eq!(asked[8], [0, 1, 4, 5, 6, 7], "which fails: the complement of the second quarter");
    }

    #[test]
    fn a_heavy_element_is_a_part_of_its_own() {
        assert_eq!(split(&[0, 1, 2, 3], &[90, 1, 1, 1], 2), [&[0][..], &[1, 2, 3]]);
        assert_eq!(split(&[0, 1, 2, 3], &[1, 1, 1, 90], 2), [&[0, 1, 2][..], &[3]]);
    }
}
