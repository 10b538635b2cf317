//! How a manifest says to start a worker, and what to send it with an input.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::worker_pool::{NoAnswer, WorkerInput, WorkerSpec};
use crate::oracle::OracleError;
use crate::subject::command::{file_name, files, named, places, reads};
use crate::subject::execution::RunOutcome;
use crate::subject::manifest::{Bug, Delivery, Manifest, Run};
use crate::subject::pool::Pool;
use crate::subject::program;
use crate::subject::template::Argv;

/// Asks workers about inputs of one bug.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pool: Arc<Pool>,
    spec: Arc<WorkerSpec>,
    arguments: Argv,
    delivery: Delivery,
    /// The name of the file that holds the input.
    file: String,
}

/// What a worker made of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerReply {
    /// It answered.
    Answered(RunOutcome),
    /// It took longer than it may.
    TimedOut,
    /// Nothing: a fresh process is to judge.
    NoAnswer {
        /// Why.
        reason: String,
        /// Whether that is worth telling.
        kind: NoAnswerKind,
    },
}

/// Why a worker says nothing of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswerKind {
    /// The input cannot be put into a message, or made it end: nothing unusual.
    Expected,
    /// It did not keep to the protocol.
    ProtocolViolation,
    /// It could not be started just now.
    NotStarted,
    /// It could not be started earlier.
    GivenUp,
}

impl WorkerCommand {
    /// How `manifest` says to have a worker judge inputs of `bug`; `None` when it says nothing. `build` is
    /// the prepared folder.
    ///
    /// # Errors
    /// When the program is not there.
    ///
    /// # Panics
    /// When the subject needs a build and there is none.
    pub fn of_bug(
        pool: &Arc<Pool>,
        manifest: &Manifest,
        bug: &Bug,
        build: Option<&Path>,
    ) -> Result<Option<Self>, OracleError> {
        let (Some(worker), Run::Command(run)) = (&manifest.worker, &manifest.run) else { return Ok(None) };
        let file = file_name(run.extension.as_deref());
        let places = places(manifest, bug, build, &file);
        let argv = worker.argv.bind(&places);
        let program = program::find(&argv.program()).map_err(OracleError::Broken)?;
        let mut reads = reads(&places);
        reads.extend(named(&program, argv.fixed()));
        let spec = WorkerSpec {
            program,
            reads,
            // No placeholder of the input is in it.
            argv: argv.expand(b"").map_err(|error| OracleError::Broken(error.to_string()))?,
            start_timeout: worker.start_timeout,
            restart_after: worker.restart_after,
            limits: worker.limits.clone(),
        };
        let arguments = worker.arguments.bind(&places);
        let (pool, spec, delivery) = (Arc::clone(pool), Arc::new(spec), run.delivery);
        Ok(Some(Self { pool, spec, arguments, delivery, file }))
    }

    /// The files that its words name: the program, and those that it is given to read.
    pub(in crate::subject) fn files(&self) -> Vec<PathBuf> {
        files(&self.spec.program, self.spec.argv.iter().map(OsString::as_os_str))
    }

    /// Has a worker judge `input`.
    ///
    /// # Errors
    /// When no program can be run, whatever the input.
    pub fn ask(&self, input: &[u8]) -> Result<WorkerReply, OracleError> {
        let nothing = |reason: String, kind| Ok(WorkerReply::NoAnswer { reason, kind });
        // What becomes of an input that cannot be sent is for a fresh process to say.
        let Ok(words) = self.arguments.expand(input) else {
            return nothing("not a command line".into(), NoAnswerKind::Expected);
        };
        let words = words.into_iter().map(|word| word.into_string());
        let Ok(arguments) = words.collect::<Result<Vec<String>, _>>() else {
            return nothing("not a text".into(), NoAnswerKind::Expected);
        };
        if arguments.iter().any(|word| word.contains('\0')) {
            return nothing("not an argument".into(), NoAnswerKind::Expected);
        }
        let file = (self.delivery == Delivery::File).then(|| (self.file.clone(), input.to_vec()));
        match self.pool.ask(&self.spec, &WorkerInput { file, arguments }) {
            Ok(outcome) => Ok(WorkerReply::Answered(outcome)),
            Err(NoAnswer::TimedOut) => Ok(WorkerReply::TimedOut),
            Err(NoAnswer::Died(reason)) => nothing(reason, NoAnswerKind::Expected),
            Err(NoAnswer::ProtocolViolation(reason)) => nothing(reason, NoAnswerKind::ProtocolViolation),
            Err(NoAnswer::NotStarted { reason, is_new }) => {
                nothing(reason, if is_new { NoAnswerKind::NotStarted } else { NoAnswerKind::GivenUp })
            }
            Err(NoAnswer::Unable(error)) => Err(error.into()),
        }
    }
}
