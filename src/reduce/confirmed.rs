//! Reductions that can be relied on, whatever the program does: no result is given that does not hold.
//!
//! A reducer knows nothing of this. When the judge has taken back what does not hold, the reducer begins anew and
//! asks the same questions; all verdicts are known but those that were taken back. So it comes to the place where it went wrong without any
//! execution, and goes on otherwise.

use crate::base::budget::StopReason;
use crate::oracle::{Judge, Rate};

use super::{Failing, ReduceError, Reduced, Reducer};

/// Reduces an input with a judge that confirms failures. The result with how often it failed when it was confirmed in the end, if it was.
///
/// # Errors
/// As [`Reducer::reduce`].
pub fn reduce_confirmed(
    reducer: &dyn Reducer,
    failing: Failing<'_>,
    judge: &mut Judge<'_>,
) -> Result<(Reduced, Option<Rate>), ReduceError> {
    loop {
        let reduced = reducer.reduce(failing, judge)?;
        if judge.has_taken_back() {
            continue;
        }
        if reduced.stop == StopReason::Interrupted {
            return Ok((reduced, None));
        }
        if let Some(rate) = judge.confirm_result(&reduced.text)? {
            return Ok((reduced, Some(rate)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::oracle::{Judgement, Oracle, OracleError, TimeoutAs, Verdict};
    use crate::reduce::reducer;

    /// Fails on what has an `!`, in `.0` of a hundred runs, and on anything else in `.1` of them.
    struct Flaky(u64, u64, AtomicU64);

    impl Oracle for Flaky {
        fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
            let run = self.2.fetch_add(1, Ordering::Relaxed);
            let drawn = u64::from(blake3::hash(&run.to_le_bytes()).as_bytes()[0]) * 100 / 256;
            let fails = drawn < if input.contains(&b'!') { self.0 } else { self.1 };
            Ok(Judgement::new(if fails { Verdict::Fail } else { Verdict::Pass }, "seen"))
        }
    }

    /// What `ddmin` makes of a text with one `!`, for several moods of the program, confirming failures or not; how many were taken back
    /// in all.
    fn results(failing: u64, passing: u64, confirms: bool) -> (Vec<String>, u64) {
        let text = format!("{}!{}", "some words ".repeat(12), "and more of them ".repeat(9));
        let mut back = 0;
        let result = |mood: u64| {
            let oracle = Flaky(failing, passing, AtomicU64::new(1000 * mood));
            let rate = Rate::measured(&oracle, TimeoutAs::Pass, text.as_bytes()).unwrap();
            let mut judge = Judge::new(&oracle);
            if confirms {
                judge = judge.confirming(text.as_bytes(), rate);
            }
            let failing = Failing { text: text.as_bytes(), syntax: None };
            let (reduced, _) = reduce_confirmed(&*reducer("ddmin").unwrap(), failing, &mut judge).unwrap();
            back += judge.confirmations().1;
            String::from_utf8(reduced.text).unwrap()
        };
        let texts = (0..20).map(result).collect::<Vec<String>>();
        (texts, back)
    }

    #[test]
    fn a_steady_program_is_asked_no_more_than_needed() {
        assert_eq!(results(100, 0, true), (vec!["!".to_owned(); 20], 0));
    }

    #[test]
    fn what_was_accepted_on_a_verdict_that_does_not_hold_is_taken_back() {
        let astray = |texts: &[String]| texts.iter().filter(|text| !text.contains('!')).count();
        assert_ne!(astray(&results(100, 10, false).0), 0, "without confirming some go astray");
        let (texts, back) = results(100, 10, true);
        assert_eq!(astray(&texts), 0, "{texts:?}");
        assert!(texts.iter().filter(|text| *text == "!").count() >= 18, "{texts:?}");
        assert!(back > 0);
    }

    #[test]
    fn a_failure_that_comes_now_and_then_is_reduced_all_the_same() {
        let (texts, _) = results(60, 0, true);
        assert!(texts.iter().all(|text| text.contains('!') && text.len() < 10), "{texts:?}");
    }
}
