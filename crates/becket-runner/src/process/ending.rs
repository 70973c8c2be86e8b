//! What became of a child process.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use super::StartError;

/// Everything known about a child after [`run`](super::run) has returned.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to its standard output, also when it was stopped half-way.
    pub stdout: Captured,
    /// What it wrote to its standard error, also when it was stopped half-way.
    pub stderr: Captured,
    /// From the call to its return, graces included.
    pub duration: Duration,
}

impl Finished {
    /// A run that ended before there was a process.
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
    /// It exited by itself with this code.
    Exited(i32),
    /// A signal that was not ours ended it.
    Signaled(i32),
    /// The deadline passed; the whole group was stopped.
    TimedOut,
    /// [`Cancel::cancel`](super::Cancel::cancel) was called; the whole group was stopped.
    Cancelled,
    /// There never was a process.
    NotStarted(StartError),
    /// It ran, but its fate is unknown: another part of this process took its exit status (or
    /// `SIGCHLD` is ignored here), or the system refused to watch it any longer. In the first case
    /// what it left behind is left alone, because its ids may be somebody else's by now.
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

/// One output stream: its beginning, and how much more there was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to [`OUTPUT_LIMIT`](super::OUTPUT_LIMIT).
    pub bytes: Vec<u8>,
    /// Bytes read after those and not kept.
    pub dropped: u64,
}

impl Captured {
    /// The kept bytes as text; what is not UTF-8 becomes U+FFFD.
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
