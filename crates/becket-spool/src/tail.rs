//! The latest records, without consuming them.

use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, Stat};
use rustix::io::Errno;

use crate::Spool;
use crate::dir::SpoolDir;
use crate::error::Error;
use crate::names::{ACTIVE, SealedFile};
use crate::read::is_json;

/// How much is read from a file's end at first.
const FIRST_READ_BYTES: u64 = 64 * 1024;

impl Spool {
    /// The last `most` records, oldest first. Takes no lock and changes nothing; a record that is being written is
    /// not included.
    ///
    /// A single-record file comes before the records of the active file, because its position among them is
    /// unknown.
    pub fn tail(&self, most: usize) -> Result<Vec<Vec<u8>>, Error> {
        let Some(dir) = SpoolDir::open(&self.path)? else {
            return Ok(Vec::new());
        };
        let (active, sealed) = snapshot(&dir)?;
        let mut newest_first = Vec::new();
        if let Some(active) = &active {
            newest_first = last_lines(&dir, ACTIVE, active, most)?;
        }
        for sealed in sealed.iter().rev() {
            if newest_first.len() >= most {
                break;
            }
            if let Some(file) = open(&dir, &sealed.name)? {
                let wanted = most - newest_first.len();
                newest_first.extend(last_lines(&dir, &sealed.name, &file, wanted)?);
            }
        }
        newest_first.reverse();
        Ok(newest_first)
    }
}

struct OpenFile {
    file: OwnedFd,
    stat: Stat,
    size: u64,
}

/// The active file, and the files that are older than it.
///
/// The active file may be rotated between opening it and listing the others. Then it is in the list, and files
/// after it are newer; or a reader has consumed it, and this starts over.
fn snapshot(dir: &SpoolDir) -> Result<(Option<OpenFile>, Vec<SealedFile>), Error> {
    const MAX_TRIES: usize = 8;
    for _ in 0..MAX_TRIES {
        let active = open(dir, ACTIVE)?;
        let mut sealed = dir.sealed()?;
        let Some(open) = &active else {
            return Ok((None, sealed));
        };
        if dir.is_still(ACTIVE, &open.stat)? {
            return Ok((active, sealed));
        }
        let renamed = |sealed: &SealedFile| dir.is_still(&sealed.name, &open.stat).unwrap_or(false);
        if let Some(at) = sealed.iter().rposition(renamed) {
            sealed.truncate(at);
            return Ok((active, sealed));
        }
    }
    Ok((None, dir.sealed()?))
}

/// `None` if the file is gone or not readable as a spool file.
fn open(dir: &SpoolDir, name: &str) -> Result<Option<OpenFile>, Error> {
    let file = match dir.open_file(name, OFlags::RDONLY) {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::LOOP) => return Ok(None),
        Err(errno) => return Err(dir.failed(name, errno)),
    };
    let Ok(stat) = dir.stat_file(name, &file) else {
        return Ok(None);
    };
    let size = u64::try_from(stat.st_size).unwrap_or_default();
    Ok(Some(OpenFile { file, stat, size }))
}

/// The last `most` records of a file, newest first. Reads four times as much until it has enough.
fn last_lines(
    dir: &SpoolDir,
    name: &str,
    open: &OpenFile,
    most: usize,
) -> Result<Vec<Vec<u8>>, Error> {
    let mut look = FIRST_READ_BYTES;
    loop {
        let from = open.size.saturating_sub(look);
        let content =
            read_range(&open.file, from, open.size).map_err(|errno| dir.failed(name, errno))?;
        let mut lines = content.split(|byte| *byte == b'\n');
        if from > 0 {
            // The first line is incomplete.
            lines.next();
        }
        let found: Vec<_> = lines
            .rev()
            .filter(|line| is_json(line))
            .take(most)
            .map(<[u8]>::to_vec)
            .collect();
        if found.len() >= most || from == 0 {
            return Ok(found);
        }
        look = look.saturating_mul(4);
    }
}

fn read_range(file: &OwnedFd, from: u64, to: u64) -> Result<Vec<u8>, Errno> {
    let mut content = vec![0; usize::try_from(to - from).unwrap_or_default()];
    let mut filled = 0;
    while filled < content.len() {
        let at = from + u64::try_from(filled).unwrap_or_default();
        match rustix::io::pread(file, &mut content[filled..], at) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    content.truncate(filled);
    Ok(content)
}
