//! The stage `instantiate`: makes instances of an abstract input and has them judged.

mod run;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::keys::Keys;
use crate::oracle::Verdict;
use crate::store::{Escape, Identity, Judged, Verdicts};

use super::settings::{Settings, StageSettings};
use super::tables::StageTable;
use super::{
    About, Context, Exhibit, GeneralizeTask, Incident, PlanStep, Registered, Stage, StageError, StageRecord,
    Task,
};

/// Judges instances of what a generalization found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstantiateTask {
    /// The generalization.
    pub generalization: Arc<GeneralizeTask>,
}

impl Stage for InstantiateTask {
    const NAME: &'static str = "instantiate";
    const TABLE: Option<StageTable> = Some(table::TABLE);
    type Record = InstantiateRecord;
    type Settings = InstantiateSettings;

    fn next(step: &PlanStep<'_>, _: &Settings) -> Vec<Self> {
        match step {
            PlanStep::Task(Task::Generalize(task)) => vec![Self { generalization: Arc::new(task.clone()) }],
            PlanStep::Bug(_) | PlanStep::Repetition(_) | PlanStep::Expression(_) | PlanStep::Task(_) => {
                Vec::new()
            }
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.generalization.stem(), Self::NAME)
    }

    fn needs(&self) -> Vec<Task> {
        vec![GeneralizeTask::clone(&self.generalization).into_task()]
    }

    fn about(&self) -> About<'_> {
        self.generalization.about()
    }

    fn run(&self, context: &Context<'_>) -> Result<(InstantiateRecord, u64), StageError> {
        run::instantiate(self, context)
    }
}

/// How many instances are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstantiateSettings {
    /// The number of distinct ones.
    pub inputs: usize,
}

impl Default for InstantiateSettings {
    fn default() -> Self {
        Self { inputs: 100 }
    }
}

impl StageSettings for InstantiateSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let mut keys = keys.table(InstantiateTask::NAME);
        let read = Self { inputs: keys.positive("inputs", Self::default().inputs) };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { inputs } = self;
        identity.add(None, "`instantiate.inputs`", inputs.to_string());
    }
}

/// How the instances of an abstract input were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstantiateRecord {
    /// How many distinct instances were asked for.
    pub wanted: u64,
    /// How many distinct instances came, all of them judged.
    pub instances: u64,
    /// Their verdicts.
    #[serde(flatten)]
    pub verdicts: Verdicts,
    /// The instances that passed.
    pub escapes: Vec<Escape>,
    /// Every instance, in order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
}

impl StageRecord for InstantiateRecord {
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        Some(&self.judged)
    }

    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        Some(&mut self.judged)
    }

    fn sources(&self) -> Vec<(&'static str, u64)> {
        vec![("instance", self.instances)]
    }

    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        vec![Exhibit::EveryInput]
    }

    fn warning(&self) -> Option<String> {
        let Self { instances, wanted, .. } = self;
        (instances < wanted).then(|| {
            format!("{instances} of {wanted} instances: the abstract input has no more distinct ones")
        })
    }

    fn incidents(&self) -> Vec<Incident<'_>> {
        let what = "an instance of the abstract input, did not fail";
        self.escapes.iter().map(|escape| Incident::escape(escape, what)).collect()
    }
}

impl InstantiateRecord {
    /// How many fail, and how many pass.
    pub fn resolved(&self) -> (u64, u64) {
        (self.verdicts.counted(Verdict::Fail), self.verdicts.counted(Verdict::Pass))
    }
}
