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
    let all = sizes.each_ref().map(|sizes| sizes.iter().sum::<usize>());
    [0, 1].map(|side| {
        let share = (most / 2).max(most.saturating_sub(all[1 - side]));
        let kept = within(&sizes[side], share);
        kept.into_iter().map(|number| Rc::clone(&inputs[side][number])).collect()
    })
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
