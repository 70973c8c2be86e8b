//! Turning the active file into a segment, and keeping the number of segments bounded.

use rustix::fs::OFlags;

use crate::dir::Dir;
use crate::error::Error;
use crate::names::{self, ACTIVE, DROPPED, Kind, Sealed};

/// Renames the active file to the next segment. The caller holds its lock: whoever waits for that
/// lock will find that the file is no longer the active one.
pub(crate) fn rotate(dir: &Dir, max_segments: usize) -> Result<(), Error> {
    let sealed = dir.sealed()?;
    let after_the_last = sealed
        .last()
        .map_or(0, |last| last.number.saturating_add(1));
    // The clock may have been set back; the order may not.
    let segment = Sealed::segment(names::now().max(after_the_last));
    dir.rename(ACTIVE, &segment.name)?;
    let segments: Vec<_> = sealed
        .into_iter()
        .filter(|sealed| sealed.kind == Kind::Segment)
        .collect();
    let too_many = (segments.len() + 1).saturating_sub(max_segments.max(1));
    // One that cannot be dropped does not keep the others.
    let dropped = segments[..too_many]
        .iter()
        .map(|oldest| drop_segment(dir, &oldest.name));
    dropped.fold(Ok(()), Result::and)
}

/// Removes a segment and notes it. A line is appended, so that no lock is needed to count.
fn drop_segment(dir: &Dir, name: &str) -> Result<(), Error> {
    if !dir.remove(name)? {
        return Ok(());
    }
    let failed = |errno| dir.failed(DROPPED, errno);
    let file = dir
        .open_file(DROPPED, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)
        .map_err(failed)?;
    let line = format!("{name}\n");
    rustix::io::write(&file, line.as_bytes()).map_err(failed)?;
    Ok(())
}
