//! The stage `recognize`: validates inputs whose verdicts are known.

mod draw;
mod held_out;
mod run;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::keys::Keys;
use crate::oracle::Verdict;
use crate::store::{Identity, Input, Judged, VerdictText};

use super::settings::{Settings, StageSettings};
use super::tables::StageTable;
use super::{
    About, Context, ExpressionKey, Incident, PlanStep, ReduceTask, Registered, Stage, StageError,
    StageRecord, Task,
};

/// Where the inputs come from that are validated. All but the first are held out: no task that the expression was made by
/// has executed any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputSource {
    /// Met while reducing and generalizing, as in the papers.
    Seen,
    /// Random inputs of the whole grammar, by all producers in turn.
    Random,
    /// Random inputs with a part of a failing one somewhere in them.
    Planted,
    /// Some changes away from failing inputs.
    Neighbours,
    /// Inputs that people wrote: the subject's corpus.
    Corpus,
}

impl InputSource {
    /// All sources, in the order of the tables.
    pub const ALL: [Self; 5] = [Self::Seen, Self::Random, Self::Planted, Self::Neighbours, Self::Corpus];

    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Random => "random",
            Self::Planted => "planted",
            Self::Neighbours => "neighbours",
            Self::Corpus => "corpus",
        }
    }
}

/// Validates inputs of one source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecognizeTask {
    /// The expression.
    pub expression: ExpressionKey,
    /// The source.
    pub source: InputSource,
}

impl RecognizeTask {
    /// The task for inputs of another source.
    fn of(&self, source: InputSource) -> Self {
        Self { expression: self.expression.clone(), source }
    }

    /// Whether the inputs are made of failing ones, those among the random ones included.
    fn builds_upon_random(&self) -> bool {
        matches!(self.source, InputSource::Planted | InputSource::Neighbours)
    }
}

impl Stage for RecognizeTask {
    const NAME: &'static str = "recognize";
    const TABLE: Option<StageTable> = Some(table::TABLE);
    type Record = RecognizeRecord;
    type Settings = RecognizeSettings;

    fn next(step: &PlanStep<'_>, _: &Settings) -> Vec<Self> {
        let Some(expression) = step.expression() else { return Vec::new() };
        let sources: &[InputSource] = match expression {
            ExpressionKey::OfConfig(_) => &[],
            // Nothing was met on the way to an expression that was given.
            ExpressionKey::OfBug(_) => &InputSource::ALL[1..],
            ExpressionKey::Learned(_) => &InputSource::ALL,
        };
        sources.iter().map(|&source| Self { expression: expression.clone(), source }).collect()
    }

    fn name(&self) -> String {
        format!("{}/{} {}", self.expression.stem(), Self::NAME, self.source.as_str())
    }

    fn needs(&self) -> Vec<Task> {
        let mut needs = match &self.expression {
            ExpressionKey::Learned(task) => {
                vec![ReduceTask::clone(&task.reduction).into_task(), (**task).clone().into_task()]
            }
            ExpressionKey::OfBug(_) | ExpressionKey::OfConfig(_) => self.expression.needs(),
        };
        if self.builds_upon_random() {
            needs.push(self.of(InputSource::Random).into_task());
        }
        needs
    }

    fn about(&self) -> About<'_> {
        self.expression.about()
    }

    fn expression(&self) -> Option<&ExpressionKey> {
        Some(&self.expression)
    }

    fn run(&self, context: &Context<'_>) -> Result<(RecognizeRecord, u64), StageError> {
        run::recognize(self, context)
    }
}

/// How many inputs are held out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecognizeSettings {
    /// The number of failing inputs, and of passing ones, that are wanted of each source.
    pub inputs: usize,
    /// The most inputs of a source that are executed.
    pub executions: u64,
}

impl Default for RecognizeSettings {
    fn default() -> Self {
        Self { inputs: 50, executions: 1_000 }
    }
}

impl StageSettings for RecognizeSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let (defaults, mut keys) = (Self::default(), keys.table(RecognizeTask::NAME));
        let read = Self {
            inputs: keys.or("inputs", defaults.inputs),
            executions: keys.or("executions", defaults.executions),
        };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { inputs, executions } = self;
        identity.add(None, "`recognize.inputs`", inputs.to_string());
        identity.add(None, "`recognize.executions`", executions.to_string());
    }
}

/// How judged inputs were validated. Counts are of distinct inputs; timeouts are among them as they
/// count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecognizeRecord {
    /// Where the inputs come from.
    pub source: InputSource,
    /// Failing inputs that F accepts.
    pub fail_accepted: u64,
    /// Failing inputs.
    pub fail_total: u64,
    /// Passing inputs that F rejects.
    pub pass_rejected: u64,
    /// Passing inputs.
    pub pass_total: u64,
    /// Inputs without a verdict, which count nowhere.
    pub unresolved: u64,
    /// Those of them whose run wrote too much.
    pub unresolved_output: u64,
    /// Inputs that ended in a timeout, among all of these.
    pub timeout: u64,
    /// Those of them that waited too long by the clock, and did not use up their processor time.
    pub timeout_wall: u64,
    /// Inputs with a verdict about which the validator has no answer, which count nowhere.
    pub unknown: u64,
    /// Inputs that were drawn and passed over: they had been executed before, or drawn.
    pub duplicates: u64,
    /// Inputs of the corpus that are not of the grammar.
    pub unparsed: u64,
    /// Oracle executions.
    pub executions: u64,
    /// The failing inputs that were rejected, the passing ones that were accepted.
    pub mistakes: Vec<Mistake>,
    /// What each of the parts is called that the inputs come from, and how many come from there.
    pub sources: Vec<(InputOrigin, u64)>,
    /// The inputs, in order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
}

impl RecognizeRecord {
    /// A record of no inputs.
    fn new(source: InputSource) -> Self {
        Self {
            source,
            fail_accepted: 0,
            fail_total: 0,
            pass_rejected: 0,
            pass_total: 0,
            unresolved: 0,
            unresolved_output: 0,
            timeout: 0,
            timeout_wall: 0,
            unknown: 0,
            duplicates: 0,
            unparsed: 0,
            executions: 0,
            mistakes: Vec::new(),
            sources: Vec::new(),
            judged: Arc::default(),
        }
    }
}

/// How an input came about that is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputOrigin {
    /// It was judged while reducing.
    Reduction,
    /// It was judged while generalizing.
    Generalization,
    /// It is held out, of this source.
    HeldOut(InputSource),
}

impl InputOrigin {
    /// Where held-out inputs of a source come from.
    fn of(source: InputSource) -> Self {
        Self::HeldOut(source)
    }

    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reduction => "reduction",
            Self::Generalization => "generalization",
            Self::HeldOut(source) => source.as_str(),
        }
    }
}

/// An input that was validated against its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mistake {
    /// The input.
    pub input: Input,
    /// Its verdict.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
    /// What the validator said.
    pub answer: String,
}

impl StageRecord for RecognizeRecord {
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        Some(&self.judged)
    }

    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        Some(&mut self.judged)
    }

    fn sources(&self) -> Vec<(&'static str, u64)> {
        self.sources.iter().map(|&(origin, count)| (origin.as_str(), count)).collect()
    }

    fn warning(&self) -> Option<String> {
        let is_rare = self.source == InputSource::Random && self.fail_total == 0 && self.executions > 0;
        is_rare.then(|| {
            format!(
                "none of {} random inputs failed, so they say nothing of the failing ones; see those of `{}`",
                self.executions,
                InputSource::Planted.as_str()
            )
        })
    }

    fn incidents(&self) -> Vec<Incident<'_>> {
        let mistakes = self.mistakes.iter();
        mistakes
            .map(|mistake| Incident {
                kind: "mistake",
                bug: None,
                input: Some(&mistake.input),
                verdict: Some(mistake.verdict),
                detail: format!("{}: {}", self.source.as_str(), mistake.answer),
            })
            .collect()
    }
}
