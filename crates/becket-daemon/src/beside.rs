//! What the daemon does beside answering, on threads of its own.

use std::sync::Arc;

use becket_recall::embed::EndpointConfig;

use crate::run::Daemon;
use crate::{learn, recall, watch};

/// Threads for which nobody waits.
pub(crate) struct Beside {
    learning: Option<learn::Running>,
    watching: Option<watch::Ear>,
    _embedding: Option<recall::Bringing>,
}

impl Beside {
    /// Starts them. One that cannot be started is missed and no reason not to answer.
    pub(crate) fn start(daemon: &Daemon, embedding: Option<EndpointConfig>) -> Self {
        let or_none = |what: &str, error| tracing::warn!("{what}: {error}");
        let learning = daemon.learner.as_ref().and_then(|learner| {
            let started = learn::Running::start(learner, Arc::clone(&daemon.counters));
            started
                .map_err(|error| or_none("nothing is learnt", error))
                .ok()
        });
        let embedding = recall::bring(&daemon.remembering, embedding);
        let embedding = embedding
            .map_err(|error| or_none("no vector is made that is missing", error))
            .ok();
        let watching = watch::start(&daemon.remembering, Arc::clone(&daemon.counters));
        let watching = watching
            .map_err(|error| or_none("no file is watched", error))
            .ok();
        Self {
            learning,
            watching,
            _embedding: embedding,
        }
    }

    /// Lets them finish what they write.
    pub(crate) fn end(self) {
        if let Some(watching) = self.watching {
            watching.stop();
        }
        if let Some(learning) = self.learning {
            learning.end();
        }
    }
}
