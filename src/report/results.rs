//! What the store says, read at one moment, and what the tables ask of it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::store::{
    Campaign, PlannedTask, Record, Repeats, Store, StoreError, SubjectRow, TaskRow, TaskState, TroubleRow,
    WarningRow,
};

/// All that the reports are made from.
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
    places: FxHashMap<String, usize>,
    /// Where the tasks are that each task needs.
    needs: Vec<Vec<usize>>,
}

impl Results {
    /// Reads `store`, at one moment even if a run writes to it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        store.at_one_moment(|store| {
            let tasks = store.tasks()?;
            let places: FxHashMap<String, usize> =
                tasks.iter().enumerate().map(|(place, task)| (task.planned.name.clone(), place)).collect();
            let place_of = |name: &String| places.get(name).copied();
            let needs =
                tasks.iter().map(|task| task.planned.needs.iter().filter_map(place_of).collect()).collect();
            let planned: BTreeSet<(&str, Option<&str>)> = tasks
                .iter()
                .flat_map(|task| {
                    let subject = task.planned.subject.as_str();
                    [(subject, None), (subject, task.planned.bug.as_deref())]
                })
                .collect();
            let bugs: BTreeSet<&str> = planned.iter().filter_map(|(_, bug)| *bug).collect();
            let mut subjects = store.subjects()?;
            subjects.retain(|row| planned.contains(&(row.subject.as_str(), row.bug.as_deref())));
            let mut troubles = store.troubles()?;
            troubles.retain(|row| bugs.contains(row.bug.as_str()));
            let mut repeats = store.repeats()?;
            repeats.retain(|bug, _| bugs.contains(bug.as_str()));
            let (campaign, warnings) = (store.campaign()?, store.warnings()?);
            Ok(Self { campaign, tasks, subjects, warnings, troubles, repeats, places, needs })
        })
    }

    /// All tasks that `task` needs, directly or not, each once: nearest first, then in the order in
    /// which they are named.
    pub fn needs<'a>(&'a self, task: &PlannedTask) -> Vec<&'a TaskRow> {
        let mut found: Vec<usize> = Vec::new();
        // So few that looking through them is quicker than a set.
        let add = |found: &mut Vec<usize>, place| {
            if !found.contains(&place) {
                found.push(place);
            }
        };
        task.needs.iter().filter_map(|name| self.places.get(name)).for_each(|&place| add(&mut found, place));
        let mut next = 0;
        while let Some(&place) = found.get(next) {
            self.needs[place].iter().for_each(|&need| add(&mut found, need));
            next += 1;
        }
        found.into_iter().map(|place| &self.tasks[place]).collect()
    }

    /// What the nearest task of those that `task` needs found, if `of` takes anything out of its record.
    pub fn needed<'a, T>(
        &'a self,
        task: &PlannedTask,
        of: impl Fn(&'a Record) -> Option<&'a T>,
    ) -> Option<&'a T> {
        self.needs(task).into_iter().find_map(|need| of(need.record()?))
    }

    /// The expression that `task` works with: that of the specialization before it, or of the
    /// generalization if there is none. Empty as long as it is not known.
    pub fn expression<'a>(&'a self, task: &PlannedTask) -> &'a str {
        let specialized = self.needed(task, Record::as_specialize).map(|found| found.expression.as_str());
        let generalized = || self.needed(task, Record::as_generalize).map(|found| found.expression.as_str());
        specialized.or_else(generalized).unwrap_or_default()
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
    pub fn error(&self, task: &TaskRow) -> Option<String> {
        match &task.state {
            TaskState::Done(_) => self.flaky(task.planned.bug.as_deref()?),
            TaskState::Failed(error) => Some(error.clone()),
            TaskState::NotRun => Some(self.why_not_run(&task.planned)),
        }
    }

    fn why_not_run(&self, task: &PlannedTask) -> String {
        let concerns = |row: &&SubjectRow| {
            row.subject == task.subject && (row.bug.is_none() || row.bug == task.bug) && row.unfit.is_some()
        };
        if let Some(reason) = self.subjects.iter().find(concerns).and_then(|row| row.unfit.as_ref()) {
            return format!("unfit: {reason}");
        }
        let failed = self.needs(task).into_iter().find_map(|need| match &need.state {
            TaskState::Failed(error) => Some(format!("`{}` failed: {error}", need.planned.name)),
            TaskState::Done(_) | TaskState::NotRun => None,
        });
        failed.unwrap_or_else(|| "not run".into())
    }
}
