//! What generalizers are worth, side by side: a row for each bug, repetition, reducer and generalizer.
//!
//! What one costs, what it leaves concrete, and how often that is right are figures of four stages; nothing is measured for
//! this table. Success is the share of the inputs of F that fail, made at random by all transformers and producers of the
//! campaign. It says nothing of failing inputs that F does not have: an expression that is the input itself has
//! success, and no placeholders. So the ranks of generalizers are to be read beside these.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::report::csv::{Csv, ShareCells, yes_or_no};
use crate::report::figure::{Better, Figure};
use crate::report::grid::{Grid, wrapped};
use crate::report::statistics::{Percent, Proportion};

use super::super::about::About;
use super::super::generalize::{GeneralizeRecord, GeneralizeTask};
use super::super::instantiate::InstantiateTask;
use super::super::produce::{ProduceTask, Side};
use super::super::reduce::ReduceRecord;
use super::super::results::Results;
use super::super::subject_key::ExpressionKey;
use super::super::{Repetition, Stage};
use super::labels::{Labels, share_cells};
use super::{Make, Measured, StageTable, Total, WIDTH};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "generalizing.csv",
    title: "Generalizing: what generalizers cost, what they leave concrete, and how often their F is right",
    make: Make::OfResults(table),
    screen: Some(screen),
    figures: Some(figures),
    // It follows from others.
    compared: None,
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
    expression: Option<&'a str>,
    holds_for_input: Option<&'static str>,
    input_chars: Option<u64>,
    min_chars: Option<u64>,
    remaining_chars: Option<u64>,
    placeholders: Option<u64>,
    executions: Option<u64>,
    executions_reduction: Option<u64>,
    valid_inputs: Option<u64>,
    valid_failed: Option<u64>,
    valid_pct: Option<Percent>,
    valid_low_pct: Option<Percent>,
    valid_high_pct: Option<Percent>,
    fail_inputs: Option<u64>,
    fail_failed: Option<u64>,
    fail_pct: Option<Percent>,
    fail_low_pct: Option<Percent>,
    fail_high_pct: Option<Percent>,
    rank_failed: Option<u64>,
    rank_executions: Option<u64>,
    generalizers: u64,
    stop: Option<&'a str>,
    version: &'a str,
    reintroduced: &'a str,
    seed: u64,
    error: String,
}

/// What there is of a generalization.
struct Found<'a> {
    about: About<'a>,
    found: Option<&'a GeneralizeRecord>,
    reduced: Option<&'a ReduceRecord>,
    /// The valid instances of the abstract input, and those that failed.
    instances: Option<Proportion>,
    /// The inputs of F that have a verdict, and those that failed.
    success: Option<Proportion>,
    /// How many generalizers have the same task as this one.
    rivals: u64,
    /// How many of them do better, and one: in the share of inputs of F that fail, and in executions.
    ranks: [Option<u64>; 2],
    /// Why figures are missing.
    error: String,
}

impl<'a> Found<'a> {
    /// The executions of reducing and generalizing.
    fn executions(&self) -> Option<u64> {
        let (found, reduced) = self.found.zip(self.reduced)?;
        Some(found.executions + reduced.executions)
    }

    fn remaining_chars(&self) -> Option<u64> {
        Some(self.found?.abstract_input.as_ref()?.remaining_chars)
    }

    fn placeholders(&self) -> Option<u64> {
        let text = self.found?.abstract_input.as_ref()?;
        Some(text.visible_nonterminals + text.invisible_nonterminals)
    }

    /// Whether no other generalizer does better; `None` where there is none to compare with.
    fn wins(&self, rank: Option<u64>) -> Option<Proportion> {
        rank.filter(|_| self.rivals > 1).map(|rank| Proportion::new(u64::from(rank == 1), 1))
    }

    fn row(&self, results: &Results) -> Row<'a> {
        let Self { about, found, reduced, .. } = *self;
        let (valid, fail) = (ShareCells::from(self.instances), ShareCells::from(self.success));
        let [rank_failed, rank_executions] = self.ranks;
        let text = found.and_then(|found| found.abstract_input.as_ref());
        Row {
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            repetition: about.repetition,
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            compact: text.map(|text| text.compact.as_str()),
            expression: found.map(|found| found.expression.as_str()),
            holds_for_input: found.map(|found| yes_or_no(found.holds_for_input)),
            input_chars: reduced.map(|reduced| reduced.input.chars() as u64),
            min_chars: reduced.map(|reduced| reduced.output.chars() as u64),
            remaining_chars: self.remaining_chars(),
            placeholders: self.placeholders(),
            executions: self.executions(),
            executions_reduction: reduced.map(|reduced| reduced.executions),
            valid_inputs: valid.of,
            valid_failed: valid.hits,
            valid_pct: valid.percent,
            valid_low_pct: valid.low,
            valid_high_pct: valid.high,
            fail_inputs: fail.of,
            fail_failed: fail.hits,
            fail_pct: fail.percent,
            fail_low_pct: fail.low,
            fail_high_pct: fail.high,
            rank_failed,
            rank_executions,
            generalizers: self.rivals,
            stop: found.map(|found| found.stop.as_str()),
            version: about.version,
            reintroduced: yes_or_no(about.reintroduced),
            seed: results.seed(),
            error: self.error.clone(),
        }
    }
}

/// All generalizations of the plan, in its order.
fn all(results: &Results) -> Vec<Found<'_>> {
    let (instances, success) = (instances(results), success(results));
    let mut all = Vec::new();
    let mut tasks: FxHashMap<(&Repetition, &str), Vec<usize>> = FxHashMap::default();
    for (task, row, found) in results.of::<GeneralizeTask>() {
        let of = |judged: &Judged<'_>| judged.get(task).cloned().unwrap_or_default();
        let [(instances, no_instances), (success, no_success)] = [of(&instances), of(&success)];
        let errors = [results.error(row), no_instances, no_success];
        tasks.entry((task.repetition(), &task.reduction.reducer)).or_default().push(all.len());
        all.push(Found {
            about: task.about(),
            found,
            reduced: results.record(&*task.reduction),
            instances,
            success,
            rivals: 0,
            ranks: [None; 2],
            error: errors.into_iter().flatten().next().unwrap_or_default(),
        });
    }
    for rivals in tasks.values() {
        let successes: Vec<_> = rivals.iter().filter_map(|&place| all[place].success).collect();
        let executions: Vec<_> = rivals.iter().filter_map(|&place| all[place].executions()).collect();
        for &place in rivals {
            let one = &mut all[place];
            one.rivals = rivals.len() as u64;
            one.ranks = [
                one.success.map(|own| rank(&successes, |other| is_larger(*other, own))),
                one.executions().map(|own| rank(&executions, |other| *other < own)),
            ];
        }
    }
    all
}

/// One, and the number of those that do better.
fn rank<T>(rivals: &[T], is_better: impl Fn(&T) -> bool) -> u64 {
    1 + rivals.iter().filter(|rival| is_better(rival)).count() as u64
}

/// Whether one share is larger than another. Without rounding, so that equal shares have equal ranks; a share of nothing is none.
fn is_larger(one: Proportion, other: Proportion) -> bool {
    let [left, right] =
        [(one, other), (other, one)].map(|(share, of)| u128::from(share.hits) * u128::from(of.of.max(1)));
    left > right
}

/// How inputs that were made from what each generalizer found were judged: those that failed, of those with a verdict; and
/// why some are missing.
type Judged<'a> = FxHashMap<&'a GeneralizeTask, (Option<Proportion>, Option<String>)>;

/// The instances of abstract inputs.
fn instances(results: &Results) -> Judged<'_> {
    let all = results.of::<InstantiateTask>().map(|(task, row, found)| {
        let share = found.map(|found| resolved(found.resolved()));
        (&*task.generalization, (share, results.error(row)))
    });
    all.collect()
}

/// The inputs of each F, of all transformers and producers together.
fn success(results: &Results) -> Judged<'_> {
    let mut all = Judged::default();
    for (task, row, found) in results.of::<ProduceTask>().filter(|(task, ..)| task.side == Side::F) {
        let ExpressionKey::Learned(generalization) = &task.specialization.expression else { continue };
        let (share, error) = all.entry(&**generalization).or_default();
        if let Some(found) = found {
            *share = Some(share.unwrap_or_default() + resolved(found.resolved()));
        }
        *error = error.take().or_else(|| results.error(row));
    }
    all
}

/// Those that failed, of those that failed or passed.
fn resolved((fail, pass): (u64, u64)) -> Proportion {
    Proportion::new(fail, fail + pass)
}

/// The table: a row for each generalization of the plan.
fn table(results: &Results) -> Csv {
    Csv::of(all(results).iter().map(|found| found.row(results)))
}

/// Whether generalizers are compared: else the other tables say all.
fn compares(all: &[Found<'_>]) -> bool {
    all.iter().filter_map(|found| found.about.plug_ins.generalizer).collect::<BTreeSet<_>>().len() > 1
}

/// What can be summed up, where generalizers are compared.
fn figures(results: &Results) -> Vec<Measured<'_>> {
    let all = all(results);
    if !compares(&all) {
        return Vec::new();
    }
    let measured = all.into_iter().map(|found| {
        let [rank_failed, rank_executions] = found.ranks;
        let figures = vec![
            Figure::count("remaining_chars", found.remaining_chars())
                .called("characters left concrete", Better::Neither),
            Figure::count("placeholders", found.placeholders()).called("placeholders", Better::Neither),
            Figure::share(
                "holds_for_input",
                found.found.map(|found| Proportion::new(u64::from(found.holds_for_input), 1)),
            ),
            Figure::count("executions", found.executions()).called("executions", Better::Less),
            Figure::share("valid", found.instances),
            Figure::share("fail", found.success),
            Figure::count("rank_failed", rank_failed),
            Figure::count("rank_executions", rank_executions),
            Figure::share("wins_failed", found.wins(rank_failed))
                .called("no other has more of F failing", Better::More),
            Figure::share("wins_executions", found.wins(rank_executions)),
        ];
        Measured { about: found.about, source: None, error: found.error, figures }
    });
    measured.collect()
}

/// The totals of each generalizer, where several are compared.
fn screen(results: &Results, totals: &[Total<'_>]) -> String {
    if totals.is_empty() {
        return String::new();
    }
    let all = all(results);
    let labels = Labels::of(all.iter().map(|found| &found.about));
    let count = |total: &Total<'_>, name| total.count(name).map_or("-".to_owned(), |count| count.to_string());
    let mut grid = Grid::new(["generalizer", "executions", "left", "open", "F failed", "%", "95 %", "wins"]);
    for total in totals {
        let [counts, percent, interval] = share_cells(total.share("fail"));
        let wins = share_cells(total.share("wins_failed"))[0].clone();
        let label = labels.of_total(total.plug_ins);
        grid.push(vec![
            label,
            count(total, "executions"),
            count(total, "remaining_chars"),
            count(total, "placeholders"),
            counts,
            percent,
            interval,
            wins,
        ]);
    }
    let title = "Generalizing: executions with those of reducing, characters left concrete, placeholders, inputs of F that \
                 failed, and of how many bugs no other generalizer has more of them";
    format!("{}\n{}", wrapped(title, WIDTH), grid.to_text(WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_have_equal_ranks_and_fewer_executions_the_first() {
        let shares = [(1, 2), (50, 100), (2, 3), (0, 7)].map(|(hits, of)| Proportion::new(hits, of));
        let ranks = shares.map(|own| rank(&shares, |other| is_larger(*other, own)));
        assert_eq!(ranks, [2, 2, 1, 4]);
        let costs = [30, 7, 7, 100];
        assert_eq!(costs.map(|own| rank(&costs, |other| *other < own)), [3, 1, 1, 4]);
    }

    #[test]
    fn a_share_of_nothing_is_larger_than_none() {
        let [nothing, some] = [Proportion::new(0, 0), Proportion::new(1, 9)];
        assert!(is_larger(some, nothing) && !is_larger(nothing, some) && !is_larger(nothing, nothing));
    }
}
