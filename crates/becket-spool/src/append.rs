//! Appends a record. This is on the hot path: it runs for every event.
//!
//! System calls on the ordinary path: open and stat the directory, open the file, lock it, stat it and its name,
//! read its last byte, write, close.

use std::io::IoSlice;
use std::os::fd::OwnedFd;

use becket_base::fs::LockRetry;
use rustix::fs::{OFlags, Stat};
use rustix::io::Errno;

use crate::dir::SpoolDir;
use crate::error::{Error, ErrorKind};
use crate::names::{self, ACTIVE, SealedFile, SealedKind};
use crate::{Durability, MAX_RECORD_BYTES, Spool, rotate};

/// The most single-record files. If there are more, the lock's holder is considered stuck.
const MAX_SINGLE_RECORD_FILES: usize = 4096;

/// How many rotations to follow: a lock on a rotated file is retried on the new active file.
const MAX_ROTATIONS: u32 = 100;

impl Spool {
    /// Appends `record`, which is one line without its newline.
    ///
    /// When this returns, the record survives the end of every process (see [`Durability`]). It waits for the lock
    /// no longer than [`crate::Options::lock_wait`] and never leaves a partial record behind.
    pub fn append(&self, record: &[u8]) -> Result<(), Error> {
        self.check(record)?;
        let dir = SpoolDir::create(&self.path)?;
        let mut retry = LockRetry::new(self.options.lock_wait);
        for _ in 0..=MAX_ROTATIONS {
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
            let file = dir
                .open_file(ACTIVE, flags)
                .map_err(|errno| dir.failed(ACTIVE, errno))?;
            // Without locks in the file system, a record gets its own file.
            if !retry.lock(&file).unwrap_or(false) {
                return self.append_to_own_file(&dir, record);
            }
            let stat = dir.stat_file(ACTIVE, &file)?;
            // A reader may have rotated the file before this process got the lock.
            if dir.is_still(ACTIVE, &stat)? {
                return self.append_locked(&dir, &file, &stat, record);
            }
        }
        self.append_to_own_file(&dir, record)
    }

    fn check(&self, record: &[u8]) -> Result<(), Error> {
        let kind = if record.len() > MAX_RECORD_BYTES {
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
        dir: &SpoolDir,
        file: &OwnedFd,
        stat: &Stat,
        record: &[u8],
    ) -> Result<(), Error> {
        let failed = |errno| dir.failed(ACTIVE, errno);
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        // The previous writer may have been killed in the middle of a line.
        let torn = size > 0 && last_byte(file, size).map_err(failed)? != b'\n';
        let written = write_lines(file, if torn { b"\n" } else { b"" }, record);
        let written = written.and_then(|len| self.sync(dir, file, size == 0).map(|()| len));
        let len = written.map_err(|errno| {
            // Remove the partial record. If that fails too, the next writer ends the torn line.
            let _ = rustix::fs::ftruncate(file, size);
            failed(errno)
        })?;
        if size + len >= self.options.rotate_at {
            // The record is stored; the next append retries a failed rotation.
            let _ = rotate::rotate(dir, self.options.max_segments);
        }
        Ok(())
    }

    /// Writes the record to a file of its own, which gets its final name only once it is complete.
    fn append_to_own_file(&self, dir: &SpoolDir, record: &[u8]) -> Result<(), Error> {
        let waiting = dir
            .sealed()?
            .iter()
            .filter(|sealed| sealed.kind == SealedKind::SingleRecord)
            .count();
        if waiting >= MAX_SINGLE_RECORD_FILES {
            return Err(Error::new(dir.path_of(ACTIVE), ErrorKind::Stuck));
        }
        let (own, file) = create_own_file(dir)?;
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

    fn sync(&self, dir: &SpoolDir, file: &OwnedFd, new: bool) -> Result<(), Errno> {
        if self.options.durability == Durability::Process {
            return Ok(());
        }
        #[cfg(target_vendor = "apple")]
        rustix::fs::fsync(file)?;
        #[cfg(not(target_vendor = "apple"))]
        rustix::fs::fdatasync(file)?;
        // The name of a new file is part of the directory, which must be synced too.
        if new {
            rustix::fs::fsync(&dir.fd)
        } else {
            Ok(())
        }
    }
}

fn create_own_file(dir: &SpoolDir) -> Result<(SealedFile, OwnedFd), Error> {
    let mut number = names::now();
    loop {
        let own = SealedFile::single_record(std::process::id(), number);
        let unfinished = own.unfinished();
        match dir.open_file(&unfinished, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL) {
            Ok(file) => return Ok((own, file)),
            // Another thread used the same timestamp.
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

/// Writes `before`, `record` and a newline, with one system call if possible; returns their length.
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
