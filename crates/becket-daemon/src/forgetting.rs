//! Forgetting what is older than the person wants to keep, on its own.

use std::sync::Arc;
use std::time::Duration;

use becket_store::{Millis, Retention};

use crate::run::Daemon;

/// How often it is looked for.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Between two steps, so that nobody has to wait for long.
const PAUSE: Duration = Duration::from_millis(200);

/// Looks when the daemon has settled, and then once a day.
pub(crate) async fn follow(daemon: Arc<Daemon>, settle: Duration) {
    let mut wait = settle;
    loop {
        tokio::select! {
            () = daemon.stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        wait = DAY;
        // Asked every time: the person may have changed it.
        let keep = daemon.setup.ask(|setup| Ok(setup.keep())).await;
        if let Ok(Some(keep)) = keep {
            forget(&daemon, Millis::now().minus(keep)).await;
        }
    }
}

/// Forgets what ended before then, a step at a time.
async fn forget(daemon: &Daemon, before: Millis) {
    let (mut sessions, mut events) = (0, 0);
    loop {
        let step = match daemon.prune(Retention::before(before)).await {
            Ok(step) => step,
            Err(error) => return tracing::warn!("what is old could not be forgotten: {error}"),
        };
        sessions += step.sessions;
        events += step.events;
        if !step.more {
            break;
        }
        tokio::select! {
            () = daemon.stop.cancelled() => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    if sessions + events > 0 {
        tracing::info!("{sessions} sessions and {events} events were old and are forgotten");
    }
}
