//! What the transformers made of each expression, and whether counting finds it right: the expressions
//! of the config, and those of the bugs.

use crate::store::{Counts, Equality, PlannedTask, Record, Side, Size, Specialize, Stage, TaskRow};

use super::key::Key;
use super::results::Results;
use super::table::{Table, cell, plug_in_cells};

const COLUMNS: [&str; 28] = [
    "grammar",
    "name",
    "subject",
    "bug",
    "repetition",
    "reducer",
    "generalizer",
    "formula",
    "transformer",
    "base_nonterminals",
    "base_rules",
    "base_proved_unambiguous",
    "f_nonterminals",
    "f_rules",
    "not_f_nonterminals",
    "not_f_rules",
    "length",
    "base_derivations",
    "f_derivations",
    "not_f_derivations",
    "complement",
    "complement_differs_at",
    "agrees",
    "agrees_differs_at",
    "expression",
    "version",
    "seed",
    "error",
];

/// What one transformer made of one expression.
pub struct Row<'a> {
    /// The task.
    pub planned: &'a PlannedTask,
    /// What was made; `None` when nothing was.
    pub made: Option<&'a Specialize>,
    /// Why something is missing; empty when nothing is.
    pub error: String,
}

impl<'a> Row<'a> {
    /// What the expression is called: by the config, or after the bug.
    pub fn name(&self) -> &'a str {
        self.planned.expression.as_deref().or(self.planned.bug.as_deref()).unwrap_or_default()
    }

    /// The transformer.
    pub fn transformer(&self) -> &'a str {
        self.planned.variant.transformer.as_deref().unwrap_or_default()
    }

    /// The size of the grammar of one side.
    pub fn size(&self, side: Side) -> Option<Size> {
        self.made.and_then(|made| made.side(side).as_ref().ok().copied())
    }

    /// What was counted.
    pub fn counts(&self) -> Option<&'a Counts> {
        self.made.and_then(|made| made.counts.as_ref().ok())
    }
}

/// The rows: one for each specialization of the plan.
pub fn rows(results: &Results) -> Vec<Row<'_>> {
    let tasks = results.tasks.iter().filter(|task| task.planned.stage == Stage::Specialize);
    tasks.map(|task| row(results, task)).collect()
}

fn row<'a>(results: &'a Results, task: &'a TaskRow) -> Row<'a> {
    let made = task.record().and_then(Record::as_specialize);
    let wrong = |made: &Specialize| {
        made.failures().chain(made.counts.as_ref().err().cloned()).collect::<Vec<_>>().join("; ")
    };
    let error = results.error(task).or(made.map(wrong)).unwrap_or_default();
    Row { planned: &task.planned, made, error }
}

/// The table.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new(COLUMNS);
    for row in rows(results) {
        let key = Key::of(row.planned);
        let [subject, bug, repetition] = key.name_cells();
        let [reducer, generalizer, transformer, _] = plug_in_cells(key.variant);
        let [f_nonterminals, f_rules] = size_cells(row.size(Side::F));
        let [not_f_nonterminals, not_f_rules] = size_cells(row.size(Side::NotF));
        let [base_nonterminals, base_rules] = size_cells(row.made.map(|made| made.base));
        let counts = row.counts();
        let [complement, complement_differs_at] = equality_cells(counts.and_then(|counts| counts.complement));
        let [agrees, agrees_differs_at] = equality_cells(counts.and_then(|counts| counts.reference));
        table.push(vec![
            cell(row.made.map(|made| &made.grammar)),
            row.name().to_owned(),
            subject,
            bug,
            repetition,
            reducer,
            generalizer,
            cell(row.made.map(|made| &made.formula)),
            transformer,
            base_nonterminals,
            base_rules,
            cell(row.made.map(|made| yes_or_no(made.is_unambiguous))),
            f_nonterminals,
            f_rules,
            not_f_nonterminals,
            not_f_rules,
            cell(counts.map(|counts| counts.longest)),
            cell(counts.map(|counts| &counts.base)),
            cell(counts.and_then(|counts| counts.specialized.as_ref())),
            cell(counts.and_then(|counts| counts.negated.as_ref())),
            complement,
            complement_differs_at,
            agrees,
            agrees_differs_at,
            cell(row.made.map(|made| &made.expression)),
            row.planned.version.clone(),
            results.campaign.seed.to_string(),
            row.error,
        ]);
    }
    table
}

fn size_cells(size: Option<Size>) -> [String; 2] {
    [cell(size.map(|size| size.nonterminals)), cell(size.map(|size| size.rules))]
}

/// Whether numbers are equal at each length, and the first length at which they are not.
fn equality_cells(equality: Option<Equality>) -> [String; 2] {
    let differs_at = match equality {
        Some(Equality::DiffersAt(length)) => Some(length),
        Some(Equality::Equal) | None => None,
    };
    [cell(equality.map(word)), cell(differs_at)]
}

/// Equality in a word.
pub fn word(equality: Equality) -> &'static str {
    yes_or_no(equality == Equality::Equal)
}

fn yes_or_no(answer: bool) -> &'static str {
    if answer { "yes" } else { "no" }
}
