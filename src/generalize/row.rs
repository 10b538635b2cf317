//! A row of checks: different inputs, all of which must fail.

use std::collections::HashSet;

use crate::oracle::{Halt, Judge, Verdict};

use super::Settings;

/// An input to be checked, and how it was made.
#[derive(Clone, Debug)]
pub(super) struct Check<T> {
    pub(super) text: Vec<u8>,
    pub(super) origin: T,
}

/// What a row of checks showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome<T> {
    /// All failed: as many as were asked for, or as there are. The number of different inputs.
    Holds(usize),
    /// One passed: the one made in this way.
    Refuted(T),
    /// Too few could be judged.
    Unclear,
}

/// Asks about one input after the other until so many failed as are needed, one passes, or too many
/// are unresolved. Repetitions are free, and do not count; `next` says `None` when it has no more.
pub(super) fn row<T>(
    settings: Settings,
    judge: &mut Judge<'_>,
    mut next: impl FnMut() -> Option<Check<T>>,
) -> Result<Outcome<T>, Halt> {
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let (mut failed, mut unresolved, mut repetitions) = (0, 0, 0);
    while failed < settings.checks && repetitions < settings.repetitions {
        let Some(Check { text, origin }) = next() else { break };
        if seen.contains(&text) {
            repetitions += 1;
            continue;
        }
        repetitions = 0;
        match judge.judge(&text)? {
            Verdict::Fail => failed += 1,
            Verdict::Pass => return Ok(Outcome::Refuted(origin)),
            Verdict::Unresolved | Verdict::Timeout => {
                unresolved += 1;
                if unresolved > settings.redraws {
                    return Ok(Outcome::Unclear);
                }
            }
        }
        seen.insert(text);
    }
    // A language with fewer inputs may have no larger share of unresolved ones.
    let enough = failed > 0 && unresolved * settings.checks <= failed * settings.redraws;
    Ok(if enough { Outcome::Holds(failed) } else { Outcome::Unclear })
}

/// Puts the checks whose verdicts are known first: one that passed settles the matter for nothing.
pub(super) fn known_first<T>(checks: &mut [Check<T>], judge: &Judge<'_>) {
    checks.sort_by_key(|check| !judge.knows(&check.text));
}
