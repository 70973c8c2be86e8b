//! Progress messages; an evaluation takes minutes.

use std::time::Instant;

/// The start time.
pub(crate) struct Progress(Instant);

impl Progress {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// Prints the next step.
    #[expect(clippy::print_stderr, reason = "talk")]
    pub(crate) fn report(&self, what: &str) {
        eprintln!("{:>4} s  {what}", self.0.elapsed().as_secs());
    }
}
