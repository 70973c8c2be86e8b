//! Reading what has gathered, and letting go of it once it is safe elsewhere.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::fs::{AtFlags, FlockOperation, OFlags, Stat};
use rustix::io::Errno;

use crate::dir::Dir;
use crate::error::{Error, ErrorKind};
use crate::lock::Patience;
use crate::names::{self, ACTIVE, READER_LOCK, SET_ASIDE, Sealed};
use crate::{LONGEST_RECORD, Options, Spool, rotate};

/// A record as it was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'s> {
    /// One line of JSON.
    pub line: &'s str,
}

/// What has become of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is safe elsewhere.
    Consumed,
    /// It has to be delivered again, later.
    Keep,
}

/// What a drain did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drained {
    /// Records that were consumed, with their segments gone.
    pub records: u64,
    /// Lines that were no JSON.
    pub set_aside: u64,
}

impl Spool {
    /// Starts reading: takes the active file away from the writers and lists what there is. There is
    /// one reader at a time; a second one is told so.
    ///
    /// Records appended from now on are for the next reader.
    pub fn reader(&self) -> Result<Reader, Error> {
        let dir = Dir::create(&self.path)?;
        let lock = lock_reader(&dir)?;
        adopt_unfinished(&dir)?;
        seal_active(&dir, self.options)?;
        let queue = dir.sealed()?.into();
        Ok(Reader {
            dir,
            queue,
            reading: None,
            lock,
        })
    }

    /// Hands every record to `each`, oldest first, and deletes a segment once all of its records are
    /// [`Fate::Consumed`]. Stops at the first that is not, or at an error; its segment is delivered
    /// again from its start.
    ///
    /// Where consuming means a transaction, use [`Spool::reader`] and commit both together.
    pub fn drain<E: From<Error>>(
        &self,
        mut each: impl FnMut(&Record<'_>) -> Result<Fate, E>,
    ) -> Result<Drained, E> {
        let mut reader = self.reader()?;
        let mut drained = Drained::default();
        while let Some(segment) = reader.next_segment()? {
            for record in segment.records() {
                if each(&record)? == Fate::Keep {
                    return Ok(drained);
                }
            }
            drained.records += count(segment.records.len());
            drained.set_aside += count(segment.bad_lines());
            segment.commit()?;
        }
        Ok(drained)
    }
}

/// The one reader of a spool.
pub struct Reader {
    dir: Dir,
    queue: VecDeque<Sealed>,
    /// The file that is being read.
    reading: Option<Reading>,
    lock: OwnedFd,
}

impl Reader {
    /// The next segment, oldest first; `None` when there are no more. A large file is delivered as several.
    ///
    /// A segment that is not committed stays in the spool, for the next reader.
    pub fn next_segment(&mut self) -> Result<Option<Segment<'_>>, Error> {
        while self.reading.as_ref().is_none_or(|reading| reading.is_done) {
            let Some(sealed) = self.queue.pop_front() else {
                return Ok(None);
            };
            self.reading = Reading::open(&self.dir, sealed.name)?;
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

impl Drop for Reader {
    /// Closing is not enough: a child that another thread is just starting holds a copy for a moment.
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.lock, FlockOperation::Unlock);
    }
}

/// Records that were written together and are let go of together.
pub struct Segment<'r> {
    dir: &'r Dir,
    reading: &'r mut Reading,
    content: Vec<u8>,
    records: Vec<Range<usize>>,
    bad: Vec<Range<usize>>,
    /// The lengths of lines that are too long to be records.
    too_long: Vec<u64>,
}

impl Segment<'_> {
    /// The records, in the order in which they were appended.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        // The ranges were checked when the segment was loaded.
        self.records
            .iter()
            .filter_map(|range| std::str::from_utf8(&self.content[range.clone()]).ok())
            .map(|line| Record { line })
    }

    /// How many lines are no records: torn by the end of their writer, too long, or not ours.
    pub fn bad_lines(&self) -> usize {
        self.bad.len() + self.too_long.len()
    }

    /// Lets go of the segment: its records are safe elsewhere. Bad lines are set aside first.
    pub fn commit(self) -> Result<(), Error> {
        self.commit_cleaned(|line| Cow::Borrowed(line))
    }

    /// As [`Segment::commit`]; what is set aside is what `clean` leaves of it, because lines that are no
    /// records may not be what their writers are allowed to write.
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
            set_aside(self.dir, &reading.name, &content, reading.is_aside)?;
            reading.is_aside = true;
        }
        reading.uncommitted -= 1;
        let is_whole = reading.is_done && reading.uncommitted == 0;
        // If it was dropped meanwhile, its name may belong to another file.
        if is_whole && self.dir.is_still(&reading.name, &reading.stat)? {
            self.dir.remove(&reading.name)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Reader {
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

fn lock_reader(dir: &Dir) -> Result<OwnedFd, Error> {
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

/// A writer that was killed between writing a file of its own and naming it left the record behind.
/// After this long nobody is still at it.
const UNFINISHED_FOR: Duration = Duration::from_secs(3600);

fn adopt_unfinished(dir: &Dir) -> Result<(), Error> {
    let mut left = Vec::new();
    dir.each_name(|name| left.extend(Sealed::parse_unfinished(name)))?;
    let age = u64::try_from(UNFINISHED_FOR.as_nanos()).unwrap_or(u64::MAX);
    for own in left
        .into_iter()
        .filter(|own| own.number.saturating_add(age) < names::now())
    {
        dir.rename(&own.unfinished(), &own.name)?;
    }
    Ok(())
}

/// Makes a segment of the active file. If its lock cannot be had, it is left for the next time.
fn seal_active(dir: &Dir, options: Options) -> Result<(), Error> {
    let file = match dir.open_file(ACTIVE, OFlags::RDWR) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(()),
        Err(errno) => return Err(dir.failed(ACTIVE, errno)),
    };
    if !Patience::new(options.lock_wait).lock(&file) {
        return Ok(());
    }
    let stat = dir.stat_file(ACTIVE, &file)?;
    if stat.st_size == 0 || !dir.is_still(ACTIVE, &stat)? {
        return Ok(());
    }
    // What is about to be read is not dropped for being one segment too many.
    rotate::rotate(dir, options.max_segments.saturating_add(1))
}

/// How much of a file is read at once. Files of ours are hardly longer; those of others may be of any length, and
/// memory is not.
const WINDOW: u64 = 8 * 1024 * 1024;

/// A file with records, as far as it has been read.
struct Reading {
    name: String,
    file: File,
    stat: Stat,
    /// The beginning of a line whose end was not read yet.
    rest: Vec<u8>,
    /// How much was read of a line that is too long to be kept in memory; zero outside of one.
    skipped: u64,
    is_done: bool,
    /// Parts that were delivered and not let go of.
    uncommitted: usize,
    /// Whether something of it was set aside.
    is_aside: bool,
}

impl Reading {
    /// `None` if the file is gone or not ours to read.
    fn open(dir: &Dir, name: String) -> Result<Option<Self>, Error> {
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
            is_aside: false,
        }))
    }

    /// The next whole lines, and the lengths of those before them that are too long.
    fn window(&mut self) -> io::Result<(Vec<u8>, Vec<u64>)> {
        let mut too_long = Vec::new();
        loop {
            let mut content = std::mem::take(&mut self.rest);
            let read = (&self.file).take(WINDOW).read_to_end(&mut content)?;
            self.is_done = count(read) < WINDOW;
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
                None if content.len() > LONGEST_RECORD => self.skipped = count(content.len()),
                None => self.rest = content,
            }
        }
    }
}

/// The lines that are JSON, and the others; empty lines are neither. The length of one that is too long is noted.
fn lines(content: &[u8], too_long: &mut Vec<u64>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut records, mut bad) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in content.split(|byte| *byte == b'\n') {
        let range = start..start + line.len();
        start = range.end + 1;
        if line.is_empty() {
            continue;
        }
        if line.len() > LONGEST_RECORD {
            too_long.push(count(line.len()));
        } else if is_json(line) {
            records.push(range);
        } else {
            bad.push(range);
        }
    }
    (records, bad)
}

/// Whether `line` is UTF-8 and one JSON value. Checked without building it.
pub(crate) fn is_json(line: &[u8]) -> bool {
    std::str::from_utf8(line)
        .is_ok_and(|line| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok())
}

/// Writes lines into a file named after their segment, `after` those of an earlier part of it: doing it twice leaves
/// them once.
fn set_aside(dir: &Dir, name: &str, content: &[u8], after: bool) -> Result<(), Error> {
    let aside = dir.inner_created(SET_ASIDE)?;
    let how = if after { OFlags::APPEND } else { OFlags::TRUNC };
    let file = aside
        .open_file(name, OFlags::WRONLY | OFlags::CREATE | how)
        .map_err(|errno| aside.failed(name, errno))?;
    let written = File::from(file).write_all(content);
    written.map_err(|error| Error::new(aside.path_of(name), ErrorKind::Io(error)))?;
    forget_oldest(&aside)
}

/// What nobody looked at in all this time is not kept for ever.
const MOST_SET_ASIDE: usize = 32;

fn forget_oldest(aside: &Dir) -> Result<(), Error> {
    let files = aside.sealed()?;
    for oldest in &files[..files.len().saturating_sub(MOST_SET_ASIDE)] {
        let _ = rustix::fs::unlinkat(&aside.fd, oldest.name.as_str(), AtFlags::empty());
    }
    Ok(())
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
