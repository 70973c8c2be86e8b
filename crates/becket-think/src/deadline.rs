//! Deadlines and cancellation for a hook, and a thread for its blocking work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use becket_runner::CancellationToken;
use becket_runner::process::{self, Cancel, Command, Finished, LineAction};
use futures_lite::FutureExt;
use futures_timer::Delay;
use tokio::sync::oneshot;

/// How often sleeping code and child processes check for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Upper bound for a timeout. It keeps `Instant` arithmetic from overflowing.
const MAX_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

/// A point in time plus a cancellation flag.
#[derive(Debug, Clone)]
pub struct Deadline {
    at: Instant,
    cancel: Cancel,
    /// Number of child processes that run under this deadline.
    children: Arc<AtomicUsize>,
}

/// Why no time is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadlineError {
    /// The deadline has passed.
    TimedOut,
    /// The caller cancelled the work.
    Cancelled,
}

impl Deadline {
    /// A deadline `time` from now.
    pub fn within(time: Duration) -> Self {
        Self {
            at: Instant::now() + time.min(MAX_TIMEOUT),
            cancel: Cancel::new(),
            children: Arc::default(),
        }
    }

    /// The same deadline, cancelled by `cancel`.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            ..self
        }
    }

    /// The earlier of this deadline and `time` from now.
    #[must_use]
    pub fn at_most(&self, time: Duration) -> Self {
        Self {
            at: self.at.min(Instant::now() + time.min(MAX_TIMEOUT)),
            ..self.clone()
        }
    }

    /// The remaining time, or an error if none is left.
    pub fn remaining(&self) -> Result<Duration, DeadlineError> {
        if self.cancel.is_cancelled() {
            return Err(DeadlineError::Cancelled);
        }
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(DeadlineError::TimedOut);
        }
        Ok(left)
    }

    /// Sleeps. Fails at once if the deadline comes before the end of the sleep.
    pub(crate) fn sleep(&self, time: Duration) -> Result<(), DeadlineError> {
        if self.remaining()? <= time {
            return Err(DeadlineError::TimedOut);
        }
        let until = Instant::now() + time;
        loop {
            self.remaining()?;
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Ok(());
            }
            std::thread::sleep(rest.min(POLL_INTERVAL));
        }
    }

    /// Runs a child process with the remaining time as its timeout.
    pub(crate) fn run(&self, command: Command) -> Finished {
        let _counted = RunningChild::new(&self.children);
        process::run(&self.with_timeout(command), &self.cancel)
    }

    /// Runs a child process, answers its output line by line, and stops it at the deadline.
    pub(crate) fn converse(
        &self,
        command: Command,
        hear: &mut dyn FnMut(&[u8]) -> LineAction,
    ) -> Finished {
        let _counted = RunningChild::new(&self.children);
        process::converse(&self.with_timeout(command), &self.cancel, hear)
    }

    fn with_timeout(&self, command: Command) -> Command {
        Command {
            timeout: self.remaining().unwrap_or_default(),
            ..command
        }
    }

    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits until all cancelled child processes have ended. The count rises before a child starts, and no child starts
    /// after a cancellation, so zero means that none is left.
    async fn wait_for_children(&self) {
        while self.children.load(Ordering::Acquire) > 0 {
            Delay::new(POLL_INTERVAL).await;
        }
    }
}

struct RunningChild(Arc<AtomicUsize>);

impl RunningChild {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Cancels the work when the future that waits for it is dropped.
struct CancelOnDrop(Deadline);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs blocking work on a separate thread.
///
/// After the deadline or a cancellation it returns at once and leaves the thread to finish by itself. It waits for
/// child processes to end first, so none is left behind.
pub(crate) async fn run_blocking<T: Send + 'static>(
    time: Duration,
    token: &CancellationToken,
    work: impl FnOnce(&Deadline) -> T + Send + 'static,
) -> Result<T, DeadlineError> {
    let deadline = Deadline::within(time);
    let guard = CancelOnDrop(deadline.clone());
    let (done, waiting) = oneshot::channel();
    let mine = deadline.clone();
    let spawned = std::thread::Builder::new()
        .name("becket-think".into())
        .spawn(move || {
            let _ = done.send(work(&mine));
        });
    if spawned.is_err() {
        return Err(DeadlineError::Cancelled);
    }
    let finished = async { waiting.await.map_err(|_| DeadlineError::Cancelled) };
    let cancelled = async {
        token.cancelled().await;
        Err(DeadlineError::Cancelled)
    };
    let late = async {
        Delay::new(time.min(MAX_TIMEOUT)).await;
        Err(DeadlineError::TimedOut)
    };
    let result = finished.or(cancelled).or(late).await;
    if result.is_err() {
        guard.0.cancel();
        deadline.wait_for_children().await;
    }
    result
}
