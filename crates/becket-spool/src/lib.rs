//! A durable queue of records between short-lived clients and a reader that comes later.
//!
//! A record is one line in `events.jsonl`; [`Spool::append`] costs a handful of system calls and needs
//! nobody else to run. What was appended survives the death of every process (not a power cut,
//! unless [`Durability::Synced`] is asked for). The file is cut into segments when it grows, and the
//! oldest segment is dropped, and counted, when there are too many. A reader takes whole
//! segments with [`Spool::drain`], or looks at the end with [`Spool::tail`].
//!
//! The spool does not know what is in a record. It follows no symbolic link and uses no directory
//! that others could write to. Start at [`Spool`].

mod append;
mod files;
mod read;

use std::io;
use std::path::PathBuf;

/// How much disk the spool may use, and how hard it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The active file becomes a segment beyond this size.
    pub segment_bytes: u64,
    /// More segments than this are not kept.
    pub segments: usize,
    /// Whether a record must survive a power cut.
    pub durability: Durability,
}

/// What an appended record survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The death of every process.
    Written,
    /// A power cut as well, at the price of a disk flush for each record.
    Synced,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            segment_bytes: 8 << 20,
            segments: 32,
            durability: Durability::Written,
        }
    }
}

/// The spool in one directory.
#[derive(Debug, Clone)]
pub struct Spool {
    dir: PathBuf,
    limits: Limits,
}

/// How the spool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// Bytes waiting to be read.
    pub bytes: u64,
    /// Segments waiting to be read.
    pub segments: usize,
    /// Segments that were dropped because nobody read them in time.
    pub dropped: u64,
    /// Lines that no reader could use and that were set aside.
    pub set_aside: u64,
}

/// The spool cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("spool `{}`", dir.display())]
pub struct SpoolError {
    /// Its directory.
    pub dir: PathBuf,
    /// What is wrong with it.
    #[source]
    pub source: io::Error,
}

impl Spool {
    /// The spool in this directory; it is created when something is appended.
    pub fn open(dir: impl Into<PathBuf>) -> Self {
        Self::with_limits(dir, Limits::default())
    }

    /// The same with other limits.
    pub fn with_limits(dir: impl Into<PathBuf>, limits: Limits) -> Self {
        Self {
            dir: dir.into(),
            limits,
        }
    }

    fn failed(&self, source: io::Error) -> SpoolError {
        SpoolError {
            dir: self.dir.clone(),
            source,
        }
    }
}
