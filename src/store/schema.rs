//! The tables of a store, and the number of their format.
//!
//! Any change to a table, or to what a column means, is a new format: a store of another format is
//! refused, never read by guess.

use rusqlite::Connection;

/// The format that this program reads and writes.
pub const FORMAT: i64 = 4;

/// Marks a SQLite file as one of ours: `grmb`.
const APPLICATION: i64 = 0x6772_6d62;

/// `oracles` is there so that an execution carries a small number instead of a digest. A task that
/// has not ended has the state `planned`, whether a run began it or not. `place` is NULL for a task
/// that an earlier run ended and that is not part of the present plan.
const TABLES: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE subjects (
    name TEXT NOT NULL,
    bug TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('fit', 'unfit')),
    reason TEXT NOT NULL,
    PRIMARY KEY (name, bug)
) STRICT, WITHOUT ROWID;
CREATE TABLE oracles (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    bug TEXT NOT NULL
) STRICT;
CREATE TABLE executions (
    oracle INTEGER NOT NULL REFERENCES oracles (id),
    input BLOB NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('fail', 'pass', 'unresolved', 'timeout')),
    evidence TEXT NOT NULL,
    sure INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    PRIMARY KEY (oracle, input)
) STRICT, WITHOUT ROWID;
CREATE TABLE troubles (
    oracle INTEGER NOT NULL REFERENCES oracles (id),
    input BLOB NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('disagreement', 'breach')),
    verdict TEXT NOT NULL CHECK (verdict IN ('fail', 'pass', 'unresolved', 'timeout')),
    text TEXT NOT NULL,
    PRIMARY KEY (oracle, input, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE tasks (
    name TEXT PRIMARY KEY,
    place INTEGER,
    stage TEXT NOT NULL,
    subject TEXT NOT NULL,
    bug TEXT,
    expression TEXT,
    repetition INTEGER NOT NULL,
    reducer TEXT,
    generalizer TEXT,
    transformer TEXT,
    producer TEXT,
    version TEXT NOT NULL,
    reintroduced INTEGER NOT NULL,
    needs TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'done', 'failed')),
    record TEXT,
    error TEXT,
    executions INTEGER,
    runs INTEGER,
    again INTEGER,
    micros INTEGER,
    CHECK ((record IS NOT NULL) = (state = 'done') AND (error IS NOT NULL) = (state = 'failed'))
) STRICT;
CREATE TABLE warnings (
    task TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (task, text)
) STRICT, WITHOUT ROWID;
";

/// What kind of file a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Without any table, as SQLite makes it.
    Empty,
    /// A store of this format.
    Store(i64),
    /// Some other program's.
    Foreign,
}

/// What `connection` is connected to.
pub(super) fn kind(connection: &Connection) -> rusqlite::Result<Kind> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (application, format) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, tables) {
        (APPLICATION, _) => Kind::Store(format),
        (0, 0) if format == 0 => Kind::Empty,
        _ => Kind::Foreign,
    })
}

/// Makes the tables, as part of the transaction that is open.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", FORMAT)
}
