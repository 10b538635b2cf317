//! What the transformers made of each expression, and whether counting finds it right: the expressions
//! of the config, and those of the bugs.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::report::compared::{Compared, Comparison};
use crate::report::csv::{Csv, yes_or_no};
use crate::report::grid::{Grid, wrapped};

use super::super::produce::Side;
use super::super::results::{Results, TaskRow};
use super::super::tables::labels::Labels;
use super::super::tables::{Make, StageTable, Total, WIDTH};
use super::super::{About, ExpressionKey, Stage};
use super::{DerivationCounts, Equality, Size, SpecializeRecord, SpecializeTask};

pub(super) const TABLE: StageTable = StageTable {
    file: "transformers.csv",
    title: "Specializing: what transformers made of each expression",
    make: Make::OfResults(table),
    screen: Some(screen),
    figures: None,
    compared: Some(&COMPARED),
};

const COMPARED: Comparison = Comparison {
    key: &["name", "subject", "bug", "grammar", "reducer", "generalizer", "transformer"],
    given: Some("expression"),
    columns: &[
        Compared::Size("f_nonterminals"),
        Compared::Size("f_rules"),
        Compared::Size("not_f_nonterminals"),
        Compared::Size("not_f_rules"),
        Compared::Answer("complement"),
        Compared::Answer("agrees"),
    ],
    others: &[
        "grammar_file",
        "formula",
        "base_nonterminals",
        "base_rules",
        "base_proved_unambiguous",
        "length_bytes",
        "base_derivations_text",
        "f_derivations_text",
        "not_f_derivations_text",
        "complement_differs_at_bytes",
        "agrees_differs_at_bytes",
    ],
};

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    grammar_file: Option<&'a str>,
    name: &'a str,
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
    repetition: u32,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    formula: Option<&'a str>,
    transformer: &'a str,
    base_nonterminals: Option<u64>,
    base_rules: Option<u64>,
    base_proved_unambiguous: Option<&'static str>,
    f_nonterminals: Option<u64>,
    f_rules: Option<u64>,
    not_f_nonterminals: Option<u64>,
    not_f_rules: Option<u64>,
    length_bytes: Option<u64>,
    base_derivations_text: Option<String>,
    f_derivations_text: Option<String>,
    not_f_derivations_text: Option<String>,
    complement: Option<&'static str>,
    complement_differs_at_bytes: Option<u64>,
    agrees: Option<&'static str>,
    agrees_differs_at_bytes: Option<u64>,
    expression: Option<&'a str>,
    version: &'a str,
    seed: u64,
    error: String,
}

/// What one transformer made of one expression.
struct Made<'a> {
    task: &'a SpecializeTask,
    about: About<'a>,
    /// What was made; `None` when nothing was.
    made: Option<&'a SpecializeRecord>,
    /// Why something is missing; empty when nothing is.
    error: String,
}

impl<'a> Made<'a> {
    fn of(
        results: &Results,
        task: &'a SpecializeTask,
        row: &TaskRow,
        made: Option<&'a SpecializeRecord>,
    ) -> Self {
        let wrong = |made: &SpecializeRecord| {
            made.failures().chain(made.counts.as_ref().err().cloned()).collect::<Vec<_>>().join("; ")
        };
        let error = results.error(row).or(made.map(wrong)).unwrap_or_default();
        Self { task, about: task.about(), made, error }
    }

    /// What the expression is called: by the config, or after the bug.
    fn name(&self) -> &'a str {
        match &self.task.expression {
            ExpressionKey::OfConfig(name) => name,
            ExpressionKey::OfBug(_) | ExpressionKey::Learned(_) => self.about.bug,
        }
    }

    fn size(&self, side: Side) -> Option<Size> {
        self.made.and_then(|made| made.side(side).as_ref().ok().copied())
    }

    fn counts(&self) -> Option<&'a DerivationCounts> {
        self.made.and_then(|made| made.counts.as_ref().ok())
    }

    /// Whether F and not F together have as many derivations as the base grammar, unless nothing could be compared; nothing where
    /// there are not both.
    fn complement(&self) -> Option<&'static str> {
        let counts =
            self.counts().filter(|counts| counts.specialized.is_some() && counts.negated.is_some())?;
        Some(counts.complement.map_or("n/a", word))
    }

    /// Whether there are as many derivations as with `automaton`, unless nothing could be compared, as with that itself.
    fn agrees(&self) -> Option<&'static str> {
        self.counts().map(|counts| counts.reference.map_or("n/a", word))
    }

    fn row(&self, results: &Results) -> Row<'a> {
        let (about, counts) = (self.about, self.counts());
        let (base, f, not_f) = (self.made.map(|made| made.base), self.size(Side::F), self.size(Side::NotF));
        let (complement, reference) =
            (counts.and_then(|counts| counts.complement), counts.and_then(|counts| counts.reference));
        Row {
            grammar_file: self.made.map(|made| made.grammar_file.as_str()),
            name: self.name(),
            subject: about.subject,
            bug: about.bug,
            grammar: about.grammar,
            repetition: about.repetition,
            reducer: about.plug_ins.reducer,
            generalizer: about.plug_ins.generalizer,
            formula: self.made.map(|made| made.formula.as_str()),
            transformer: &self.task.transformer,
            base_nonterminals: base.map(|size| size.nonterminals),
            base_rules: base.map(|size| size.rules),
            base_proved_unambiguous: self.made.map(|made| yes_or_no(made.is_unambiguous)),
            f_nonterminals: f.map(|size| size.nonterminals),
            f_rules: f.map(|size| size.rules),
            not_f_nonterminals: not_f.map(|size| size.nonterminals),
            not_f_rules: not_f.map(|size| size.rules),
            length_bytes: counts.map(|counts| counts.longest),
            base_derivations_text: counts.map(|counts| digits(&counts.base)),
            f_derivations_text: counts.and_then(|counts| counts.specialized.as_deref()).map(digits),
            not_f_derivations_text: counts.and_then(|counts| counts.negated.as_deref()).map(digits),
            complement: self.complement(),
            complement_differs_at_bytes: complement.and_then(Equality::differs_at),
            agrees: self.agrees(),
            agrees_differs_at_bytes: reference.and_then(Equality::differs_at),
            expression: self.made.map(|made| made.expression.as_str()),
            version: about.version,
            seed: results.seed(),
            error: self.error.clone(),
        }
    }
}

fn all(results: &Results) -> Vec<Made<'_>> {
    results.of::<SpecializeTask>().map(|(task, row, made)| Made::of(results, task, row, made)).collect()
}

/// The table: a row for each specialization of the plan.
fn table(results: &Results) -> Csv {
    Csv::of(all(results).iter().map(|made| made.row(results)))
}

/// A number of any size in groups of three digits, `12_345`: no reader takes it for a number that it could hold.
fn digits(number: &str) -> String {
    let first = match number.len() % 3 {
        0 => number.len().min(3),
        first => first,
    };
    let (first, rest) = number.split_at(first);
    let groups = rest.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group));
    groups.fold(first.to_owned(), |text, group| format!("{text}_{group}"))
}

/// Equality in a word.
fn word(equality: Equality) -> &'static str {
    yes_or_no(equality == Equality::Equal)
}

/// Only where transformers are compared: a campaign about bugs with one transformer is about the bugs.
fn screen(results: &Results, _: &[Total<'_>]) -> String {
    let all = all(results);
    let names: BTreeSet<&str> = all.iter().map(|made| &*made.task.transformer).collect();
    let is_of_bug = |made: &Made<'_>| made.task.expression.repetition().is_some();
    if names.len() < 2 && all.iter().all(is_of_bug) {
        return String::new();
    }
    // The transformer has a column.
    let labels = Labels::of(all.iter().map(|made| &made.about)).without_transformer();
    let size = |size: Option<Size>| {
        size.map_or("-".into(), |size| format!("{} / {}", size.nonterminals, size.rules))
    };
    let answer = |answer: Option<&str>| answer.unwrap_or("-").to_owned();
    let mut grid = Grid::new(["expression", "transformer", "base", "F", "not F", "complement", "agrees"])
        .parted_before(5, 2);
    for row in &all {
        let label = format!("{}{}", row.name(), labels.but_for_the_bug(&row.about));
        match row.made {
            Some(made) if made.missing().count() < 2 => grid.push(vec![
                label,
                row.task.transformer.to_string(),
                size(Some(made.base)),
                size(row.size(Side::F)),
                size(row.size(Side::NotF)),
                answer(row.complement()),
                answer(row.agrees()),
            ]),
            _ => grid.remark(label, &format!("{}: {}", row.task.transformer, row.error)),
        }
    }
    let title = "Specializing: nonterminals / rules; whether F and not F have all derivations of the base grammar together, \
                 and each as many as with `automaton`, by counting those of each length";
    format!("{}\n{}", wrapped(title, WIDTH), grid.to_text(WIDTH))
}
