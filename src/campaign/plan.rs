//! The plan: which tasks a campaign has, and which of them need which.
//!
//! It grows step by step: the stages say which of their tasks follow a bug, a repetition of it, an expression that
//! is given, and each other's tasks ([`PlanStep`]). A bug whose expression is given by hand is neither reduced nor
//! generalized. Expressions of the config are about no program that could judge inputs, and nothing random that
//! could be repeated.

use std::str::FromStr;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::diagnostic::{Diagnostic, Diagnostics};
use crate::stage::{BugKey, ExpressionKey, GrammarKey, PlanStep, Repetition, Settings, Task};
use crate::subject::catalogue::Catalogue;
use crate::subject::manifest::{Bug, GrammarFile, Manifest};

use super::config::{Chosen, Config};
use super::task_pattern::{means_task, no_task};

/// A part of a plan, of several that are about as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no shard: expected K/N, such as 3/16, with K from 1 to N");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let shard =
            Self { number: number.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if (1..=shard.of).contains(&shard.number) { Ok(shard) } else { Err(wrong()) }
    }
}

/// All tasks of a campaign, each after those that it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    tasks: Vec<Planned>,
}

/// A task of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The task.
    pub task: Task,
    /// Its name.
    pub name: String,
}

impl Plan {
    /// The plan of a campaign on these subjects.
    ///
    /// # Errors
    /// When the config names a bug or a grammar that there is not.
    pub fn new(config: &Config, catalogue: &Catalogue) -> Result<Self, Diagnostics> {
        let mut plan = Self::default();
        for Chosen { subject, bug, grammars } in config.bugs.choose(catalogue)? {
            for grammar in grammars {
                plan.add_bug(&config.settings, subject, bug, grammar);
            }
        }
        for given in &config.settings.specialize.expressions {
            let key = ExpressionKey::OfConfig(given.name.as_str().into());
            plan.grow(PlanStep::Expression(&key), &config.settings);
        }
        Ok(plan)
    }

    fn add_bug(&mut self, settings: &Settings, subject: &Manifest, bug: &Bug, grammar: &GrammarFile) {
        let is_default = grammar.name == subject.default_grammar().name;
        let key = Arc::new(BugKey {
            subject: subject.name.clone(),
            name: bug.name.clone(),
            version: subject.version_shown(bug),
            reintroduced: subject.reintroduced,
            grammar: GrammarKey { name: grammar.name.clone(), is_default },
            inflate: bug.inflation.as_ref().map(|inflation| inflation.bytes),
        });
        self.grow(PlanStep::Bug(&key), settings);
        for number in 1..=settings.repetitions {
            let repetition = Arc::new(Repetition { bug: Arc::clone(&key), number });
            match bug.expression {
                // It is about the nonterminals of that grammar.
                Some(_) if is_default => {
                    self.grow(PlanStep::Expression(&ExpressionKey::OfBug(repetition)), settings)
                }
                _ => self.grow(PlanStep::Repetition(&repetition), settings),
            }
        }
    }

    /// Adds the tasks that follow a step, each with those that follow it.
    fn grow(&mut self, step: PlanStep<'_>, settings: &Settings) {
        for task in Task::next(&step, settings) {
            self.tasks.push(Planned { name: task.name(), task: task.clone() });
            self.grow(PlanStep::Task(&task), settings);
        }
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Planned] {
        &self.tasks
    }

    /// Keeps the tasks whose names match one of `patterns`, and what they need.
    ///
    /// # Errors
    /// When there is a pattern that none matches.
    pub fn only(&mut self, patterns: &[impl AsRef<str>]) -> Result<(), Diagnostic> {
        let mut kept = vec![false; self.tasks.len()];
        for pattern in patterns.iter().map(AsRef::as_ref) {
            let mut is_matched = false;
            for (planned, kept) in self.tasks.iter().zip(&mut kept) {
                if means_task(pattern, &planned.name) {
                    (*kept, is_matched) = (true, true);
                }
            }
            if !is_matched {
                let names = self.tasks.iter().map(|planned| planned.name.as_str());
                return Err(no_task(pattern, "plan", names).help("--list shows the plan"));
            }
        }
        let needs = self.needs(&self.places());
        for index in (0..self.tasks.len()).rev() {
            if kept[index] {
                for &need in &needs[index] {
                    kept[need] = true;
                }
            }
        }
        let mut kept = kept.into_iter();
        self.tasks.retain(|_| kept.next() == Some(true));
        Ok(())
    }

    /// Keeps the tasks of a shard: every `shard.of`-th bug, and every such expression of the config. What a task needs is of the
    /// same bug, or expression.
    pub fn keep_shard(&mut self, shard: Shard) {
        let mut groups: FxHashMap<String, usize> = FxHashMap::default();
        self.tasks.retain(|planned| {
            let bug = planned.task.about().bug;
            let group = match planned.task.expression() {
                Some(expression) if bug.is_empty() => format!("/{}", expression.stem()),
                _ => bug.to_owned(),
            };
            let count = groups.len();
            *groups.entry(group).or_insert(count) % shard.of == shard.number - 1
        });
    }

    /// Where the tasks are.
    pub fn places(&self) -> FxHashMap<&Task, usize> {
        self.tasks.iter().enumerate().map(|(place, planned)| (&planned.task, place)).collect()
    }

    /// The places of the tasks that each task needs.
    pub fn needs(&self, places: &FxHashMap<&Task, usize>) -> Vec<Vec<usize>> {
        let of_task = |planned: &Planned| {
            planned.task.needs().iter().filter_map(|need| places.get(need).copied()).collect()
        };
        self.tasks.iter().map(of_task).collect()
    }
}
