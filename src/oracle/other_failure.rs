//! Failures that are not the one that is looked for: what a search meets on its way and must not take for it ("slippage").
//!
//! A failure is known by what was seen of it. The first input that a session is asked about fails as it does; another
//! input that fails so that something else was seen fails otherwise. So does one that does not count as failing at all,
//! but crashed the program or did not end: each of them may be another bug.

use std::sync::Arc;

use super::{Judgement, TimeoutAs, Verdict};

/// What was seen of a failure: the words of its evidence, or that it did not end in time, however that was found out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure(Arc<str>);

impl Failure {
    /// The failure that was seen.
    pub fn seen(judgement: &Judgement) -> Self {
        match judgement.verdict {
            Verdict::Timeout => Self("timeout".into()),
            _ => Self(Arc::clone(&judgement.evidence)),
        }
    }

    /// What was seen, in a few words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A way to fail that is not the one that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherFailure {
    /// What was seen.
    pub failure: Failure,
    /// The verdict on its inputs, as it was seen.
    pub verdict: Verdict,
    /// How many inputs failed so.
    pub inputs: u64,
    /// The smallest of them; of several the first.
    pub smallest: Box<[u8]>,
}

impl OtherFailure {
    /// What failed otherwise than `sought` among the inputs of a session, each way once, in the order in which they were met.
    pub fn of_log(sought: &Failure, timeout_as: TimeoutAs, log: &[(Box<[u8]>, Judgement)]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (input, judgement) in log {
            Self::add(&mut found, sought, timeout_as, input, judgement);
        }
        found
    }

    /// Adds what was seen of an input to what was found, if it failed otherwise than `sought`.
    pub(super) fn add(
        found: &mut Vec<Self>,
        sought: &Failure,
        timeout_as: TimeoutAs,
        input: &[u8],
        judgement: &Judgement,
    ) {
        let verdict = judgement.verdict;
        let counts = timeout_as.count(verdict) == Verdict::Fail;
        let failure = Failure::seen(judgement);
        if (!counts && verdict != Verdict::Timeout && !judgement.is_crash()) || failure == *sought {
            return;
        }
        match found.iter_mut().find(|known| known.failure == failure && known.verdict == verdict) {
            Some(known) => {
                known.inputs += 1;
                if input.len() < known.smallest.len() {
                    known.smallest = input.into();
                }
            }
            None => found.push(Self { failure, verdict, inputs: 1, smallest: input.into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_other_failure_has_its_smallest_input() {
        let seen = [
            ("abc", Verdict::Fail, "SIGSEGV"),
            ("abcdef", Verdict::Fail, "exit 1, stderr has \"x\""),
            ("ab", Verdict::Pass, "exit 0"),
            ("abd", Verdict::Fail, "exit 1, stderr has \"x\""),
            ("ad", Verdict::Pass, "SIGABRT"),
            ("d", Verdict::Unresolved, "exit 134, stderr has \"y\""),
            ("e", Verdict::Timeout, "timeout"),
            ("f", Verdict::Timeout, "timeout (wall-clock time)"),
            ("g", Verdict::Pass, "SIGPIPE"),
        ];
        let log: Vec<(Box<[u8]>, Judgement)> = seen
            .iter()
            .map(|&(input, verdict, evidence)| (input.as_bytes().into(), Judgement::new(verdict, evidence)))
            .collect();
        let others = |sought: usize, timeout_as| -> Vec<(String, u64, String)> {
            let found = OtherFailure::of_log(&Failure::seen(&log[sought].1), timeout_as, &log);
            let text = |input: &[u8]| String::from_utf8(input.to_vec()).unwrap();
            found
                .iter()
                .map(|other| (other.failure.as_str().to_owned(), other.inputs, text(&other.smallest)))
                .collect()
        };
        let of = |failure: &str, inputs, smallest: &str| (failure.to_owned(), inputs, smallest.to_owned());
        let x = || of("exit 1, stderr has \"x\"", 2, "abd");
        let crashes = || [of("SIGABRT", 1, "ad"), of("exit 134, stderr has \"y\"", 1, "d")];
        let all = [vec![x()], crashes().into(), vec![of("timeout", 2, "e")]].concat();
        assert_eq!(others(0, TimeoutAs::Pass), all);
        // Where endless loops are what is looked for, all of them are the same one.
        let all = [vec![of("SIGSEGV", 1, "abc"), x()], crashes().into()].concat();
        assert_eq!(others(6, TimeoutAs::Fail), all);
    }
}
