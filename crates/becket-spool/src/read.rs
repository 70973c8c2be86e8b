//! Reading records: the end of them, or all of them for good.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::OFlags;

use crate::files::{is_at, lock};
use crate::{Spool, SpoolError, Status};

impl Spool {
    /// The last records, oldest first, without consuming them.
    pub fn tail(&self, count: usize) -> Result<Vec<Vec<u8>>, SpoolError> {
        self.last(count).map_err(|source| self.failed(source))
    }

    fn last(&self, count: usize) -> io::Result<Vec<Vec<u8>>> {
        let mut found: Vec<Vec<u8>> = Vec::new();
        let files = self
            .closed()?
            .into_iter()
            .chain([self.active()])
            .collect::<Vec<_>>();
        for path in files.iter().rev() {
            if found.len() >= count {
                break;
            }
            let text = read(path)?;
            let lines = text
                .split(|byte| *byte == b'\n')
                .filter(|line| is_record(line))
                .rev();
            found.extend(lines.take(count - found.len()).map(<[u8]>::to_vec));
        }
        found.reverse();
        Ok(found)
    }

    /// Hands all records over, a segment at a time, oldest first. A segment is removed once `commit`
    /// has returned without error; after an error, or a crash, it is handed over again.
    ///
    /// Lines that are no record, such as the torn end of a writer that was killed, are set aside.
    pub fn drain<E: From<SpoolError>>(
        &self,
        mut commit: impl FnMut(&[Vec<u8>]) -> Result<(), E>,
    ) -> Result<usize, E> {
        let failed = |source| E::from(self.failed(source));
        self.rotate().map_err(failed)?;
        let mut handed_over = 0;
        for path in self.closed().map_err(failed)? {
            let text = read(&path).map_err(failed)?;
            let lines = text
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            let (records, rest): (Vec<&[u8]>, Vec<&[u8]>) = lines.partition(|line| is_record(line));
            let records: Vec<Vec<u8>> = records.into_iter().map(<[u8]>::to_vec).collect();
            commit(&records)?;
            handed_over += records.len();
            self.keep_aside(&rest).map_err(failed)?;
            fs::remove_file(&path).map_err(failed)?;
        }
        Ok(handed_over)
    }

    /// Closes the active file, so that everything appended before is in a segment.
    fn rotate(&self) -> io::Result<()> {
        for _ in 0..16 {
            let path = self.active();
            let file = match open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                opened => opened?,
            };
            if !lock(&file, Duration::from_secs(5))? {
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    "somebody holds the lock and does not let go",
                ));
            }
            match is_at(&file, &path)? {
                Some(meta) if meta.len() == 0 => return Ok(()),
                Some(_) => return fs::rename(&path, self.next_segment()),
                None => {}
            }
        }
        Ok(())
    }

    fn keep_aside(&self, lines: &[&[u8]]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut file = self.open_append(&self.set_aside())?;
        for line in lines {
            file.write_all(line)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    }

    /// How the spool stands. A spool that was never written to is empty, not broken.
    pub fn status(&self) -> Result<Status, SpoolError> {
        self.stand().map_err(|source| self.failed(source))
    }

    fn stand(&self) -> io::Result<Status> {
        match self.check_dir() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Status::default()),
            checked => checked?,
        }
        let closed = self.closed()?;
        let size = |path: &Path| fs::symlink_metadata(path).map_or(0, |meta| meta.len());
        let lines = |path: &Path| {
            read(path).map_or(0, |text| {
                text.split(|b| *b == b'\n')
                    .filter(|l| !l.is_empty())
                    .count()
            })
        };
        Ok(Status {
            bytes: closed.iter().map(|path| size(path)).sum::<u64>() + size(&self.active()),
            segments: closed.len(),
            dropped: self.count_dropped(),
            set_aside: lines(&self.set_aside()) as u64,
        })
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = match open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    if file.metadata()?.is_file() {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Whether a line is whole: one JSON object.
fn is_record(line: &[u8]) -> bool {
    line.starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}
