//! The files of a spool: names, opening, locking.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};

use crate::Spool;

const ACTIVE: &str = "events.jsonl";
const SEGMENT: &str = "segment-";
const ALONE: &str = "event-";
const DROPPED: &str = "dropped";
const SET_ASIDE: &str = "set-aside.jsonl";

impl Spool {
    pub(crate) fn active(&self) -> PathBuf {
        self.dir.join(ACTIVE)
    }

    pub(crate) fn alone(&self) -> PathBuf {
        let nanos = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        self.dir
            .join(format!("{ALONE}{nanos:024}-{}.jsonl", std::process::id()))
    }

    pub(crate) fn dropped(&self) -> PathBuf {
        self.dir.join(DROPPED)
    }

    pub(crate) fn set_aside(&self) -> PathBuf {
        self.dir.join(SET_ASIDE)
    }

    /// Segments and records that stand alone, oldest first. Other files are nobody's business of ours.
    pub(crate) fn closed(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names: Vec<(u128, PathBuf)> = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if let Some(age) = age(&name)
                && entry.file_type()?.is_file()
            {
                names.push((age, entry.path()));
            }
        }
        names.sort();
        Ok(names.into_iter().map(|(_, path)| path).collect())
    }

    /// A name for the next segment. Names carry the time, so that order needs no counter.
    pub(crate) fn next_segment(&self) -> PathBuf {
        let nanos = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        let newest = self
            .closed()
            .unwrap_or_default()
            .last()
            .and_then(|path| age(&path.file_name()?.to_string_lossy()));
        // The clock may go backwards; order must not.
        let at = newest.map_or(nanos, |newest| nanos.max(newest + 1));
        self.dir.join(format!("{SEGMENT}{at:024}.jsonl"))
    }

    pub(crate) fn is_segment(path: &Path) -> bool {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(SEGMENT))
    }

    /// Opens a file of ours for appending, through no symbolic link; the directory is made if it is missing.
    pub(crate) fn open_append(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
        match options.open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(&self.dir)?;
                options.open(path)
            }
            opened => opened,
        }
    }

    /// Refuses a directory that somebody else could have prepared.
    pub(crate) fn check_dir(&self) -> io::Result<()> {
        let meta = fs::symlink_metadata(&self.dir)?;
        let refused = |why: &str| Err(io::Error::new(ErrorKind::PermissionDenied, why.to_owned()));
        if !meta.is_dir() {
            return refused("is not a directory");
        }
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return refused("belongs to somebody else");
        }
        if meta.mode() & 0o022 != 0 {
            return refused("can be written by others; remove their permission with chmod go-w");
        }
        Ok(())
    }
}

/// The time in a name of ours.
fn age(name: &str) -> Option<u128> {
    let rest = name
        .strip_prefix(SEGMENT)
        .or_else(|| name.strip_prefix(ALONE))?;
    rest.strip_suffix(".jsonl")?.get(..24)?.parse().ok()
}

/// Waits for the lock, but not for long: whoever holds it writes one record or renames one file.
pub(crate) fn lock(file: &File, patience: Duration) -> io::Result<bool> {
    let started = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) if started.elapsed() < patience => {
                std::thread::sleep(Duration::from_micros(200));
            }
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(false),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the open file is still the one at the path, and not a segment by now.
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<Option<fs::Metadata>> {
    let opened = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) if there.ino() == opened.ino() && there.dev() == opened.dev() => Ok(Some(opened)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
