//! Retention: prunes records that are older than the configured period.

use std::sync::Arc;
use std::time::Duration;

use becket_store::{Millis, Retention};

use crate::run::Daemon;

/// The interval between two prunings.
const PRUNE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// A pause between two steps, so that other writes can run.
const STEP_PAUSE: Duration = Duration::from_millis(200);

/// Prunes after `delay`, and then once a day.
pub(crate) async fn run(daemon: Arc<Daemon>, delay: Duration) {
    let mut wait = delay;
    loop {
        tokio::select! {
            () = daemon.stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        wait = PRUNE_INTERVAL;
        // Loaded every time, because the user may change it.
        let period = daemon.setup.run(|setup| Ok(setup.retention_period())).await;
        if let Ok(Some(period)) = period {
            prune_before(&daemon, Millis::now().minus(period)).await;
        }
    }
}

/// Prunes the sessions that ended before a time, step by step.
async fn prune_before(daemon: &Daemon, before: Millis) {
    let (mut sessions, mut events) = (0, 0);
    loop {
        let step = match daemon.prune(Retention::before(before)).await {
            Ok(step) => step,
            Err(error) => return tracing::warn!("cannot prune old records: {error}"),
        };
        sessions += step.sessions;
        events += step.events;
        if !step.more {
            break;
        }
        tokio::select! {
            () = daemon.stop.cancelled() => return,
            () = tokio::time::sleep(STEP_PAUSE) => {}
        }
    }
    if sessions + events > 0 {
        tracing::info!("pruned {sessions} sessions and {events} events");
    }
}
