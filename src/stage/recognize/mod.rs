//! The stage `recognize`: validates inputs whose verdicts are known.

mod held_out;
mod run;
mod table;

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

/// Where the inputs come from that are validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputSource {
    /// Met while reducing and generalizing, as in the papers.
    Seen,
    /// Made for the purpose: no stage before has met them.
    HeldOut,
}

impl InputSource {
    /// All sources, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::Seen, Self::HeldOut];

    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::HeldOut => "held-out",
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
            ExpressionKey::OfBug(_) => &[InputSource::HeldOut],
            ExpressionKey::Learned(_) => &InputSource::ALL,
        };
        sources.iter().map(|&source| Self { expression: expression.clone(), source }).collect()
    }

    fn name(&self) -> String {
        format!("{}/{} {}", self.expression.stem(), Self::NAME, self.source.as_str())
    }

    fn needs(&self) -> Vec<Task> {
        match (&self.expression, self.source) {
            (ExpressionKey::Learned(task), InputSource::Seen) => {
                vec![ReduceTask::clone(&task.reduction).into_task(), (**task).clone().into_task()]
            }
            _ => self.expression.needs(),
        }
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
    /// The number of random inputs of the base grammar.
    pub random: usize,
    /// The number of mutations of the failing input.
    pub mutations: usize,
}

impl Default for RecognizeSettings {
    fn default() -> Self {
        Self { random: 100, mutations: 100 }
    }
}

impl StageSettings for RecognizeSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let (defaults, mut keys) = (Self::default(), keys.table(RecognizeTask::NAME));
        let read = Self {
            random: keys.or("random", defaults.random),
            mutations: keys.or("mutations", defaults.mutations),
        };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { random, mutations } = self;
        identity.add(None, "`recognize.random`", random.to_string());
        identity.add(None, "`recognize.mutations`", mutations.to_string());
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
    /// The failing inputs that were rejected, the passing ones that were accepted.
    pub mistakes: Vec<Mistake>,
    /// What each of the parts is called that the inputs come from, and how many come from there.
    pub sources: Vec<(InputOrigin, u64)>,
    /// The inputs, in order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
}

/// How an input came about that is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputOrigin {
    /// It was judged while reducing.
    Reduction,
    /// It was judged while generalizing.
    Generalization,
    /// It is a random input of the base grammar.
    Random,
    /// It is the failing input with one subtree swapped for a random one.
    Mutation,
}

impl InputOrigin {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reduction => "reduction",
            Self::Generalization => "generalization",
            Self::Random => "random",
            Self::Mutation => "mutation",
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
