//! Why the store could not do something.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// A failure, with the file it concerns.
#[derive(Debug, thiserror::Error)]
#[error("the database `{}` {kind}", path.display())]
pub struct Error {
    /// The database; `:memory:` where there is no file.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: ErrorKind,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A later Becket wrote it. Guessing what its tables mean could destroy them.
    #[error(
        "has version {found}, and this Becket knows versions up to {known}\nhint: update Becket, or move the file away"
    )]
    Newer {
        /// The file's version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Only a writer brings a file up to date.
    #[error(
        "has version {found} and has to be brought to version {known} first\nhint: start the daemon once"
    )]
    Older {
        /// The file's version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// A database, but of another program.
    #[error("belongs to another program")]
    Foreign,
    /// There is nothing there to read.
    #[error("does not exist")]
    Missing,
    /// The file is not a database, or no longer a whole one.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The file or its directory cannot be written.
    #[error(
        "cannot be written: {0}\nhint: the file and its directory have to be writable, because a log stands beside the file"
    )]
    ReadOnly(String),
    /// The file cannot be opened.
    #[error("cannot be opened: {0}")]
    CannotOpen(String),
    /// Another process kept it locked for longer than we wait.
    #[error("is in use by another process")]
    Busy,
    /// No room on the disk.
    #[error("cannot grow: the disk is full")]
    Full,
    /// The file system said no.
    #[error("cannot be used: {0}")]
    Io(#[from] io::Error),
    /// What was asked for cannot be done.
    #[error("refuses: {0}")]
    Refused(String),
    /// Anything else that SQLite says.
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

    /// Whether trying the same again could end otherwise once the surroundings have changed: the
    /// cause is the disk or another process, and not what was asked for.
    pub fn is_from_outside(&self) -> bool {
        self.kind.is_from_outside()
    }

    /// Whether the file is not a database, or no longer a whole one: nothing will go into it again.
    pub fn is_damage(&self) -> bool {
        matches!(self.kind, ErrorKind::Damaged(_))
    }
}

impl ErrorKind {
    pub(crate) fn is_from_outside(&self) -> bool {
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
