//! A durable queue of event records on disk, between short-lived clients and the daemon.
//!
//! A client appends one line and exits; the daemon drains the queue, perhaps much later. The queue is a directory
//! of JSON line files, and the only synchronization is a lock on the active file:
//!
//! ```text
//! spool/                              0700, owned by this user
//!   events.jsonl                      0600, the active file: one JSON record per line
//!   segment-<number>.jsonl            full or handed to the reader; never written again
//!   event-<pid>-<number>.jsonl        one record whose writer did not get the lock in time
//!   dropped                           one line for each segment dropped to stay within the size limit
//!   reader.lock                       held by the one reader
//!   set-aside/                        quarantined lines: not JSON, or a note about a line that was too long
//! ```
//!
//! Numbers are nanoseconds since 1970 and strictly increase, so sorting by them is sorting by time.
//!
//! Guarantees: a record whose [`Spool::append`] returned is delivered to the reader, complete and in order, even
//! after `kill -9` of any process. A power failure may lose the last moments, unless [`Durability::Synced`] is set.
//! Delivery is at-least-once: a reader that dies between its own commit and [`Segment::commit`] sees the segment
//! again, so records have an id.
//!
//! Limits: the spool waits for a lock 200 ms at most, then the record gets its own file. It does not grow without
//! bound: the oldest segment is dropped and counted. It does not follow symbolic links and does not use a directory
//! that others can write to. It does not interpret records.
//!
//! Start at [`Spool`]. The crate also contains what clients and the daemon share: the [`runtime_dir`], how to
//! [`notify`] the daemon through its [`wake_fifo`] or its socket, and a [`request()`] with a timeout. Unix only.

mod append;
mod dir;
mod error;
mod names;
pub mod notify;
mod read;
mod record_id;
mod request;
mod rotate;
pub mod runtime_dir;
mod status;
mod tail;
pub mod wake_fifo;

use std::path::PathBuf;
use std::time::Duration;

pub use error::{Error, ErrorKind};
pub use read::{Disposition, DrainReport, Segment, SpoolReader, SpoolRecord};
pub use record_id::new_id;
pub use request::request;
pub use status::SpoolStatus;

/// The longest record that [`Spool::append`] accepts: the largest payload plus its metadata.
pub const MAX_RECORD_BYTES: usize = 17 * 1024 * 1024;

/// How durable a record is when [`Spool::append`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// In the kernel's cache: it survives the end of any process, but not a power failure.
    #[default]
    Process,
    /// On the disk. Costs milliseconds.
    Synced,
}

/// Limits and settings of a spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The size at which the active file becomes a segment.
    pub rotate_at: u64,
    /// The most segments; the oldest one is dropped beyond that.
    pub max_segments: usize,
    /// How durable an appended record is.
    pub durability: Durability,
    /// How long to wait for a lock.
    pub lock_wait: Duration,
}

impl Default for Options {
    /// 32 segments of 8 MiB, no syncing, 200 ms.
    fn default() -> Self {
        Self {
            rotate_at: 8 * 1024 * 1024,
            max_segments: 32,
            durability: Durability::Process,
            lock_wait: Duration::from_millis(200),
        }
    }
}

/// A queue of records in a directory.
///
/// It holds no file open, so it notices changes by other processes between two calls.
#[derive(Debug, Clone)]
pub struct Spool {
    path: PathBuf,
    options: Options,
}

impl Spool {
    /// The spool at `path`. Does no I/O; the first append creates the directory.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self::with_options(path, Options::default())
    }

    /// Like [`Spool::open`], with other limits.
    pub fn with_options(path: impl Into<PathBuf>, options: Options) -> Self {
        Self {
            path: path.into(),
            options,
        }
    }
}
