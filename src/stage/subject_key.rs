//! What tasks are about: a bug, one of its repetitions, an expression. And the steps of the plan, after which tasks
//! follow.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::generalize::GeneralizeTask;
use super::registry::Task;
use crate::subject::manifest::DEFAULT_GRAMMAR;

/// A grammar of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrammarKey {
    /// Its name.
    pub name: String,
    /// Whether it is the subject's default.
    pub is_default: bool,
}

impl GrammarKey {
    /// What it was chosen as: all defaults are one choice, whatever they are called.
    pub fn choice(&self) -> &str {
        if self.is_default { DEFAULT_GRAMMAR } else { &self.name }
    }
}

/// A bug and the grammar with which it is examined, with what tables say of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugKey {
    /// The subject.
    pub subject: String,
    /// The bug.
    pub name: String,
    /// The subject's version.
    pub version: String,
    /// Whether the bug was put back into a later release.
    pub reintroduced: bool,
    /// The grammar.
    pub grammar: GrammarKey,
    /// The number of bytes that its failing input is to have, if it is to be made larger than the one that is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inflate: Option<u64>,
}

impl BugKey {
    /// What the names of its tasks begin with. The default grammar is not in it: so the tasks of a campaign keep their
    /// random streams when a subject gets another grammar beside.
    pub fn stem(&self) -> String {
        match self.grammar.is_default {
            true => self.name.clone(),
            false => format!("{}@{}", self.name, self.grammar.name),
        }
    }
}

/// One of the repetitions of all that is done with a bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repetition {
    /// The bug.
    pub bug: Arc<BugKey>,
    /// Which repetition, counted from 1.
    pub number: u32,
}

impl Repetition {
    /// What the names of its tasks begin with.
    pub fn stem(&self) -> String {
        format!("{}/{}", self.bug.stem(), self.number)
    }
}

/// Where an expression comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ExpressionKey {
    /// The config gives it by this name; it is about no bug.
    OfConfig(Arc<str>),
    /// The bug's manifest gives it.
    OfBug(Arc<Repetition>),
    /// This task finds it.
    Learned(Arc<GeneralizeTask>),
}

impl ExpressionKey {
    /// What the names of its tasks begin with.
    pub fn stem(&self) -> String {
        match self {
            Self::OfConfig(name) => format!("expressions/{name}"),
            Self::OfBug(repetition) => repetition.stem(),
            Self::Learned(task) => task.stem(),
        }
    }

    /// The repetition of the bug that it is about, if it is about one.
    pub fn repetition(&self) -> Option<&Arc<Repetition>> {
        match self {
            Self::OfConfig(_) => None,
            Self::OfBug(repetition) => Some(repetition),
            Self::Learned(task) => Some(task.repetition()),
        }
    }
}

/// A step of the plan, after which tasks follow.
#[derive(Clone, Copy, Debug)]
pub enum PlanStep<'a> {
    /// A bug, before anything of it.
    Bug(&'a Arc<BugKey>),
    /// A repetition of a bug whose expression is still to be found.
    Repetition(&'a Arc<Repetition>),
    /// An expression that is given by hand.
    Expression(&'a ExpressionKey),
    /// A task.
    Task(&'a Task),
}

impl PlanStep<'_> {
    /// The expression that is there after this step, if it is new.
    pub fn expression(&self) -> Option<ExpressionKey> {
        match self {
            Self::Expression(key) => Some((*key).clone()),
            Self::Task(Task::Generalize(task)) => Some(ExpressionKey::Learned(Arc::new(task.clone()))),
            Self::Bug(_) | Self::Repetition(_) | Self::Task(_) => None,
        }
    }
}
