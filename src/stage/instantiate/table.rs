//! What instances of the abstract inputs do: Table 2 of *Abstracting Failure-Inducing Inputs*.
//!
//! Valid are the instances with a verdict; of these, a percentage fails. The papers give percentages of 100
//! instances, rounded to whole ones.

use serde::Serialize;

use crate::report::csv::{Csv, ShareCells, yes_or_no};
use crate::report::paper;
use crate::report::statistics::{Percent, Proportion};

use super::super::results::Results;
use super::super::tables::StageTable;
use super::super::tables::totals::{self, TOTAL};
use super::super::{PlugIns, Stage};
use super::{InstantiateRecord, InstantiateTask};

pub(super) const TABLE: StageTable = StageTable { file: "instantiating.csv", make: table, screen: None };

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: Option<&'a str>,
    repetition: Option<u32>,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    compact: Option<&'a str>,
    instances_inputs: Option<u64>,
    instances_valid: Option<u64>,
    instances_pct: Option<Percent>,
    instances_low: Option<Percent>,
    instances_high: Option<Percent>,
    valid_inputs: Option<u64>,
    valid_failed: Option<u64>,
    valid_pct: Option<Percent>,
    valid_low: Option<Percent>,
    valid_high: Option<Percent>,
    timeout: Option<u64>,
    paper_valid_pct: Option<u64>,
    paper_fail_pct: Option<u64>,
    version: &'a str,
    reintroduced: &'a str,
    seed: u64,
    error: String,
}

/// How the instances of one abstract input were judged.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Those with a verdict, of all.
    valid: Proportion,
    /// Those that failed, of those with a verdict.
    fail: Proportion,
    /// Those that ended in a timeout.
    timeout: u64,
}

impl Tally {
    fn of(found: &InstantiateRecord) -> Self {
        let (fail, pass) = found.resolved();
        Self {
            valid: Proportion::new(fail + pass, found.instances),
            fail: Proportion::new(fail, fail + pass),
            timeout: found.verdicts.timeout,
        }
    }

    fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, next| Self {
            valid: sum.valid + next.valid,
            fail: sum.fail + next.fail,
            timeout: sum.timeout + next.timeout,
        })
    }
}

impl Row<'_> {
    /// This row, with the figures of a tally.
    fn with(self, tally: Option<Tally>) -> Self {
        let instances = ShareCells::from(tally.map(|tally| tally.valid));
        let valid = ShareCells::from(tally.map(|tally| tally.fail));
        Self {
            instances_inputs: instances.of,
            instances_valid: instances.hits,
            instances_pct: instances.percent,
            instances_low: instances.low,
            instances_high: instances.high,
            valid_inputs: valid.of,
            valid_failed: valid.hits,
            valid_pct: valid.percent,
            valid_low: valid.low,
            valid_high: valid.high,
            timeout: tally.map(|tally| tally.timeout),
            ..self
        }
    }
}

/// The table: a row for each abstract input, and the totals.
fn table(results: &Results) -> Csv {
    let mut tallies: Vec<(PlugIns<'_>, Option<Tally>)> = Vec::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (task, of_task, found) in results.of::<InstantiateTask>() {
        let (about, tally) = (task.about(), found.map(Tally::of));
        let generalized = results.record(&*task.generalization);
        let abstract_input = generalized.and_then(|found| found.abstract_input.as_ref());
        let paper = paper::instantiating(about.bug);
        tallies.push((about.plug_ins, tally));
        let row = Row {
            subject: about.subject,
            bug: about.bug,
            grammar: Some(about.grammar),
            repetition: Some(about.repetition),
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            compact: abstract_input.map(|input| input.compact.as_str()),
            paper_valid_pct: paper.map(|row| row.valid_pct),
            paper_fail_pct: paper.map(|row| row.fail_pct),
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed: results.seed(),
            error: results.error(of_task).unwrap_or_default(),
            ..Row::default()
        };
        rows.push(row.with(tally));
    }
    for (plug_ins, part) in totals::parts(&tallies, |row| row.0) {
        let missing = part.iter().filter(|(_, tally)| tally.is_none()).count();
        let row = Row {
            bug: TOTAL,
            grammar: plug_ins.grammar,
            reducer: plug_ins.reducer,
            generalizer: plug_ins.generalizer,
            seed: results.seed(),
            error: totals::error(missing, part.len()),
            ..Row::default()
        };
        rows.push(row.with(Some(Tally::sum(part.iter().filter_map(|(_, tally)| *tally)))));
    }
    Csv::of(rows)
}
