//! Compares runs: reads nothing and writes nothing.

use std::path::PathBuf;

use crate::report::compared::Compared;
use crate::report::sample::Sample;
use crate::stage::tables;

use super::comparable::comparability;
use super::difference::{Difference, Outcome};
use super::figures::{Candidate, Judge};
use super::measured::Measured;
use super::rows::rows;
use super::settings::CompareSettings;
use super::shares::smallest_drop;
use super::tested::{Tested, adjusted};
use super::times;

/// What comparing runs came to.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The folders of the runs before.
    pub before: Vec<PathBuf>,
    /// That of the run after.
    pub after: PathBuf,
    /// All that was looked at, the worst first; within an outcome in the order of the tables.
    pub differences: Vec<Difference>,
    /// How many tests were made.
    pub tests: usize,
    /// The probability of a false alarm over all of them.
    pub alpha: f64,
    /// What is to be known when reading it.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Whether something got worse.
    pub fn is_regression(&self) -> bool {
        self.of(Outcome::Worse).next().is_some()
    }

    /// What has this outcome.
    pub fn of(&self, outcome: Outcome) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.outcome == outcome)
    }

    /// Of the shares that were compared, the least, the median and the largest drop, in percentage points, that would have
    /// been found with a probability of 80 %; and how many there are.
    pub fn power(&self) -> Option<([f64; 3], usize)> {
        let mut drops: Vec<f64> = self.differences.iter().filter_map(|one| one.smallest_drop).collect();
        drops.sort_by(f64::total_cmp);
        let (least, most) = (*drops.first()?, *drops.last()?);
        Some(([least, Sample::of(drops.clone())?.median, most], drops.len()))
    }
}

/// Runs are not of the same campaign: in what they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotComparable(pub Vec<String>);

/// Compares the run `after` with those `before`. Several runs before are repetitions of one another.
///
/// # Errors
/// When they are not of the same campaign, unless `is_forced`.
pub fn compare(
    before: &[Measured],
    after: &Measured,
    settings: &CompareSettings,
    is_forced: bool,
) -> Result<Comparison, NotComparable> {
    let (mut obstacles, mut notes): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for run in before {
        let found = comparability(run, after);
        for (list, more) in [(&mut obstacles, found.obstacles), (&mut notes, found.notes)] {
            for text in more {
                if !list.contains(&text) {
                    list.push(text);
                }
            }
        }
    }
    if !obstacles.is_empty() && !is_forced {
        return Err(NotComparable(obstacles));
    }
    notes.extend(
        obstacles.into_iter().map(|what| format!("compared all the same, though they differ in {what}")),
    );
    let before = distinct(before, &mut notes);
    let is_same_seed = match &before[..] {
        [run] => run.seed().is_some() && run.seed() == after.seed(),
        _ => false,
    };
    let (of_times, note) = times::compare(&before, after, settings);
    notes.push(note);
    let mut candidates: Vec<Candidate> = Vec::new();
    for table in tables::all() {
        let Some(comparison) = table.compared else { continue };
        let judge = Judge { settings, table: table.name(), comparison, is_same_seed };
        let all = rows(table.file, comparison, &before, after);
        let found: Vec<Candidate> = all.iter().flat_map(|rows| judge.judge(rows)).collect();
        for compared in comparison.columns {
            if let Compared::Executions(column) = compared {
                candidates.extend(judge.overall(&found, column).map(Candidate::from));
            }
        }
        candidates.extend(found);
    }
    candidates.extend(of_times);
    let tests = candidates.iter().filter(|candidate| candidate.tests.is_some()).count();
    let mut differences = decide(candidates, settings.alpha);
    differences.sort_by_key(|difference| difference.outcome);
    Ok(Comparison {
        before: before.iter().map(|run| run.folder.clone()).collect(),
        after: after.folder.clone(),
        differences,
        tests,
        alpha: settings.alpha,
        notes,
    })
}

/// Decides what the tests say, all of one direction together.
fn decide(mut candidates: Vec<Candidate>, alpha: f64) -> Vec<Difference> {
    let adjusted = [0, 1].map(|direction| {
        let tests: Vec<&Tested> =
            candidates.iter().filter_map(|candidate| Some(&candidate.tests.as_ref()?[direction])).collect();
        adjusted(&tests)
    });
    let count = adjusted[0].len();
    for (place, candidate) in candidates.iter_mut().filter(|candidate| candidate.tests.is_some()).enumerate()
    {
        let Some([worse, _]) = &candidate.tests else { continue };
        let [p_worse, p_better] = [adjusted[0][place], adjusted[1][place]];
        let difference = &mut candidate.difference;
        difference.p = Some(worse.p);
        difference.p_adjusted = Some(p_worse);
        let ratio = difference.ratio.unwrap_or(1.0);
        if p_worse <= alpha && ratio >= candidate.limit {
            difference.outcome = Outcome::Worse;
        } else if p_better <= alpha && ratio <= 1.0 / candidate.limit {
            difference.outcome = Outcome::Better;
        }
    }
    for candidate in &mut candidates {
        if let Some([before, after]) = candidate.shares {
            // Where a share has not changed, it would have been one test more.
            let tests = (count + usize::from(candidate.tests.is_none())).max(1);
            let drop = smallest_drop(before, after.of, alpha / tests as f64);
            candidate.difference.smallest_drop = drop.map(|drop| (1_000.0 * drop).round() / 10.0);
        }
    }
    candidates.into_iter().map(|candidate| candidate.difference).collect()
}

/// Of runs with the same seed the last one: the others say the same once more.
fn distinct<'a>(before: &'a [Measured], notes: &mut Vec<String>) -> Vec<&'a Measured> {
    let mut kept: Vec<&Measured> = Vec::new();
    for run in before.iter().rev() {
        match kept.iter().find(|known| known.seed().is_some() && known.seed() == run.seed()) {
            Some(known) => notes.push(format!(
                "`{}` has the seed of `{}`, and is left out",
                run.folder.display(),
                known.folder.display()
            )),
            None => kept.push(run),
        }
    }
    kept.reverse();
    kept
}
