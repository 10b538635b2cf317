//! What earlier runs have left in the store, read while a run writes to it.
//!
//! The store itself is the recorder's; this is a connection of its own. A store that cannot be read ends
//! the run: it is no failure of the task that happened to ask.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::channel::Sender;

use crate::base::budget::Interrupt;
use crate::base::fingerprint::Fingerprint;
use crate::oracle::JudgementCache;
use crate::stage::{Record, StageError, Task};
use crate::store::{Earlier, EarlierRecord, Event, Store, StoreError, TaskId};

/// A view of the store of a run.
pub(super) struct SecondView {
    path: PathBuf,
    stop: Interrupt,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    store: Option<Store>,
    error: Option<StoreError>,
}

impl SecondView {
    /// A view of the store at `path`. Raises `stop` when it cannot be read.
    pub(super) fn new(path: PathBuf, stop: Interrupt) -> Self {
        Self { path, stop, state: Mutex::default() }
    }

    /// Why the store could not be read, if it could not.
    pub(super) fn error(&self) -> Option<StoreError> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).error.take()
    }

    fn read<T>(&self, work: impl FnOnce(&Store) -> Result<T, StoreError>) -> Result<T, StageError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match state.store.take() {
            Some(store) => Ok(store),
            None => Store::read(&self.path),
        };
        let found = found.and_then(|store| work(state.store.insert(store)));
        found.map_err(|error| {
            self.stop.raise();
            state.error.get_or_insert(error);
            // What ends the run is the error, which is kept for that.
            StageError::Interrupted
        })
    }

    /// What a task of an earlier run found.
    pub(super) fn record(&self, task: &Task, id: TaskId) -> Result<Option<Record>, StageError> {
        self.read(|store| {
            let Some(EarlierRecord { json, judged }) = store.record(id)? else { return Ok(None) };
            let damaged = |error| store.damaged(format!("what the task `{}` found: {error}", task.name()));
            task.record(&json, judged).map(Some).map_err(damaged)
        })
    }

    /// What an oracle said of inputs in earlier runs, as far as its program was the one with the fingerprint
    /// `now`. What no longer counts is reported to the recorder. `is_measured` says that there are
    /// results of the bug.
    pub(super) fn known(
        &self,
        bug: &str,
        oracle: &Arc<str>,
        now: &Fingerprint,
        is_measured: bool,
        events: &Sender<Event>,
    ) -> Result<JudgementCache, StageError> {
        let earlier = self.read(|store| store.earlier(oracle))?;
        let mut memory = JudgementCache::default();
        if let Some(Earlier { fingerprint, trusted, last }) = earlier {
            let is_same = fingerprint.inside == now.inside;
            if !is_same && is_measured {
                return Err(StageError::failed(
                    "the program under test is not the one that earlier results are of: put that \
                     one back, choose another folder with --output, or begin anew with --fresh",
                ));
            }
            // Of what was executed after the last check, nobody knows which program it was, unless its
            // files were not touched since.
            let up_to = match (is_same, fingerprint.outside == now.outside) {
                (true, true) => last,
                (true, false) => trusted.min(last),
                (false, _) => 0,
            };
            if up_to < last {
                let _ = events.send(Event::Forgotten { oracle: Arc::clone(oracle), after: up_to });
            }
            memory = self.read(|store| store.known(oracle, up_to))?;
            memory.has_seen(last);
        }
        let _ = events.send(Event::FingerprintChecked {
            oracle: Arc::clone(oracle),
            bug: bug.into(),
            fingerprint: now.clone(),
            number: memory.last(),
        });
        Ok(memory)
    }
}
