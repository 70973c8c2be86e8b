//! Errors of the store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// A failure, with the database file it concerns.
#[derive(Debug, thiserror::Error)]
#[error("the database `{}` {kind}", path.display())]
pub struct Error {
    /// The database file; `:memory:` for a database without one.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: ErrorKind,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A later version of Becket wrote the file. Guessing what its tables mean could destroy them.
    #[error(
        "has schema version {found}, but this version of Becket supports versions up to {known}\nhint: update Becket, or move the file away"
    )]
    Newer {
        /// The file's version.
        found: i64,
        /// The latest version that this program reads.
        known: i64,
    },
    /// The schema is old. Only a writer migrates a database.
    #[error(
        "has schema version {found} and must be migrated to version {known} first\nhint: run `becket daemon start`"
    )]
    Older {
        /// The file's version.
        found: i64,
        /// The version that this program reads.
        known: i64,
    },
    /// A database of another program.
    #[error("belongs to another program")]
    Foreign,
    /// The file does not exist.
    #[error("does not exist")]
    Missing,
    /// The file is not a database, or it is corrupt.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The file or its directory cannot be written.
    #[error(
        "cannot be written: {0}\nhint: the file and its directory must be writable, because SQLite keeps its log next to the file"
    )]
    ReadOnly(String),
    /// The file cannot be opened.
    #[error("cannot be opened: {0}")]
    CannotOpen(String),
    /// Another process held the lock for longer than the busy timeout.
    #[error("is in use by another process")]
    Busy,
    /// The disk is full.
    #[error("cannot grow: the disk is full")]
    Full,
    /// The file system reported an error.
    #[error("cannot be used: {0}")]
    Io(#[from] io::Error),
    /// The request is invalid.
    #[error("rejected the request: {0}")]
    Refused(String),
    /// Any other error of SQLite.
    #[error("failed: {0}")]
    Sql(#[source] rusqlite::Error),
}

impl Error {
    pub(crate) fn new(path: &Path, kind: impl Into<ErrorKind>) -> Self {
        Self {
            path: path.to_owned(),
            kind: kind.into(),
        }
    }

    /// Whether a retry can succeed once the environment has changed: the cause is the disk or another process, not
    /// the request.
    pub fn is_retryable(&self) -> bool {
        self.kind.is_retryable()
    }

    /// Whether the database is corrupt. Nothing can be written to it again.
    pub fn is_damage(&self) -> bool {
        matches!(self.kind, ErrorKind::Damaged(_))
    }
}

impl ErrorKind {
    pub(crate) fn is_retryable(&self) -> bool {
        !matches!(self, Self::Sql(_) | Self::Refused(_))
    }
}

impl From<rusqlite::Error> for ErrorKind {
    fn from(error: rusqlite::Error) -> Self {
        let text = || error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text()),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly(text()),
            Some(ErrorCode::CannotOpen) => Self::CannotOpen(text()),
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::OutOfMemory
                | ErrorCode::OperationInterrupted,
            ) => Self::Io(io::Error::other(error)),
            _ => Self::Sql(error),
        }
    }
}
