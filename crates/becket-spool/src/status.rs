//! How full a spool is, for `status` and `doctor`.

use rustix::fs::{AtFlags, OFlags};

use crate::Spool;
use crate::dir::Dir;
use crate::error::Error;
use crate::names::{ACTIVE, DROPPED, Kind, SET_ASIDE};

/// How full a spool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// Bytes of records that wait to be read.
    pub bytes: u64,
    /// Segments that wait to be read, the active file not among them.
    pub segments: u64,
    /// Segments that were dropped to stay within bounds, since [`Spool::forget_dropped`].
    pub dropped: u64,
    /// Lines that were no JSON and are kept apart.
    pub set_aside: u64,
}

impl Spool {
    /// Looks, and changes nothing. A spool that is not there yet is empty.
    pub fn status(&self) -> Result<Status, Error> {
        let Some(dir) = Dir::open(&self.path)? else {
            return Ok(Status::default());
        };
        let mut status = Status {
            bytes: waiting(&dir)?,
            ..Status::default()
        };
        for sealed in dir.sealed()? {
            status.segments += u64::from(sealed.kind == Kind::Segment);
        }
        status.dropped = lines_in(&dir, DROPPED);
        if let Some(aside) = dir.inner(SET_ASIDE)? {
            status.set_aside = aside
                .sealed()?
                .iter()
                .map(|sealed| lines_in(&aside, &sealed.name))
                .sum();
        }
        Ok(status)
    }

    /// Bytes of records that wait to be read: no file is opened for it.
    pub fn bytes(&self) -> Result<u64, Error> {
        Dir::open(&self.path)?.map_or(Ok(0), |dir| waiting(&dir))
    }

    /// Segments that were dropped to stay within bounds: one small file is read for it, if there is one.
    pub fn dropped(&self) -> Result<u64, Error> {
        let dir = Dir::open(&self.path)?;
        Ok(dir.map_or(0, |dir| lines_in(&dir, DROPPED)))
    }

    /// Starts counting dropped segments anew, after somebody has been told.
    pub fn forget_dropped(&self) -> Result<(), Error> {
        if let Some(dir) = Dir::open(&self.path)? {
            dir.remove(DROPPED)?;
        }
        Ok(())
    }
}

fn waiting(dir: &Dir) -> Result<u64, Error> {
    let sealed = dir.sealed()?;
    let sealed = sealed.iter().map(|sealed| size_of(dir, &sealed.name));
    Ok(size_of(dir, ACTIVE) + sealed.sum::<u64>())
}

/// What is not there, or has just gone, has no size.
fn size_of(dir: &Dir, name: &str) -> u64 {
    let stat = rustix::fs::statat(&dir.fd, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or_default())
}

fn lines_in(dir: &Dir, name: &str) -> u64 {
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
