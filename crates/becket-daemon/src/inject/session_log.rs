//! A log of the items injected into each session: an LRU cache in memory, and small files that survive a restart.
//!
//! A file holds ids of items, not their text. Its name is a hash, because agents choose session ids freely. Losing a
//! file is harmless: the items are injected again.

use std::fs;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use becket_base::fs::{FileSync, write_private};
use becket_base::sync::MutexExt;
use becket_recall::inject::InjectedIds;
use becket_store::Millis;
use lru::LruCache;

/// Sessions in the cache; the least recently used one is evicted and loaded from its file when needed.
const CACHE_CAPACITY: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The most files in the directory.
const MAX_FILES: usize = 1_000;

/// Files of sessions without activity for this long are deleted.
const MAX_AGE: Duration = Duration::from_secs(60 * 60 * 24 * 30);

/// The directory is pruned after this many writes.
const PRUNE_EVERY: usize = 100;

/// No more than this is read from a file.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The items that were injected into a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct InjectedItems {
    pub(crate) seen: InjectedIds,
    /// When the last item was injected.
    pub(crate) last_injected_at: Option<Millis>,
    /// The file is out of date.
    pub(crate) is_dirty: bool,
}

/// The items injected into each session.
pub(crate) struct SessionLog {
    dir: PathBuf,
    cache: Mutex<LruCache<String, Arc<Mutex<InjectedItems>>>>,
    writes: AtomicUsize,
}

impl SessionLog {
    /// A log in this directory, which is created at the first write.
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            cache: Mutex::new(LruCache::new(CACHE_CAPACITY)),
            writes: AtomicUsize::new(0),
        }
    }

    /// The items injected into a session.
    pub(crate) fn get(&self, session: &str) -> Arc<Mutex<InjectedItems>> {
        let mut cache = self.cache.lock_ignoring_poison();
        let injected = cache.get_or_insert(session.to_owned(), || {
            let injected = load(&self.path_of(session)).unwrap_or_default();
            Arc::new(Mutex::new(injected))
        });
        Arc::clone(injected)
    }

    /// Writes the items to the session's file, unless it is up to date.
    pub(crate) fn persist(&self, session: &str, injected: &Mutex<InjectedItems>) {
        // The lock is held while writing: of two writers, the later one writes the items of both.
        let mut injected = injected.lock_ignoring_poison();
        if !std::mem::take(&mut injected.is_dirty) {
            return;
        }
        let file = self.path_of(session);
        let done = if injected.seen.is_empty() {
            ignore_missing(fs::remove_file(&file))
        } else {
            serde_json::to_vec(&injected.seen)
                .map_err(io::Error::from)
                .and_then(|text| write_private(&file, &text, FileSync::Skip))
        };
        if let Err(error) = done {
            tracing::warn!("cannot write the session log: {error}");
        }
        if self
            .writes
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(PRUNE_EVERY)
        {
            self.prune(SystemTime::now());
        }
    }

    /// Writes all files that are out of date.
    pub(crate) fn persist_all(&self) {
        let known = self.cache.lock_ignoring_poison();
        for (session, injected) in known.iter() {
            self.persist(session, injected);
        }
    }

    fn path_of(&self, session: &str) -> PathBuf {
        let name = blake3::hash(session.as_bytes()).to_hex();
        self.dir.join(format!("{}.json", &name[..32]))
    }

    /// Deletes old files, and the oldest ones above the limit.
    fn prune(&self, now: SystemTime) {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let too_many = files.len().saturating_sub(MAX_FILES);
        for (number, (changed, path)) in files.iter().enumerate() {
            let is_old = now.duration_since(*changed).is_ok_and(|age| age > MAX_AGE);
            if is_old || number < too_many {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn load(file: &Path) -> Option<InjectedItems> {
    let mut text = Vec::new();
    let file = fs::File::open(file).ok()?;
    let written = file.metadata().ok()?.modified().ok()?;
    let written = written.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut text).ok()?;
    Some(InjectedItems {
        seen: serde_json::from_slice(&text).ok()?,
        last_injected_at: Some(Millis(i64::try_from(written.as_millis()).ok()?)),
        is_dirty: false,
    })
}

/// Treats a missing file as deleted.
fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(ids: &str) -> InjectedIds {
        serde_json::from_str(ids).expect("a list")
    }

    fn injected(ids: &str) -> Mutex<InjectedItems> {
        Mutex::new(InjectedItems {
            seen: seen(ids),
            is_dirty: true,
            ..InjectedItems::default()
        })
    }

    #[test]
    fn session_log_survives_a_restart() {
        let dir = tempfile::tempdir().expect("a directory");
        let sessions = SessionLog::new(dir.path().join("told"));
        sessions.persist("../../one", &injected(r#"["memory:a"]"#));
        let next = SessionLog::new(dir.path().join("told"));
        let known = |session: &str| next.get(session).lock().expect("whole").seen.clone();
        assert_eq!(known("../../one"), seen(r#"["memory:a"]"#));
        assert_eq!(known("two"), InjectedIds::default());
        // The file of a session without items is deleted.
        next.persist("../../one", &injected("[]"));
        let left = fs::read_dir(dir.path().join("told")).expect("there");
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn invalid_session_log_files_are_ignored() {
        let dir = tempfile::tempdir().expect("a directory");
        let sessions = SessionLog::new(dir.path().to_owned());
        for text in ["", "nonsense", r#"{"a":1}"#, "[1,2]"] {
            fs::write(sessions.path_of("one"), text).expect("written");
            assert_eq!(load(&sessions.path_of("one")), None, "{text}");
        }
    }

    #[test]
    fn old_and_surplus_session_log_files_are_deleted() {
        let dir = tempfile::tempdir().expect("a directory");
        let sessions = SessionLog::new(dir.path().to_owned());
        let now = SystemTime::now();
        let count = || fs::read_dir(dir.path()).expect("there").count();
        let put = |name: usize, age: Duration| {
            let file = fs::File::create(dir.path().join(format!("{name}.json")));
            file.and_then(|file| file.set_modified(now - age))
                .expect("written");
        };
        for number in 0..MAX_FILES + 3 {
            put(number, Duration::from_secs(number as u64));
        }
        sessions.prune(now);
        assert_eq!(count(), MAX_FILES);
        let oldest = dir.path().join(format!("{}.json", MAX_FILES + 2));
        assert!(!oldest.exists() && dir.path().join("0.json").exists());
        put(0, MAX_AGE + Duration::from_secs(1));
        sessions.prune(now);
        assert_eq!(count(), MAX_FILES - 1);
    }
}
