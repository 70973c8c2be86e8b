//! Locks that are waited for, but not for long.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

/// How often a lock that turned out to be on a rotated file is tried again on the new one.
const MOST_ROTATIONS: u32 = 100;
const FIRST_NAP: Duration = Duration::from_micros(20);
const LONGEST_NAP: Duration = Duration::from_millis(5);

/// How long to keep trying. The clock is not read until somebody else has the lock.
pub(crate) struct Patience {
    wait: Duration,
    started: Option<Instant>,
    nap: Duration,
    rotations: u32,
}

impl Patience {
    pub(crate) fn new(wait: Duration) -> Self {
        Self {
            wait,
            started: None,
            nap: FIRST_NAP,
            rotations: 0,
        }
    }

    /// Takes the exclusive lock on `file`; `false` when it could not be had in time, or not at all on
    /// this file system. Closing the file gives it back.
    pub(crate) fn lock(&mut self, file: &OwnedFd) -> bool {
        loop {
            match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return true,
                Err(Errno::WOULDBLOCK | Errno::INTR) if self.nap() => {}
                Err(_) => return false,
            }
        }
    }

    /// Sleeps a little; `false` when the time is up.
    fn nap(&mut self) -> bool {
        if self.started.get_or_insert_with(Instant::now).elapsed() >= self.wait {
            return false;
        }
        std::thread::sleep(self.nap);
        self.nap = (self.nap * 2).min(LONGEST_NAP);
        true
    }

    /// Notes that the locked file was no longer the active one; `false` when that went on for too long.
    pub(crate) fn rotated(&mut self) -> bool {
        self.rotations += 1;
        self.rotations <= MOST_ROTATIONS
    }
}
