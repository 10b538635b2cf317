//! What several tasks share, made when the first task needs it, once; who comes while it is being made waits.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Source;
use crate::base::fingerprint::Fingerprint;
use crate::base::limits::Limits;
use crate::oracle::{CachedOracle, Execution, InputSample, JudgementCache};
use crate::pattern::read_expression;
use crate::subject::catalogue::Catalogue;
use crate::subject::manifest::{Bug, GrammarFile, Manifest};
use crate::subject::pool::{OWN_EXECUTABLE, Pool};
use crate::subject::prepare::{Progress, cache_folder, prepare};
use crate::subject::prepared::Prepared;
use crate::subject::watch::ProgramWatch;
use crate::subject::worker::Policy;
use crate::transform::Transformer;

use super::error::StageError;
use super::evocative::Evocative;
use super::settings::Settings;
use super::specialize::{GivenExpression, external};
use super::subject_key::{BugKey, ExpressionKey, GrammarKey};
use super::target::{BugOracle, Syntax, Target};

/// What earlier runs saw of a bug, by the digest of its oracle and the present fingerprint of the program.
pub type Earlier = dyn Fn(&str, &Arc<str>, &Fingerprint) -> Result<JudgementCache, StageError> + Send + Sync;

/// Reports what takes long.
pub type Note = dyn Fn(&str) + Send + Sync;

/// Something that is made once, or cannot be made.
type Once<T> = Arc<OnceLock<Result<T, StageError>>>;

/// Things that are made once, by what they are for.
struct Made<K, T>(Mutex<HashMap<K, Once<T>>>);

impl<K, T> Default for Made<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash + Clone, T: Clone> Made<K, T> {
    /// What was made for `key`, if anything was.
    fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<T>
    where
        K: Borrow<Q>,
    {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(key)?.get()?.as_ref().ok().cloned()
    }

    /// What is there for `key`, made if it is not.
    fn or_make(&self, key: &K, make: impl FnOnce() -> Result<T, StageError>) -> Result<T, StageError> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Arc::clone(entries.entry(key.clone()).or_default());
        drop(entries);
        entry.get_or_init(make).clone()
    }

    /// Forgets what was made for `key`.
    fn forget<Q: Eq + Hash + ?Sized>(&self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

/// An oracle and its digest.
type NamedOracle = (Arc<str>, Arc<BugOracle>);

/// What was seen of a program that is still the one that was measured.
pub struct UnchangedProgram {
    /// The digest of the oracle.
    pub oracle: Arc<str>,
    /// The fingerprint of the program.
    pub fingerprint: Fingerprint,
    /// Executions up to this one were over before it was fingerprinted.
    pub number: u64,
}

/// Which inputs of a task are judged twice.
#[derive(Clone, Copy, Debug)]
pub struct Repeated {
    /// Those of this sample.
    pub sample: InputSample,
    /// The number of first inputs of the task that are judged twice too.
    pub first: u64,
}

/// The shared things of a campaign.
pub struct Resources<'a> {
    catalogue: &'a Catalogue,
    settings: &'a Settings,
    pool: Arc<Pool>,
    interrupt: Interrupt,
    note: Box<Note>,
    known: Box<Earlier>,
    subjects: Made<String, Arc<Prepared>>,
    syntaxes: Made<(String, String), Syntax>,
    watches: Made<String, Arc<ProgramWatch>>,
    oracles: Made<String, NamedOracle>,
    expressions: Made<ExpressionKey, Arc<Evocative>>,
}

impl<'a> Resources<'a> {
    /// Resources of which nothing has been made.
    pub fn new(
        catalogue: &'a Catalogue,
        settings: &'a Settings,
        pool: Arc<Pool>,
        interrupt: Interrupt,
        note: Box<Note>,
        known: Box<Earlier>,
    ) -> Self {
        Self {
            catalogue,
            settings,
            pool,
            interrupt,
            note,
            known,
            subjects: Made::default(),
            syntaxes: Made::default(),
            watches: Made::default(),
            oracles: Made::default(),
            expressions: Made::default(),
        }
    }

    /// The manifest of a bug's subject, and the bug in it.
    ///
    /// # Errors
    /// When there is none.
    pub fn manifest(&self, key: &BugKey) -> Result<(&'a Manifest, &'a Bug), StageError> {
        let subject = self.catalogue.subject(&key.subject).map_err(StageError::failed)?;
        let missing = || StageError::failed(format!("`{}` has no bug called `{}`", key.subject, key.name));
        Ok((subject, subject.bug(&key.name).ok_or_else(missing)?))
    }

    /// The syntax that a subject has with one of its grammars.
    ///
    /// # Errors
    /// When there is no such grammar, or it cannot be read.
    pub fn syntax(&self, manifest: &Manifest, grammar: &GrammarKey) -> Result<Syntax, StageError> {
        self.syntaxes.or_make(&(manifest.name.clone(), grammar.name.clone()), || {
            let limits =
                Limits { interrupt: self.interrupt.clone(), ..Limits::of(self.settings.specialize.sizes) };
            Syntax::read(grammar_file(manifest, grammar)?, &limits)
        })
    }

    /// A subject's program, prepared.
    ///
    /// # Errors
    /// When the program cannot be prepared or is of another version.
    pub fn prepared(&self, manifest: &Manifest) -> Result<Arc<Prepared>, StageError> {
        self.subjects.or_make(&manifest.name, || {
            let mut progress = Notes { subject: &manifest.name, note: &*self.note };
            let build =
                prepare(manifest, &cache_folder(), OWN_EXECUTABLE.as_ref(), &self.interrupt, &mut progress)?;
            let (manifest, pool) = (Arc::new(manifest.clone()), Arc::clone(&self.pool));
            let prepared = Prepared { manifest, build, pool };
            // In every run, though the subject was checked in an earlier one: a program that is not of
            // the subject's own folder may have been replaced since.
            match prepared.check_version()? {
                Some(finding) if !finding.is_fit => Err(StageError::failed(finding)),
                _ => Ok(Arc::new(prepared)),
            }
        })
    }

    /// The transformer called `name`; one that is built in has these limits.
    ///
    /// # Errors
    /// When there is none, or it is a program that is gone.
    pub fn transformer(&self, name: &str, limits: &Limits) -> Result<Box<dyn Transformer>, StageError> {
        external::by_name(name, &self.settings.specialize, &self.pool, limits).map_err(StageError::Failed)
    }

    /// The watch over the program of a bug: from before anything of it is measured.
    ///
    /// # Errors
    /// When the program cannot be prepared or read.
    pub fn watch(&self, manifest: &Manifest, bug: &Bug) -> Result<Arc<ProgramWatch>, StageError> {
        let prepared = self.prepared(manifest)?;
        self.watches.or_make(&bug.name, || Ok(Arc::new(prepared.watch(bug)?)))
    }

    /// Checks whether the program of a bug is the one that was measured. `None` when nothing of it was.
    ///
    /// # Errors
    /// When it was replaced since it was first fingerprinted.
    pub fn check_unchanged(&self, bug: &str) -> Result<Option<UnchangedProgram>, StageError> {
        let Some(watch) = self.watches.get(bug) else { return Ok(None) };
        // Before the fingerprint is taken: what is executed meanwhile is judged by the next check.
        let oracle = self.oracles.get(bug).map(|(digest, oracle)| (digest, oracle.last()));
        let fingerprint = watch.check_unchanged()?;
        Ok(oracle.map(|(oracle, number)| UnchangedProgram { oracle, fingerprint, number }))
    }

    /// A bug for one task; all of a bug have the same `policy`. `observer` is called with each execution that the task
    /// causes, and of the oracle's digest.
    ///
    /// # Errors
    /// When something that it needs cannot be made, or the program was replaced.
    pub fn target(
        &self,
        key: &BugKey,
        policy: Policy,
        repeated: Repeated,
        observer: impl Fn(&Arc<str>, &Execution) + Send + Sync + 'static,
    ) -> Result<Target<'a>, StageError> {
        let (manifest, bug) = self.manifest(key)?;
        let (syntax, prepared) = (self.syntax(manifest, &key.grammar)?, self.prepared(manifest)?);
        let fingerprint = self.watch(manifest, bug)?.check_unchanged()?;
        let (digest, oracle) = self.oracles.or_make(&bug.name, || {
            let digest: Arc<str> = prepared.digest(bug).into();
            let known = (self.known)(&bug.name, &digest, &fingerprint)?;
            let oracle = prepared.oracle(bug, &policy)?;
            Ok((digest, Arc::new(CachedOracle::new(oracle, known).repeating(repeated.sample))))
        })?;
        let observer = move |execution: &Execution| observer(&digest, execution);
        Ok(Target {
            bug,
            inflated: None,
            syntax,
            oracle: Box::new(oracle.observed(repeated.first, observer)),
        })
    }

    /// The expression of `key`; `learned` gives it when it is to be learned.
    ///
    /// # Errors
    /// When it is not there.
    pub fn expression(
        &self,
        key: &ExpressionKey,
        learned: impl FnOnce(&Syntax) -> Result<Arc<crate::pattern::Expression>, StageError>,
    ) -> Result<Arc<Evocative>, StageError> {
        self.expressions.or_make(key, || {
            let Some(repetition) = key.repetition() else {
                return self.given(key);
            };
            let (manifest, bug) = self.manifest(&repetition.bug)?;
            let grammar = &repetition.bug.grammar;
            let syntax = self.syntax(manifest, grammar)?;
            let expression = match (key, &bug.expression) {
                (ExpressionKey::Learned(_), _) | (_, None) => learned(&syntax)?,
                (_, Some(text)) => {
                    let source = Source::new(format!("expression of {}", bug.name), text);
                    Arc::new(read_expression(&source, &syntax.grammar).map_err(StageError::failed)?)
                }
            };
            let file = &grammar_file(manifest, grammar)?.file;
            let file = file.strip_prefix(&manifest.folder).unwrap_or(file);
            let file = file.display().to_string();
            Ok(Arc::new(Evocative::new(file, Arc::clone(&syntax.grammar), expression)))
        })
    }

    /// An expression of the config.
    fn given(&self, key: &ExpressionKey) -> Result<Arc<Evocative>, StageError> {
        let name = key.stem();
        let is_given = |given: &&GivenExpression| ExpressionKey::OfConfig(given.name.as_str().into()) == *key;
        let GivenExpression { file, grammar, expression, .. } = self
            .settings
            .specialize
            .expressions
            .iter()
            .find(is_given)
            .ok_or_else(|| StageError::failed(format!("the config has no expression for `{name}`")))?;
        Ok(Arc::new(Evocative::new(file.clone(), Arc::clone(grammar), Arc::clone(expression))))
    }

    /// Forgets what is known of the inputs of a bug whose tasks have all ended.
    pub fn release_bug(&self, bug: &str) {
        self.oracles.forget(bug);
    }

    /// Forgets what was made of an expression whose tasks have all ended.
    pub fn release_expression(&self, key: &ExpressionKey) {
        self.expressions.forget(key);
    }
}

/// A grammar of a subject.
fn grammar_file<'m>(manifest: &'m Manifest, key: &GrammarKey) -> Result<&'m GrammarFile, StageError> {
    let missing = || StageError::failed(format!("`{}` has no grammar called `{}`", manifest.name, key.name));
    manifest.grammar(&key.name).ok_or_else(missing)
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
