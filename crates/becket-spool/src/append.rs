//! Writing a record.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::files::{is_at, lock};
use crate::{Durability, Spool, SpoolError};

const PATIENCE: Duration = Duration::from_millis(200);

impl Spool {
    /// Appends a record. When this returns, the record survives the death of this process.
    pub fn append(&self, record: &[u8]) -> Result<(), SpoolError> {
        self.write_record(record)
            .map_err(|source| self.failed(source))
    }

    fn write_record(&self, record: &[u8]) -> io::Result<()> {
        if record.contains(&b'\n') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a record is one line",
            ));
        }
        // A reader may turn the file into a segment between opening and locking: then there is a new one.
        for _ in 0..16 {
            let path = self.active();
            let mut file = self.open_append(&path)?;
            self.check_dir()?;
            if !lock(&file, PATIENCE)? {
                break;
            }
            let Some(meta) = is_at(&file, &path)? else {
                continue;
            };
            if meta.len() > self.limits.segment_bytes {
                self.close_segment()?;
                continue;
            }
            return self.write_line(&mut file, meta.len(), record);
        }
        let mut file = self.open_append(&self.alone())?;
        self.write_line(&mut file, 0, record)
    }

    fn write_line(&self, file: &mut File, len: u64, record: &[u8]) -> io::Result<()> {
        let mut line = Vec::with_capacity(record.len() + 2);
        // A writer that was killed in the middle of a line leaves it torn; ours starts anew.
        if len > 0 && !ends_with_newline(file, len)? {
            line.push(b'\n');
        }
        line.extend_from_slice(record);
        line.push(b'\n');
        if let Err(error) = file.write_all(&line) {
            let _ = file.set_len(len);
            return Err(error);
        }
        match self.limits.durability {
            Durability::Written => Ok(()),
            Durability::Synced => file.sync_data(),
        }
    }

    /// Makes the active file a segment, and room for it. The caller holds the lock.
    pub(crate) fn close_segment(&self) -> io::Result<()> {
        fs::rename(self.active(), self.next_segment())?;
        let segments: Vec<_> = self
            .closed()?
            .into_iter()
            .filter(|path| Self::is_segment(path))
            .collect();
        let surplus = segments.len().saturating_sub(self.limits.segments);
        for oldest in &segments[..surplus] {
            fs::remove_file(oldest)?;
        }
        if surplus > 0 {
            let before = self.count_dropped();
            fs::write(self.dropped(), (before + surplus as u64).to_string())?;
        }
        Ok(())
    }

    pub(crate) fn count_dropped(&self) -> u64 {
        fs::read_to_string(self.dropped())
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0)
    }
}

fn ends_with_newline(file: &File, len: u64) -> io::Result<bool> {
    let mut last = [0u8];
    file.read_exact_at(&mut last, len - 1)?;
    Ok(last == *b"\n")
}
