//! What a stage must say, and the types that are made of the list of all stages.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::oracle::Verdict;
use crate::store::{Escape, Input, Judged, PlannedTask, Stored};

use super::about::About;
use super::context::Context;
use super::error::StageError;
use super::exhibit::Exhibit;
use super::for_each_stage;
use super::settings::{Settings, StageSettings};
use super::subject_key::{ExpressionKey, PlanStep};
use super::tables::StageTable;

/// A stage. A value says which task of it: what it is about, and the plug-ins. All else follows from that.
pub trait Stage:
    Clone + fmt::Debug + Eq + Hash + Serialize + DeserializeOwned + Registered + 'static
{
    /// The word used in names of tasks, in the store and in messages.
    const NAME: &'static str;
    /// Its table, if it has one.
    const TABLE: Option<StageTable> = None;
    /// What its tasks find.
    type Record: StageRecord;
    /// How it works.
    type Settings: StageSettings;

    /// The tasks that follow a step of the plan.
    fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self>;

    /// The name: unique in the plan, and the same at every run of the same configuration. The random stream is
    /// derived from it; nothing is ever read back out of it.
    fn name(&self) -> String;

    /// The tasks whose records this one takes.
    fn needs(&self) -> Vec<Task>;

    /// What a row of a table about it says first.
    fn about(&self) -> About<'_>;

    /// The expression that it works with, if it does.
    fn expression(&self) -> Option<&ExpressionKey> {
        None
    }

    /// Does the work: what was found, and how many executions that took (as the task counts them).
    ///
    /// # Errors
    /// When it cannot be done, or was interrupted.
    fn run(&self, context: &Context<'_>) -> Result<(Self::Record, u64), StageError>;
}

/// What a task found. It is stored as JSON, and holds what tables show and what later tasks need; never a time,
/// so that it is the same at every run.
pub trait StageRecord: Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + 'static {
    /// The inputs that the task had judged, in order. They are stored apart: few want them.
    fn judged(&self) -> Option<&Arc<[Judged]>> {
        None
    }

    /// The place of the same, to be filled in.
    fn judged_mut(&mut self) -> Option<&mut Arc<[Judged]>> {
        None
    }

    /// Where those inputs come from: what each of their sources is called, and how many of them it has, in their order.
    fn sources(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// What the task could not do, though it found the rest. It counts as failed, and is tried again.
    fn failure(&self) -> Option<String> {
        None
    }

    /// What a user should know who reads that a task found this.
    fn warning(&self) -> Option<String> {
        None
    }

    /// What went wrong, one thing for each row of errors.csv.
    fn incidents(&self) -> Vec<Incident<'_>> {
        Vec::new()
    }

    /// What a page shows of it.
    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        Vec::new()
    }
}

/// One thing that went wrong, as a row of errors.csv.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident<'a> {
    /// The kind: see [`super::tables::errors`].
    pub kind: &'static str,
    /// The bug, if it is another one than the task's.
    pub bug: Option<&'a str>,
    /// The input that shows it.
    pub input: Option<&'a Input>,
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// In words.
    pub detail: String,
}

impl<'a> Incident<'a> {
    /// That an input did not do `what` its grammar promises.
    pub fn escape(escape: &'a Escape, what: &str) -> Self {
        Self {
            kind: "escape",
            bug: None,
            input: Some(&escape.input),
            verdict: Some(escape.verdict),
            detail: format!("{what}: {}", escape.evidence),
        }
    }
}

/// What the list of stages says of one.
pub trait Registered: Sized {
    /// The task.
    fn into_task(self) -> Task;

    /// `task`, if it is of this stage.
    fn of_task(task: &Task) -> Option<&Self>;

    /// What is in `record`, if a task of this stage found it.
    fn of_record(record: &Record) -> Option<&Arc<Self::Record>>
    where
        Self: Stage;
}

macro_rules! stages {
    ($($(#[$attribute:meta])* $variant:ident in $module:ident is $task:ident;)*) => {
        /// A task of the plan.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Task {
            $(
                #[doc = concat!("Of the stage `", stringify!($module), "`.")]
                $(#[$attribute])*
                $variant(super::$module::$task),
            )*
        }

        /// What a task found. Cloning one is cheap.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Record {
            $(
                #[doc = concat!("Of a task of the stage `", stringify!($module), "`.")]
                $(#[$attribute])*
                $variant(Arc<<super::$module::$task as Stage>::Record>),
            )*
        }

        $(
            $(#[$attribute])*
            impl Registered for super::$module::$task {
                fn into_task(self) -> Task {
                    Task::$variant(self)
                }

                fn of_task(task: &Task) -> Option<&Self> {
                    if let Task::$variant(task) = task { Some(task) } else { None }
                }

                fn of_record(record: &Record) -> Option<&Arc<<Self as Stage>::Record>> {
                    if let Record::$variant(record) = record { Some(record) } else { None }
                }
            }
        )*

        impl Task {
            /// The tasks of all stages that follow a step of the plan.
            pub fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self> {
                let mut tasks = Vec::new();
                $(
                    $(#[$attribute])*
                    tasks.extend(super::$module::$task::next(step, settings).into_iter().map(Self::$variant));
                )*
                tasks
            }

            /// The word for its stage.
            pub fn stage(&self) -> &'static str {
                match self { $($(#[$attribute])* Self::$variant(_) => super::$module::$task::NAME,)* }
            }

            /// The name: see [`Stage::name`].
            pub fn name(&self) -> String {
                match self { $($(#[$attribute])* Self::$variant(task) => task.name(),)* }
            }

            /// The tasks whose records this one takes.
            pub fn needs(&self) -> Vec<Task> {
                match self { $($(#[$attribute])* Self::$variant(task) => task.needs(),)* }
            }

            /// What a row of a table about it says first.
            pub fn about(&self) -> About<'_> {
                match self { $($(#[$attribute])* Self::$variant(task) => task.about(),)* }
            }

            /// The expression that it works with, if it does.
            pub fn expression(&self) -> Option<&ExpressionKey> {
                match self { $($(#[$attribute])* Self::$variant(task) => task.expression(),)* }
            }

            /// The task as the store knows it; `name` is its name.
            ///
            /// # Panics
            /// Never: tasks have string keys only.
            pub fn planned(&self, name: String) -> PlannedTask {
                PlannedTask {
                    name,
                    stage: self.stage(),
                    bug: Some(self.about().bug.to_owned()).filter(|bug| !bug.is_empty()),
                    key: serde_json::to_string(self).expect("tasks have string keys only"),
                }
            }

            /// Does the work: see [`Stage::run`].
            ///
            /// # Errors
            /// When it cannot be done, or was interrupted.
            pub fn run(&self, context: &Context<'_>) -> Result<(Record, u64), StageError> {
                match self {
                    $(
                        $(#[$attribute])*
                        Self::$variant(task) => {
                            let (record, executions) = task.run(context)?;
                            Ok((Record::$variant(Arc::new(record)), executions))
                        }
                    )*
                }
            }

            /// The record of this task that was stored so.
            ///
            /// # Errors
            /// When it is no record of its stage.
            pub fn record(&self, json: &str, judged: Option<Vec<Judged>>) -> Result<Record, serde_json::Error> {
                match self {
                    $(
                        $(#[$attribute])*
                        Self::$variant(_) => {
                            let mut record: <super::$module::$task as Stage>::Record = serde_json::from_str(json)?;
                            if let (Some(place), Some(judged)) = (record.judged_mut(), judged) {
                                *place = judged.into();
                            }
                            Ok(Record::$variant(Arc::new(record)))
                        }
                    )*
                }
            }
        }

        impl Record {
            /// As it is stored.
            pub fn stored(&self) -> Stored {
                match self {
                    $(
                        $(#[$attribute])*
                        Self::$variant(record) => Stored {
                            json: serde_json::to_string(&**record)
                                .expect("records have string keys only"),
                            judged: record.judged().cloned(),
                            failure: record.failure(),
                        },
                    )*
                }
            }

            /// See [`StageRecord::failure`].
            pub fn failure(&self) -> Option<String> {
                match self { $($(#[$attribute])* Self::$variant(record) => record.failure(),)* }
            }

            /// The same, with the inputs that were judged for it, which are stored apart.
            #[must_use]
            pub fn with_judged(&self, judged: Vec<Judged>) -> Self {
                match self {
                    $(
                        $(#[$attribute])*
                        Self::$variant(record) => {
                            let mut record = (**record).clone();
                            if let Some(place) = record.judged_mut() {
                                *place = judged.into();
                            }
                            Self::$variant(Arc::new(record))
                        }
                    )*
                }
            }

            /// The inputs that were judged for it, in order, each with the name of its source.
            pub fn inputs(&self) -> Vec<(&'static str, &Judged)> {
                let (judged, sources) = match self {
                    $($(#[$attribute])* Self::$variant(record) => (record.judged(), record.sources()),)*
                };
                let names = sources.into_iter().flat_map(|(name, count)| {
                    std::iter::repeat_n(name, usize::try_from(count).unwrap_or(usize::MAX))
                });
                names.zip(judged.into_iter().flat_map(|judged| judged.iter())).collect()
            }

            /// See [`StageRecord::warning`].
            pub fn warning(&self) -> Option<String> {
                match self { $($(#[$attribute])* Self::$variant(record) => record.warning(),)* }
            }

            /// See [`StageRecord::exhibits`].
            pub fn exhibits(&self) -> Vec<Exhibit<'_>> {
                match self { $($(#[$attribute])* Self::$variant(record) => record.exhibits(),)* }
            }

            /// See [`StageRecord::incidents`].
            pub fn incidents(&self) -> Vec<Incident<'_>> {
                match self { $($(#[$attribute])* Self::$variant(record) => record.incidents(),)* }
            }
        }

        /// The tables of the stages that have one, in the order of the pipeline.
        pub(super) fn stage_tables() -> Vec<StageTable> {
            let mut tables = Vec::new();
            $(
                $(#[$attribute])*
                tables.extend(super::$module::$task::TABLE);
            )*
            tables
        }
    };
}
for_each_stage!(stages);
