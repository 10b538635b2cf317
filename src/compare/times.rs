//! How long tasks took, stage by stage.
//!
//! A time says something of the program only beside another one of the same machine, or as a part of all the time of its run;
//! and only over repetitions, since every one of them is disturbed by something. So a number is the time that the tasks of
//! a stage took in one repetition of one run: in seconds where all runs are of one machine, else as a share of what all
//! stages took in that repetition. They are judged by their ranks, as executions are.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::provenance::Provenance;
use crate::report::sample::Sample;

use super::difference::{Difference, Outcome};
use super::figures::Candidate;
use super::measured::{Measured, Table};
use super::ranks;
use super::settings::CompareSettings;

/// The least number of repetitions on each side for times to be compared.
const ENOUGH: usize = 3;

/// The seconds that the tasks of each stage took in each repetition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times(BTreeMap<String, BTreeMap<String, f64>>);

impl Times {
    /// Those of `timings.csv`. A stage of which a task has no time is left out in that repetition.
    pub fn of(timings: &Table) -> Self {
        let mut times: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        let mut unknown: BTreeSet<(String, String)> = BTreeSet::new();
        for row in timings.rows() {
            let (Some(stage), Some(repetition)) = (row.cell("stage"), row.cell("repetition")) else {
                continue;
            };
            match row.cell("wall_seconds").and_then(|cell| cell.parse::<f64>().ok()) {
                Some(seconds) => {
                    let of_stage = times.entry(stage.to_owned()).or_default();
                    *of_stage.entry(repetition.to_owned()).or_default() += seconds;
                }
                None => {
                    unknown.insert((stage.to_owned(), repetition.to_owned()));
                }
            }
        }
        for (stage, repetition) in &unknown {
            times.get_mut(stage).map(|of_stage| of_stage.remove(repetition));
        }
        Self(times)
    }

    /// The times of all stages together, in all repetitions in which they are known.
    fn of_all(&self) -> Vec<f64> {
        let mut sums: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
        for (repetition, seconds) in self.0.values().flatten() {
            let sum = sums.entry(repetition).or_default();
            *sum = (sum.0 + 1, sum.1 + seconds);
        }
        let most = sums.values().map(|(stages, _)| *stages).max();
        sums.into_values().filter(|(stages, _)| Some(*stages) == most).map(|(_, sum)| sum).collect()
    }

    /// The times of a stage in all repetitions, in seconds or as shares of these.
    fn of_stage(&self, stage: &str, are_shares: bool) -> Vec<f64> {
        let whole = |repetition: &String| -> f64 {
            self.0.values().filter_map(|of_stage| of_stage.get(repetition)).sum()
        };
        let times = self.0.get(stage).into_iter().flatten();
        let number = |(repetition, &seconds): (&String, &f64)| match are_shares {
            true => seconds / whole(repetition),
            false => seconds,
        };
        times.map(number).filter(|number| number.is_finite()).collect()
    }
}

/// What is to be said of how long the runs took: of each stage, and of all.
pub fn compare(
    before: &[&Measured],
    after: &Measured,
    settings: &CompareSettings,
) -> (Vec<Candidate>, String) {
    let none = |why: &str| (Vec::new(), format!("times are not compared: {why}"));
    let runs: Vec<&Measured> = before.iter().copied().chain([after]).collect();
    let Some(provenances) = runs.iter().map(|run| run.provenance.as_ref()).collect::<Option<Vec<_>>>() else {
        return none("it is not known where the runs were made");
    };
    // A task that was begun again finds answers that it had before.
    if provenances.iter().any(|provenance| provenance.sittings.len() != 1) {
        return none("a run was made in several sittings, or in shards");
    }
    let jobs = |provenance: &&Provenance| provenance.sittings[0].jobs;
    if provenances.iter().any(|provenance| jobs(provenance) != jobs(&provenances[0])) {
        return none("not as many tasks ran at once in all runs");
    }
    let are_shares = provenances.iter().any(|provenance| provenance.machine != provenances[0].machine);
    let stages: BTreeSet<&String> = runs.iter().flat_map(|run| run.times.0.keys()).collect();
    let mut candidates = Vec::new();
    for stage in stages {
        let of = |run: &&Measured| run.times.of_stage(stage, are_shares);
        let (earlier, later): (Vec<f64>, Vec<f64>) = (before.iter().flat_map(of).collect(), of(&after));
        if earlier.len().min(later.len()) >= ENOUGH {
            candidates.extend(of_stage(stage, are_shares, [&earlier, &later], settings));
        }
    }
    let note = match (candidates.len(), are_shares) {
        (0, _) => return (candidates, together(before, after, are_shares)),
        (count, false) => {
            format!("times of {count} stages were compared, over repetitions on the same machine")
        }
        (count, true) => format!(
            "times of {count} stages were compared as shares of the time of their runs, which are of several machines"
        ),
    };
    match settings.times {
        Some(_) => (candidates, note),
        None => (candidates, format!("{note}; without `compare.times` none is a regression")),
    }
}

/// What is to be said where there are too few repetitions for a test.
fn together(before: &[&Measured], after: &Measured, are_shares: bool) -> String {
    let mut earlier: Vec<f64> = before.iter().flat_map(|run| run.times.of_all()).collect();
    earlier.sort_by(f64::total_cmp);
    let median = |numbers: Vec<f64>| Sample::of(numbers).map(|sample| sample.median);
    let (earlier_median, later) = (median(earlier.clone()), median(after.times.of_all()));
    match (earlier_median, later) {
        (Some(earlier_median), Some(later)) if earlier.len() >= ENOUGH && !are_shares => format!(
            "all tasks together took {:.2} times as long as in the median of {} repetitions before ({:.2} to {:.2} times); \
             stages are compared over at least {ENOUGH} repetitions before and after",
            later / earlier_median,
            earlier.len(),
            earlier[0] / earlier_median,
            earlier[earlier.len() - 1] / earlier_median
        ),
        _ => format!("times are not compared: that takes at least {ENOUGH} repetitions before and after"),
    }
}

fn of_stage(
    stage: &str,
    are_shares: bool,
    [before, after]: [&[f64]; 2],
    settings: &CompareSettings,
) -> Option<Candidate> {
    let median = |numbers: &[f64]| Sample::of(numbers.to_vec()).map(|sample| sample.median);
    let (earlier, later) = (median(before)?, median(after)?);
    let text = |number: f64| match are_shares {
        true => format!("{:.1} %", 100.0 * number),
        false => format!("{number:.3} s"),
    };
    let figure = if are_shares { "share of time" } else { "wall_seconds" };
    let mut difference =
        Difference::new(Outcome::Same, "timings", stage, figure).from_to(text(earlier), text(later));
    difference.ratio = Some(later / earlier).filter(|ratio| ratio.is_finite());
    difference.a12 = Some(ranks::effect(before, after));
    let tests =
        ranks::rise(before, after).zip(ranks::rise(after, before)).map(|(worse, better)| [worse, better]);
    match (settings.times, tests) {
        (Some(limit), tests) => Some(Candidate { difference, tests, shares: None, limit }),
        (None, Some([worse, better])) => {
            difference.p = Some(worse.p);
            if worse.p.min(better.p) <= settings.alpha {
                difference.outcome = Outcome::Changed;
            }
            Some(difference.into())
        }
        (None, None) => Some(difference.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(of: &[(&str, &[f64])]) -> Times {
        let numbered =
            |numbers: &[f64]| (1..).zip(numbers).map(|(n, x): (u32, _)| (n.to_string(), *x)).collect();
        Times(of.iter().map(|(stage, numbers)| ((*stage).to_owned(), numbered(numbers))).collect())
    }

    #[test]
    fn a_stage_is_slower_when_nearly_all_its_repetitions_are() {
        let before = times(&[("reduce", &[1.0, 1.1, 0.9, 1.05, 0.95])]).of_stage("reduce", false);
        let after = times(&[("reduce", &[2.0, 2.1, 1.9, 2.05, 1.95])]).of_stage("reduce", false);
        let settings = CompareSettings { times: Some(1.3), ..CompareSettings::default() };
        let judged = of_stage("reduce", false, [&before, &after], &settings).unwrap();
        let [worse, better] = judged.tests.unwrap();
        assert!(worse.p < 0.01 && better.p > 0.9, "{worse:?} {better:?}");
        assert_eq!(
            (judged.difference.a12, judged.difference.ratio, judged.limit),
            (Some(1.0), Some(2.0), 1.3)
        );
        // What nobody asked to be judged is shown.
        let shown = of_stage("reduce", false, [&before, &after], &CompareSettings::default()).unwrap();
        assert!(shown.tests.is_none() && shown.difference.outcome == Outcome::Changed);
        let same = of_stage("reduce", false, [&before, &before], &CompareSettings::default()).unwrap();
        assert_eq!(same.difference.outcome, Outcome::Same);
    }

    #[test]
    fn on_another_machine_a_stage_is_compared_with_its_own_run() {
        let slow = times(&[("reduce", &[1.0, 2.0]), ("produce", &[3.0, 6.0])]);
        let fast = times(&[("reduce", &[0.1, 0.2]), ("produce", &[0.3, 0.6])]);
        assert_eq!(slow.of_stage("reduce", true), [0.25, 0.25]);
        let shares = fast.of_stage("reduce", true);
        assert!(shares.iter().all(|share| (share - 0.25).abs() < 1e-12), "{shares:?}");
    }
}
