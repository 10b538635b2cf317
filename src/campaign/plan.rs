//! The plan: which tasks a campaign has, and which of them need which.
//!
//! ```text
//! check -> reduce -> generalize -> specialize -> produce F
//!                            |\             \--> produce not F
//!                            | \--> instantiate
//!                             \---> recognize seen, recognize held-out
//! ```
//!
//! once for each bug, repetition and combination of plug-ins. A bug whose expression is given by hand
//! is neither reduced nor generalized. Expressions of the config are only specialized: there is no
//! program to judge inputs, and nothing random that could be repeated. A task's name is made of its keys; nothing is ever read back
//! out of it, but the task's random stream is derived from it.

use rustc_hash::FxHashMap;

use crate::base::diagnostic::{Diagnostic, Diagnostics};
use crate::store::{PlannedTask, Side, Source, Stage, Variant};
use crate::subject::catalogue::Catalogue;
use crate::subject::manifest::{Bug, Manifest};

use super::config::{Config, matches_glob};
use super::expressions::GivenExpression;

/// All tasks of a campaign, each after those that it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The tasks.
    pub tasks: Vec<PlannedTask>,
}

/// Where the tasks of a plan are, by name.
pub type Places<'a> = FxHashMap<&'a str, usize>;

impl Plan {
    /// The plan of a campaign on these subjects.
    ///
    /// # Errors
    /// When the config names a bug that no subject has.
    pub fn new(config: &Config, catalogue: &Catalogue) -> Result<Self, Diagnostics> {
        let all: Vec<(&Manifest, &Bug)> = catalogue
            .subjects()
            .iter()
            .flat_map(|subject| subject.bugs.iter().map(move |bug| (subject, bug)))
            .collect();
        let names: Vec<&str> = all.iter().map(|(_, bug)| bug.name.as_str()).collect();
        let selected = config.bugs.of(&names)?;
        let mut plan = Self::default();
        for (subject, bug) in all {
            if selected.contains(&bug.name.as_str()) {
                plan.add_bug(config, subject, bug);
            }
        }
        for given in &config.expressions {
            plan.add_expression(given);
        }
        Ok(plan)
    }

    /// Keeps the tasks whose names match one of `patterns`, and what they need.
    ///
    /// # Errors
    /// When there is a pattern that none matches.
    pub fn only(&mut self, patterns: &[impl AsRef<str>]) -> Result<(), Diagnostic> {
        let mut kept = vec![false; self.tasks.len()];
        for pattern in patterns.iter().map(AsRef::as_ref) {
            let loose = format!("*{pattern}*");
            let mut is_matched = false;
            for (task, kept) in self.tasks.iter().zip(&mut kept) {
                if matches_glob(pattern, &task.name) || matches_glob(&loose, &task.name) {
                    (*kept, is_matched) = (true, true);
                }
            }
            if !is_matched {
                return Err(Diagnostic::error(format!("no task of the plan matches `{pattern}`"))
                    .suggest(pattern, self.tasks.iter().map(|task| task.name.as_str()))
                    .help("--list shows the plan"));
            }
        }
        let needs = self.needs();
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

    /// Where the tasks are.
    pub fn places(&self) -> Places<'_> {
        self.tasks.iter().enumerate().map(|(place, task)| (task.name.as_str(), place)).collect()
    }

    /// The positions of the tasks that each task needs.
    pub fn needs(&self) -> Vec<Vec<usize>> {
        let places = self.places();
        let of_task = |task: &PlannedTask| {
            task.needs.iter().filter_map(|name| places.get(name.as_str()).copied()).collect()
        };
        self.tasks.iter().map(of_task).collect()
    }

    fn add_bug(&mut self, config: &Config, subject: &Manifest, bug: &Bug) {
        let task = |stage, name: String, repetition, variant: &Variant, needs: Vec<String>| PlannedTask {
            name,
            stage,
            subject: subject.name.clone(),
            bug: Some(bug.name.clone()),
            expression: None,
            repetition,
            variant: variant.clone(),
            version: subject.version_shown(bug),
            reintroduced: subject.reintroduced,
            needs,
        };
        let bare = Variant::default();
        let check = format!("{}/check", bug.name);
        self.tasks.push(task(Stage::Check, check.clone(), 1, &bare, Vec::new()));
        for repetition in 1..=config.repetitions {
            let base = format!("{}/{repetition}", bug.name);
            if bug.expression.is_some() {
                let last =
                    Chain { stem: base, variant: bare.clone(), needs: vec![check.clone()], sources: vec![] };
                self.add_uses(config, &last, |stage, name, variant, needs| {
                    task(stage, name, repetition, variant, needs)
                });
                continue;
            }
            for reducer in &config.reducers {
                let variant = Variant { reducer: Some(reducer.clone()), ..bare.clone() };
                let reduced = format!("{base}/reduce {reducer}");
                self.tasks.push(task(
                    Stage::Reduce,
                    reduced.clone(),
                    repetition,
                    &variant,
                    vec![check.clone()],
                ));
                for generalizer in &config.generalizers {
                    let variant = Variant { generalizer: Some(generalizer.clone()), ..variant.clone() };
                    let stem = format!("{base}/{reducer}/{generalizer}");
                    let generalized = format!("{stem}/generalize");
                    let needs = vec![reduced.clone()];
                    self.tasks.push(task(
                        Stage::Generalize,
                        generalized.clone(),
                        repetition,
                        &variant,
                        needs,
                    ));
                    self.tasks.push(task(
                        Stage::Instantiate,
                        format!("{stem}/instantiate"),
                        repetition,
                        &variant,
                        vec![generalized.clone()],
                    ));
                    let sources = vec![reduced.clone(), generalized.clone()];
                    let last = Chain { stem, variant, needs: vec![generalized], sources };
                    self.add_uses(config, &last, |stage, name, variant, needs| {
                        task(stage, name, repetition, variant, needs)
                    });
                }
            }
        }
    }

    fn add_expression(&mut self, given: &GivenExpression) {
        self.tasks.extend(given.transformers.iter().map(|transformer| PlannedTask {
            name: format!("expressions/{}/specialize {transformer}", given.name),
            stage: Stage::Specialize,
            subject: String::new(),
            bug: None,
            expression: Some(given.name.clone()),
            repetition: 1,
            variant: Variant { transformer: Some(transformer.clone()), ..Variant::default() },
            version: String::new(),
            reintroduced: false,
            needs: Vec::new(),
        }));
    }

    /// What is done with an expression.
    fn add_uses(
        &mut self,
        config: &Config,
        chain: &Chain,
        task: impl Fn(Stage, String, &Variant, Vec<String>) -> PlannedTask,
    ) {
        let stem = &chain.stem;
        for transformer in &config.transformers {
            let variant = Variant { transformer: Some(transformer.clone()), ..chain.variant.clone() };
            let specialized = format!("{stem}/specialize {transformer}");
            self.tasks.push(task(Stage::Specialize, specialized.clone(), &variant, chain.needs.clone()));
            for producer in &config.producers {
                let variant = Variant { producer: Some(producer.clone()), ..variant.clone() };
                for side in [Side::F, Side::NotF] {
                    let name = format!("{stem}/{transformer}/produce {producer} {}", side.as_str());
                    self.tasks.push(task(Stage::Produce(side), name, &variant, vec![specialized.clone()]));
                }
            }
        }
        for source in [Source::Seen, Source::HeldOut] {
            let needs = match source {
                // Nothing was met on the way to an expression that was given.
                Source::Seen if chain.sources.is_empty() => continue,
                Source::Seen => chain.sources.clone(),
                Source::HeldOut => chain.needs.clone(),
            };
            let name = format!("{stem}/recognize {}", source.as_str());
            self.tasks.push(task(Stage::Recognize(source), name, &chain.variant, needs));
        }
    }
}

/// How an expression came about.
struct Chain {
    stem: String,
    variant: Variant,
    /// The task that gives the expression.
    needs: Vec<String>,
    /// The tasks that met inputs on the way.
    sources: Vec<String>,
}
