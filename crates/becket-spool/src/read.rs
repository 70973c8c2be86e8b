//! Draining the spool: reads segments and deletes them once their records are stored elsewhere.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::time::Duration;

use becket_base::fs::LockRetry;
use rustix::fs::{AtFlags, FlockOperation, OFlags, Stat};
use rustix::io::Errno;

use crate::dir::SpoolDir;
use crate::error::{Error, ErrorKind};
use crate::names::{self, ACTIVE, QUARANTINE_DIR, READER_LOCK, SealedFile};
use crate::{MAX_RECORD_BYTES, Options, Spool, rotate};

/// A record, as it was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoolRecord<'s> {
    /// One line of JSON.
    pub line: &'s str,
}

/// What to do with a record after it was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// It is stored elsewhere and can be deleted.
    Consumed,
    /// Deliver it again later.
    Keep,
}

/// The result of a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrainReport {
    /// Consumed records; their segments are deleted.
    pub records: u64,
    /// Quarantined lines, which were not JSON.
    pub quarantined: u64,
}

impl Spool {
    /// Starts reading: rotates the active file and lists all sealed files. There is one reader at a time; a second
    /// one gets [`ErrorKind::BeingRead`].
    ///
    /// Records appended from now on are left to the next reader.
    pub fn reader(&self) -> Result<SpoolReader, Error> {
        let dir = SpoolDir::create(&self.path)?;
        let lock = lock_reader(&dir)?;
        adopt_unfinished(&dir)?;
        seal_active(&dir, self.options)?;
        let queue = dir.sealed()?.into();
        Ok(SpoolReader {
            dir,
            queue,
            reading: None,
            lock,
        })
    }

    /// Passes every record to `each`, oldest first, and deletes a segment once all of its records are
    /// [`Disposition::Consumed`]. Stops at the first other record or at an error; that segment is delivered again
    /// from its start.
    ///
    /// To consume records in a transaction, use [`Spool::reader`] and commit each segment after its transaction.
    pub fn drain<E: From<Error>>(
        &self,
        mut each: impl FnMut(&SpoolRecord<'_>) -> Result<Disposition, E>,
    ) -> Result<DrainReport, E> {
        let mut reader = self.reader()?;
        let mut drained = DrainReport::default();
        while let Some(segment) = reader.next_segment()? {
            for record in segment.records() {
                if each(&record)? == Disposition::Keep {
                    return Ok(drained);
                }
            }
            drained.records += count(segment.records.len());
            drained.quarantined += count(segment.bad_lines());
            segment.commit()?;
        }
        Ok(drained)
    }
}

/// The only reader of a spool.
pub struct SpoolReader {
    dir: SpoolDir,
    queue: VecDeque<SealedFile>,
    /// The file being read.
    reading: Option<SegmentFile>,
    lock: OwnedFd,
}

impl SpoolReader {
    /// The next segment, oldest first; `None` at the end. A large file is delivered as several segments.
    ///
    /// An uncommitted segment stays in the spool for the next reader.
    pub fn next_segment(&mut self) -> Result<Option<Segment<'_>>, Error> {
        while self.reading.as_ref().is_none_or(|reading| reading.is_done) {
            let Some(sealed) = self.queue.pop_front() else {
                return Ok(None);
            };
            self.reading = SegmentFile::open(&self.dir, sealed.name)?;
        }
        let dir = &self.dir;
        let Some(reading) = &mut self.reading else {
            return Ok(None);
        };
        let window = reading.window();
        let (content, mut too_long) =
            window.map_err(|error| Error::new(dir.path_of(&reading.name), ErrorKind::Io(error)))?;
        let (records, bad) = lines(&content, &mut too_long);
        reading.uncommitted += 1;
        Ok(Some(Segment {
            dir,
            reading,
            content,
            records,
            bad,
            too_long,
        }))
    }
}

impl Drop for SpoolReader {
    /// Unlocks explicitly: closing the file does not release the lock while a child process that another thread is
    /// spawning holds a copy of the descriptor.
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.lock, FlockOperation::Unlock);
    }
}

/// Records that are committed together.
pub struct Segment<'r> {
    dir: &'r SpoolDir,
    reading: &'r mut SegmentFile,
    content: Vec<u8>,
    records: Vec<Range<usize>>,
    bad: Vec<Range<usize>>,
    /// The lengths of lines that exceed the maximum.
    too_long: Vec<u64>,
}

impl Segment<'_> {
    /// The records, in the order in which they were appended.
    pub fn records(&self) -> impl Iterator<Item = SpoolRecord<'_>> {
        // The ranges were checked when the segment was read.
        self.records
            .iter()
            .filter_map(|range| std::str::from_utf8(&self.content[range.clone()]).ok())
            .map(|line| SpoolRecord { line })
    }

    /// The number of lines that are not records: torn by a crash, too long, or foreign.
    pub fn bad_lines(&self) -> usize {
        self.bad.len() + self.too_long.len()
    }

    /// Deletes the segment, whose records are now stored elsewhere. Bad lines are quarantined first.
    pub fn commit(self) -> Result<(), Error> {
        self.commit_cleaned(|line| Cow::Borrowed(line))
    }

    /// Like [`Segment::commit`]. `clean` redacts bad lines before they are quarantined, because their content is
    /// unknown.
    pub fn commit_cleaned(self, clean: impl Fn(&[u8]) -> Cow<'_, [u8]>) -> Result<(), Error> {
        let reading = self.reading;
        let mut content = Vec::new();
        for range in &self.bad {
            content.extend_from_slice(&clean(&self.content[range.clone()]));
            content.push(b'\n');
        }
        for length in &self.too_long {
            let note = format!("a line of {length} bytes, which is too long for a record\n");
            content.extend_from_slice(note.as_bytes());
        }
        if !content.is_empty() {
            quarantine(self.dir, &reading.name, &content, reading.has_quarantined)?;
            reading.has_quarantined = true;
        }
        reading.uncommitted -= 1;
        let is_whole = reading.is_done && reading.uncommitted == 0;
        // If the segment was dropped meanwhile, its name may belong to another file.
        if is_whole && self.dir.is_still(&reading.name, &reading.stat)? {
            self.dir.remove(&reading.name)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for SpoolReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Segment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("name", &self.reading.name)
            .finish_non_exhaustive()
    }
}

fn lock_reader(dir: &SpoolDir) -> Result<OwnedFd, Error> {
    let failed = |errno| dir.failed(READER_LOCK, errno);
    let file = dir
        .open_file(READER_LOCK, OFlags::RDWR | OFlags::CREATE)
        .map_err(failed)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(Error::new(dir.path_of(READER_LOCK), ErrorKind::BeingRead)),
        Err(errno) => Err(failed(errno)),
    }
}

/// A writer that was killed between writing a single-record file and renaming it leaves a temporary file. After
/// this time the reader adopts it.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

fn adopt_unfinished(dir: &SpoolDir) -> Result<(), Error> {
    let mut left = Vec::new();
    dir.each_name(|name| left.extend(SealedFile::parse_unfinished(name)))?;
    let age = u64::try_from(ABANDONED_AFTER.as_nanos()).unwrap_or(u64::MAX);
    for own in left
        .into_iter()
        .filter(|own| own.number.saturating_add(age) < names::now())
    {
        dir.rename(&own.unfinished(), &own.name)?;
    }
    Ok(())
}

/// Rotates the active file. If its lock is not available, the file is left for the next reader.
fn seal_active(dir: &SpoolDir, options: Options) -> Result<(), Error> {
    let file = match dir.open_file(ACTIVE, OFlags::RDWR) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(()),
        Err(errno) => return Err(dir.failed(ACTIVE, errno)),
    };
    if !matches!(LockRetry::new(options.lock_wait).lock(&file), Ok(true)) {
        return Ok(());
    }
    let stat = dir.stat_file(ACTIVE, &file)?;
    if stat.st_size == 0 || !dir.is_still(ACTIVE, &stat)? {
        return Ok(());
    }
    // The limit is one higher, so that the oldest segment is not dropped just before it is read.
    rotate::rotate(dir, options.max_segments.saturating_add(1))
}

/// How much of a file is read at once. The spool's own files are hardly longer, but foreign files may have any
/// length.
const READ_WINDOW_BYTES: u64 = 8 * 1024 * 1024;

/// A sealed file and the read position in it.
struct SegmentFile {
    name: String,
    file: File,
    stat: Stat,
    /// The beginning of a line whose end was not read yet.
    rest: Vec<u8>,
    /// The bytes read so far of a line that is too long to be kept in memory; otherwise zero.
    skipped: u64,
    is_done: bool,
    /// Segments of this file that were delivered and not committed.
    uncommitted: usize,
    /// Whether lines of this file were quarantined.
    has_quarantined: bool,
}

impl SegmentFile {
    /// `None` if the file is gone or not readable as a spool file.
    fn open(dir: &SpoolDir, name: String) -> Result<Option<Self>, Error> {
        let file = match dir.open_file(&name, OFlags::RDONLY) {
            Ok(file) => file,
            Err(Errno::NOENT | Errno::LOOP) => return Ok(None),
            Err(errno) => return Err(dir.failed(&name, errno)),
        };
        let Ok(stat) = dir.stat_file(&name, &file) else {
            return Ok(None);
        };
        Ok(Some(Self {
            name,
            file: File::from(file),
            stat,
            rest: Vec::new(),
            skipped: 0,
            is_done: false,
            uncommitted: 0,
            has_quarantined: false,
        }))
    }

    /// The next complete lines, and the lengths of preceding lines that are too long.
    fn window(&mut self) -> io::Result<(Vec<u8>, Vec<u64>)> {
        let mut too_long = Vec::new();
        loop {
            let mut content = std::mem::take(&mut self.rest);
            let read = (&self.file)
                .take(READ_WINDOW_BYTES)
                .read_to_end(&mut content)?;
            self.is_done = count(read) < READ_WINDOW_BYTES;
            if self.skipped > 0 {
                let end = content.iter().position(|byte| *byte == b'\n');
                self.skipped += count(end.unwrap_or(content.len()));
                content.drain(..end.map_or(content.len(), |end| end + 1));
                if end.is_some() || self.is_done {
                    too_long.push(std::mem::take(&mut self.skipped));
                }
            }
            if self.is_done {
                return Ok((content, too_long));
            }
            match content.iter().rposition(|byte| *byte == b'\n') {
                Some(end) => {
                    self.rest = content.split_off(end + 1);
                    return Ok((content, too_long));
                }
                None if content.len() > MAX_RECORD_BYTES => self.skipped = count(content.len()),
                None => self.rest = content,
            }
        }
    }
}

/// Splits content into ranges of JSON lines and of bad lines; skips empty lines. Adds the length of a line that is
/// too long to `too_long`.
fn lines(content: &[u8], too_long: &mut Vec<u64>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut records, mut bad) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in content.split(|byte| *byte == b'\n') {
        let range = start..start + line.len();
        start = range.end + 1;
        if line.is_empty() {
            continue;
        }
        if line.len() > MAX_RECORD_BYTES {
            too_long.push(count(line.len()));
        } else if is_json(line) {
            records.push(range);
        } else {
            bad.push(range);
        }
    }
    (records, bad)
}

/// Whether `line` is UTF-8 and one JSON value. Validates without building the value.
pub(crate) fn is_json(line: &[u8]) -> bool {
    std::str::from_utf8(line)
        .is_ok_and(|line| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok())
}

/// Writes lines to a quarantine file named after their segment. `after`: append to the lines of an earlier part;
/// otherwise replace the file, so that a repeated read does not store them twice.
fn quarantine(dir: &SpoolDir, name: &str, content: &[u8], after: bool) -> Result<(), Error> {
    let aside = dir.inner_created(QUARANTINE_DIR)?;
    let how = if after { OFlags::APPEND } else { OFlags::TRUNC };
    let file = aside
        .open_file(name, OFlags::WRONLY | OFlags::CREATE | how)
        .map_err(|errno| aside.failed(name, errno))?;
    let written = File::from(file).write_all(content);
    written.map_err(|error| Error::new(aside.path_of(name), ErrorKind::Io(error)))?;
    remove_oldest(&aside)
}

/// The most quarantine files; the oldest ones are deleted.
const MAX_QUARANTINED_FILES: usize = 32;

fn remove_oldest(aside: &SpoolDir) -> Result<(), Error> {
    let files = aside.sealed()?;
    for oldest in &files[..files.len().saturating_sub(MAX_QUARANTINED_FILES)] {
        let _ = rustix::fs::unlinkat(&aside.fd, oldest.name.as_str(), AtFlags::empty());
    }
    Ok(())
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
