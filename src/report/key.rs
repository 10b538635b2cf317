//! What a row of a table is about: a bug, a repetition, and the plug-ins.

use crate::store::{PlannedTask, Variant};

/// What a row is about. Rows with equal keys are one row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    /// The subject.
    pub subject: &'a str,
    /// The bug.
    pub bug: &'a str,
    /// Which of the repetitions.
    pub repetition: u32,
    /// The plug-ins.
    pub variant: &'a Variant,
    /// The subject's version.
    pub version: &'a str,
    /// Whether the bug was put back into a later release.
    pub reintroduced: bool,
}

impl<'a> Key<'a> {
    /// What `task` is about.
    pub fn of(task: &'a PlannedTask) -> Self {
        Self {
            subject: &task.subject,
            bug: task.bug.as_deref().unwrap_or_default(),
            repetition: task.repetition,
            variant: &task.variant,
            version: &task.version,
            reintroduced: task.reintroduced,
        }
    }

    /// The cells `subject`, `bug` and `repetition`.
    pub fn name_cells(&self) -> [String; 3] {
        [self.subject.into(), self.bug.into(), self.repetition.to_string()]
    }

    /// The cells `version` and `reintroduced`.
    pub fn version_cells(&self) -> [String; 2] {
        [self.version.into(), if self.reintroduced { "yes" } else { "no" }.into()]
    }
}

/// The plug-ins of `variant`, in the order of the pipeline.
pub fn plug_ins(variant: &Variant) -> [Option<&str>; 4] {
    [&variant.reducer, &variant.generalizer, &variant.transformer, &variant.producer].map(Option::as_deref)
}
