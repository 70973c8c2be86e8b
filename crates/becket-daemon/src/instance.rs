//! One daemon at a time: whoever holds the lock is it.

use std::fs::{File, OpenOptions};
use std::io::{Error, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// A lock that ends with the process that holds it, however it ends.
#[derive(Debug)]
pub struct Held(File);

/// Takes a lock, or says that somebody has it.
pub fn hold(path: &Path) -> std::io::Result<Option<Held>> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|error| Error::new(error.kind(), format!("`{}`: {error}", path.display())))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {
            // For people who look: who holds it is decided by the lock alone.
            let _ = file.set_len(0);
            let _ = writeln!(file, "{}", std::process::id());
            Ok(Some(Held(file)))
        }
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The process that has a lock, if one has; changes nothing. A lock that cannot be looked at is nobody's.
pub fn holder(path: &Path) -> Option<Holder> {
    let mut file = File::open(path).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => {}
        _ => return None,
    }
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    Some(Holder {
        pid: text.trim().parse().ok(),
    })
}

/// Who has a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// As it says itself; it may not have got that far.
    pub pid: Option<u32>,
}

impl Held {
    /// The file that carries the lock; a child that inherits it holds the lock too.
    pub fn file(&self) -> &File {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_free_when_that_one_is_gone() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("lock");
        let first = hold(&path).expect("a file").expect("free");
        assert!(hold(&path).expect("a file").is_none());
        let pid = Some(std::process::id());
        assert_eq!(holder(&path), Some(Holder { pid }));
        drop(first);
        assert_eq!(holder(&path), None);
        assert!(hold(&path).expect("a file").is_some());
    }
}
