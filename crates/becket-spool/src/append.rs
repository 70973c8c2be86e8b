//! Appending a record: the one thing that happens for every event.
//!
//! On the ordinary path that is: open the directory and look at it, open the file, lock it, look at
//! it and at its name, read its last byte, write, close.

use std::io::IoSlice;
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, Stat};
use rustix::io::Errno;

use crate::dir::Dir;
use crate::error::{Error, ErrorKind};
use crate::lock::Patience;
use crate::names::{self, ACTIVE, Kind, Sealed};
use crate::{Durability, LONGEST_RECORD, Spool, rotate};

/// More records than this with files of their own mean that the lock is not coming back.
const MOST_OWN_FILES: usize = 4096;

impl Spool {
    /// Appends `record`, which is one line without its newline.
    ///
    /// When this returns, the record survives the end of every process (see [`Durability`]). It never
    /// waits longer than [`crate::Options::lock_wait`] and never leaves half a record behind for others
    /// to trip over.
    pub fn append(&self, record: &[u8]) -> Result<(), Error> {
        self.check(record)?;
        let dir = Dir::create(&self.path)?;
        let mut patience = Patience::new(self.options.lock_wait);
        loop {
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
            let file = dir
                .open_file(ACTIVE, flags)
                .map_err(|errno| dir.failed(ACTIVE, errno))?;
            if !patience.lock(&file) {
                return self.append_alone(&dir, record);
            }
            let stat = dir.stat_file(ACTIVE, &file)?;
            // A reader may have taken the file away before the lock was ours.
            if dir.is_still(ACTIVE, &stat)? {
                return self.append_locked(&dir, &file, &stat, record);
            }
            if !patience.rotated() {
                return self.append_alone(&dir, record);
            }
        }
    }

    fn check(&self, record: &[u8]) -> Result<(), Error> {
        let kind = if record.len() > LONGEST_RECORD {
            ErrorKind::RecordTooLong { len: record.len() }
        } else if record.is_empty() || record.contains(&b'\n') {
            ErrorKind::NotOneLine
        } else {
            return Ok(());
        };
        Err(Error::new(&self.path, kind))
    }

    fn append_locked(
        &self,
        dir: &Dir,
        file: &OwnedFd,
        stat: &Stat,
        record: &[u8],
    ) -> Result<(), Error> {
        let failed = |errno| dir.failed(ACTIVE, errno);
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        // Whoever wrote before may have been killed in the middle of a line.
        let torn = size > 0 && last_byte(file, size).map_err(failed)? != b'\n';
        let written = write_lines(file, if torn { b"\n" } else { b"" }, record);
        let written = written.and_then(|len| self.sync(dir, file, size == 0).map(|()| len));
        let len = written.map_err(|errno| {
            // Half a record is worse than none. Where this fails too, the next writer heals it.
            let _ = rustix::fs::ftruncate(file, size);
            failed(errno)
        })?;
        if size + len >= self.options.rotate_at {
            // The record is safe; a rotation that fails is tried again by the next append.
            let _ = rotate::rotate(dir, self.options.max_segments);
        }
        Ok(())
    }

    /// Gives the record a file of its own, which appears under its name only when it is whole.
    fn append_alone(&self, dir: &Dir, record: &[u8]) -> Result<(), Error> {
        let waiting = dir
            .sealed()?
            .iter()
            .filter(|sealed| sealed.kind == Kind::Own)
            .count();
        if waiting >= MOST_OWN_FILES {
            return Err(Error::new(dir.path_of(ACTIVE), ErrorKind::Stuck));
        }
        let (own, file) = create_own(dir)?;
        let unfinished = own.unfinished();
        let written = write_lines(&file, b"", record).and_then(|_| self.sync(dir, &file, false));
        let done = written
            .map_err(|errno| dir.failed(&unfinished, errno))
            .and_then(|()| dir.rename(&unfinished, &own.name));
        if done.is_err() {
            let _ = dir.remove(&unfinished);
        }
        done
    }

    fn sync(&self, dir: &Dir, file: &OwnedFd, new: bool) -> Result<(), Errno> {
        if self.options.durability == Durability::Process {
            return Ok(());
        }
        #[cfg(target_vendor = "apple")]
        rustix::fs::fsync(file)?;
        #[cfg(not(target_vendor = "apple"))]
        rustix::fs::fdatasync(file)?;
        // The name of a new file is the directory's content.
        if new {
            rustix::fs::fsync(&dir.fd)
        } else {
            Ok(())
        }
    }
}

fn create_own(dir: &Dir) -> Result<(Sealed, OwnedFd), Error> {
    let mut number = names::now();
    loop {
        let own = Sealed::own(std::process::id(), number);
        let unfinished = own.unfinished();
        match dir.open_file(&unfinished, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL) {
            Ok(file) => return Ok((own, file)),
            // Another thread had the same moment.
            Err(Errno::EXIST) => number += 1,
            Err(errno) => return Err(dir.failed(&unfinished, errno)),
        }
    }
}

fn last_byte(file: &OwnedFd, size: u64) -> Result<u8, Errno> {
    let mut byte = [0];
    rustix::io::pread(file, &mut byte, size - 1)?;
    Ok(byte[0])
}

/// Writes `before`, `record` and a newline, in one call if the kernel takes it; returns their length.
fn write_lines(file: &OwnedFd, before: &[u8], record: &[u8]) -> Result<u64, Errno> {
    let mut parts = [
        IoSlice::new(before),
        IoSlice::new(record),
        IoSlice::new(b"\n"),
    ];
    let mut parts = &mut parts[usize::from(before.is_empty())..];
    let mut total = 0;
    while !parts.is_empty() {
        match rustix::io::writev(file, parts) {
            Ok(0) => return Err(Errno::IO),
            Ok(len) => {
                total += u64::try_from(len).unwrap_or_default();
                IoSlice::advance_slices(&mut parts, len);
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(total)
}
