//! Whether a program says the same of an input each time it is asked.

use crate::oracle::{OracleError, Verdict};

use super::exit::Failure;
use super::target::Target;

/// So often is an input judged.
const TIMES: usize = 3;

/// How often an input failed when it was judged several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steadiness {
    failed: usize,
    of: usize,
}

impl Steadiness {
    /// Judges an input several times, which are no executions; if it does not fail the first time, no more.
    pub fn of(target: &Target, input: &[u8]) -> Result<Self, Failure> {
        let mut found = Self { failed: 0, of: 0 };
        for _ in 0..TIMES {
            let verdict = match target.oracle().repeat(input) {
                Ok(verdict) => target.timeout_as().count(verdict),
                Err(OracleError::Interrupted) => break,
                Err(error) => return Err(Failure::usage(error)),
            };
            found.of += 1;
            found.failed += usize::from(verdict == Verdict::Fail);
            if found.failed == 0 {
                break;
            }
        }
        Ok(found)
    }

    /// What to say of `what` if it does not fail each time.
    pub fn warning(self, what: &str) -> Option<String> {
        let Self { failed, of } = self;
        let text =
            || format!("warning: {what} fails in {failed} of {of} runs: the program is not deterministic");
        (0 < failed && failed < of).then(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_now_and_then_is_warned_of() {
        let warning = |failed, of| Steadiness { failed, of }.warning("the result");
        assert_eq!((warning(3, 3), warning(0, 1)), (None, None));
        assert!(warning(2, 3).unwrap().contains("the result fails in 2 of 3 runs"));
    }
}
