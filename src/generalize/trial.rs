//! A trial, which is a series of checks: different inputs, all of which must fail.

use std::collections::HashSet;

use crate::base::limits::Exceeded;
use crate::oracle::{Halt, Judge, Verdict};

use super::GeneralizerSettings;

/// A trial is abandoned once the probability of so few resolved inputs is below this: a trial
/// that could have been completed is lost now and then, but one that cannot be costs little.
pub(super) const GIVE_UP_PROBABILITY: f64 = 0.05;

/// How many of the latest unresolved inputs are handed back, to find out what makes them so.
pub(super) const UNRESOLVED_KEPT: usize = 3;

/// An input to be checked, and how it was made.
#[derive(Clone, Debug)]
pub(super) struct Candidate<T> {
    pub(super) text: Vec<u8>,
    pub(super) origin: T,
}

/// What a trial showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TrialOutcome<T> {
    /// All failed: as many as were asked for, or as there are. The number of different inputs.
    Holds(usize),
    /// One passed: the one made in this way.
    Refuted(T),
    /// Too few could be judged. Some that could not.
    Unclear(Vec<T>),
}

/// The size of a trial, and when it is abandoned.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialSize {
    /// The number of inputs that must fail.
    pub(super) wanted: usize,
    /// Whether the trial is abandoned at the first unresolved input.
    pub(super) strict: bool,
    pub(super) settings: GeneralizerSettings,
}

impl TrialSize {
    /// A full trial.
    pub(super) fn full(settings: GeneralizerSettings) -> Self {
        Self { wanted: settings.checks, strict: false, settings }
    }

    /// Screening: a short trial that finds most of what passes.
    pub(super) fn screening(settings: GeneralizerSettings) -> Self {
        Self { wanted: settings.screening_checks.min(settings.checks.div_ceil(2)), strict: false, settings }
    }

    /// Screening of a subtree in other contexts, of which there are many.
    pub(super) fn context_screening(settings: GeneralizerSettings) -> Self {
        Self { wanted: Self::screening(settings).wanted.div_ceil(2), strict: false, settings }
    }

    /// An even shorter trial, for many groups at once.
    pub(super) fn quick(settings: GeneralizerSettings) -> Self {
        Self { wanted: settings.checks.min(3), strict: true, settings }
    }

    /// Whether to abandon the trial: its redraws are used up, or so few resolved inputs would be improbable if
    /// its share of resolved inputs were what the settings ask for.
    fn is_hopeless(self, failed: usize, unresolved: usize) -> bool {
        self.strict
            || unresolved > self.settings.redraws
            || binomial_tail(failed, failed + unresolved, self.settings.resolved_share())
                < GIVE_UP_PROBABILITY
    }
}

/// Asks about one input after the other until enough have failed, one passes, or too many
/// are unresolved. Repetitions are free, and do not count; `next` says `None` when it has no more.
/// What `is_input` refuses is no input of the grammar, for instance since two words became one where
/// they were put together; it counts as a repetition.
pub(super) fn run_trial<T>(
    size: TrialSize,
    judge: &mut Judge<'_>,
    is_input: impl Fn(&[u8]) -> Result<bool, Exceeded>,
    mut next: impl FnMut() -> Option<Candidate<T>>,
) -> Result<TrialOutcome<T>, Halt> {
    let settings = size.settings;
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut rejected = Vec::new();
    let (mut failed, mut unresolved, mut repetitions) = (0, 0, 0);
    while failed < size.wanted && repetitions < settings.repetitions {
        let Some(Candidate { text, origin }) = next() else { break };
        if seen.contains(&text) || !is_input(&text)? {
            repetitions += 1;
            continue;
        }
        repetitions = 0;
        match judge.judge(&text)? {
            Verdict::Fail => failed += 1,
            Verdict::Pass => return Ok(TrialOutcome::Refuted(origin)),
            Verdict::Unresolved | Verdict::Timeout => {
                unresolved += 1;
                rejected.push(origin);
                if size.is_hopeless(failed, unresolved) {
                    return Ok(TrialOutcome::Unclear(latest(rejected)));
                }
            }
        }
        seen.insert(text);
    }
    // A language with fewer inputs may have no larger share of unresolved ones.
    let enough = failed > 0 && unresolved * settings.checks <= failed * settings.redraws;
    Ok(if enough { TrialOutcome::Holds(failed) } else { TrialOutcome::Unclear(latest(rejected)) })
}

fn latest<T>(mut origins: Vec<T>) -> Vec<T> {
    origins.split_off(origins.len().saturating_sub(UNRESOLVED_KEPT))
}

/// The chance that at most `hits` of `all` hit, when each does so with a chance of `share`.
pub(super) fn binomial_tail(hits: usize, all: usize, share: f64) -> f64 {
    let mut term = (1.0 - share).powi(i32::try_from(all).unwrap_or(i32::MAX));
    let mut sum = term;
    for index in 0..hits {
        term *= (all - index) as f64 / (index + 1) as f64 * share / (1.0 - share);
        sum += term;
    }
    sum
}

/// Puts the checks whose verdicts are known first: one that passed settles the matter for nothing.
pub(super) fn known_first<T>(checks: &mut [Candidate<T>], judge: &Judge<'_>) {
    checks.sort_by_key(|check| !judge.knows(&check.text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_the_binomial_distribution() {
        assert!((binomial_tail(0, 3, 0.5) - 0.125).abs() < 1e-12);
        assert!((binomial_tail(1, 3, 0.5) - 0.5).abs() < 1e-12);
        assert!((binomial_tail(3, 3, 0.25) - 1.0).abs() < 1e-12);
        assert!((binomial_tail(1, 4, 0.25) - (0.75f64.powi(4) + 4.0 * 0.25 * 0.75f64.powi(3))).abs() < 1e-12);
    }

    #[test]
    fn few_unresolved_inputs_without_a_failing_one_are_enough_to_give_up_and_many_among_others_are_not() {
        let settings = GeneralizerSettings { checks: 100, redraws: 100, ..GeneralizerSettings::default() };
        let full = TrialSize::full(settings);
        assert!(!full.is_hopeless(0, 4) && full.is_hopeless(0, 5));
        assert!(!full.is_hopeless(60, 60) && full.is_hopeless(10, 30));
        assert!(full.is_hopeless(150, 101));
        assert!(TrialSize::quick(settings).is_hopeless(2, 1));
    }
}
