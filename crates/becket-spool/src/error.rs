//! Errors of the spool.

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
    /// The directory belongs to another user, who could read and replace its files.
    #[error("belongs to user {owner}, not to user {user}")]
    ForeignOwner {
        /// The owner's user id.
        owner: u32,
        /// This process's user id.
        user: u32,
    },
    /// Other users can write to the directory, so they could replace its files.
    #[error("is writable by others (mode {mode:o}); hint: chmod 700")]
    WritableByOthers {
        /// The permission bits.
        mode: u32,
    },
    /// A symbolic link would redirect the write.
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
    /// The record is longer than [`crate::MAX_RECORD_BYTES`].
    #[error("a record of {len} bytes is too long")]
    RecordTooLong {
        /// Its length.
        len: usize,
    },
    /// The record is empty or contains a newline.
    #[error("a record must be one line")]
    NotOneLine,
    /// Another reader holds the reader lock.
    #[error("another process is reading it")]
    BeingRead,
    /// The lock was not released, and there are already too many single-record files.
    #[error("another process holds the lock, and too many records are waiting")]
    Stuck,
    /// Any other I/O error.
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
