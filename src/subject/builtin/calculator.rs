//! `calculator`: a function of a number, which may be the square root of a negative one. After the example of Kampmann,
//! Havrikov, Soremekun and Zeller, "When Does My Program Do This? Learning Circumstances of Software Behavior" (ESEC/FSE
//! 2020, section 2).

use crate::oracle::Judgement;

use super::{judged, unreadable};

/// Fails when the function is `sqrt` and the number is below zero.
pub(super) fn calculator(input: &[u8]) -> Judgement {
    let Some((function, rest)) = std::str::from_utf8(input).ok().and_then(|text| text.split_once('(')) else {
        return unreadable();
    };
    let Some(number) = rest.strip_suffix(')') else { return unreadable() };
    let (is_negative, size) = match number.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, number),
    };
    let (whole, fraction) = size.split_once('.').unwrap_or((size, "0"));
    let is_number = [whole, fraction]
        .iter()
        .all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_number || !["sqrt", "sin", "cos", "tan"].contains(&function) {
        return unreadable();
    }
    let is_zero = size.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    judged(function == "sqrt" && is_negative && !is_zero, "square root of a negative number")
}
