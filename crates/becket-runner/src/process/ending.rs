//! The result of a child process.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use super::StartError;

/// The result of [`run`](super::run).
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output, even if it was stopped early.
    pub stdout: Captured,
    /// Its standard error, even if it was stopped early.
    pub stderr: Captured,
    /// From the call to its return, including grace periods.
    pub duration: Duration,
}

impl Finished {
    /// The result of a run that ended before a process was started.
    pub(super) fn without_child(ending: Ending) -> Self {
        Self {
            ending,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration: Duration::ZERO,
        }
    }
}

/// How a child ended. Only [`Ending::Exited`] with 0 is success.
#[derive(Debug)]
pub enum Ending {
    /// It exited with this code.
    Exited(i32),
    /// A signal that this module did not send ended it.
    Signaled(i32),
    /// The deadline passed; the whole process group was ended.
    TimedOut,
    /// [`Cancel::cancel`](super::Cancel::cancel) was called; the whole process group was ended.
    Cancelled,
    /// No process was started.
    NotStarted(StartError),
    /// It ran, but its exit status is unknown: another part of this process took it (or `SIGCHLD` is ignored), or
    /// the system refused to watch it any longer. In the first case its descendants are left alone, because their
    /// ids may have been reused.
    Lost(io::Error),
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, Some(signal)) => Self::Signaled(signal),
            (None, None) => Self::Lost(io::Error::other("neither an exit code nor a signal")),
        }
    }
}

/// An output stream: its beginning, and how much more there was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to [`OUTPUT_LIMIT`](super::OUTPUT_LIMIT).
    pub bytes: Vec<u8>,
    /// The number of bytes that were read and dropped.
    pub dropped: u64,
}

impl Captured {
    /// The bytes as text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    pub(super) fn push(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(bytes.len());
        let (kept, rest) = bytes.split_at(room);
        self.bytes.extend_from_slice(kept);
        self.dropped = self.dropped.saturating_add(rest.len() as u64);
    }
}
