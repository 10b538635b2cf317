//! `middle`: the middle one of three numbers, by a function with a mistake.

use crate::oracle::Judgement;

use super::{judged, unreadable};
use crate::base::integer::Integer;

/// Fails when the function's result is not the middle one of the three.
pub(super) fn middle(input: &[u8]) -> Judgement {
    let numbers: Option<Vec<Integer<'_>>> =
        input.split(|&byte| byte == b',').map(|part| Integer::read(part.trim_ascii())).collect();
    let Some(Ok([x, y, z])) = numbers.map(<[Integer<'_>; 3]>::try_from) else { return unreadable() };
    let mut sorted = [&x, &y, &z];
    sorted.sort();
    judged(wrong_middle(&x, &y, &z) != sorted[1], "not the middle one")
}

/// The well-known mistake: where `x` lies between `y` and `z`, the answer is `y`.
fn wrong_middle<'i, T: Ord>(x: &'i T, y: &'i T, z: &'i T) -> &'i T {
    if y < z {
        // Right would be `x` where the second comparison holds.
        if x < y || x < z { y } else { z }
    } else if x > y {
        y
    } else if x > z {
        x
    } else {
        z
    }
}
