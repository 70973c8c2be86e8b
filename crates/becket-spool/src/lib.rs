//! The durable queue of events between short-lived clients and a reader that comes later.
//!
//! A client appends one line and is gone; a daemon drains what has gathered, perhaps much later. The
//! queue is a directory of line files, and the only coordination is a lock on the active one:
//!
//! ```text
//! spool/                              0700, owned by this user
//!   events.jsonl                      0600, the active file: one JSON record a line
//!   segment-<number>.jsonl            full or handed to the reader; never written again
//!   event-<pid>-<number>.jsonl        one record whose writer could not get the lock in time
//!   dropped                           one line for each segment given up to stay within bounds
//!   reader.lock                       held by the one reader
//!   set-aside/                        lines that are no JSON, as they were found, and a word on those too long
//! ```
//!
//! Numbers are nanoseconds since 1970, made to increase; sorting by them is the order of time.
//!
//! What it promises: a record whose [`Spool::append`] returned is delivered to the reader, whole and in
//! order, through `kill -9` of any process. Power loss may take the last moments, unless
//! [`Durability::Synced`] is chosen. Delivery is at least once: a reader that dies between its own
//! commit and [`Segment::commit`] sees the segment again, so records carry an id.
//!
//! What it refuses to do: wait (a lock is waited for a fifth of a second, then the record gets a file
//! of its own), grow without bound (the oldest segment goes, and is counted), follow symbolic links, or
//! use a directory that somebody else could write to. It does not look into records, either.
//!
//! Start at [`Spool`]. The daemon's directory ([`place`]), its bell ([`bell`]) and a way to [`ask`] it something are here
//! as well, since clients need them as much as the daemon does. Unix only.

mod append;
mod ask;
pub mod bell;
mod dir;
mod error;
mod lock;
mod names;
pub mod place;
mod read;
mod rotate;
mod status;
mod tail;

use std::path::PathBuf;
use std::time::Duration;

pub use ask::ask;
pub use error::{Error, ErrorKind};
pub use read::{Drained, Fate, Reader, Record, Segment};
pub use status::Status;

/// The longest record that [`Spool::append`] takes: the largest payload, and room for what is said about it.
pub const LONGEST_RECORD: usize = 17 * 1024 * 1024;

/// How sure a record is when [`Spool::append`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// It is with the kernel: it survives the end of any process, not the end of power.
    #[default]
    Process,
    /// It is on the disk. Costs milliseconds.
    Synced,
}

/// Bounds and habits of a spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The active file becomes a segment when it reaches this size.
    pub rotate_at: u64,
    /// The most segments that are kept; beyond, the oldest is dropped.
    pub max_segments: usize,
    /// How sure a record is when it has been appended.
    pub durability: Durability,
    /// How long a lock is waited for.
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

/// A queue of events in a directory.
///
/// Holds no file open: what another process does to the directory between two calls is noticed.
#[derive(Debug, Clone)]
pub struct Spool {
    path: PathBuf,
    options: Options,
}

impl Spool {
    /// The spool in `path`. Touches nothing; the first append creates the directory.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self::with_options(path, Options::default())
    }

    /// As [`Spool::open`], with other bounds.
    pub fn with_options(path: impl Into<PathBuf>, options: Options) -> Self {
        Self {
            path: path.into(),
            options,
        }
    }
}
