//! The inputs that a task met, with their verdicts, as bytes: for each one a number, which is its length
//! times sixteen, with its verdict in the last two bits and what cut the run short in the two before, seven bits at a time; and then the input.

use crate::oracle::{Cut, Verdict};

use super::record::Judged;

/// Writes them.
pub(super) fn encode(judged: &[Judged]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(judged.iter().map(|judged| judged.input.bytes().len() + 2).sum());
    for Judged { input, verdict, cut } in judged {
        let cut = match cut {
            None => 0,
            Some(Cut::WallTime) => 1,
            Some(Cut::Output) => 2,
        };
        let mut number = (input.bytes().len() as u64) << 4 | cut << 2 | verdict_number(*verdict);
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes.extend_from_slice(input.bytes());
    }
    bytes
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(mut bytes: &[u8]) -> Option<Vec<Judged>> {
    let mut judged = Vec::new();
    while !bytes.is_empty() {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let (&byte, rest) = bytes.split_first()?;
            bytes = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        let (input, rest) = bytes.split_at_checked(usize::try_from(number >> 4).ok()?)?;
        bytes = rest;
        let cut = match number >> 2 & 3 {
            0 => None,
            1 => Some(Cut::WallTime),
            2 => Some(Cut::Output),
            _ => return None,
        };
        judged.push(Judged { input: input.into(), verdict: verdict_of(number), cut });
    }
    Some(judged)
}

/// The number by which a verdict is known in the store.
pub(super) fn verdict_number(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::Fail => 0,
        Verdict::Pass => 1,
        Verdict::Unresolved => 2,
        Verdict::Timeout => 3,
    }
}

/// The verdict with this number, of which the last two bits count.
pub(super) fn verdict_of(number: u64) -> Verdict {
    match number & 3 {
        0 => Verdict::Fail,
        1 => Verdict::Pass,
        2 => Verdict::Unresolved,
        _ => Verdict::Timeout,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            inputs in proptest::collection::vec(
                (proptest::collection::vec(any::<u8>(), 0..200), 0u64..4, 0usize..3),
                0..9,
            ),
            cut: prop::sample::Index,
        ) {
            let judged: Vec<Judged> = inputs
                .iter()
                .map(|(input, verdict, cut)| Judged {
                    input: input.as_slice().into(),
                    verdict: verdict_of(*verdict),
                    cut: [None, Some(Cut::WallTime), Some(Cut::Output)][*cut],
                })
                .collect();
            let bytes = encode(&judged);
            prop_assert_eq!(decode(&bytes), Some(judged.clone()));
            // Whatever it is, it is no reason to panic.
            let cut = cut.index(bytes.len() + 1);
            let _ = decode(&bytes[cut..]);
            prop_assert!(judged.iter().all(|judged| verdict_of(verdict_number(judged.verdict)) == judged.verdict));
        }
    }
}
