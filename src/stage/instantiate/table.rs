//! What instances of the abstract inputs do: Table 2 of *Abstracting Failure-Inducing Inputs*.
//!
//! Valid are the instances with a verdict; of these, a percentage fails. The papers give percentages of 100
//! instances, rounded to whole ones.

use serde::Serialize;

use crate::report::compared::{Compared, Comparison, ShareColumns};
use crate::report::csv::{Csv, ShareCells, yes_or_no};
use crate::report::figure::{Better, Figure};
use crate::report::paper;
use crate::report::statistics::{Percent, Proportion};

use super::super::Stage;
use super::super::results::Results;
use super::super::tables::{Make, Measured, StageTable};
use super::{InstantiateRecord, InstantiateTask};

pub(super) const TABLE: StageTable = StageTable {
    file: "instantiating.csv",
    title: "Instantiating: how instances of abstract inputs were judged (Table 2 of the DDSET paper)",
    make: Make::OfResults(table),
    screen: None,
    figures: Some(figures),
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["subject", "bug", "grammar", "reducer", "generalizer"],
    given: Some("compact"),
    columns: &[
        Compared::Share(ShareColumns {
            name: "instances",
            hits: "instances_valid",
            of: &["instances_inputs"],
            clustered: None,
        }),
        Compared::Share(ShareColumns {
            name: "valid",
            hits: "valid_failed",
            of: &["valid_inputs"],
            clustered: None,
        }),
        Compared::Count("timeout"),
    ],
    others: &["unresolved_output", "timeout_wall"],
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
    repetition: u32,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    compact: Option<&'a str>,
    instances_inputs: Option<u64>,
    instances_valid: Option<u64>,
    instances_pct: Option<Percent>,
    instances_low_pct: Option<Percent>,
    instances_high_pct: Option<Percent>,
    valid_inputs: Option<u64>,
    valid_failed: Option<u64>,
    valid_pct: Option<Percent>,
    valid_low_pct: Option<Percent>,
    valid_high_pct: Option<Percent>,
    unresolved_output: Option<u64>,
    timeout: Option<u64>,
    timeout_wall: Option<u64>,
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
    /// Those whose run wrote too much.
    unresolved_output: u64,
    /// Those that ended in a timeout.
    timeout: u64,
    /// Those of them that waited too long by the clock.
    timeout_wall: u64,
}

impl Tally {
    fn of(found: &InstantiateRecord) -> Self {
        let (fail, pass) = found.resolved();
        Self {
            valid: Proportion::new(fail + pass, found.instances),
            fail: Proportion::new(fail, fail + pass),
            unresolved_output: found.verdicts.unresolved_output,
            timeout: found.verdicts.timeout,
            timeout_wall: found.verdicts.timeout_wall,
        }
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
            instances_low_pct: instances.low,
            instances_high_pct: instances.high,
            valid_inputs: valid.of,
            valid_failed: valid.hits,
            valid_pct: valid.percent,
            valid_low_pct: valid.low,
            valid_high_pct: valid.high,
            unresolved_output: tally.map(|tally| tally.unresolved_output),
            timeout: tally.map(|tally| tally.timeout),
            timeout_wall: tally.map(|tally| tally.timeout_wall),
            ..self
        }
    }
}

/// The table: a row for each abstract input.
fn table(results: &Results) -> Csv {
    Csv::of(results.of::<InstantiateTask>().map(|(task, of_task, found)| {
        let about = task.about();
        let generalized = results.record(&*task.generalization);
        let abstract_input = generalized.and_then(|found| found.abstract_input.as_ref());
        let paper = paper::instantiating(about.bug);
        let row = Row {
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            repetition: about.repetition,
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
        row.with(found.map(Tally::of))
    }))
}

/// What can be summed up.
fn figures(results: &Results) -> Vec<Measured<'_>> {
    let measured = results.of::<InstantiateTask>().map(|(task, row, found)| {
        let (about, tally) = (task.about(), found.map(Tally::of));
        let paper = paper::instantiating(about.bug);
        let figures = vec![
            Figure::share("instances", tally.map(|tally| tally.valid))
                .called("valid", Better::More)
                .beside_print(paper.map(|paper| paper.valid_pct)),
            Figure::share("valid", tally.map(|tally| tally.fail))
                .called("valid ones that failed", Better::More)
                .beside_print(paper.map(|paper| paper.fail_pct)),
            Figure::count("unresolved_output", tally.map(|tally| tally.unresolved_output)),
            Figure::count("timeout", tally.map(|tally| tally.timeout)),
            Figure::count("timeout_wall", tally.map(|tally| tally.timeout_wall)),
        ];
        Measured { about, source: None, error: results.error(row).unwrap_or_default(), figures }
    });
    measured.collect()
}
