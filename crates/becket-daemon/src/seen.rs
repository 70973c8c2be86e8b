//! What each session was told: in memory for those that speak, in small files for when a daemon ends.
//!
//! A file has the ids of what was told and none of its words. It is named by a digest, because a session's id is an
//! agent's word. Losing one is harmless: things are then told again.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use becket_recall::inject::Seen;
use becket_store::Millis;

/// As many sessions are known; then the one that was silent for the longest is read again when it speaks.
const SESSIONS: usize = 256;

/// As many files are kept.
const FILES: usize = 1_000;

/// A session that was silent for this long may be told things again.
const KEPT: Duration = Duration::from_secs(60 * 60 * 24 * 30);

/// Every so many times that something was told, what is too much is cleared away.
const CLEARED: usize = 100;

/// No file is longer.
const LONGEST: u64 = 1024 * 1024;

/// What a session was told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Told {
    pub(crate) seen: Seen,
    /// When it was told something last.
    pub(crate) at: Option<Millis>,
    /// Its file does not have all of it yet.
    pub(crate) is_unkept: bool,
}

/// What sessions were told.
pub(crate) struct Sessions {
    dir: PathBuf,
    /// The one that spoke last at the end.
    known: Mutex<VecDeque<(String, Arc<Mutex<Told>>)>>,
    kept: AtomicUsize,
}

impl Sessions {
    /// Files are kept in this directory, which is made when there is something to keep.
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            known: Mutex::default(),
            kept: AtomicUsize::new(0),
        }
    }

    /// What a session was told.
    pub(crate) fn of(&self, session: &str) -> Arc<Mutex<Told>> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(id, _)| id == session);
        let known = at.and_then(|at| all.remove(at));
        let known = known.unwrap_or_else(|| {
            let told = read(&self.file(session)).unwrap_or_default();
            (session.to_owned(), Arc::new(Mutex::new(told)))
        });
        let told = Arc::clone(&known.1);
        all.push_back(known);
        while all.len() > SESSIONS {
            all.pop_front();
        }
        told
    }

    /// Keeps it for the next daemon, if that was not done.
    pub(crate) fn keep(&self, session: &str, told: &Mutex<Told>) {
        // Locked all the while: of two that keep, the later has to write what both were told.
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::take(&mut told.is_unkept) {
            return;
        }
        let file = self.file(session);
        let done = if told.seen.is_empty() {
            gone(fs::remove_file(&file))
        } else {
            self.write(&file, &told.seen)
        };
        if let Err(error) = done {
            tracing::warn!("what a session was told could not be kept: {error}");
        }
        if self
            .kept
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(CLEARED)
        {
            self.clear_away(SystemTime::now());
        }
    }

    /// Keeps all that was not kept yet.
    pub(crate) fn keep_all(&self) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (session, told) in known.iter() {
            self.keep(session, told);
        }
    }

    fn file(&self, session: &str) -> PathBuf {
        let name = blake3::hash(session.as_bytes()).to_hex();
        self.dir.join(format!("{}.json", &name[..32]))
    }

    fn write(&self, file: &Path, seen: &Seen) -> io::Result<()> {
        let mut dir = DirBuilder::new();
        dir.recursive(true).mode(0o700).create(&self.dir)?;
        let temporary = file.with_extension("new");
        gone(fs::remove_file(&temporary))?;
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        let text = serde_json::to_vec(seen)?;
        options.open(&temporary)?.write_all(&text)?;
        fs::rename(temporary, file)
    }

    /// Removes what is old, and the oldest where there are too many.
    fn clear_away(&self, now: SystemTime) {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let too_many = files.len().saturating_sub(FILES);
        for (number, (changed, path)) in files.iter().enumerate() {
            let is_old = now.duration_since(*changed).is_ok_and(|age| age > KEPT);
            if is_old || number < too_many {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn read(file: &Path) -> Option<Told> {
    let mut text = Vec::new();
    let file = fs::File::open(file).ok()?;
    let written = file.metadata().ok()?.modified().ok()?;
    let written = written.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    file.take(LONGEST).read_to_end(&mut text).ok()?;
    Some(Told {
        seen: serde_json::from_slice(&text).ok()?,
        at: Some(Millis(i64::try_from(written.as_millis()).ok()?)),
        is_unkept: false,
    })
}

/// What was not there is gone, too.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(ids: &str) -> Seen {
        serde_json::from_str(ids).expect("a list")
    }

    fn told(ids: &str) -> Mutex<Told> {
        Mutex::new(Told {
            seen: seen(ids),
            is_unkept: true,
            ..Told::default()
        })
    }

    #[test]
    fn the_next_daemon_knows_what_a_session_was_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let sessions = Sessions::new(dir.path().join("told"));
        sessions.keep("../../one", &told(r#"["memory:a"]"#));
        let next = Sessions::new(dir.path().join("told"));
        let known = |session: &str| next.of(session).lock().expect("whole").seen.clone();
        assert_eq!(known("../../one"), seen(r#"["memory:a"]"#));
        assert_eq!(known("two"), Seen::default());
        // Nothing is left of a session that has forgotten everything.
        next.keep("../../one", &told("[]"));
        let left = fs::read_dir(dir.path().join("told")).expect("there");
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn a_file_that_makes_no_sense_is_as_good_as_none() {
        let dir = tempfile::tempdir().expect("a directory");
        let sessions = Sessions::new(dir.path().to_owned());
        for text in ["", "nonsense", r#"{"a":1}"#, "[1,2]"] {
            fs::write(sessions.file("one"), text).expect("written");
            assert_eq!(read(&sessions.file("one")), None, "{text}");
        }
    }

    #[test]
    fn old_files_go_and_so_do_the_oldest_of_too_many() {
        let dir = tempfile::tempdir().expect("a directory");
        let sessions = Sessions::new(dir.path().to_owned());
        let now = SystemTime::now();
        let count = || fs::read_dir(dir.path()).expect("there").count();
        let put = |name: usize, age: Duration| {
            let file = fs::File::create(dir.path().join(format!("{name}.json")));
            file.and_then(|file| file.set_modified(now - age))
                .expect("written");
        };
        for number in 0..FILES + 3 {
            put(number, Duration::from_secs(number as u64));
        }
        sessions.clear_away(now);
        assert_eq!(count(), FILES);
        let oldest = dir.path().join(format!("{}.json", FILES + 2));
        assert!(!oldest.exists() && dir.path().join("0.json").exists());
        put(0, KEPT + Duration::from_secs(1));
        sessions.clear_away(now);
        assert_eq!(count(), FILES - 1);
    }
}
