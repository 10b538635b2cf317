//! A stage that only tests have: the worked example of docs/DESIGN.md. It says how long the failing input of each
//! bug is, in a table of its own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::keys::Keys;
use crate::report::csv::Csv;
use crate::store::Identity;

use super::settings::{Settings, StageSettings};
use super::tables::{Make, StageTable};
use super::{
    About, CheckTask, Context, PlanStep, Registered, Repetition, Results, Stage, StageError, StageRecord,
    Task,
};

/// Measures the failing input of a bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExampleTask {
    /// The bug.
    pub repetition: Arc<Repetition>,
}

impl Stage for ExampleTask {
    const NAME: &'static str = "example";
    const TABLE: Option<StageTable> = Some(StageTable {
        file: "example.csv",
        title: "Examples",
        make: Make::OfResults(table),
        screen: None,
        figures: None,
        compared: None,
    });
    type Record = ExampleRecord;
    type Settings = ExampleSettings;

    fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self> {
        match step {
            PlanStep::Repetition(repetition) if settings.example.is_wanted => {
                vec![Self { repetition: Arc::clone(repetition) }]
            }
            PlanStep::Bug(_) | PlanStep::Repetition(_) | PlanStep::Expression(_) | PlanStep::Task(_) => {
                Vec::new()
            }
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.repetition.stem(), Self::NAME)
    }

    fn needs(&self) -> Vec<Task> {
        vec![CheckTask { bug: Arc::clone(&self.repetition.bug) }.into_task()]
    }

    fn about(&self) -> About<'_> {
        About::repetition(&self.repetition)
    }

    fn run(&self, context: &Context<'_>) -> Result<(ExampleRecord, u64), StageError> {
        let target = context.target(&self.repetition)?;
        Ok((ExampleRecord { bytes: target.failing().len() as u64 }, 0))
    }
}

/// Whether the stage takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExampleSettings {
    /// Whether it does.
    pub is_wanted: bool,
}

impl StageSettings for ExampleSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        Self { is_wanted: keys.or("example", false) }
    }

    fn identify(&self, identity: &mut Identity) {
        identity.add(None, "`example`", self.is_wanted.to_string());
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleRecord {
    /// The length of the failing input.
    pub bytes: u64,
}

impl StageRecord for ExampleRecord {}

/// A row of the table.
#[derive(Default, Serialize)]
struct Row<'a> {
    bug: &'a str,
    repetition: u32,
    length_bytes: Option<u64>,
    error: String,
}

fn table(results: &Results) -> Csv {
    Csv::of(results.of::<ExampleTask>().map(|(task, row, record)| Row {
        bug: &task.repetition.bug.name,
        repetition: task.repetition.number,
        length_bytes: record.map(|record| record.bytes),
        error: results.error(row).unwrap_or_default(),
    }))
}
