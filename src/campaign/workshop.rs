//! Makes ready what several tasks share: each subject's program and syntax, each bug's oracle.
//!
//! Everything is made when the first task needs it, once; who comes while it is being made waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::base::fingerprint::Fingerprint;
use crate::base::limits::Limits;
use crate::oracle::{CachedOracle, Execution, Memory, Sample};
use crate::subject::manifest::{Bug, Manifest};
use crate::subject::pool::{OWN_EXECUTABLE, Pool};
use crate::subject::prepare::{Progress, cache_folder, prepare};
use crate::subject::prepared::Prepared;
use crate::subject::watch::Watch;
use crate::subject::worker::Policy;
use crate::transform::Transformer;

use super::bench::{Bench, BugOracle, Syntax};
use super::transformers::{self, ExternalTransformer};

/// What earlier runs saw of a bug, by the digest of its oracle and what the program looks like now.
pub type Earlier = dyn Fn(&str, &Arc<str>, &Fingerprint) -> Result<Memory, String> + Send + Sync;

/// Is told what takes long.
pub type Note = dyn Fn(&str) + Send + Sync;

/// Something that is made once, or cannot be made.
type Once<T> = Arc<OnceLock<Result<T, String>>>;

/// An oracle and its digest.
type NamedOracle = (Arc<str>, Arc<BugOracle>);

/// What was seen of the program that is still the same.
pub struct Look {
    /// The digest of the oracle.
    pub oracle: Arc<str>,
    /// What the program looks like.
    pub fingerprint: Fingerprint,
    /// Executions up to this one were over before it was looked at.
    pub number: u64,
}

/// The shared things of a campaign.
pub struct Workshop {
    pool: Arc<Pool>,
    external: Vec<ExternalTransformer>,
    /// Of parsers, with the user's switch.
    limits: Limits,
    note: Box<Note>,
    known: Box<Earlier>,
    subjects: Mutex<HashMap<String, Once<(Prepared, Syntax)>>>,
    watches: Mutex<HashMap<String, Once<Arc<Watch>>>>,
    oracles: Mutex<HashMap<String, Once<NamedOracle>>>,
}

impl Workshop {
    /// A workshop in which nothing has been made. The limits are those of each parser and each input.
    pub fn new(
        pool: Arc<Pool>,
        external: Vec<ExternalTransformer>,
        limits: Limits,
        note: Box<Note>,
        known: Box<Earlier>,
    ) -> Self {
        Self {
            pool,
            external,
            limits,
            note,
            known,
            subjects: Mutex::default(),
            watches: Mutex::default(),
            oracles: Mutex::default(),
        }
    }

    /// A subject's program, prepared, and its syntax.
    ///
    /// # Errors
    /// When the program cannot be prepared or is of another version, or the grammar cannot be read.
    pub fn subject(&self, manifest: &Manifest) -> Result<(Prepared, Syntax), String> {
        once(&self.subjects, &manifest.name, || {
            let syntax = Syntax::of(manifest, &self.limits)?;
            let mut progress = Notes { subject: &manifest.name, note: &*self.note };
            let build = prepare(
                manifest,
                &cache_folder(),
                OWN_EXECUTABLE.as_ref(),
                &self.limits.interrupt,
                &mut progress,
            )
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

    /// The watch over the program of a bug: from before anything of it is measured.
    ///
    /// # Errors
    /// When the program cannot be prepared or read.
    pub fn watch(&self, manifest: &Manifest, bug: &Bug) -> Result<Arc<Watch>, String> {
        let (prepared, _) = self.subject(manifest)?;
        once(&self.watches, &bug.name, || {
            prepared.watch(bug).map(Arc::new).map_err(|error| error.to_string())
        })
    }

    /// Looks at the program of a bug. `None` when nothing of it was measured.
    ///
    /// # Errors
    /// When it was replaced since it was first looked at.
    pub fn look(&self, bug: &str) -> Result<Option<Look>, String> {
        let Some(watch) = made(&self.watches, bug) else { return Ok(None) };
        // Before the look: what is executed meanwhile is judged by the next one.
        let oracle = made(&self.oracles, bug).map(|(digest, oracle)| (digest, oracle.last()));
        let fingerprint = watch.look().map_err(|error| error.to_string())?;
        Ok(oracle.map(|(oracle, number)| Look { oracle, fingerprint, number }))
    }

    /// The bench of one task on a bug; all of a bug have the same `policy`. Of the inputs that the task
    /// asks about, those of a sample are judged twice, and so many of the first. `observer` is told of
    /// each execution that the task causes, and of the oracle's digest.
    ///
    /// # Errors
    /// When something that it needs cannot be made, or the program was replaced.
    pub fn bench(
        &self,
        manifest: &Manifest,
        bug: &Bug,
        policy: Policy,
        (repeated, first_repeated): (Sample, u64),
        observer: impl Fn(&Arc<str>, &Execution) + Send + Sync + 'static,
    ) -> Result<Bench, String> {
        let (prepared, syntax) = self.subject(manifest)?;
        let fingerprint = self.watch(manifest, bug)?.look().map_err(|error| error.to_string())?;
        let (digest, oracle) = once(&self.oracles, &bug.name, || {
            let digest: Arc<str> = prepared.digest(bug).into();
            let known = (self.known)(&bug.name, &digest, &fingerprint)?;
            let oracle = prepared.oracle(bug, &policy).map_err(|error| error.to_string())?;
            Ok((digest, Arc::new(CachedOracle::new(oracle, known).repeating(repeated))))
        })?;
        let observer = move |execution: &Execution| observer(&digest, execution);
        Ok(Bench::new(bug, syntax, Box::new(oracle.observed(first_repeated, observer))))
    }

    /// Forgets what is known of the inputs of a bug whose tasks have all ended.
    pub fn release(&self, bug: &str) {
        self.oracles.lock().unwrap_or_else(PoisonError::into_inner).remove(bug);
    }
}

/// What was made for `name`, if anything was.
fn made<T: Clone>(entries: &Mutex<HashMap<String, Once<T>>>, name: &str) -> Option<T> {
    let entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    entries.get(name)?.get()?.as_ref().ok().cloned()
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
