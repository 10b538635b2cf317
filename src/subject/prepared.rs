//! A subject that is ready to be run.

use std::path::Path;
use std::sync::Arc;

use super::builtin::Builtin;
use super::command::{Command, CommandOracle};
use super::manifest::{Bug, Manifest, Run};
use super::pool::Pool;
use super::prepare::Build;
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
    /// The oracle of `bug`.
    ///
    /// # Errors
    /// When the program is not there, or there is no such builtin.
    pub fn oracle(&self, bug: &Bug) -> Result<Box<dyn Oracle>, OracleError> {
        match self.manifest.run {
            Run::Builtin => match Builtin::named(&bug.name) {
                Some(builtin) => Ok(Box::new(builtin)),
                None => Err(OracleError(format!("there is no builtin `{}`", bug.name))),
            },
            Run::Command(_) => Ok(Box::new(CommandOracle::new(self.command(bug)?, bug.rules.clone()))),
        }
    }

    /// A digest of all that the verdicts of `bug` depend on.
    pub fn digest(&self, bug: &Bug) -> String {
        self.manifest.digest(bug, self.build.as_ref().map(|build| build.key.as_str()))
    }

    /// How to run the program on inputs of `bug`.
    pub(super) fn command(&self, bug: &Bug) -> Result<Command, OracleError> {
        Command::of_bug(&self.pool, &self.manifest, bug, self.folder())
    }

    /// The folder of the build.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.build.as_ref().map(|build| build.folder.as_path())
    }
}
