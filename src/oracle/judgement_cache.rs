//! What is known of the inputs of a bug, in little space.
//!
//! Inputs are long and there may be a million of them; only digests are kept. Two inputs with equal
//! digests of 128 bits are taken to be the same one. What was seen of an input is one of a few phrases,
//! which are kept once.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Judgement, Verdict};

/// A judgement that is known, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownJudgement {
    /// The judgement.
    pub judgement: Judgement,
    /// Whether it is confirmed; see [`super::Examination`].
    pub is_confirmed: bool,
    /// Whether it was checked that the program says the same a second time.
    pub is_repeated: bool,
}

/// What is known of the inputs of a bug.
#[derive(Debug, Default)]
pub struct JudgementCache {
    entries: FxHashMap<InputDigest, Entry>,
    /// Each phrase once, by number.
    phrases: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
    /// The number of the last execution.
    last: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    phrase: u32,
    verdict: Verdict,
    is_confirmed: bool,
    is_repeated: bool,
}

impl JudgementCache {
    /// What is known of `input`.
    pub fn get(&self, input: &[u8]) -> Option<KnownJudgement> {
        let Entry { phrase, verdict, is_confirmed, is_repeated } = *self.entries.get(&digest(input))?;
        let evidence = Arc::clone(&self.phrases[phrase as usize]);
        Some(KnownJudgement { judgement: Judgement { verdict, evidence }, is_confirmed, is_repeated })
    }

    /// From now on this is known of `input`, whatever was before.
    pub fn set(&mut self, input: &[u8], known: &KnownJudgement) {
        let KnownJudgement { judgement: Judgement { verdict, evidence }, is_confirmed, is_repeated } = known;
        let phrase = match self.numbers.get(evidence) {
            Some(&number) => number,
            None => {
                let number = self.phrases.len() as u32;
                self.phrases.push(Arc::clone(evidence));
                self.numbers.insert(Arc::clone(evidence), number);
                number
            }
        };
        let entry =
            Entry { phrase, verdict: *verdict, is_confirmed: *is_confirmed, is_repeated: *is_repeated };
        self.entries.insert(digest(input), entry);
    }

    /// The number of the last execution that was recorded; 0 before the first.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The number of the next execution.
    pub fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Says that there was an execution with this number.
    pub fn has_seen(&mut self, number: u64) {
        self.last = self.last.max(number);
    }
}

/// What is kept of an input.
pub(super) type InputDigest = [u8; 16];

/// The digest of an input.
pub(super) fn digest(input: &[u8]) -> InputDigest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(input).as_bytes()[..16]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_the_last_that_was_said() {
        let mut memory = JudgementCache::default();
        let known = |verdict, evidence: &str, is_confirmed| KnownJudgement {
            judgement: Judgement::new(verdict, evidence),
            is_confirmed,
            is_repeated: !is_confirmed,
        };
        let (one, other) = (known(Verdict::Fail, "exit 1", false), known(Verdict::Pass, "exit 0", true));
        memory.set(b"a", &one);
        memory.set(b"b", &one);
        memory.set(b"a", &other);
        assert_eq!((memory.get(b"a"), memory.get(b"b"), memory.get(b"")), (Some(other), Some(one), None));
        assert_eq!(memory.number(), 1);
        memory.has_seen(7);
        memory.has_seen(3);
        assert_eq!((memory.number(), memory.last()), (8, 8));
    }
}
