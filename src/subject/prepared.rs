//! A subject that is ready to be run.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::builtin::Builtin;
use super::command::{Command, CommandOracle};
use super::corpus;
use super::dictionary::ProgramDictionary;
use super::manifest::{Bug, CorpusFolder, Manifest, Run};
use super::pool::Pool;
use super::prepare::Build;
use super::watch::ProgramWatch;
use super::worker::{Policy, WorkerCommand, WorkerOracle};
use crate::oracle::{Oracle, OracleError};

/// A subject that is ready to be run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What it is.
    pub manifest: Arc<Manifest>,
    /// Its build, if it needs one.
    pub build: Option<Build>,
    /// Where it runs.
    pub pool: Arc<Pool>,
}

impl Prepared {
    /// The oracle of `bug`, which asks workers if there are some and `policy` says so.
    ///
    /// # Errors
    /// When the program is not there, or there is no such builtin.
    pub fn oracle(&self, bug: &Bug, policy: &Policy) -> Result<Box<dyn Oracle>, OracleError> {
        let worker = if policy.is_used { self.worker(bug)? } else { None };
        let Some(worker) = worker else { return self.cold_oracle(bug) };
        let cold = CommandOracle::new(self.command(bug)?, bug.rules.clone());
        Ok(Box::new(WorkerOracle::new(worker, bug.rules.clone(), cold, *policy)))
    }

    /// The oracle of `bug` that runs a process for each input.
    ///
    /// # Errors
    /// As for [`Self::oracle`].
    pub fn cold_oracle(&self, bug: &Bug) -> Result<Box<dyn Oracle>, OracleError> {
        match self.manifest.run {
            Run::Builtin => match Builtin::named(bug.given_name()) {
                Some(builtin) => Ok(Box::new(builtin)),
                None => Err(OracleError::Broken(format!("there is no builtin `{}`", bug.name))),
            },
            Run::Command(_) => Ok(Box::new(CommandOracle::new(self.command(bug)?, bug.rules.clone()))),
        }
    }

    /// The inputs of the subject that people wrote, in the order of the manifest's folders.
    ///
    /// # Errors
    /// When something cannot be read: with its path.
    pub fn corpus(&self) -> Result<Vec<Vec<u8>>, (PathBuf, io::Error)> {
        let mut inputs = Vec::new();
        for folder in &self.manifest.corpus {
            let folder = match (folder, &self.build) {
                (CorpusFolder::OfSubject(name), _) => self.manifest.folder.join(name),
                (CorpusFolder::OfBuild(name), Some(build)) => build.folder.join(name),
                // A manifest that names such a folder has a build.
                (CorpusFolder::OfBuild(_), None) => continue,
            };
            inputs.extend(corpus::inputs(&folder)?);
        }
        Ok(inputs)
    }

    /// Watches the files of the program that judges inputs of `bug`: those of its build, those of the
    /// subject's folder that its command lines name, and the programs themselves.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn watch(&self, bug: &Bug) -> Result<ProgramWatch, OracleError> {
        let Run::Command(run) = &self.manifest.run else { return ProgramWatch::new(Vec::new()) };
        let mut roots = self.command(bug)?.files();
        let of_worker = self.worker(bug)?;
        roots.extend(of_worker.iter().flat_map(WorkerCommand::files));
        let argvs = std::iter::once(&run.argv).chain(self.manifest.worker.iter().map(|worker| &worker.argv));
        let of_subject = argvs.flat_map(|argv| argv.files_of_subject(bug.given_name()));
        roots.extend(of_subject.map(|name| self.manifest.folder.join(name)));
        roots.extend(self.folder().map(Path::to_path_buf));
        ProgramWatch::new(roots)
    }

    /// The words of the program that judges inputs of `bug`.
    ///
    /// # Errors
    /// When the program is not there.
    pub fn dictionary(&self, bug: &Bug) -> Result<ProgramDictionary, OracleError> {
        Ok(ProgramDictionary::new(match &self.manifest.run {
            Run::Command(_) => self.command(bug)?.files(),
            Run::Builtin => Vec::new(),
        }))
    }

    /// A digest of all that the verdicts of `bug` depend on.
    pub fn digest(&self, bug: &Bug) -> String {
        self.manifest.digest(bug, self.build.as_ref().map(|build| build.key.as_str()))
    }

    /// How to run the program on inputs of `bug`.
    pub(super) fn command(&self, bug: &Bug) -> Result<Command, OracleError> {
        Command::of_bug(&self.pool, &self.manifest, bug, self.folder())
    }

    /// How to have workers judge inputs of `bug`, if the subject has them.
    pub(super) fn worker(&self, bug: &Bug) -> Result<Option<WorkerCommand>, OracleError> {
        WorkerCommand::of_bug(&self.pool, &self.manifest, bug, self.folder())
    }

    /// The folder of the build.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.build.as_ref().map(|build| build.folder.as_path())
    }
}
