//! The stage `reduce`: makes the failing input of a bug smaller.

mod run;
mod table;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::budget::StopReason;
use crate::base::keys::Keys;
use crate::oracle::{OtherFailure, Verdict};
use crate::reduce::AnyReducer;
use crate::store::{Identity, Input, Judged, StopReasonText, VerdictText};
use crate::subject::reducer_command::ALL_REDUCERS;

use super::settings::{Settings, StageSettings, Variants};
use super::tables::StageTable;
use super::{
    About, CheckTask, Context, Exhibit, Incident, InflateTask, PlanStep, PlugIns, Registered, Repetition,
    Stage, StageError, StageRecord, Task,
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
    const TABLE: Option<StageTable> = Some(table::TABLE);
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
        let bug = &self.repetition.bug;
        let check = CheckTask { bug: Arc::clone(bug) }.into_task();
        std::iter::once(check).chain(InflateTask::of(bug)).collect()
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
    /// Whether nothing is done with what they find.
    pub only: bool,
    /// Whether what they find is checked for being 1-minimal.
    pub minimality: bool,
    /// Whether an input that fails otherwise than the bug's is taken for one that fails.
    pub any_failure: bool,
}

impl Default for ReduceSettings {
    fn default() -> Self {
        Self {
            reducers: Variants::default_of(&ALL_REDUCERS),
            only: false,
            minimality: false,
            any_failure: false,
        }
    }
}

impl StageSettings for ReduceSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let reducers = Variants(keys.variants("reducers", &ALL_REDUCERS));
        let mut keys = keys.table(ReduceTask::NAME);
        let read = Self {
            reducers,
            only: keys.or("only", false),
            minimality: keys.or("minimality", false),
            any_failure: keys.or("any_failure", false),
        };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { reducers, only, minimality, any_failure } = self;
        identity.add(None, "the reducers", reducers.identity());
        identity.add(None, "`reduce.only`", only.to_string());
        identity.add(None, "`reduce.minimality`", minimality.to_string());
        identity.add(None, "`reduce.any_failure`", any_failure.to_string());
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
    /// How often an input was asked about once more; its verdict was known then.
    pub asked_again: u64,
    /// How many of the executions were unresolved.
    pub unresolved: u64,
    /// The size of the input.
    pub input_size: InputSize,
    /// The size of the smaller one.
    pub output_size: InputSize,
    /// Whether it is 1-minimal, where that was checked.
    pub one_minimal: OneMinimal,
    /// Whether what was seen of the smaller input is what was seen of the other one, in the same words.
    pub same_failure: bool,
    /// What failed otherwise on the way, each way with its smallest input.
    pub others: Vec<Other>,
    /// Why it ended.
    #[serde(with = "StopReasonText")]
    pub stop: StopReason,
}

/// A failure that is not the bug's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// What was seen.
    pub evidence: String,
    /// The verdict on its inputs.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
    /// How many inputs failed so.
    pub inputs: u64,
    /// The smallest of them.
    pub smallest: Input,
}

impl Other {
    fn incident(&self) -> Incident<'_> {
        let Self { evidence, verdict, inputs, smallest } = self;
        let detail = match inputs {
            1 => evidence.clone(),
            inputs => format!("{evidence}: the smallest of {inputs} inputs"),
        };
        Incident { kind: "other", bug: None, input: Some(smallest), verdict: Some(*verdict), detail }
    }
}

impl From<OtherFailure> for Other {
    fn from(other: OtherFailure) -> Self {
        let OtherFailure { failure, verdict, inputs, smallest } = other;
        Self { evidence: failure.as_str().to_owned(), verdict, inputs, smallest: (&*smallest).into() }
    }
}

/// The size of an input that the grammar derives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputSize {
    /// Its tokens.
    pub tokens: Option<u64>,
    /// The nodes of its derivation tree.
    pub nodes: Option<u64>,
}

/// In which senses an input is 1-minimal: see [`crate::reduce::Minimality`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneMinimal {
    /// No byte can go.
    pub bytes: Option<bool>,
    /// No token can go.
    pub tokens: Option<bool>,
    /// No subtree can go.
    pub subtrees: Option<bool>,
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

    fn incidents(&self) -> Vec<Incident<'_>> {
        self.others.iter().map(Other::incident).collect()
    }

    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        let Self { input, output, .. } = self;
        let failing = Exhibit::Input { what: "Failing input", input };
        vec![failing, Exhibit::Input { what: "Reduced input", input: output }, Exhibit::Descent]
    }
}
