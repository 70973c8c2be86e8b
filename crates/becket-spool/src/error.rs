//! Why a spool could not be used.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// A failure, with the path it concerns.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {kind}", path.display())]
pub struct Error {
    /// The spool's directory, or the file in it.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: ErrorKind,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Whoever owns the directory can read and replace what is in it.
    #[error("belongs to user {owner}, not to user {user}")]
    ForeignOwner {
        /// Who owns it.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// Others could replace what is in it.
    #[error("others may write to it (mode {mode:o}); hint: chmod 700")]
    WritableByOthers {
        /// Its permission bits.
        mode: u32,
    },
    /// Following it would write where somebody else decided.
    #[error("is a symbolic link, which is not followed")]
    SymbolicLink,
    /// A file where the directory should be.
    #[error("is not a directory")]
    NotADirectory,
    /// A directory, pipe or device where a file should be.
    #[error("is not a regular file")]
    NotAFile,
    /// A read-only file system, or no permission.
    #[error("cannot be written to: {0}")]
    NotWritable(#[source] io::Error),
    /// No space, no quota, or a limit on the size of files.
    #[error("the disk is full: {0}")]
    DiskFull(#[source] io::Error),
    /// The record is longer than [`crate::LONGEST_RECORD`].
    #[error("a record of {len} bytes is too long")]
    RecordTooLong {
        /// Its length.
        len: usize,
    },
    /// The record is empty or holds a newline.
    #[error("a record has to be one line")]
    NotOneLine,
    /// Another reader is at work.
    #[error("another process is reading it")]
    BeingRead,
    /// The lock was never free, and too many records already have a file of their own.
    #[error("another process holds the lock, and too many records are waiting")]
    Stuck,
    /// Anything else.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Error {
    pub(crate) fn new(path: impl Into<PathBuf>, kind: ErrorKind) -> Self {
        Self {
            path: path.into(),
            kind,
        }
    }

    /// The error for a failed system call on `path`.
    pub(crate) fn call(path: &Path, errno: Errno) -> Self {
        let kind = match errno {
            Errno::LOOP => ErrorKind::SymbolicLink,
            Errno::NOTDIR => ErrorKind::NotADirectory,
            Errno::ISDIR => ErrorKind::NotAFile,
            Errno::ROFS | Errno::ACCESS | Errno::PERM => ErrorKind::NotWritable(errno.into()),
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => ErrorKind::DiskFull(errno.into()),
            _ => ErrorKind::Io(errno.into()),
        };
        Self::new(path, kind)
    }
}
