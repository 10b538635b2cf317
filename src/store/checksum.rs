//! Checksums of rows, and seals of tables: what is not as it was written is an error, never a figure.
//!
//! Each row carries a checksum of its table's name and its columns. A row that is gone cannot say so; so
//! of each table in which one would be missed, a seal has the number of rows and the sum of their
//! checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rusqlite::types::{ToSqlOutput, Type, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

/// The tables that have a seal.
pub(super) const SEALED: [&str; 6] = ["subjects", "oracles", "troubles", "tasks", "results", "warnings"];

/// The checksum of a row of `table` with these columns.
pub(super) fn checksum<'v>(table: &str, columns: impl IntoIterator<Item = ValueRef<'v>>) -> i64 {
    // In one piece: most columns are short, and hashing each of them by itself takes longer than all together.
    let mut row = Vec::with_capacity(1 << 10);
    let mut add = |kind: u8, bytes: &[u8]| {
        row.push(kind);
        row.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        row.extend_from_slice(bytes);
    };
    add(b't', table.as_bytes());
    for column in columns {
        match column {
            ValueRef::Null => add(b'n', &[]),
            ValueRef::Integer(number) => add(b'i', &number.to_le_bytes()),
            ValueRef::Real(number) => add(b'r', &number.to_le_bytes()),
            ValueRef::Text(text) => add(b's', text),
            ValueRef::Blob(bytes) => add(b'b', bytes),
        }
    }
    let mut first = [0; 4];
    first.copy_from_slice(&blake3::hash(&row).as_bytes()[..4]);
    // With its sign, it takes four bytes in a row.
    i64::from(i32::from_le_bytes(first))
}

/// Writes a row with `sql`, a statement that takes the columns and their checksum. Says how many rows
/// were written, and the checksum.
pub(super) fn put<'v>(
    connection: &Connection,
    sql: &str,
    table: &str,
    columns: &[ValueRef<'v>],
) -> rusqlite::Result<(usize, i64)> {
    let sum = checksum(table, columns.iter().copied());
    let outputs = columns.iter().copied().chain([ValueRef::Integer(sum)]).map(ToSqlOutput::Borrowed);
    let count = connection.prepare_cached(sql)?.execute(params_from_iter(outputs))?;
    Ok((count, sum))
}

/// The checksum of a row of `table`, of which `row` has these columns; it is the last of them.
///
/// # Errors
/// When it is not that of the other columns.
pub(super) fn check_part(table: &str, row: &Row<'_>, columns: Range<usize>) -> rusqlite::Result<i64> {
    let last = columns.end - 1;
    let values: Vec<ValueRef<'_>> =
        (columns.start..last).map(|index| row.get_ref(index)).collect::<Result<_, _>>()?;
    let sum = row.get(last)?;
    if checksum(table, values) == sum {
        return Ok(sum);
    }
    let error = format!("a row of the table `{table}` is not as it was written");
    Err(rusqlite::Error::FromSqlConversionFailure(last, Type::Integer, error.into()))
}

/// The checksum of a row of `table`, of which `row` has all columns.
///
/// # Errors
/// When it is not that of the other columns.
pub(super) fn check(table: &str, row: &Row<'_>) -> rusqlite::Result<i64> {
    check_part(table, row, 0..row.as_ref().column_count())
}

/// A column that may be missing.
pub(super) fn optional(text: Option<&str>) -> ValueRef<'_> {
    text.map_or(ValueRef::Null, ValueRef::from)
}

/// How many rows a table has, and what their checksums add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seal {
    rows: i64,
    total: i64,
}

impl Seal {
    /// A row with this checksum is there now.
    pub(super) fn add(&mut self, sum: i64) {
        (self.rows, self.total) = (self.rows + 1, self.total.wrapping_add(sum));
    }

    /// A row with this checksum is gone.
    pub(super) fn remove(&mut self, sum: i64) {
        (self.rows, self.total) = (self.rows - 1, self.total.wrapping_sub(sum));
    }
}

/// The seals of all tables, as the process knows them that writes.
#[derive(Debug, Default)]
pub(super) struct Seals {
    seals: BTreeMap<&'static str, Seal>,
    /// Those that are not written yet.
    changed: BTreeSet<&'static str>,
}

impl Seals {
    /// Those that are written.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut seals = Self::default();
        let mut statement = connection.prepare("SELECT name, rows, total, sum FROM seals")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            check("seals", row)?;
            let name: String = row.get("name")?;
            if let Some(&table) = SEALED.iter().find(|table| **table == name) {
                seals.seals.insert(table, Seal { rows: row.get("rows")?, total: row.get("total")? });
            }
        }
        Ok(seals)
    }

    /// The seal of `table`, to be changed.
    pub(super) fn change(&mut self, table: &'static str) -> &mut Seal {
        self.changed.insert(table);
        self.seals.entry(table).or_default()
    }

    /// The seal of `table`.
    pub(super) fn of(&self, table: &str) -> Seal {
        self.seals.get(table).copied().unwrap_or_default()
    }

    /// Writes those that have changed.
    pub(super) fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        while let Some(table) = self.changed.pop_first() {
            let Seal { rows, total } = self.of(table);
            let columns = [ValueRef::from(table), ValueRef::Integer(rows), ValueRef::Integer(total)];
            put(connection, "INSERT OR REPLACE INTO seals VALUES (?1, ?2, ?3, ?4)", "seals", &columns)?;
        }
        Ok(())
    }
}
