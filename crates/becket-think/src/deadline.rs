//! One deadline over everything that a hook does, and the thread it does it on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use becket_runner::CancellationToken;
use becket_runner::process::{self, Cancel, Command, Finished, Next};
use futures_lite::FutureExt;
use futures_timer::Delay;
use tokio::sync::oneshot;

/// How often to look whether a sleeper or a child has been told to stop.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Nobody waits longer; also keeps deadlines far from the end of the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// A point in time, and whether anybody still waits for it.
#[derive(Debug, Clone)]
pub struct Deadline {
    at: Instant,
    cancel: Cancel,
    /// Children that run under this deadline.
    children: Arc<AtomicUsize>,
}

/// Why there is no time left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The deadline has passed.
    TimedOut,
    /// Nobody waits any longer.
    Cancelled,
}

impl Deadline {
    /// This long from now.
    pub fn within(time: Duration) -> Self {
        Self {
            at: Instant::now() + time.min(LONGEST),
            cancel: Cancel::new(),
            children: Arc::default(),
        }
    }

    /// The same, given up when somebody cancels.
    #[must_use]
    pub fn until(self, cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            ..self
        }
    }

    /// This or `time` from now, whichever comes first.
    #[must_use]
    pub fn at_most(&self, time: Duration) -> Self {
        Self {
            at: self.at.min(Instant::now() + time.min(LONGEST)),
            ..self.clone()
        }
    }

    /// The time that is left; an error if there is none.
    pub fn left(&self) -> Result<Duration, Stopped> {
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Stopped::TimedOut);
        }
        Ok(left)
    }

    /// Waits, unless that takes longer than there is time: then it fails at once.
    pub(crate) fn sleep(&self, time: Duration) -> Result<(), Stopped> {
        if self.left()? <= time {
            return Err(Stopped::TimedOut);
        }
        let until = Instant::now() + time;
        loop {
            self.left()?;
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Ok(());
            }
            std::thread::sleep(rest.min(LOOK_EVERY));
        }
    }

    /// Runs a child in what time is left.
    pub(crate) fn run(&self, command: Command) -> Finished {
        let _counted = Counted::new(&self.children);
        process::run(&self.limited(command), &self.cancel)
    }

    /// Talks with a child in what time is left.
    pub(crate) fn converse(
        &self,
        command: Command,
        hear: &mut dyn FnMut(&[u8]) -> Next,
    ) -> Finished {
        let _counted = Counted::new(&self.children);
        process::converse(&self.limited(command), &self.cancel, hear)
    }

    fn limited(&self, command: Command) -> Command {
        Command {
            timeout: self.left().unwrap_or_default(),
            ..command
        }
    }

    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits until the children that were told to stop are gone. Their number is up before they are started,
    /// and none starts once they are told, so zero means none.
    async fn children_gone(&self) {
        while self.children.load(Ordering::Acquire) > 0 {
            Delay::new(LOOK_EVERY).await;
        }
    }
}

struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Ends what runs when the future that waits for it is dropped.
struct CancelOnDrop(Deadline);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Does blocking work on a thread of its own. Past the deadline or on a cancelled token it returns at once and
/// leaves the thread to notice, but never a child: that is ended first.
pub(crate) async fn on_thread<T: Send + 'static>(
    time: Duration,
    token: &CancellationToken,
    work: impl FnOnce(&Deadline) -> T + Send + 'static,
) -> Result<T, Stopped> {
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
        return Err(Stopped::Cancelled);
    }
    let finished = async { waiting.await.map_err(|_| Stopped::Cancelled) };
    let cancelled = async {
        token.cancelled().await;
        Err(Stopped::Cancelled)
    };
    let late = async {
        Delay::new(time.min(LONGEST)).await;
        Err(Stopped::TimedOut)
    };
    let result = finished.or(cancelled).or(late).await;
    if result.is_err() {
        guard.0.cancel();
        deadline.children_gone().await;
    }
    result
}
