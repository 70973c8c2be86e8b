//! What is over, from the one who writes to the one who learns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use becket_store::IngestReport;
use tokio::sync::Notify;

/// Turns and sessions that are over and that nobody has looked at. What is lost of it when the daemon is killed is
/// found again in the database.
#[derive(Default)]
pub(crate) struct Ended {
    is_wanted: AtomicBool,
    over: Mutex<IngestReport>,
    bell: Notify,
}

impl Ended {
    fn over(&self) -> MutexGuard<'_, IngestReport> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on somebody looks.
    pub(super) fn begin(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
    }

    /// From here on nobody does.
    pub(super) fn end(&self) {
        self.is_wanted.store(false, Ordering::Relaxed);
        self.take();
    }

    /// Notes what is over, if anybody wants to know.
    pub(crate) fn note(
        &self,
        batches: impl IntoIterator<Item = String>,
        sessions: impl IntoIterator<Item = String>,
    ) {
        if !self.is_wanted.load(Ordering::Relaxed) {
            return;
        }
        let is_new = {
            let mut over = self.over();
            over.ended_batches.extend(batches);
            over.ended_sessions.extend(sessions);
            !over.ended_batches.is_empty() || !over.ended_sessions.is_empty()
        };
        if is_new {
            self.ring();
        }
    }

    /// Takes what is over.
    pub(super) fn take(&self) -> IngestReport {
        let mut over = self.over();
        IngestReport {
            ended_batches: std::mem::take(&mut over.ended_batches),
            ended_sessions: std::mem::take(&mut over.ended_sessions),
            ..IngestReport::default()
        }
    }

    /// Wakes whoever waits, or whoever will wait next.
    pub(super) fn ring(&self) {
        self.bell.notify_one();
    }

    pub(super) async fn rung(&self) {
        self.bell.notified().await;
    }
}
