//! The instance lock: at most one daemon per state directory.

use std::fs::File;
use std::io::{Error, Read, Write};
use std::path::Path;

use becket_base::fs::open_private;
use rustix::fs::{FlockOperation, flock};

/// An exclusive file lock. The kernel releases it when the process ends, for any reason.
#[derive(Debug)]
pub struct InstanceLock(File);

/// Tries to take the lock; `None` if another process holds it.
pub fn try_lock(path: &Path) -> std::io::Result<Option<InstanceLock>> {
    let mut file = open_private(path)
        .map_err(|error| Error::new(error.kind(), format!("`{}`: {error}", path.display())))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {
            // Informational: only the lock decides which process holds it.
            let _ = file.set_len(0);
            let _ = writeln!(file, "{}", std::process::id());
            Ok(Some(InstanceLock(file)))
        }
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The process that holds the lock, without changing anything. `None` if the lock is free or cannot be read.
pub fn lock_holder(path: &Path) -> Option<LockHolder> {
    let mut file = File::open(path).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => {}
        _ => return None,
    }
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    Some(LockHolder {
        pid: text.trim().parse().ok(),
    })
}

/// The holder of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process id, as written to the file; `None` if it has not been written yet.
    pub pid: Option<u32>,
}

impl InstanceLock {
    /// The lock file. A child process that inherits it holds the lock too.
    pub fn file(&self) -> &File {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_exclusive_and_released_on_drop() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("lock");
        let first = try_lock(&path).expect("a file").expect("free");
        assert!(try_lock(&path).expect("a file").is_none());
        let pid = Some(std::process::id());
        assert_eq!(lock_holder(&path), Some(LockHolder { pid }));
        drop(first);
        assert_eq!(lock_holder(&path), None);
        assert!(try_lock(&path).expect("a file").is_some());
    }
}
