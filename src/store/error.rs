//! What can go wrong with a store. Every message names the file.

use std::io;
use std::path::{Path, PathBuf};

use super::schema::FORMAT;

/// The store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("there is no store `{}`: nothing was run with this folder as --output", path.display())]
    Missing {
        /// The store.
        path: PathBuf,
    },
    /// The file or its folder cannot be made or opened.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// SQLite reports an error: no space, no permission, a damaged file.
    #[error("cannot {doing} the store `{}`: {}{}", path.display(), source, way_out(source))]
    Database {
        /// What was tried.
        doing: &'static str,
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Some other file.
    #[error(
        "`{}` is not a store of grambench; choose another folder with --output, or move the file away",
        path.display()
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// Written by a program with an other format.
    #[error(
        "the store `{}` has format {found} (written by grambench {program}), this program has format \
         {FORMAT}; choose another folder with --output, or begin anew with --fresh",
        path.display()
    )]
    OtherFormat {
        /// The store.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The version of the program that wrote it.
        program: String,
    },
    /// Of a campaign with an other configuration.
    #[error(
        "the store `{}` belongs to another campaign, which differs in {}; choose another folder with \
         --output, or begin anew with --fresh",
        path.display(),
        differences.join(", ")
    )]
    OtherConfig {
        /// The store.
        path: PathBuf,
        /// What is not as it was, at least one thing.
        differences: Vec<String>,
    },
    /// Another run is writing to it.
    #[error("another run is writing to the store `{}`; wait for its end, or choose another folder with --output", path.display())]
    InUse {
        /// The store.
        path: PathBuf,
    },
    /// What is in it cannot be understood.
    #[error(
        "the store `{}` is damaged: {what}; put a copy of it in its place, or begin anew with --fresh",
        path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What.
        what: String,
    },
}

impl StoreError {
    /// An error of SQLite, met while `doing` something with the store at `path`.
    pub(super) fn database(path: &Path, doing: &'static str, source: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        let path = path.into();
        match (source.sqlite_error_code(), &source) {
            (Some(ErrorCode::NotADatabase), _) => Self::NotAStore { path },
            // A row that is not what it must be, or a table that is not as we made it.
            (Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown), _)
            | (
                None,
                Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::InvalidColumnType(..)
                | Error::QueryReturnedNoRows
                | Error::Utf8Error(..),
            ) => Self::Damaged { path, what: source.to_string() },
            _ => Self::Database { doing, path, source },
        }
    }
}

fn way_out(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => {
            "; make room and run the same command again: what was finished is kept"
        }
        // A limit on the size of files, or a quota, is met so.
        Some(rusqlite::ErrorCode::SystemIoFailure) => {
            "; make room, or check the disk, and run the same command again: what was finished is kept; with \
             --fresh it begins anew"
        }
        Some(rusqlite::ErrorCode::ReadOnly | rusqlite::ErrorCode::PermissionDenied) => {
            "; choose a folder that can be written to with --output"
        }
        _ => "",
    }
}
