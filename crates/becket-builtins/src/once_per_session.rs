//! Shows a message only once per session, although every event runs in its own process.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

use becket_base::fs::{FileSync, write_private};

use crate::hook::HookJob;

/// Whether `what` has not been reported in this session. If that cannot be stored, the message is repeated.
pub(crate) fn is_first_in_session(job: &HookJob, what: &str) -> bool {
    let dir = job.deps.state_dir.join("builtins");
    let mark = dir.join(format!("told-{:016x}", hash(&(&job.spec.name, what))));
    // One marker file per message. It contains the session of the last report, so files do not pile up.
    let event = &job.event;
    let session = format!(
        "{:016x}",
        hash(&(event.agent.as_str(), event.session.as_str()))
    );
    if fs::read_to_string(&mark).is_ok_and(|last| last == session) {
        return false;
    }
    let _ = write_private(&mark, session.as_bytes(), FileSync::Skip);
    true
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
