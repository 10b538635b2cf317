//! A task of the plan, as far as the store needs to know it.

/// One task of the plan. Its place is its position in the list of all tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTask {
    /// The name: unique in the plan, and the same at every run of the same configuration.
    pub name: String,
    /// The stage.
    pub stage: &'static str,
    /// The bug; `None` for a task that is about no program.
    pub bug: Option<String>,
    /// All that the task is about, as JSON that only its stage can read.
    pub key: String,
}
