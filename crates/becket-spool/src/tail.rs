//! The latest records, without consuming them.

use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, Stat};
use rustix::io::Errno;

use crate::Spool;
use crate::dir::Dir;
use crate::error::Error;
use crate::names::{ACTIVE, Sealed};
use crate::read::is_json;

/// Files are read from their end, first this much.
const FIRST_LOOK: u64 = 64 * 1024;

impl Spool {
    /// The last `most` records, oldest first. Takes no lock and changes nothing; a record that is just
    /// being written is not among them.
    ///
    /// A record that got a file of its own comes before those of the active file, since nothing says
    /// where among them it belongs.
    pub fn tail(&self, most: usize) -> Result<Vec<Vec<u8>>, Error> {
        let Some(dir) = Dir::open(&self.path)? else {
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

struct Open {
    file: OwnedFd,
    stat: Stat,
    size: u64,
}

/// The active file, and the files that are older than it.
///
/// Between opening the one and listing the others it may have been rotated. Then it is among those
/// listed, and what comes after it is newer; or a reader has consumed it, and all has to be looked at
/// again.
fn snapshot(dir: &Dir) -> Result<(Option<Open>, Vec<Sealed>), Error> {
    const MOST_TRIES: usize = 8;
    for _ in 0..MOST_TRIES {
        let active = open(dir, ACTIVE)?;
        let mut sealed = dir.sealed()?;
        let Some(open) = &active else {
            return Ok((None, sealed));
        };
        if dir.is_still(ACTIVE, &open.stat)? {
            return Ok((active, sealed));
        }
        let renamed = |sealed: &Sealed| dir.is_still(&sealed.name, &open.stat).unwrap_or(false);
        if let Some(at) = sealed.iter().rposition(renamed) {
            sealed.truncate(at);
            return Ok((active, sealed));
        }
    }
    Ok((None, dir.sealed()?))
}

/// `None` if the file is gone or not ours to read.
fn open(dir: &Dir, name: &str) -> Result<Option<Open>, Error> {
    let file = match dir.open_file(name, OFlags::RDONLY) {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::LOOP) => return Ok(None),
        Err(errno) => return Err(dir.failed(name, errno)),
    };
    let Ok(stat) = dir.stat_file(name, &file) else {
        return Ok(None);
    };
    let size = u64::try_from(stat.st_size).unwrap_or_default();
    Ok(Some(Open { file, stat, size }))
}

/// The last `most` records of a file, newest first. Looks at twice as much until it has enough.
fn last_lines(dir: &Dir, name: &str, open: &Open, most: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut look = FIRST_LOOK;
    loop {
        let from = open.size.saturating_sub(look);
        let content =
            read_range(&open.file, from, open.size).map_err(|errno| dir.failed(name, errno))?;
        let mut lines = content.split(|byte| *byte == b'\n');
        if from > 0 {
            // The first line is cut off.
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
