//! The stage `check`: prepares a subject, and checks whether a bug of it is fit for use, and its worker.

mod run;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::settings::{NoSettings, Settings};
use crate::store::Judged;

use super::{About, BugKey, Context, Exhibit, Incident, PlanStep, Stage, StageError, StageRecord, Task};

/// Checks whether a bug is fit for use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckTask {
    /// The bug.
    pub bug: Arc<BugKey>,
}

impl Stage for CheckTask {
    const NAME: &'static str = "check";
    type Record = CheckRecord;
    type Settings = NoSettings;

    fn next(step: &PlanStep<'_>, _: &Settings) -> Vec<Self> {
        match step {
            PlanStep::Bug(bug) => vec![Self { bug: Arc::clone(bug) }],
            PlanStep::Repetition(_) | PlanStep::Expression(_) | PlanStep::Task(_) => Vec::new(),
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.bug.stem(), Self::NAME)
    }

    fn needs(&self) -> Vec<Task> {
        Vec::new()
    }

    fn about(&self) -> About<'_> {
        About::bug(&self.bug)
    }

    fn run(&self, context: &Context<'_>) -> Result<(CheckRecord, u64), StageError> {
        Ok((run::check(&self.bug, context)?, 0))
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRecord {
    /// Each fact that was checked.
    pub findings: Vec<Fact>,
    /// How many inputs were judged, by fresh processes and by a worker.
    pub inputs: [u64; 2],
    /// The inputs, in this order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
    /// The grammar, in the project's notation: what is made of the results afterwards needs no other file.
    pub grammar: String,
}

/// One fact about a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The bug that it is about; `None` when it is about the whole subject.
    pub bug: Option<String>,
    /// What was checked, and what was seen.
    pub text: String,
    /// Whether it is as it must be.
    pub holds: bool,
}

impl StageRecord for CheckRecord {
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        Some(&self.judged)
    }

    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        Some(&mut self.judged)
    }

    fn sources(&self) -> Vec<(&'static str, u64)> {
        let [by_processes, by_worker] = self.inputs;
        vec![("check", by_processes), ("check of worker", by_worker)]
    }

    fn incidents(&self) -> Vec<Incident<'_>> {
        let wrong = self.findings.iter().filter(|fact| !fact.holds);
        wrong
            .map(|fact| Incident {
                kind: "warning",
                bug: fact.bug.as_deref(),
                input: None,
                verdict: None,
                detail: fact.text.clone(),
            })
            .collect()
    }

    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        vec![Exhibit::Grammar { text: &self.grammar }]
    }
}
