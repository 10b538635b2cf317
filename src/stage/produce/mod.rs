//! The stage `produce`: makes inputs from a specialized grammar and has them judged.

mod run;
mod table;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::keys::Keys;
use crate::oracle::Verdict;
use crate::produce::{LimitProducer, MakeProducer, PRODUCERS};
use crate::store::{Escape, Identity, Judged, Verdicts};
use crate::validate::Answer;

use super::settings::{Settings, StageSettings, Variants};
use super::tables::StageTable;
use super::{
    About, Context, Exhibit, ExpressionKey, Incident, PlanStep, PlugIns, Registered, SpecializeTask, Stage,
    StageError, StageRecord, Task,
};

/// The grammar from which inputs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// The specialized grammar, whose inputs should fail.
    F,
    /// Its negation, whose inputs should pass.
    #[serde(rename = "not F")]
    NotF,
}

impl Side {
    /// The words used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::F => "F",
            Self::NotF => "not F",
        }
    }
}

/// Which parses of an ambiguous input must satisfy what it is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parses {
    /// All of them; where no such input comes, one of them.
    #[default]
    Every,
    /// One of them.
    Some,
}

impl Parses {
    /// The word used in configs and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Some => "some",
        }
    }

    /// Whether an input is taken whose parses satisfy the expression so.
    pub fn takes(self, side: Side, answer: Answer) -> bool {
        let wanted = match side {
            Side::F => Answer::Every,
            Side::NotF => Answer::None,
        };
        answer == wanted || (self == Self::Some && answer == Answer::Some)
    }
}

/// Produces inputs from the grammar of one side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProduceTask {
    /// What made the grammar.
    pub specialization: Arc<SpecializeTask>,
    /// The label of the producer.
    pub producer: Arc<str>,
    /// The side.
    pub side: Side,
}

impl Stage for ProduceTask {
    const NAME: &'static str = "produce";
    const TABLE: Option<StageTable> = Some(table::TABLE);
    type Record = ProduceRecord;
    type Settings = ProduceSettings;

    fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self> {
        // An expression of the config is about no program that could judge.
        let specialization = match step {
            PlanStep::Task(Task::Specialize(task)) if task.expression.repetition().is_some() => {
                Arc::new(task.clone())
            }
            PlanStep::Bug(_) | PlanStep::Repetition(_) | PlanStep::Expression(_) | PlanStep::Task(_) => {
                return Vec::new();
            }
        };
        let task = |producer: &Arc<str>, side| Self {
            specialization: Arc::clone(&specialization),
            producer: Arc::clone(producer),
            side,
        };
        let producers = settings.produce.producers.labels();
        producers.flat_map(|producer| [task(producer, Side::F), task(producer, Side::NotF)]).collect()
    }

    fn name(&self) -> String {
        let Self { specialization, producer, side } = self;
        let stem = specialization.expression.stem();
        format!("{stem}/{}/{} {producer} {}", specialization.transformer, Self::NAME, side.as_str())
    }

    fn needs(&self) -> Vec<Task> {
        vec![SpecializeTask::clone(&self.specialization).into_task()]
    }

    fn about(&self) -> About<'_> {
        let about = self.specialization.about();
        About { plug_ins: PlugIns { producer: Some(&self.producer), ..about.plug_ins }, ..about }
    }

    fn expression(&self) -> Option<&ExpressionKey> {
        Some(&self.specialization.expression)
    }

    fn run(&self, context: &Context<'_>) -> Result<(ProduceRecord, u64), StageError> {
        run::produce(self, context)
    }
}

/// Which producers take part, and how they work.
#[derive(Clone, Debug, PartialEq)]
pub struct ProduceSettings {
    /// With their settings.
    pub producers: Variants<MakeProducer>,
    /// The number of distinct, resolved inputs produced from each grammar.
    pub inputs: usize,
    /// Down to this depth random inputs are made freely, also where placeholders are filled or inputs are held out.
    pub depth: u32,
    /// Which parses of an ambiguous input must satisfy F, or not F.
    pub parses: Parses,
}

impl Default for ProduceSettings {
    fn default() -> Self {
        let producers = Variants::default_of(&PRODUCERS);
        Self { producers, inputs: 100, depth: LimitProducer::DEFAULT_LIMIT, parses: Parses::Every }
    }
}

impl StageSettings for ProduceSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let defaults = Self::default();
        let producers = Variants(keys.variants("producers", &PRODUCERS));
        let mut keys = keys.table(ProduceTask::NAME);
        let read = Self {
            producers,
            inputs: keys.positive("inputs", defaults.inputs),
            depth: keys.or("depth", defaults.depth),
            parses: keys.one_of(
                "parses",
                &[Parses::Every, Parses::Some].map(|parses| (parses.as_str(), parses)),
                defaults.parses,
            ),
        };
        keys.moved("length", "producers = [{ name = \"uniform\", length = \"0..40\" }]");
        keys.moved("paths", "producers = [{ name = \"coverage\", paths = 3 }]");
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { producers, inputs, depth, parses } = self;
        identity.add(None, "the producers", producers.identity());
        identity.add(None, "`produce.inputs`", inputs.to_string());
        identity.add(None, "`produce.depth`", depth.to_string());
        identity.add(None, "`produce.parses`", parses.as_str());
    }
}

/// How the inputs of one grammar were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProduceRecord {
    /// The grammar.
    pub side: Side,
    /// How many distinct inputs were asked for.
    pub wanted: u64,
    /// How many distinct inputs came, all of them judged.
    pub inputs: u64,
    /// How many were drawn, repetitions included.
    pub produced: u64,
    /// Which parses of these were asked for.
    pub parses_wanted: Parses,
    /// Which parses of these satisfy the grammar's side.
    pub parses: Parses,
    /// Their verdicts.
    #[serde(flatten)]
    pub verdicts: Verdicts,
    /// The inputs of F that did not fail, of not F that failed.
    pub escapes: Vec<Escape>,
    /// Every input that was judged, in order.
    #[serde(skip)]
    pub judged: Arc<[Judged]>,
}

impl ProduceRecord {
    /// How many fail, and how many pass.
    pub fn resolved(&self) -> (u64, u64) {
        (self.verdicts.counted(Verdict::Fail), self.verdicts.counted(Verdict::Pass))
    }
}

impl StageRecord for ProduceRecord {
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        Some(&self.judged)
    }

    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        Some(&mut self.judged)
    }

    fn sources(&self) -> Vec<(&'static str, u64)> {
        vec![(self.side.as_str(), self.inputs)]
    }

    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        vec![Exhibit::EveryInput]
    }

    fn warning(&self) -> Option<String> {
        let (fail, pass) = self.resolved();
        let Self { wanted, side, .. } = self;
        let side = side.as_str();
        let ambiguous = (self.parses != self.parses_wanted).then(|| {
            format!(
                "no input came of which every parse satisfies {side}: these are inputs of which some parse does"
            )
        });
        let few = (fail + pass < *wanted).then(|| {
            format!(
                "{} of {wanted} inputs: no more distinct ones with a verdict came from {side}",
                fail + pass
            )
        });
        let both: Vec<String> = ambiguous.into_iter().chain(few).collect();
        (!both.is_empty()).then(|| both.join("; "))
    }

    fn incidents(&self) -> Vec<Incident<'_>> {
        let what = match self.side {
            Side::F => "made from F, did not fail",
            Side::NotF => "made from not F, failed",
        };
        self.escapes.iter().map(|escape| Incident::escape(escape, what)).collect()
    }
}
