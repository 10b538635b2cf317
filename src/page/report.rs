//! All that a page shows, put together from what a store says.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::oracle::Verdict;
use crate::stage::tables::Tables;
use crate::stage::tables::labels::Labels;
use crate::stage::{About, Exhibit, ExpressionKey, Record, Results, Task};
use crate::store::{Judged, Store, StoreError};

use super::commands::Commands;
use super::inputs::{Evidence, Inputs, leave_out};
use super::surroundings::Surroundings;
use super::table::{self, Table};
use super::trees::{Names, Trees};

/// What a page shows.
pub struct Report<'a> {
    /// What the store says.
    pub results: &'a Results,
    /// All tables.
    pub all: &'a Tables<'a>,
    /// Those with figures, as they are shown.
    pub tables: Vec<Table<'a>>,
    /// The bugs, in the order of the plan, each with one of its grammars.
    pub bugs: Vec<Bug<'a>>,
    /// How many rules grammars have, in the order of the plan.
    pub rules: Vec<Rules>,
    /// What lies beside the store.
    pub surroundings: Surroundings,
}

/// What was found of a bug with one of its grammars.
pub struct Bug<'a> {
    /// The bug.
    pub about: About<'a>,
    /// Its name; with that of the grammar, if it was examined with several.
    pub name: String,
    /// What was found, each thing once.
    pub findings: Vec<Finding<'a>>,
    /// The course of each reduction.
    pub descents: Vec<Descent>,
    /// The inputs of its tasks.
    pub lists: Vec<List<'a>>,
    /// How many tasks and findings are left out, since they are too many.
    pub left_out: usize,
    /// Tasks that have found nothing, each with the reason.
    pub missing: Vec<(&'a str, String)>,
    /// The nonterminals of the trees of its inputs.
    pub names: Names,
    /// The text of its grammar.
    grammar: Option<&'a str>,
}

/// The number of tasks, the first of the plan, whose inputs are on a page.
const TASKS: usize = 4_000;
/// The number of things found of a bug that are, and of courses of its reductions.
const FINDINGS: usize = 60;
/// So much text of trees is on a page, all in all; of an input whose tree it has no room for, the command shows it.
const TREES: usize = 1_500_000;
/// The number of sizes of grammars.
const RULES: usize = 400;

/// Something that tasks found.
pub struct Finding<'a> {
    /// What.
    pub exhibit: Exhibit<'a>,
    /// The tasks that did, by what differs between them; of tasks that do not differ the text is empty.
    pub labels: Vec<String>,
    /// The derivation tree, of an input that is not too large.
    pub tree: Option<String>,
}

/// How large the smallest failing input was that a reduction had met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descent {
    /// Which reduction.
    pub label: String,
    /// Executions so far, and bytes: wherever a smaller one came.
    pub steps: Vec<(u64, u64)>,
    /// All executions.
    pub executions: u64,
}

/// How many rules grammars have that one transformer made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What was specialized, and how.
    pub label: String,
    /// The grammars.
    pub sizes: Vec<(&'static str, u64)>,
}

/// The inputs of a task.
pub struct List<'a> {
    /// The name of the task.
    pub task: &'a str,
    /// The inputs.
    pub inputs: Inputs,
    /// How they are shown again.
    pub commands: Commands,
}

/// The tasks of one bug and grammar.
type Key<'a> = (&'a str, &'a str);

/// The tasks that work with the same expression.
type ExpressionOf<'a> = (Key<'a>, u32, Option<&'a str>, Option<&'a str>);

fn key(task: &Task) -> Key<'_> {
    let about = task.about();
    (about.bug, about.grammar)
}

fn expression_of(task: &Task) -> ExpressionOf<'_> {
    let about = task.about();
    (key(task), about.repetition, about.plug_ins.reducer, about.plug_ins.generalizer)
}

impl<'a> Report<'a> {
    /// Reads of `store` what no table has.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(all: &'a Tables<'a>, store: &Store, surroundings: Surroundings) -> Result<Self, StoreError> {
        let results = all.results;
        let mut met = met(results, store)?;
        let mut bugs: Vec<Bug<'a>> = Vec::new();
        let mut places: BTreeMap<Key<'a>, usize> = BTreeMap::new();
        let expressions = expressions(results);
        let abouts: Vec<About<'a>> = results.tasks.iter().map(|row| row.task.about()).collect();
        let labels = Labels::of(abouts.iter());
        let once: Vec<About<'a>> = abouts.iter().map(|about| About { repetition: 1, ..*about }).collect();
        let labels_of_all = Labels::of(once.iter());
        let mut rules: Vec<Rules> = Vec::new();
        for (place, (row, about)) in results.tasks.iter().zip(&abouts).enumerate() {
            for exhibit in row.record().map(Record::exhibits).unwrap_or_default() {
                if let Exhibit::Rules(sizes) = exhibit {
                    let label = match row.task.expression() {
                        // It is about no program.
                        Some(ExpressionKey::OfConfig(name)) => {
                            format!("{name}{}", labels_of_all.but_for_the_bug(about))
                        }
                        _ => labels_of_all.of_row(about),
                    };
                    add_new(&mut rules, RULES, Rules { label, sizes });
                }
            }
            if about.bug.is_empty() {
                continue;
            }
            let place_of_bug = *places.entry(key(&row.task)).or_insert_with(|| {
                bugs.push(Bug::new(*about));
                bugs.len() - 1
            });
            let bug = &mut bugs[place_of_bug];
            let Some(record) = row.record() else {
                bug.missing.push((&row.name, results.error(row).unwrap_or_default()));
                continue;
            };
            let label = labels.but_for_the_bug(about).trim().to_owned();
            let Met { inputs, descent } = met.remove(row.name.as_str()).unwrap_or_default();
            if let Some(descent) = descent {
                let label = labels_of_all.but_for_the_bug(about).trim().to_owned();
                add_new(&mut bug.descents, FINDINGS, Descent { label, ..descent });
            }
            for exhibit in record.exhibits() {
                match exhibit {
                    Exhibit::Rules(_) | Exhibit::Descent | Exhibit::EveryInput => {}
                    Exhibit::Grammar { text } => bug.grammar = Some(text),
                    exhibit => bug.add(exhibit, &label),
                }
            }
            if place >= TASKS {
                bug.left_out += 1;
            } else if inputs.all > 0 {
                let expression = expressions.get(&expression_of(&row.task));
                let commands = Commands::of(&row.name, about.subject, expression.copied());
                bug.lists.push(List { task: &row.name, inputs, commands });
            }
        }
        let mut grammars: BTreeMap<&str, usize> = BTreeMap::new();
        bugs.iter().for_each(|bug| *grammars.entry(bug.about.bug).or_default() += 1);
        for bug in bugs.iter_mut().filter(|bug| grammars[bug.about.bug] > 1) {
            bug.name = format!("{} {}", bug.about.bug, bug.about.grammar);
        }
        let mut report = Self { results, all, tables: table::all(all), bugs, rules, surroundings };
        report.add_evidence(store)?;
        report.add_trees();
        Ok(report)
    }

    /// Adds what was seen of the inputs that there is room for.
    fn add_evidence(&mut self, store: &Store) -> Result<(), StoreError> {
        leave_out(self.bugs.iter_mut().flat_map(|bug| &mut bug.lists).map(|list| &mut list.inputs));
        let mut evidence = Evidence::default();
        for bug in &self.bugs {
            let shown = bug.lists.iter().flat_map(|list| &list.inputs.shown);
            shown.for_each(|shown| evidence.want(bug.about.bug, shown));
        }
        store.each_execution(|seen| evidence.take(seen))?;
        for bug in &mut self.bugs {
            let name = bug.about.bug;
            for shown in bug.lists.iter_mut().flat_map(|list| &mut list.inputs.shown) {
                shown.evidence = evidence.of(name, shown);
            }
        }
        Ok(())
    }

    /// Adds the derivation trees of the inputs that there is room for, of those that are not as they should be first.
    fn add_trees(&mut self) {
        let grammars: BTreeSet<&str> = self.bugs.iter().filter_map(|bug| bug.grammar).collect();
        let trees: BTreeMap<&str, Trees> =
            grammars.into_iter().filter_map(|text| Some((text, Trees::of(text)?))).collect();
        let mut room = TREES;
        for is_wrong in [true, false] {
            for bug in &mut self.bugs {
                let Some(trees) = bug.grammar.and_then(|text| trees.get(text)) else { continue };
                let all = bug.lists.iter_mut().flat_map(|list| &mut list.inputs.shown);
                for shown in all.filter(|shown| shown.mistake.is_some() == is_wrong && shown.is_whole()) {
                    if room == 0 {
                        break;
                    }
                    shown.tree = trees.compact(shown.input.bytes(), &mut bug.names);
                    room = room.saturating_sub(shown.tree.as_ref().map_or(0, String::len));
                }
            }
        }
        for bug in &mut self.bugs {
            let Some(trees) = bug.grammar.and_then(|text| trees.get(text)) else { continue };
            for finding in &mut bug.findings {
                if let Exhibit::Input { input, .. } = finding.exhibit {
                    finding.tree = trees.outline(input.bytes());
                }
            }
        }
    }
}

/// Adds what another repetition has not come to already, up to a limit.
fn add_new<T: PartialEq>(all: &mut Vec<T>, most: usize, new: T) {
    if all.len() < most && !all.contains(&new) {
        all.push(new);
    }
}

/// What the inputs that a task had judged come to.
#[derive(Default)]
struct Met {
    inputs: Inputs,
    descent: Option<Descent>,
}

/// What the first tasks met, by the name of the task. Inputs that are not shown are forgotten here: there may be many.
fn met<'a>(results: &'a Results, store: &Store) -> Result<FxHashMap<&'a str, Met>, StoreError> {
    let records: FxHashMap<&'a str, &'a Record> =
        results.tasks.iter().take(TASKS).filter_map(|row| Some((&*row.name, row.record()?))).collect();
    let mut all = FxHashMap::default();
    store.each_judged(|name, judged| {
        let Some((&name, record)) = records.get_key_value(name) else { return };
        let is_descent = record.exhibits().contains(&Exhibit::Descent);
        let descent = is_descent.then(|| Descent::of(&judged));
        all.insert(name, Met { inputs: Inputs::of(record, judged), descent });
    })?;
    Ok(all)
}

/// The expression that tasks work with, and the file of its grammar.
fn expressions(results: &Results) -> FxHashMap<ExpressionOf<'_>, (&str, &str)> {
    let mut expressions = FxHashMap::default();
    for row in &results.tasks {
        for exhibit in row.record().map(Record::exhibits).unwrap_or_default() {
            if let Exhibit::Expression { text, grammar_file: Some(file) } = exhibit {
                expressions.insert(expression_of(&row.task), (text, file));
            }
        }
    }
    expressions
}

impl<'a> Bug<'a> {
    fn new(about: About<'a>) -> Self {
        Self {
            about,
            name: about.bug.to_owned(),
            findings: Vec::new(),
            descents: Vec::new(),
            lists: Vec::new(),
            left_out: 0,
            missing: Vec::new(),
            names: Names::default(),
            grammar: None,
        }
    }

    /// Adds what the task with this label found, unless another one found the same.
    fn add(&mut self, exhibit: Exhibit<'a>, label: &str) {
        let same = |found: &&mut Finding<'a>| match (&found.exhibit, &exhibit) {
            // Two stages say it; which file it is about does not make it another one.
            (Exhibit::Expression { text: one, .. }, Exhibit::Expression { text: other, .. }) => one == other,
            (one, other) => one == other,
        };
        let is_full = self.findings.len() >= FINDINGS;
        match self.findings.iter_mut().find(same) {
            Some(found)
                if found.labels.len() >= FINDINGS || found.labels.iter().any(|known| known == label) => {}
            Some(found) => found.labels.push(label.to_owned()),
            None if is_full => self.left_out += 1,
            None => self.findings.push(Finding { exhibit, labels: vec![label.to_owned()], tree: None }),
        }
    }
}

impl Descent {
    fn of(judged: &[Judged]) -> Self {
        let mut steps: Vec<(u64, u64)> = Vec::new();
        for (number, judged) in (1..).zip(judged) {
            let bytes = judged.input.bytes().len() as u64;
            let is_smaller = steps.last().is_none_or(|&(_, smallest)| bytes < smallest);
            if judged.verdict == Verdict::Fail && is_smaller {
                steps.push((number, bytes));
            }
        }
        Self { label: String::new(), steps, executions: judged.len() as u64 }
    }
}
