//! Background threads of the daemon: notifications, learning, file watching and embedding.

use std::sync::Arc;

use becket_recall::embed::EndpointConfig;
use becket_spool::wake_fifo::WakeReader;

use crate::run::Daemon;
use crate::wake::WakeThread;
use crate::{learn, recall, watch};

/// The running background threads.
pub(crate) struct Workers {
    notifications: Option<WakeThread>,
    learning: Option<learn::LearnWorker>,
    watching: Option<watch::WatchHandle>,
    _embedding: Option<recall::EmbeddingBackfill>,
}

impl Workers {
    /// Starts the threads. If one cannot start, the daemon logs it and serves requests without it.
    pub(crate) fn start(
        daemon: &Arc<Daemon>,
        wake: Option<WakeReader>,
        embedding: Option<EndpointConfig>,
    ) -> Self {
        let log_failure = |what: &str, error| tracing::warn!("{what}: {error}");
        let notifications = wake.and_then(|reader| {
            WakeThread::start(reader, daemon)
                .map_err(|error| log_failure("cannot start the wake thread", error))
                .ok()
        });
        let learning = daemon.learner.as_ref().and_then(|learner| {
            let started = learn::LearnWorker::start(learner, Arc::clone(&daemon.counters));
            started
                .map_err(|error| log_failure("cannot start the learning thread", error))
                .ok()
        });
        let embedding = recall::start_backfill(&daemon.memory, embedding);
        let embedding = embedding
            .map_err(|error| log_failure("cannot start the embedding thread", error))
            .ok();
        let watching = watch::start(&daemon.memory, Arc::clone(&daemon.counters));
        let watching = watching
            .map_err(|error| log_failure("cannot start the file watcher", error))
            .ok();
        Self {
            notifications,
            learning,
            watching,
            _embedding: embedding,
        }
    }

    /// Stops the threads after their current write.
    pub(crate) fn stop(self) {
        if let Some(notifications) = self.notifications {
            notifications.stop();
        }
        if let Some(watching) = self.watching {
            watching.stop();
        }
        if let Some(learning) = self.learning {
            learning.stop();
        }
    }
}
