//! Rotation: turns the active file into a segment and limits the number of segments.

use rustix::fs::OFlags;

use crate::dir::SpoolDir;
use crate::error::Error;
use crate::names::{self, ACTIVE, DROPPED, SealedFile, SealedKind};

/// Renames the active file to the next segment. The caller holds its lock; a process that waits for the lock then
/// sees that the file is no longer the active one.
pub(crate) fn rotate(dir: &SpoolDir, max_segments: usize) -> Result<(), Error> {
    let sealed = dir.sealed()?;
    let after_the_last = sealed
        .last()
        .map_or(0, |last| last.number.saturating_add(1));
    // Numbers increase even if the clock was set back.
    let segment = SealedFile::segment(names::now().max(after_the_last));
    dir.rename(ACTIVE, &segment.name)?;
    let segments: Vec<_> = sealed
        .into_iter()
        .filter(|sealed| sealed.kind == SealedKind::Segment)
        .collect();
    let too_many = (segments.len() + 1).saturating_sub(max_segments.max(1));
    // A segment that cannot be dropped does not prevent dropping the others.
    let dropped = segments[..too_many]
        .iter()
        .map(|oldest| drop_segment(dir, &oldest.name));
    dropped.fold(Ok(()), Result::and)
}

/// Deletes a segment and counts it. Appending a line needs no lock.
fn drop_segment(dir: &SpoolDir, name: &str) -> Result<(), Error> {
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
