//! File locks with a timeout.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

/// How many rotations to follow: a lock on a rotated file is retried on the new active file.
const MAX_ROTATIONS: u32 = 100;
const FIRST_SLEEP: Duration = Duration::from_micros(20);
const MAX_SLEEP: Duration = Duration::from_millis(5);

/// The retry state of one lock. It reads the clock only if the lock is contended.
pub(crate) struct LockRetry {
    wait: Duration,
    started: Option<Instant>,
    sleep: Duration,
    rotations: u32,
}

impl LockRetry {
    pub(crate) fn new(wait: Duration) -> Self {
        Self {
            wait,
            started: None,
            sleep: FIRST_SLEEP,
            rotations: 0,
        }
    }

    /// Takes the exclusive lock on `file`; `false` on a timeout or if the file system has no locks. Closing the
    /// file releases it.
    pub(crate) fn lock(&mut self, file: &OwnedFd) -> bool {
        loop {
            match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return true,
                Err(Errno::WOULDBLOCK | Errno::INTR) if self.sleep() => {}
                Err(_) => return false,
            }
        }
    }

    /// Sleeps with exponential backoff; `false` on a timeout.
    fn sleep(&mut self) -> bool {
        if self.started.get_or_insert_with(Instant::now).elapsed() >= self.wait {
            return false;
        }
        std::thread::sleep(self.sleep);
        self.sleep = (self.sleep * 2).min(MAX_SLEEP);
        true
    }

    /// Counts that the locked file was no longer the active one; `false` if that happened too often.
    pub(crate) fn note_rotation(&mut self) -> bool {
        self.rotations += 1;
        self.rotations <= MAX_ROTATIONS
    }
}
