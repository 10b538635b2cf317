//! `heartbleed`: a payload, and how long it is said to be. After the example of Kampmann, Havrikov, Soremekun and
//! Zeller, "When Does My Program Do This? Learning Circumstances of Software Behavior" (ESEC/FSE 2020), on a bug of OpenSSL
//! (CVE-2014-0160): who answers with as many bytes as were asked for tells what is behind the payload.

use crate::oracle::Judgement;

use super::{judged, unreadable};
use crate::base::integer::Integer;

/// Fails when the payload is shorter than it is said to be.
pub(super) fn heartbleed(input: &[u8]) -> Judgement {
    let Some(colon) = input.iter().position(|&byte| byte == b':') else { return unreadable() };
    let (said, payload) = (&input[..colon], &input[colon + 1..]);
    let length = payload.len().to_string();
    match (Integer::read(said), Integer::read(length.as_bytes())) {
        (Some(said), Some(length)) if !said.negative => judged(said > length, "read beyond the payload"),
        _ => unreadable(),
    }
}
