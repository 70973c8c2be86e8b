//! File locks with a timeout.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

const FIRST_SLEEP: Duration = Duration::from_micros(20);
const MAX_SLEEP: Duration = Duration::from_millis(5);

/// Waits for exclusive locks, for at most a time in total. It reads the clock only if a lock is contended.
#[derive(Debug)]
pub struct LockRetry {
    timeout: Duration,
    started: Option<Instant>,
    sleep: Duration,
}

impl LockRetry {
    /// No wait yet.
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            started: None,
            sleep: FIRST_SLEEP,
        }
    }

    /// Takes the exclusive lock on a file; `false` on a timeout, an error if the file system has no locks. The kernel
    /// releases the lock when the file is closed, so also when the process ends, for any reason.
    pub fn lock(&mut self, file: impl AsFd) -> io::Result<bool> {
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(true),
                Err(Errno::WOULDBLOCK | Errno::INTR) if self.sleep() => {}
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sleeps with exponential backoff; `false` on a timeout.
    fn sleep(&mut self) -> bool {
        if self.started.get_or_insert_with(Instant::now).elapsed() >= self.timeout {
            return false;
        }
        std::thread::sleep(self.sleep);
        self.sleep = (self.sleep * 2).min(MAX_SLEEP);
        true
    }
}
