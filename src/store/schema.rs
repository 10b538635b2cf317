//! The tables of a store, and the number of their format.
//!
//! Any change to a table, or to what a column means, is a new format: a store of another format is
//! refused, never read by guess.

use rusqlite::{Connection, OptionalExtension};

/// The format that this program reads and writes.
pub const FORMAT: i64 = 9;

/// Marks a SQLite file as one of ours: `grmb`.
pub(super) const APPLICATION: u32 = 0x6772_6d62;

/// The last column of a row, `sum`, is the checksum of the others. `seals` has how many rows a table has
/// and what their checksums add up to, for tables from which no row may be missing.
///
/// No table has an index beside itself, so that everything is written once: rows are found by the numbers
/// that the one process which writes knows.
///
/// `tasks` are those of the plan; `place` is NULL for one that an earlier run ended and that is not part
/// of the present plan, and `key` is all that a task is about, as JSON. `results` are what those found that have ended; `judged` has the inputs
/// that a task had judged, in order.
///
/// `executions` are a log: `number` counts those of an oracle. What is first said of an input counts,
/// unless a later row takes its place. A column `flags` is a verdict (0 fail, 1 pass, 2 unresolved, 3
/// timeout) and, in this order, whether it is confirmed, whether the row takes the place of earlier ones,
/// whether the input was judged twice, and whether that came to the same. `evidence` is a text, or the
/// number of one in `evidences`.
///
/// Of an oracle, `outside` and `inside` say the fingerprint of its program when it was last checked;
/// executions up to `trusted` were over by then.
const TABLES: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE seals (
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    total INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE subjects (
    name TEXT NOT NULL,
    bug TEXT NOT NULL,
    grammar TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (name, bug, grammar)
) STRICT, WITHOUT ROWID;
CREATE TABLE oracles (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,
    bug TEXT NOT NULL,
    outside TEXT NOT NULL,
    inside TEXT NOT NULL,
    trusted INTEGER NOT NULL,
    repeats INTEGER NOT NULL,
    disagreeing INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE evidences (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE executions (
    oracle INTEGER NOT NULL,
    number INTEGER NOT NULL,
    input BLOB NOT NULL,
    flags INTEGER NOT NULL,
    evidence ANY NOT NULL,
    micros INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (oracle, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE troubles (
    oracle INTEGER NOT NULL,
    input BLOB NOT NULL,
    kind TEXT NOT NULL,
    verdict TEXT NOT NULL,
    text TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (oracle, input, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    place INTEGER,
    stage TEXT NOT NULL,
    bug TEXT,
    key TEXT NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE results (
    task INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    record TEXT,
    error TEXT,
    executions INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    again INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE judged (
    task INTEGER PRIMARY KEY,
    inputs BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE warnings (
    task TEXT NOT NULL,
    text TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (task, text)
) STRICT, WITHOUT ROWID;
CREATE VIEW inputs AS
SELECT bug, number, input,
       CASE flags & 3 WHEN 0 THEN 'fail' WHEN 1 THEN 'pass' WHEN 2 THEN 'unresolved' ELSE 'timeout' END
           AS verdict,
       coalesce(evidences.text, evidence) AS evidence,
       executions.micros AS micros
FROM executions JOIN oracles ON oracles.id = oracle LEFT JOIN evidences ON evidences.id = evidence;
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
        (application, _) if application == i64::from(APPLICATION) => Kind::Store(format),
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

/// Whether the tables of `connection` are those of this format.
pub(super) fn is_whole(connection: &Connection) -> rusqlite::Result<bool> {
    let texts = |connection: &Connection| -> rusqlite::Result<Option<String>> {
        connection
            .query_row(
                "SELECT group_concat(type || name || tbl_name || sql, ';')
                 FROM (SELECT * FROM sqlite_schema ORDER BY name)",
                [],
                |row| row.get(0),
            )
            .optional()
            .map(Option::flatten)
    };
    let model = Connection::open_in_memory()?;
    model.execute_batch(TABLES)?;
    Ok(texts(connection)? == texts(&model)?)
}
