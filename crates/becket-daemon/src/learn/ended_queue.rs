//! A queue of ended turns and sessions, from the writer thread to the learning thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use becket_base::sync::MutexExt;
use becket_store::IngestReport;
use tokio::sync::Notify;

/// Ended turns and sessions that wait to be learned from. It is only in memory: after a crash the learning thread
/// finds them in the database.
#[derive(Default)]
pub(crate) struct EndedQueue {
    is_enabled: AtomicBool,
    ended: Mutex<IngestReport>,
    wakeup: Notify,
}

impl EndedQueue {
    fn ended(&self) -> MutexGuard<'_, IngestReport> {
        self.ended.lock_ignoring_poison()
    }

    /// Starts collecting.
    pub(super) fn enable(&self) {
        self.is_enabled.store(true, Ordering::Relaxed);
    }

    /// Stops collecting.
    pub(super) fn disable(&self) {
        self.is_enabled.store(false, Ordering::Relaxed);
        self.drain();
    }

    /// Adds ended turns and sessions, if the queue is enabled.
    pub(crate) fn push(
        &self,
        batches: impl IntoIterator<Item = String>,
        sessions: impl IntoIterator<Item = String>,
    ) {
        if !self.is_enabled.load(Ordering::Relaxed) {
            return;
        }
        let is_new = {
            let mut ended = self.ended();
            ended.ended_batches.extend(batches);
            ended.ended_sessions.extend(sessions);
            !ended.ended_batches.is_empty() || !ended.ended_sessions.is_empty()
        };
        if is_new {
            self.wake();
        }
    }

    /// Removes and returns everything in the queue.
    pub(super) fn drain(&self) -> IngestReport {
        let mut ended = self.ended();
        IngestReport {
            ended_batches: std::mem::take(&mut ended.ended_batches),
            ended_sessions: std::mem::take(&mut ended.ended_sessions),
            ..IngestReport::default()
        }
    }

    /// Wakes the learning thread now, or at its next wait.
    pub(super) fn wake(&self) {
        self.wakeup.notify_one();
    }

    pub(super) async fn woken(&self) {
        self.wakeup.notified().await;
    }
}
