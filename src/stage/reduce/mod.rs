//! The stage `reduce`: makes the failing input of a bug smaller.

mod run;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::budget::StopReason;
use crate::base::keys::Keys;
use crate::reduce::{AnyReducer, REDUCERS};
use crate::store::{Identity, Input, Judged, StopReasonText};

use super::settings::{Settings, StageSettings, Variants};
use super::{
    About, CheckTask, Context, PlanStep, PlugIns, Registered, Repetition, Stage, StageError, StageRecord,
    Task,
};

/// Reduces the failing input of a bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReduceTask {
    /// The bug.
    pub repetition: Arc<Repetition>,
    /// The label of the reducer.
    pub reducer: Arc<str>,
}

impl ReduceTask {
    /// What the names of tasks begin with that build upon this one.
    pub fn stem(&self) -> String {
        format!("{}/{}", self.repetition.stem(), self.reducer)
    }
}

impl Stage for ReduceTask {
    const NAME: &'static str = "reduce";
    type Record = ReduceRecord;
    type Settings = ReduceSettings;

    fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self> {
        let PlanStep::Repetition(repetition) = step else { return Vec::new() };
        let task = |reducer| Self { repetition: Arc::clone(repetition), reducer: Arc::clone(reducer) };
        settings.reduce.reducers.labels().map(task).collect()
    }

    fn name(&self) -> String {
        format!("{}/{} {}", self.repetition.stem(), Self::NAME, self.reducer)
    }

    fn needs(&self) -> Vec<Task> {
        vec![CheckTask { bug: Arc::clone(&self.repetition.bug) }.into_task()]
    }

    fn about(&self) -> About<'_> {
        let about = About::repetition(&self.repetition);
        About { plug_ins: PlugIns { reducer: Some(&self.reducer), ..about.plug_ins }, ..about }
    }

    fn run(&self, context: &Context<'_>) -> Result<(ReduceRecord, u64), StageError> {
        run::reduce(self, context)
    }
}

/// Which reducers take part.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceSettings {
    /// With their settings.
    pub reducers: Variants<AnyReducer>,
}

impl Default for ReduceSettings {
    fn default() -> Self {
        Self { reducers: Variants::default_of(&REDUCERS) }
    }
}

impl StageSettings for ReduceSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        Self { reducers: Variants(keys.variants("reducers", &REDUCERS)) }
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { reducers } = self;
        identity.add(None, "the reducers", reducers.identity());
    }
}

/// What a reduction found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReduceRecord {
    /// The failing input.
    pub input: Input,
    /// The smaller failing input.
    pub output: Input,
    /// Every input that was executed, in order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
    /// Oracle executions.
    pub executions: u64,
    /// Why it ended.
    #[serde(with = "StopReasonText")]
    pub stop: StopReason,
}

impl StageRecord for ReduceRecord {
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        Some(&self.judged)
    }

    fn sources(&self) -> Vec<(&'static str, u64)> {
        vec![("reduction", self.executions)]
    }

    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        Some(&mut self.judged)
    }
}
