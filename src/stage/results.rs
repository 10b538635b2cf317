//! What a store says, read at one moment, and what the tables ask of it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::store::{
    Campaign, Cost, Repeats, Store, StoreError, StoredState, StoredTask, SubjectRow, TroubleRow, WarningRow,
};

use super::registry::{Record, Stage, Task};

/// All that the tables are made from.
pub struct Results {
    /// The campaign.
    pub campaign: Campaign,
    /// The tasks of the plan, in its order.
    pub tasks: Vec<TaskRow>,
    /// The subjects, by name.
    pub subjects: Vec<SubjectRow>,
    /// The warnings, by task.
    pub warnings: Vec<WarningRow>,
    /// What went wrong with workers, by bug and input.
    pub troubles: Vec<TroubleRow>,
    /// How often inputs were judged twice, by bug.
    pub repeats: BTreeMap<String, Repeats>,
    /// Where each task is in `tasks`.
    places: FxHashMap<Task, usize>,
}

/// A task of the plan, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRow {
    /// The task.
    pub task: Task,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub state: TaskState,
    /// What it cost; `None` as long as it has not ended.
    pub cost: Option<Cost>,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskState {
    /// It has not ended.
    NotRun,
    /// It ended with this record.
    Done(Record),
    /// It ended with this error.
    Failed(String),
}

impl TaskRow {
    fn read(store: &Store, stored: StoredTask) -> Result<Self, StoreError> {
        let StoredTask { name, key, state, cost } = stored;
        let damaged = |error: serde_json::Error| store.damaged(format!("the task `{name}`: {error}"));
        let task: Task = serde_json::from_str(&key).map_err(damaged)?;
        let state = match state {
            StoredState::NotRun => TaskState::NotRun,
            StoredState::Done(json) => TaskState::Done(task.record(&json, None).map_err(damaged)?),
            StoredState::Failed(error) => TaskState::Failed(error),
        };
        Ok(Self { task, name, state, cost })
    }

    /// What the task found, if it did.
    pub fn record(&self) -> Option<&Record> {
        match &self.state {
            TaskState::Done(record) => Some(record),
            TaskState::NotRun | TaskState::Failed(_) => None,
        }
    }
}

impl Results {
    /// Reads `store`, at one moment even if a run writes to it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        store.at_one_moment(|store| {
            let stored = store.tasks()?.into_iter();
            let tasks = stored.map(|task| TaskRow::read(store, task)).collect::<Result<Vec<_>, _>>()?;
            let places = tasks.iter().enumerate().map(|(place, row)| (row.task.clone(), place)).collect();
            let planned: BTreeSet<[&str; 3]> = tasks
                .iter()
                .flat_map(|row| {
                    let about = row.task.about();
                    [[about.subject, "", ""], [about.subject, about.bug, about.grammar]]
                })
                .collect();
            let is_planned = |bug: &str| planned.iter().any(|[_, planned, _]| *planned == bug);
            let mut subjects = store.subjects()?;
            subjects.retain(|row| {
                planned.contains(&[&*row.subject, row.bug.as_deref().unwrap_or_default(), &*row.grammar])
            });
            let mut troubles = store.troubles()?;
            troubles.retain(|row| is_planned(&row.bug));
            let mut repeats = store.repeats()?;
            repeats.retain(|bug, _| is_planned(bug));
            let (campaign, warnings) = (store.campaign()?, store.warnings()?);
            Ok(Self { campaign, tasks, subjects, warnings, troubles, repeats, places })
        })
    }

    /// The seed of the campaign.
    pub fn seed(&self) -> u64 {
        self.campaign.seed
    }

    /// The tasks of one stage, in the order of the plan, with what they found.
    pub fn of<S: Stage>(&self) -> impl Iterator<Item = (&S, &TaskRow, Option<&S::Record>)> {
        self.tasks.iter().filter_map(|row| {
            let record = row.record().and_then(S::of_record).map(|record| &**record);
            Some((S::of_task(&row.task)?, row, record))
        })
    }

    fn row(&self, task: &Task) -> Option<&TaskRow> {
        self.places.get(task).map(|&place| &self.tasks[place])
    }

    /// What a task found, if it did.
    pub fn record<S: Stage>(&self, task: &S) -> Option<&S::Record> {
        let row = self.row(&task.clone().into_task())?;
        S::of_record(row.record()?).map(|record| &**record)
    }

    /// All tasks that `task` needs, directly or not, each once: nearest first.
    fn needs(&self, task: &Task) -> Vec<&TaskRow> {
        let mut found: Vec<&TaskRow> = Vec::new();
        let (mut next, mut needs) = (0, task.needs());
        loop {
            for need in &needs {
                if let Some(row) = self.row(need)
                    && !found.iter().any(|known| known.task == row.task)
                {
                    found.push(row);
                }
            }
            let Some(row) = found.get(next) else { return found };
            needs = row.task.needs();
            next += 1;
        }
    }

    /// That inputs of a bug came to something else when they were judged a second time, if they did more
    /// often than the campaign allows.
    pub fn flaky(&self, bug: &str) -> Option<String> {
        let repeats = self.repeats.get(bug)?;
        repeats.are_flaky(self.campaign.flaky).then(|| {
            let Repeats { all, disagreeing } = repeats;
            format!("flaky: {disagreeing} of {all} inputs came to something else when they were judged again")
        })
    }

    /// Why `task` has found nothing, or why what it has found is not to be relied on; `None` when it is.
    pub fn error(&self, row: &TaskRow) -> Option<String> {
        match &row.state {
            TaskState::Done(_) => self.flaky(row.task.about().bug),
            TaskState::Failed(error) => Some(error.clone()),
            TaskState::NotRun => Some(self.why_not_run(&row.task)),
        }
    }

    fn why_not_run(&self, task: &Task) -> String {
        let about = task.about();
        let concerns = |row: &&SubjectRow| {
            row.subject == about.subject
                && row.bug.as_deref().is_none_or(|bug| bug == about.bug && row.grammar == about.grammar)
                && row.unfit.is_some()
        };
        if let Some(reason) = self.subjects.iter().find(concerns).and_then(|row| row.unfit.as_ref()) {
            return format!("unfit: {reason}");
        }
        let failed = self.needs(task).into_iter().find_map(|need| match &need.state {
            TaskState::Failed(error) => Some(format!("`{}` failed: {error}", need.name)),
            TaskState::Done(_) | TaskState::NotRun => None,
        });
        failed.unwrap_or_else(|| "not run".into())
    }
}
