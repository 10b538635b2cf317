//! The stages of a campaign, one folder each: what a stage is about, its settings, its work, its record and its
//! table.
//!
//! ```text
//! check (-> inflate) -> reduce -> generalize -> specialize -> produce F
//!                                         |\             \--> produce not F
//!                                         | \--> instantiate
//!                                          \---> recognize seen, random, planted, neighbours, corpus
//! ```
//!
//! - the list of stages below, and what each of them must say ([`Stage`]);
//! - [`subject_key`]: what tasks are about: bugs, repetitions, expressions;
//! - [`context`]: what a stage gets to work with;
//! - [`resources`]: what several tasks share, made once; [`target`]: a bug ready for work; [`evocative`]: an
//!   expression and what was made of it;
//! - [`settings`]: how the stages work; [`error`]: why one gives no record;
//! - [`results`]: what a store says, typed; [`about`]: what a row of a table is about;
//! - [`exhibit`]: what a page shows of what a task found;
//! - [`tables`]: all tables, and those that no single stage owns.
//!
//! To add a stage is to add a folder with a type that implements [`Stage`], and a line to the list.

#[macro_use]
mod registry;

pub mod about;
pub mod check;
pub mod context;
pub mod error;
pub mod evocative;
#[cfg(test)]
pub mod example;
pub mod exhibit;
pub mod generalize;
pub mod inflate;
pub mod instantiate;
pub mod produce;
pub mod recognize;
pub mod reduce;
pub mod resources;
pub mod results;
pub mod runs;
#[cfg(test)]
pub(crate) mod sample;
pub mod settings;
pub mod specialize;
pub mod stopwatch;
pub mod subject_key;
pub mod tables;
pub mod target;

pub use about::{About, PlugIns};
pub use check::CheckTask;
pub use context::Context;
pub use error::StageError;
pub use exhibit::Exhibit;
pub use generalize::GeneralizeTask;
pub use inflate::InflateTask;
pub use instantiate::InstantiateTask;
pub use produce::{ProduceTask, Side};
pub use recognize::{InputSource, RecognizeTask};
pub use reduce::ReduceTask;
pub use registry::{Incident, Record, Registered, Stage, StageRecord, Task};
pub use results::Results;
pub use settings::{Settings, StageSettings};
pub use specialize::SpecializeTask;
pub use subject_key::{BugKey, ExpressionKey, GrammarKey, PlanStep, Repetition};

/// Hands the list of stages, in the order of the pipeline, to a macro: the variant of [`Task`], the folder, and the
/// type of the tasks.
macro_rules! for_each_stage {
    ($then:ident) => {
        $then! {
            Check in check is CheckTask;
            Inflate in inflate is InflateTask;
            Reduce in reduce is ReduceTask;
            Generalize in generalize is GeneralizeTask;
            Instantiate in instantiate is InstantiateTask;
            Specialize in specialize is SpecializeTask;
            Produce in produce is ProduceTask;
            Recognize in recognize is RecognizeTask;
            #[cfg(test)]
            Example in example is ExampleTask;
        }
    };
}
use for_each_stage;
