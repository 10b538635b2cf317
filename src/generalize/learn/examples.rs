//! The inputs to which a formula is fitted.
//!
//! They are all that are known to fail or to pass, as long as they are not too large together: what is fitted looks at each node of each tree. Of
//! larger ones the shortest are taken, which have the least in them that has nothing to do with what fails.

use std::rc::Rc;

use super::input::Input;

/// The most nodes of the trees of all examples: with more of them, features take too much memory.
pub(super) const MOST_NODES: usize = 4_000_000;

/// Inputs that fail, and inputs that pass.
pub(super) type Examples = [Vec<Rc<Input>>; 2];

/// The inputs of each side, in their order; if they have more than `most` nodes together, the shortest ones of each side, for which there is half of that, or what the
/// other side leaves.
pub(super) fn shortest(inputs: [&[Rc<Input>]; 2], most: usize) -> Examples {
    let sizes = inputs.map(|inputs| inputs.iter().map(|input| input.spans.len()).collect::<Vec<_>>());
    let shares = shares(sizes.each_ref().map(|sizes| sizes.iter().sum()), most);
    [0, 1].map(|side| {
        let kept = within(&sizes[side], shares[side]);
        kept.into_iter().map(|number| Rc::clone(&inputs[side][number])).collect()
    })
}

/// What there is for each of two sides that need so much, of `most`: half of it, or what the other side leaves.
fn shares(needed: [usize; 2], most: usize) -> [usize; 2] {
    [0, 1].map(|side| (most / 2).max(most.saturating_sub(needed[1 - side])))
}

/// The numbers of the smallest sizes, as many as have no larger sum than `most`, in order.
fn within(sizes: &[usize], most: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..sizes.len()).collect();
    kept.sort_by_key(|&number| sizes[number]);
    let mut sum = 0;
    let number = kept.iter().take_while(|&&number| {
        sum += sizes[number];
        sum <= most
    });
    let number = number.count();
    kept.truncate(number);
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sides_get_no_more_than_there_is_and_all_of_it_if_they_need_it() {
        let all = |most: usize| (0..=12).flat_map(move |left| (0..=12).map(move |right| (left, right, most)));
        for (left, right, most) in (0..=24).flat_map(all) {
            let [of_left, of_right] = shares([left, right], most);
            let got = left.min(of_left) + right.min(of_right);
            assert!(got <= most, "{left}, {right} of {most}");
            // Half of an odd number is rounded down.
            assert!(got + most % 2 >= most.min(left + right), "{left}, {right} of {most}");
            assert!(left.min(of_left) >= left.min(most / 2), "{left}, {right} of {most}");
        }
    }

    #[test]
    fn no_larger_one_is_kept_than_one_that_is_left_out_and_all_are_if_there_is_room() {
        let sizes = [5, 1, 4, 1, 3, 9, 2];
        for most in 0..=sizes.iter().sum::<usize>() {
            let kept = within(&sizes, most);
            let sum: usize = kept.iter().map(|&number| sizes[number]).sum();
            let left = (0..sizes.len()).filter(|number| !kept.contains(number));
            let next = left.map(|number| sizes[number]).min();
            assert!(sum <= most && kept.is_sorted(), "{most}: {kept:?}");
            assert!(next.is_none_or(|next| sum + next > most), "{most}: {kept:?}");
            assert!(
                kept.iter().all(|&number| next.is_none_or(|next| sizes[number] <= next)),
                "{most}: {kept:?}"
            );
        }
        assert_eq!(within(&sizes, sizes.iter().sum()).len(), sizes.len());
    }
}
