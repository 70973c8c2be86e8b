//! The three pipes of a child, in one poll loop.
//!
//! Nothing here blocks except [`Streams::turn`], which polls input, outputs and wake-up descriptors together. So a
//! child that does not read its input cannot prevent reading its output, and vice versa.

use std::borrow::Cow;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Captured;

/// How many bytes of each output stream are kept.
pub const OUTPUT_LIMIT: usize = 1024 * 1024;

/// The most bytes per stream and turn, so that a flood of output cannot delay the deadline check.
const CHUNK: usize = 32 * 1024;

/// The longest single wait; some systems reject more than an `int` of milliseconds.
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

pub(super) struct Streams<'a> {
    stdin: StdinPipe<'a>,
    stdout: OutputPipe,
    stderr: OutputPipe,
    scratch: Box<[u8]>,
}

impl<'a> Streams<'a> {
    /// Takes the pipes out of `child`. Standard input is closed after `stdin`, unless `keep_open` is set.
    pub(super) fn take(child: &mut Child, stdin: &'a [u8], keep_open: bool) -> io::Result<Self> {
        Ok(Self {
            stdin: StdinPipe::new(child.stdin.take().map(OwnedFd::from), stdin, keep_open)?,
            stdout: OutputPipe::new(child.stdout.take().map(OwnedFd::from))?,
            stderr: OutputPipe::new(child.stderr.take().map(OwnedFd::from))?,
            scratch: vec![0; CHUNK].into_boxed_slice(),
        })
    }

    /// Waits until a pipe is ready, a descriptor of `wake` is readable, or `wait` is over (`None`: no limit), then
    /// reads and writes. Returns whether output arrived.
    ///
    /// May return early without a reason; the caller checks its own conditions each time.
    pub(super) fn turn(
        &mut self,
        wake: [Option<BorrowedFd<'_>>; 2],
        wait: Option<Duration>,
    ) -> io::Result<bool> {
        if !self.wait_ready(wake, wait.unwrap_or(LONGEST_WAIT))? {
            return Ok(false);
        }
        self.stdin.advance();
        Ok(self.read_once())
    }

    /// Reads what is in the pipes now, without waiting. Bounded, because a process that escaped its group may write
    /// forever.
    pub(super) fn drain(&mut self) {
        for _ in 0..(2 * OUTPUT_LIMIT / CHUNK) {
            if !self.read_once() {
                return;
            }
        }
    }

    /// Whether an output pipe is still open for writing.
    pub(super) fn output_is_open(&self) -> bool {
        self.stdout.pipe.is_some() || self.stderr.pipe.is_some()
    }

    /// Drops the rest of the input and closes it.
    pub(super) fn close_stdin(&mut self) {
        self.stdin.pipe = None;
    }

    /// Appends to the input, if it is still open.
    pub(super) fn write_stdin(&mut self, words: Vec<u8>) {
        let mut left = std::mem::take(&mut self.stdin.left).into_owned();
        left.extend(words);
        self.stdin.left = Cow::Owned(left);
    }

    /// The output that was read so far.
    pub(super) fn stdout(&self) -> &Captured {
        &self.stdout.captured
    }

    pub(super) fn into_captured(self) -> (Captured, Captured) {
        (self.stdout.captured, self.stderr.captured)
    }

    fn wait_ready(&self, wake: [Option<BorrowedFd<'_>>; 2], wait: Duration) -> io::Result<bool> {
        let inputs = [self.stdout.pipe.as_ref(), self.stderr.pipe.as_ref()];
        let mut fds = Vec::with_capacity(5);
        fds.extend(
            inputs
                .into_iter()
                .flatten()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        fds.extend(
            wake.iter()
                .flatten()
                .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)),
        );
        if let Some(pipe) = self.stdin.pipe.as_ref().filter(|_| self.stdin.has_more()) {
            fds.push(PollFd::new(pipe, PollFlags::OUT));
        }
        let timeout = Timespec::try_from(wait.min(LONGEST_WAIT)).map_err(io::Error::other)?;
        match poll(&mut fds, Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR | Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn read_once(&mut self) -> bool {
        let out = self.stdout.advance(&mut self.scratch);
        let err = self.stderr.advance(&mut self.scratch);
        out || err
    }
}

/// The child's standard input and the bytes left to write.
struct StdinPipe<'a> {
    pipe: Option<OwnedFd>,
    left: Cow<'a, [u8]>,
    /// Stays open when nothing is left, because more may follow.
    keep_open: bool,
}

impl<'a> StdinPipe<'a> {
    fn new(pipe: Option<OwnedFd>, left: &'a [u8], keep_open: bool) -> io::Result<Self> {
        let pipe = if left.is_empty() && !keep_open {
            None
        } else {
            pipe
        };
        Ok(Self {
            pipe: nonblocking(pipe)?,
            left: Cow::Borrowed(left),
            keep_open,
        })
    }

    fn has_more(&self) -> bool {
        !self.left.is_empty()
    }

    fn advance(&mut self) {
        let Some(pipe) = self.pipe.as_ref().filter(|_| self.has_more()) else {
            return;
        };
        let chunk = self.left.get(..CHUNK).unwrap_or(&self.left);
        match rustix::io::write(pipe, chunk) {
            Ok(written) => self.left = rest(std::mem::take(&mut self.left), written),
            Err(Errno::AGAIN | Errno::INTR) => return,
            // A child may stop reading early (EPIPE); that is no error.
            Err(_) => self.pipe = None,
        }
        if !self.has_more() && !self.keep_open {
            self.pipe = None;
        }
    }
}

fn rest(bytes: Cow<'_, [u8]>, from: usize) -> Cow<'_, [u8]> {
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(from..).unwrap_or_default()),
        Cow::Owned(mut bytes) => {
            bytes.drain(..from.min(bytes.len()));
            Cow::Owned(bytes)
        }
    }
}

/// One of the child's output streams.
struct OutputPipe {
    pipe: Option<OwnedFd>,
    captured: Captured,
}

impl OutputPipe {
    fn new(pipe: Option<OwnedFd>) -> io::Result<Self> {
        Ok(Self {
            pipe: nonblocking(pipe)?,
            captured: Captured::default(),
        })
    }

    /// Reads once; returns whether there was output.
    fn advance(&mut self, scratch: &mut [u8]) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        match rustix::io::read(pipe, &mut *scratch) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let bytes = scratch.get(..count).unwrap_or_default();
                self.captured.push(bytes, OUTPUT_LIMIT);
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.pipe = None,
        }
        false
    }
}

/// The flag is per end of a pipe, so the child's end stays blocking.
fn nonblocking(pipe: Option<OwnedFd>) -> io::Result<Option<OwnedFd>> {
    if let Some(pipe) = &pipe {
        rustix::io::ioctl_fionbio(pipe.as_fd(), true)?;
    }
    Ok(pipe)
}
