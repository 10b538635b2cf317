//! The one event model of a run.
//!
//! All work sends events; the recorder hands each to the store and to the listeners (progress
//! display, log). What is not in an event is neither shown nor remembered.

use std::sync::Arc;
use std::time::Duration;

use crate::base::fingerprint::Fingerprint;
use crate::oracle::Execution;

use super::record::Stored;
use super::task::PlannedTask;

/// Something that happened in a run. Plain data.
#[derive(Clone, Debug)]
pub enum Event {
    /// All tasks, in the order of the plan; a later plan takes the place of an earlier one.
    Planned {
        /// The tasks.
        tasks: Arc<[PlannedTask]>,
        /// How many of them this run has nothing to do with: earlier ones planned them.
        left_out: usize,
        /// The names of those of the others that an earlier run ended already.
        finished: Vec<String>,
    },
    /// A subject, or one bug of it with one of its grammars, is fit for use.
    SubjectFit {
        /// The subject.
        subject: String,
        /// The bug; `None` for the subject as a whole.
        bug: Option<String>,
        /// The name of the grammar; empty for the subject as a whole.
        grammar: String,
        /// The version that was seen.
        version: String,
        /// The digest of everything that goes into the subject.
        digest: String,
    },
    /// A subject, or one bug of it with one of its grammars, cannot be used.
    SubjectUnfit {
        /// The subject.
        subject: String,
        /// The bug; `None` for the subject as a whole.
        bug: Option<String>,
        /// The name of the grammar; empty for the subject as a whole.
        grammar: String,
        /// Why.
        reason: String,
    },
    /// A task begins.
    TaskBegun {
        /// Its name.
        name: String,
    },
    /// A subject was run. Sent before the end of the task that asked for it.
    Executed {
        /// The digest of the oracle: of the program and of everything that makes its verdict.
        oracle: Arc<str>,
        /// The bug.
        bug: Arc<str>,
        /// The input, what was seen, and how long it took.
        execution: Execution,
    },
    /// The fingerprint of the program was checked before or after it ran, and it is still the same one.
    FingerprintChecked {
        /// The digest of the oracle.
        oracle: Arc<str>,
        /// The bug.
        bug: Arc<str>,
        /// The fingerprint of the program.
        fingerprint: Fingerprint,
        /// Executions up to this one were over by then.
        number: u64,
    },
    /// What an earlier run had executed since it last checked the program does not count: the program
    /// was touched meanwhile.
    Forgotten {
        /// The digest of the oracle.
        oracle: Arc<str>,
        /// The last execution that counts.
        after: u64,
    },
    /// A task ended by itself. A task that was interrupted has no such event.
    TaskEnded {
        /// Its name.
        name: String,
        /// What it found, or why it failed.
        result: Result<Stored, String>,
        /// How long it took.
        wall: Duration,
        /// Executions as the task counts them: the same at every run.
        executions: u64,
        /// Executions that really took place in this run.
        runs: u64,
        /// How many inputs a fresh process judged again in this run, which is not among these.
        judged_again: u64,
    },
    /// Something that the user should know when reading the results. The same at every run.
    Warning {
        /// The task that it is about; `None` for the campaign.
        task: Option<String>,
        /// What.
        text: String,
    },
    /// Something that is shown and not remembered: a subject is being built.
    Note {
        /// What.
        text: String,
    },
    /// The run ends. The last event: what is sent after it is not recorded.
    Ended {
        /// How.
        outcome: CampaignOutcome,
    },
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CampaignOutcome {
    /// Every task of the plan has ended.
    Complete,
    /// The user asked to stop; the same command goes on from here.
    Interrupted,
}
