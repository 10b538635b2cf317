//! Makes ready what several tasks share: each subject's program and syntax, each bug's oracle.
//!
//! Everything is made when the first task needs it, once; who comes while it is being made waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::base::budget::Interrupt;
use crate::base::limits::Limits;
use crate::oracle::{CachedOracle, Execution, Known};
use crate::subject::manifest::{Bug, Manifest};
use crate::subject::pool::{OWN_EXECUTABLE, Pool};
use crate::subject::prepare::{Progress, cache_folder, prepare};
use crate::subject::prepared::Prepared;
use crate::subject::worker::Policy;
use crate::transform::Transformer;

use super::bench::{Bench, BugOracle, Syntax};
use super::transformers::{self, ExternalTransformer};

/// What earlier runs saw, by the digest of the oracle.
pub type Earlier = dyn Fn(&str) -> Result<Vec<(Box<[u8]>, Known)>, String> + Send + Sync;

/// Is told what takes long.
pub type Note = dyn Fn(&str) + Send + Sync;

/// Something that is made once, or cannot be made.
type Once<T> = Arc<OnceLock<Result<T, String>>>;

/// An oracle and its digest.
type NamedOracle = (Arc<str>, Arc<BugOracle>);

/// The shared things of a campaign.
pub struct Workshop {
    pool: Arc<Pool>,
    external: Vec<ExternalTransformer>,
    interrupt: Interrupt,
    note: Box<Note>,
    known: Box<Earlier>,
    subjects: Mutex<HashMap<String, Once<(Prepared, Syntax)>>>,
    oracles: Mutex<HashMap<String, Once<NamedOracle>>>,
}

impl Workshop {
    /// A workshop in which nothing has been made.
    pub fn new(
        pool: Arc<Pool>,
        external: Vec<ExternalTransformer>,
        interrupt: Interrupt,
        note: Box<Note>,
        known: Box<Earlier>,
    ) -> Self {
        Self { pool, external, interrupt, note, known, subjects: Mutex::default(), oracles: Mutex::default() }
    }

    /// A subject's program, prepared, and its syntax.
    ///
    /// # Errors
    /// When the program cannot be prepared or is of another version, or the grammar cannot be read.
    pub fn subject(&self, manifest: &Manifest) -> Result<(Prepared, Syntax), String> {
        once(&self.subjects, &manifest.name, || {
            let syntax = Syntax::of(manifest)?;
            let mut progress = Notes { subject: &manifest.name, note: &*self.note };
            let build =
                prepare(manifest, &cache_folder(), OWN_EXECUTABLE.as_ref(), &self.interrupt, &mut progress)
                    .map_err(|error| error.to_string())?;
            let (manifest, pool) = (Arc::new(manifest.clone()), Arc::clone(&self.pool));
            let prepared = Prepared { manifest, build, pool };
            // In every run, though the subject was checked in an earlier one: a program that is not of
            // the subject's own folder may have been replaced since.
            match prepared.check_version().map_err(|error| error.to_string())? {
                Some(finding) if !finding.is_fit => Err(finding.to_string()),
                _ => Ok((prepared, syntax)),
            }
        })
    }

    /// The transformer called `name`; one that is built in has these limits.
    ///
    /// # Errors
    /// When there is none, or it is a program that is gone.
    pub fn transformer(&self, name: &str, limits: &Limits) -> Result<Box<dyn Transformer>, String> {
        transformers::by_name(name, &self.external, &self.pool, limits)
    }

    /// The bench of one task on a bug; all of a bug have the same `policy`. `observer` is told of each
    /// execution that the task causes, and of the oracle's digest.
    ///
    /// # Errors
    /// When something that it needs cannot be made.
    pub fn bench(
        &self,
        manifest: &Manifest,
        bug: &Bug,
        policy: Policy,
        observer: impl Fn(&Arc<str>, &Execution) + Send + Sync + 'static,
    ) -> Result<Bench, String> {
        let (prepared, syntax) = self.subject(manifest)?;
        let (digest, oracle) = once(&self.oracles, &bug.name, || {
            let digest: Arc<str> = prepared.digest(bug).into();
            let known = (self.known)(&digest)?;
            let oracle = prepared.oracle(bug, &policy).map_err(|error| error.to_string())?;
            Ok((digest, Arc::new(CachedOracle::new(oracle, known))))
        })?;
        Ok(Bench::new(bug, syntax, &oracle, move |execution| observer(&digest, execution)))
    }
}

/// The entry of `name`, which is made if it is not there.
fn once<T: Clone>(
    entries: &Mutex<HashMap<String, Once<T>>>,
    name: &str,
    make: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    let entry = Arc::clone(
        entries.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_default(),
    );
    entry.get_or_init(make).clone()
}

/// Passes on how a build goes on.
struct Notes<'a> {
    subject: &'a str,
    note: &'a Note,
}

impl Progress for Notes<'_> {
    fn begin(&mut self, what: &str) {
        (self.note)(&format!("{}: {what}", self.subject));
    }

    fn line(&mut self, line: &str) {
        (self.note)(&format!("{}: {line}", self.subject));
    }
}
