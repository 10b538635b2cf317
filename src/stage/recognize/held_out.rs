//! The search for held-out inputs: one by one, until enough of each verdict are there or the budget is spent.
//!
//! No held-out input was executed by a task that the expression was made by: what these met is passed over, and counted. All
//! expressions of a bug draw from the same streams, which no generalizer uses: so they are compared on the same
//! inputs, but for those that were passed over.

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::random_stream::RandomStream;
use crate::oracle::{Judge, Verdict};
use crate::store::Judged;
use crate::subject::manifest::Bug;

use super::super::context::judged;
use super::super::error::StageError;
use super::super::subject_key::Repetition;
use super::{InputSource, RecognizeSettings};

/// After this many inputs in a row that were met before, no new ones are expected.
const MOST_IN_VAIN: usize = 1_000;

/// The stream of the inputs of a source, whatever expression they are for.
pub(super) fn stream(seed: u64, repetition: &Repetition, source: InputSource) -> RandomStream {
    RandomStream::derive(seed, &format!("{}/held-out {}", repetition.stem(), source.as_str()))
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) stream: RandomStream,
    settings: &'a RecognizeSettings,
    judge: Judge<'a>,
    /// What was met before, here or by the tasks before.
    met: HashSet<Box<[u8]>>,
    /// How many inputs were judged before the first was offered.
    before: usize,
    failing: usize,
    passing: usize,
    duplicates: u64,
    in_vain: usize,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeldOut {
    /// The inputs, in the order in which they were drawn.
    pub(super) inputs: Arc<[Judged]>,
    /// How many were drawn that had been met before.
    pub(super) duplicates: u64,
    /// How many inputs were executed, those included with which the search began.
    pub(super) executions: u64,
}

impl<'a> Search<'a> {
    /// A search for inputs that are neither among those of `met` nor in the manifest.
    pub(super) fn new<'m>(
        settings: &'a RecognizeSettings,
        judge: Judge<'a>,
        stream: RandomStream,
        bug: &'m Bug,
        met: impl IntoIterator<Item = &'m [u8]>,
    ) -> Self {
        let checks = bug.checks.iter().map(|check| &check.input);
        let of_manifest = [&bug.input, &bug.passing].into_iter().chain(checks).map(Vec::as_slice);
        Self {
            stream,
            settings,
            judge,
            met: met.into_iter().chain(of_manifest).map(Box::from).collect(),
            before: 0,
            failing: 0,
            passing: 0,
            duplicates: 0,
            in_vain: 0,
        }
    }

    /// The failing inputs of the bug's manifest: its own, and those of its checks that do fail. To be asked for before
    /// anything is offered.
    ///
    /// # Errors
    /// When they cannot be judged.
    pub(super) fn failing_of_manifest<'b>(&mut self, bug: &'b Bug) -> Result<Vec<&'b [u8]>, StageError> {
        let mut failing: Vec<&[u8]> = vec![&bug.input];
        for check in &bug.checks {
            if self.judge.judge(&check.input)? == Verdict::Fail && !failing.contains(&&*check.input) {
                failing.push(&check.input);
            }
        }
        self.before = self.judge.log().len();
        Ok(failing)
    }

    /// Whether enough was found, or no more can be.
    pub(super) fn is_done(&self) -> bool {
        let is_enough = self.failing.min(self.passing) >= self.settings.inputs;
        is_enough || self.is_spent() || self.in_vain >= MOST_IN_VAIN
    }

    /// Whether the budget is spent.
    pub(super) fn is_spent(&self) -> bool {
        let asked = self.judge.log().len() - self.before;
        asked as u64 >= self.settings.executions
    }

    /// Has an input judged, if it is new.
    ///
    /// # Errors
    /// When it cannot be judged.
    pub(super) fn offer(&mut self, input: &[u8]) -> Result<(), StageError> {
        if !self.met.insert(input.into()) {
            self.duplicates += 1;
            self.in_vain += 1;
            return Ok(());
        }
        self.in_vain = 0;
        match self.judge.judge(input)? {
            Verdict::Fail => self.failing += 1,
            Verdict::Pass => self.passing += 1,
            Verdict::Unresolved | Verdict::Timeout => {}
        }
        Ok(())
    }

    /// Ends the search.
    pub(super) fn end(self) -> HeldOut {
        let executions = self.judge.executions();
        let inputs = judged(&self.judge.log()[self.before..]);
        HeldOut { inputs, duplicates: self.duplicates, executions }
    }
}
