//! The fill level of a spool, for `status` and `doctor`.

use rustix::fs::{AtFlags, OFlags};

use crate::Spool;
use crate::dir::SpoolDir;
use crate::error::Error;
use crate::names::{ACTIVE, DROPPED, QUARANTINE_DIR, SealedKind};

/// The fill level of a spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpoolStatus {
    /// Bytes of unread records.
    pub bytes: u64,
    /// Unread segments, without the active file.
    pub segments: u64,
    /// Segments dropped to stay within the limit, since the last [`Spool::reset_dropped`].
    pub dropped: u64,
    /// Quarantined lines, which were not JSON.
    pub quarantined: u64,
}

impl Spool {
    /// Reads the status without changing anything. A spool that does not exist is empty.
    pub fn status(&self) -> Result<SpoolStatus, Error> {
        let Some(dir) = SpoolDir::open(&self.path)? else {
            return Ok(SpoolStatus::default());
        };
        let mut status = SpoolStatus {
            bytes: waiting(&dir)?,
            ..SpoolStatus::default()
        };
        for sealed in dir.sealed()? {
            status.segments += u64::from(sealed.kind == SealedKind::Segment);
        }
        status.dropped = lines_in(&dir, DROPPED);
        if let Some(aside) = dir.inner(QUARANTINE_DIR)? {
            status.quarantined = aside
                .sealed()?
                .iter()
                .map(|sealed| lines_in(&aside, &sealed.name))
                .sum();
        }
        Ok(status)
    }

    /// Bytes of unread records. Opens no file.
    pub fn bytes(&self) -> Result<u64, Error> {
        SpoolDir::open(&self.path)?.map_or(Ok(0), |dir| waiting(&dir))
    }

    /// The number of dropped segments. Reads one small file, if it exists.
    pub fn dropped(&self) -> Result<u64, Error> {
        let dir = SpoolDir::open(&self.path)?;
        Ok(dir.map_or(0, |dir| lines_in(&dir, DROPPED)))
    }

    /// Resets the count of dropped segments, after it was reported.
    pub fn reset_dropped(&self) -> Result<(), Error> {
        if let Some(dir) = SpoolDir::open(&self.path)? {
            dir.remove(DROPPED)?;
        }
        Ok(())
    }
}

fn waiting(dir: &SpoolDir) -> Result<u64, Error> {
    let sealed = dir.sealed()?;
    let sealed = sealed.iter().map(|sealed| size_of(dir, &sealed.name));
    Ok(size_of(dir, ACTIVE) + sealed.sum::<u64>())
}

/// The size of a file; 0 if it does not exist.
fn size_of(dir: &SpoolDir, name: &str) -> u64 {
    let stat = rustix::fs::statat(&dir.fd, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or_default())
}

fn lines_in(dir: &SpoolDir, name: &str) -> u64 {
    let Ok(file) = dir.open_file(name, OFlags::RDONLY) else {
        return 0;
    };
    let mut lines = 0;
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(len @ 1..) = rustix::io::read(&file, &mut buffer[..]) {
        lines += buffer[..len].split(|byte| *byte == b'\n').count() - 1;
    }
    u64::try_from(lines).unwrap_or(u64::MAX)
}
