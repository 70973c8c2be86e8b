//! What is being done, for people who wait for it: all of it takes minutes.

use std::time::Instant;

/// Since when one has waited.
pub(crate) struct Progress(Instant);

impl Progress {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// Says what comes next.
    #[expect(clippy::print_stderr, reason = "talk")]
    pub(crate) fn tell(&self, what: &str) {
        eprintln!("{:>4} s  {what}", self.0.elapsed().as_secs());
    }
}
