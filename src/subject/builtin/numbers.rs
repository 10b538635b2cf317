//! `square-root`: the square root of a negative number.

use crate::oracle::Judgement;

use super::{judged, unreadable};
use crate::base::integer::Integer;

/// Fails when the number is negative, as the function's precondition says.
pub(super) fn square_root(input: &[u8]) -> Judgement {
    match Integer::read(input) {
        Some(number) => judged(number.negative, "precondition violated"),
        None => unreadable(),
    }
}
