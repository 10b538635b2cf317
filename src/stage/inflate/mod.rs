//! The stage `inflate`: makes the large failing input of a bug that is to have one.

mod run;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::keys::Keys;
use crate::store::{Identity, Input};

use super::settings::{Settings, StageSettings};
use super::{About, BugKey, CheckTask, Context, PlanStep, Registered, Stage, StageError, StageRecord, Task};

/// Makes the failing input of a bug as large as it is to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InflateTask {
    /// The bug.
    pub bug: Arc<BugKey>,
}

impl InflateTask {
    /// What must be done before the failing input of a bug is there, besides its check.
    pub fn of(bug: &Arc<BugKey>) -> Option<Task> {
        bug.inflate.map(|_| Self { bug: Arc::clone(bug) }.into_task())
    }
}

impl Stage for InflateTask {
    const NAME: &'static str = "inflate";
    type Record = InflateRecord;
    type Settings = InflateSettings;

    fn next(step: &PlanStep<'_>, _: &Settings) -> Vec<Self> {
        match step {
            PlanStep::Bug(bug) if bug.inflate.is_some() => vec![Self { bug: Arc::clone(bug) }],
            PlanStep::Bug(_) | PlanStep::Repetition(_) | PlanStep::Expression(_) | PlanStep::Task(_) => {
                Vec::new()
            }
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.bug.stem(), Self::NAME)
    }

    fn needs(&self) -> Vec<Task> {
        vec![CheckTask { bug: Arc::clone(&self.bug) }.into_task()]
    }

    fn about(&self) -> About<'_> {
        About::bug(&self.bug)
    }

    fn run(&self, context: &Context<'_>) -> Result<(InflateRecord, u64), StageError> {
        run::inflate(self, context)
    }
}

/// What may be spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InflateSettings {
    /// The most executions for one input.
    pub executions: u64,
}

impl Default for InflateSettings {
    fn default() -> Self {
        Self { executions: 2_000 }
    }
}

impl StageSettings for InflateSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let (defaults, mut keys) = (Self::default(), keys.table(InflateTask::NAME));
        let read = Self { executions: keys.or("executions", defaults.executions) };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        identity.add(None, "`inflate.executions`", self.executions.to_string());
    }
}

/// A large failing input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InflateRecord {
    /// The input.
    pub input: Input,
    /// Oracle executions.
    pub executions: u64,
}

impl StageRecord for InflateRecord {}
