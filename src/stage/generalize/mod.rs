//! The stage `generalize`: abstracts a reduced failing input to a pattern.

mod run;
mod table;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::budget::StopReason;
use crate::base::keys::Keys;
use crate::generalize::{GENERALIZERS, MakeGeneralizer};
use crate::pattern::{Expression, Pattern};
use crate::store::{Identity, Judged, StopReasonText};

use super::settings::{Settings, StageSettings, Variants};
use super::tables::StageTable;
use super::{
    About, Context, Exhibit, PlanStep, PlugIns, ReduceTask, Registered, Repetition, Stage, StageError,
    StageRecord, Task,
};

/// Generalizes what a reduction found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralizeTask {
    /// The reduction.
    pub reduction: Arc<ReduceTask>,
    /// The label of the generalizer.
    pub generalizer: Arc<str>,
}

impl GeneralizeTask {
    /// What the names of tasks begin with that build upon this one.
    pub fn stem(&self) -> String {
        format!("{}/{}", self.reduction.stem(), self.generalizer)
    }

    /// The bug.
    pub fn repetition(&self) -> &Arc<Repetition> {
        &self.reduction.repetition
    }
}

impl Stage for GeneralizeTask {
    const NAME: &'static str = "generalize";
    const TABLE: Option<StageTable> = Some(table::TABLE);
    type Record = GeneralizeRecord;
    type Settings = GeneralizeSettings;

    fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self> {
        let PlanStep::Task(Task::Reduce(reduction)) = step else { return Vec::new() };
        if settings.reduce.only {
            return Vec::new();
        }
        let reduction = Arc::new(reduction.clone());
        let task =
            |generalizer| Self { reduction: Arc::clone(&reduction), generalizer: Arc::clone(generalizer) };
        settings.generalize.generalizers.labels().map(task).collect()
    }

    fn name(&self) -> String {
        format!("{}/{}", self.stem(), Self::NAME)
    }

    fn needs(&self) -> Vec<Task> {
        vec![ReduceTask::clone(&self.reduction).into_task()]
    }

    fn about(&self) -> About<'_> {
        let about = self.reduction.about();
        About { plug_ins: PlugIns { generalizer: Some(&self.generalizer), ..about.plug_ins }, ..about }
    }

    fn run(&self, context: &Context<'_>) -> Result<(GeneralizeRecord, u64), StageError> {
        run::generalize(self, context)
    }
}

/// Which generalizers take part, and how they work.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralizeSettings {
    /// With their settings.
    pub generalizers: Variants<MakeGeneralizer>,
    /// The number of different inputs that must fail before something is taken to be so, unless a generalizer's own
    /// settings say another.
    pub checks: usize,
}

impl Default for GeneralizeSettings {
    fn default() -> Self {
        Self { generalizers: Variants::default_of(&GENERALIZERS), checks: 100 }
    }
}

impl StageSettings for GeneralizeSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let defaults = Self::default();
        let generalizers = Variants(keys.variants("generalizers", &GENERALIZERS));
        let mut keys = keys.table(GeneralizeTask::NAME);
        let read = Self { generalizers, checks: keys.positive("checks", defaults.checks) };
        keys.moved("characteristic", "generalizers = [{ name = \"ddset\", characteristic = \"static\" }]");
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { generalizers, checks } = self;
        identity.add(None, "the generalizers", generalizers.identity());
        identity.add(None, "`generalize.checks`", checks.to_string());
    }
}

/// What a generalization found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralizeRecord {
    /// The text of the pattern that brings the failure about: `<nonterminal> is "text"`.
    pub pattern_text: String,
    /// The expression in the notation of the papers.
    pub expression: String,
    /// The expression itself: texts of its patterns can be ambiguous.
    pub model: Expression,
    /// Whether the failing input that was given satisfies the expression, in some parse: it was made from the
    /// reduced one.
    pub holds_for_input: bool,
    /// The whole input as an abstract one, if the generalizer makes one.
    pub abstract_input: Option<AbstractText>,
    /// Every input that was executed, in order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
    /// Oracle executions.
    pub executions: u64,
    /// Those of each phase of the generalizer.
    pub phases: Vec<(String, u64)>,
    /// Why it ended.
    #[serde(with = "StopReasonText")]
    pub stop: StopReason,
}

impl GeneralizeRecord {
    /// The executions of the phase called `name`, if the generalizer has such a phase.
    pub fn executions_of(&self, name: &str) -> Option<u64> {
        self.phases.iter().find(|(phase, _)| phase == name).map(|&(_, executions)| executions)
    }
}

/// An abstract input, as DDSET makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbstractText {
    /// The failing input with its abstract parts as `<name>`.
    pub text: String,
    /// The same as a person reads it: only what the grammar's author named is abstract.
    pub compact: String,
    /// The pattern of the whole input.
    pub pattern: Pattern,
    /// Abstract nonterminals that the grammar's author named.
    pub visible_nonterminals: u64,
    /// Abstract nonterminals that the notation's operators made.
    pub invisible_nonterminals: u64,
    /// The sizes of the groups of nodes that vary only together.
    pub shared: Vec<u64>,
    /// Characters that stayed concrete.
    pub remaining_chars: u64,
}

impl StageRecord for GeneralizeRecord {
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        Some(&self.judged)
    }

    fn sources(&self) -> Vec<(&'static str, u64)> {
        vec![("generalization", self.executions)]
    }

    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        Some(&mut self.judged)
    }

    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        let found = self.abstract_input.iter();
        let found = found.map(|found| Exhibit::Abstract {
            text: &found.compact,
            placeholders: found.visible_nonterminals,
        });
        found.chain([Exhibit::Expression { text: &self.expression, grammar_file: None }]).collect()
    }

    fn warning(&self) -> Option<String> {
        let text = "F does not hold for the failing input that was given, only for the reduced one";
        (!self.holds_for_input).then(|| text.to_owned())
    }
}
