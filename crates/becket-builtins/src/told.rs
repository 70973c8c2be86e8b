//! Saying a thing once a session, though every event is a process of its own.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::{fs, io, io::Write};

use crate::hook::Job;

/// Whether `what` has not been said in this session. Where that cannot be remembered, it is said
/// again: better twice than never.
pub(crate) fn first_time(job: &Job, what: &str) -> bool {
    let dir = job.deps.state_dir.join("builtins");
    let mark = dir.join(format!("told-{:016x}", hash(&(&job.spec.name, what))));
    // One mark for each thing, with the session it was last said in: nothing piles up.
    let event = &job.event;
    let session = format!(
        "{:016x}",
        hash(&(event.agent.as_str(), event.session.as_str()))
    );
    if fs::read_to_string(&mark).is_ok_and(|last| last == session) {
        return false;
    }
    let _ = private_dir(&dir).and_then(|()| write(&mark, &session));
    true
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Makes a directory that only its owner can enter, and those above it.
pub(crate) fn private_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
}
