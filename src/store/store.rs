//! The SQLite file of a campaign, and who may use it.
//!
//! A store belongs to one configuration. One run at a time writes to it: a lock on a file beside it
//! says so, which the system gives back when the process dies. Reports may read at any time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::base::share::Share;

use super::checksum::{check, put};
use super::error::StoreError;
use super::identity::Identity;
use super::index::Index;
use super::schema::{self, FORMAT, Kind};

/// What a store belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// The text of the configuration.
    pub config: String,
    /// Everything that can change a result. A store is refused to a campaign with another one.
    pub identity: Identity,
    /// The seed.
    pub seed: u64,
    /// The version of grambench that made the store.
    pub program: String,
    /// When more than this share of the inputs of a bug that are judged twice differ, it is flaky.
    pub flaky: Share,
}

/// The one file in which a campaign remembers everything.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    /// What is in the file, for the process that writes to it.
    pub(super) index: Option<Index>,
    path: PathBuf,
    /// Held while this store is open for writing.
    _lock: Option<WriteLock>,
}

/// The right to write to a store. It ends with this value, not with the last copy of the file: a process that another
/// thread starts has such copies until it executes its program.
#[derive(Debug)]
struct WriteLock(File);

impl Drop for WriteLock {
    fn drop(&mut self) {
        // What fails here is released when the last copy is closed.
        let _ = self.0.unlock();
    }
}

impl Store {
    /// The name of the file in a campaign's folder.
    pub const FILE_NAME: &'static str = "campaign.sqlite";

    /// Opens the store at `path` for a run of `campaign`; makes it, and its folder, where there is none.
    ///
    /// # Errors
    /// When the file is not a store, is of another format or configuration, is being written to by
    /// another run, or cannot be written.
    pub fn create_or_open(path: &Path, campaign: &Campaign) -> Result<Self, StoreError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|source| StoreError::Io {
                doing: "make the folder",
                path: folder.into(),
                source,
            })?;
        }
        let lock = lock(path)?;
        let mut store = Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE, Some(lock))?;
        // A file that is not ours is left unchanged.
        let kind = store.doing("open", schema::kind)?;
        if kind != Kind::Empty {
            store.check_format()?;
        }
        store.doing("open", |connection| {
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "foreign_keys", true)
        })?;
        if kind == Kind::Empty {
            store.doing("create", |connection| {
                connection.execute_batch("BEGIN IMMEDIATE")?;
                schema::make(connection)?;
                let identity = to_json(&campaign.identity);
                let (seed, flaky) = (campaign.seed.to_string(), campaign.flaky.to_string());
                let created: String =
                    connection
                        .query_row("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", [], |row| row.get(0))?;
                for (key, value) in [
                    ("config", &campaign.config),
                    ("identity", &identity),
                    ("seed", &seed),
                    ("program", &campaign.program),
                    ("flaky", &flaky),
                    ("created", &created),
                ] {
                    set_meta(connection, key, value)?;
                }
                connection.execute_batch("COMMIT")
            })?;
        }
        let index = store.read_index()?;
        store.check_identity(&campaign.identity, &index)?;
        if store.campaign()?.flaky != campaign.flaky {
            store.doing("write", |connection| set_meta(connection, "flaky", &campaign.flaky.to_string()))?;
        }
        store.index = Some(index);
        Ok(store)
    }

    /// Refuses a campaign whose results would mix with those that are here. What a bug depends on may
    /// change as long as nothing was found out about the bug: its subject was unfit, and was repaired.
    fn check_identity(&self, wanted: &Identity, index: &Index) -> Result<(), StoreError> {
        let found = self.campaign()?.identity;
        let mut differences = Vec::new();
        for part in wanted.differences(&found) {
            let matters = part.bug.as_ref().is_none_or(|bug| index.measured.contains(bug));
            if matters && !differences.contains(&part.what) {
                differences.push(part.what.clone());
            }
        }
        if !differences.is_empty() {
            return Err(StoreError::OtherConfig { path: self.path.clone(), differences });
        }
        if found != *wanted {
            self.doing("write", |connection| set_meta(connection, "identity", &to_json(wanted)))?;
        }
        Ok(())
    }

    /// Opens the store at `path` for reading.
    ///
    /// # Errors
    /// When there is none, or the file is not a store of this format.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.into() });
        }
        let store = Self::connect(path, OpenFlags::empty(), None)?;
        store.doing("open", |connection| connection.pragma_update(None, "query_only", true))?;
        store.check_format()?;
        Ok(store)
    }

    /// Removes the store at `path` and all that it remembers, if there is one.
    ///
    /// # Errors
    /// When another run is writing to it, when it is no store, or when a file cannot be removed.
    pub fn remove(path: &Path) -> Result<(), StoreError> {
        if !path.exists() {
            return Ok(());
        }
        let _lock = lock(path)?;
        let kind =
            Self::connect(path, OpenFlags::empty(), None).and_then(|store| store.doing("open", schema::kind));
        // What SQLite cannot read may still be ours, and damaged.
        if !matches!(kind, Ok(Kind::Empty | Kind::Store(_))) && !has_our_mark(path) {
            return Err(match kind {
                Err(error @ (StoreError::Database { .. } | StoreError::Io { .. })) => error,
                _ => StoreError::NotAStore { path: path.into() },
            });
        }
        // Closing the connection has merged the log into the database. What is left of the log goes
        // first: SQLite would take it for the log of the next database of this name.
        for file in [beside(path, "-wal"), beside(path, "-shm"), path.into()] {
            match fs::remove_file(&file) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::Io { doing: "remove", path: file, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn connect(path: &Path, flags: OpenFlags, lock: Option<WriteLock>) -> Result<Self, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // With a name that begins with a slash: SQLite takes others for URIs when they look like one.
        let absolute = std::path::absolute(path).map_err(|source| StoreError::Io {
            doing: "open",
            path: path.into(),
            source,
        })?;
        let connection = Connection::open_with_flags(absolute, flags)
            .map_err(|source| StoreError::database(path, "open", source))?;
        let store = Self { connection, index: None, path: path.into(), _lock: lock };
        store.doing("open", |connection| {
            connection.pragma_update(None, "cell_size_check", true)?;
            connection.busy_timeout(Duration::from_secs(30))
        })?;
        Ok(store)
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does `work`; an error says that it was met while `doing` something with this file.
    pub(super) fn doing<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|source| StoreError::database(&self.path, doing, source))
    }

    /// The error that something in the file cannot be understood.
    pub fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }

    fn check_format(&self) -> Result<(), StoreError> {
        match self.doing("open", schema::kind)? {
            Kind::Store(FORMAT) if self.doing("open", schema::is_whole)? => Ok(()),
            Kind::Store(FORMAT) => Err(self.damaged("its tables are not as they were made")),
            Kind::Store(found) => Err(StoreError::OtherFormat {
                path: self.path.clone(),
                found,
                // Of a table that another format may not have: better a guess than no message.
                program: self.meta("program").ok().flatten().unwrap_or_else(|| "of another version".into()),
            }),
            Kind::Empty | Kind::Foreign => Err(StoreError::NotAStore { path: self.path.clone() }),
        }
    }

    /// The campaign that this store belongs to.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn campaign(&self) -> Result<Campaign, StoreError> {
        let get = |key: &str| self.meta(key)?.ok_or_else(|| self.damaged(format!("it has no `{key}`")));
        let seed = get("seed")?;
        Ok(Campaign {
            config: get("config")?,
            identity: serde_json::from_str(&get("identity")?)
                .map_err(|error| self.damaged(format!("what its results depend on: {error}")))?,
            seed: seed.parse().map_err(|_| self.damaged(format!("its seed is `{seed}`")))?,
            program: get("program")?,
            flaky: get("flaky")?.parse().map_err(|error: &str| self.damaged(error))?,
        })
    }

    fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.doing("read", |connection| {
            connection
                .prepare_cached("SELECT key, value, sum FROM meta WHERE key = ?1")?
                .query_row([key], |row| {
                    check("meta", row)?;
                    row.get("value")
                })
                .optional()
        })
    }
}

fn set_meta(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2, ?3)";
    put(connection, sql, "meta", &[key.into(), value.into()]).map(drop)
}

/// Whether a file that SQLite cannot read was a store: its header says so, or that of its log does.
fn has_our_mark(path: &Path) -> bool {
    const PLACE: usize = 68;
    let begin = |path: &Path, length: usize| {
        let mut bytes = Vec::new();
        let file = File::open(path).ok()?;
        file.take(length as u64).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let mark = schema::APPLICATION.to_be_bytes();
    // The log begins with 32 bytes, then come 24 for the first page.
    [(path.to_path_buf(), PLACE), (beside(path, "-wal"), 32 + 24 + PLACE)].iter().any(|(path, place)| {
        begin(path, place + mark.len())
            .is_some_and(|bytes| bytes.ends_with(&mark) && bytes.len() == place + mark.len())
    })
}

fn to_json(identity: &Identity) -> String {
    serde_json::to_string(identity).expect("lists of texts can be written")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Locks the store at `path` for one writing run.
fn lock(path: &Path) -> Result<WriteLock, StoreError> {
    let path_of_lock = beside(path, ".lock");
    let error = |doing, source| StoreError::Io { doing, path: path_of_lock.clone(), source };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path_of_lock)
        .map_err(|source| error("open", source))?;
    match file.try_lock() {
        Ok(()) => Ok(WriteLock(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: path.into() }),
        Err(TryLockError::Error(source)) => Err(error("lock", source)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_store_is_opened_again_by_its_own_campaign_only() {
        let (folder, store) = sample::store();
        let path = store.path().to_owned();
        assert_eq!(store.campaign().unwrap(), sample::campaign());
        let mode: String =
            store.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        let error = Store::create_or_open(&path, &sample::campaign()).unwrap_err();
        assert!(matches!(error, StoreError::InUse { .. }), "{error}");
        drop(store);
        Store::create_or_open(&path, &sample::campaign()).unwrap();

        let mut identity = Identity::default();
        identity.add(None, "the seed", "8");
        identity.add(Some("find-1"), "the grammar of `find`", "decaf");
        let other = Campaign { identity, ..sample::campaign() };
        let error = Store::create_or_open(&path, &other).unwrap_err().to_string();
        insta::assert_snapshot!(error.replace(&folder.path().display().to_string(), "FOLDER"));

        Store::remove(&path).unwrap();
        Store::create_or_open(&path, &other).unwrap();
    }

    #[test]
    fn what_a_bug_depends_on_may_change_as_long_as_nothing_is_known_of_it() {
        let (_folder, mut store) = sample::store();
        for event in sample::begin() {
            store.apply(&event).unwrap();
        }
        let path = store.path().to_owned();
        let with = |grammar: &str| {
            let mut campaign = sample::campaign();
            campaign.identity.add(Some("find-07b941b1"), "the grammar of `find`", grammar);
            campaign
        };
        drop(store);
        for grammar in ["first", "second"] {
            let store = Store::create_or_open(&path, &with(grammar)).unwrap();
            assert_eq!(store.campaign().unwrap(), with(grammar));
        }
        let mut store = Store::create_or_open(&path, &with("second")).unwrap();
        for event in &sample::ends()[0] {
            store.apply(event).unwrap();
        }
        store.commit().unwrap();
        drop(store);
        let error = Store::create_or_open(&path, &with("third")).unwrap_err().to_string();
        assert!(error.contains("differs in the grammar of `find`;"), "{error}");
        Store::create_or_open(&path, &with("second")).unwrap();
    }

    #[test]
    fn a_closed_store_is_free_although_a_starting_process_has_a_copy_of_its_lock() {
        let (_folder, store) = sample::store();
        let path = store.path().to_owned();
        let copy = store._lock.as_ref().map(|lock| lock.0.try_clone().unwrap()).unwrap();
        let error = Store::create_or_open(&path, &sample::campaign()).unwrap_err();
        assert!(matches!(error, StoreError::InUse { .. }), "{error}");
        drop(store);
        Store::create_or_open(&path, &sample::campaign()).unwrap();
        drop(copy);
    }

    #[test]
    fn a_store_of_another_format_is_refused() {
        let (folder, store) = sample::store();
        store.connection.pragma_update(None, "user_version", FORMAT + 1).unwrap();
        let path = store.path().to_owned();
        drop(store);
        let error = Store::create_or_open(&path, &sample::campaign()).unwrap_err().to_string();
        assert_eq!(Store::read(&path).unwrap_err().to_string(), error);
        insta::assert_snapshot!(error.replace(&folder.path().display().to_string(), "FOLDER"));
    }

    #[test]
    fn what_is_no_store_is_neither_used_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        fs::write(&text, "no database, but longer than the header of one".repeat(100)).unwrap();
        let foreign = folder.path().join("foreign");
        Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        for path in [text, foreign] {
            let before = fs::read(&path).unwrap();
            for error in [
                Store::create_or_open(&path, &sample::campaign()).unwrap_err(),
                Store::read(&path).unwrap_err(),
                Store::remove(&path).unwrap_err(),
            ] {
                assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
            }
            assert_eq!(fs::read(&path).unwrap(), before);
        }
        let missing = folder.path().join("missing");
        assert!(matches!(Store::read(&missing), Err(StoreError::Missing { .. })));
        Store::remove(&missing).unwrap();
        let error = Store::create_or_open(&folder.path().join("text/x"), &sample::campaign()).unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{error}");
    }

    #[test]
    fn a_report_reads_while_a_run_writes() {
        let (_folder, mut store) = sample::store();
        for event in sample::begin() {
            store.apply(&event).unwrap();
        }
        store.apply(&sample::execution("bug", "x", crate::oracle::Verdict::Pass)).unwrap();
        assert!(store.is_pending());
        let mut reader = Store::read(store.path()).unwrap();
        assert_eq!(reader.tasks().unwrap(), store.tasks().unwrap());
        assert_eq!(reader.known("digest of bug", u64::MAX).unwrap().get(b"x"), None);
        store.commit().unwrap();
        assert!(reader.known("digest of bug", u64::MAX).unwrap().get(b"x").is_some());
        assert!(reader.apply(&sample::execution("bug", "y", crate::oracle::Verdict::Pass)).is_err());
    }
}
