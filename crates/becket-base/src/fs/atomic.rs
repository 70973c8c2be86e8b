//! Atomic writes: readers see the old content or the new content, never a part of it.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{PRIVATE_FILE, append_to_name, create_private_parent, private_options};

/// The end of the name of every temporary file, after the process id. A crash can leave such a file behind.
pub const TEMPORARY_SUFFIX: &str = ".new";

/// Whether a write is on disk before it becomes visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSync {
    /// Content and metadata are synced first, so that a power cut leaves the old file or the new one.
    BeforeRename,
    /// A power cut may leave an empty file: for caches.
    Skip,
}

/// A new file that replaces another one when it is complete. Until [`AtomicFile::commit`] it is a temporary file in the
/// same directory; dropping it deletes that.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    is_committed: bool,
}

impl AtomicFile {
    /// Creates the temporary file for `target` with a mode, from which the system removes the bits of the umask. It never
    /// opens an existing file.
    pub fn create(target: &Path, mode: u32) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let suffix = format!(".{number}.{}{TEMPORARY_SUFFIX}", process::id());
            let temporary = append_to_name(target, &suffix);
            let created = private_options()
                .create_new(true)
                .mode(mode)
                .open(&temporary);
            match created {
                // Left by a process with the same id.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                created => {
                    return Ok(Self {
                        file: created?,
                        temporary,
                        target: target.to_owned(),
                        is_committed: false,
                    });
                }
            }
        }
    }

    /// Sets the mode, whatever the umask is.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.file.set_permissions(Permissions::from_mode(mode))
    }

    /// Makes the content on disk, without replacing the target yet.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Replaces the target.
    pub fn commit(mut self, sync: FileSync) -> io::Result<()> {
        if sync == FileSync::BeforeRename {
            self.sync()?;
        }
        fs::rename(&self.temporary, &self.target)?;
        self.is_committed = true;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Replaces `path` atomically with a private file. Creates its directory as a private one if it is missing.
pub fn write_private(path: &Path, bytes: &[u8], sync: FileSync) -> io::Result<()> {
    create_private_parent(path)?;
    let mut file = AtomicFile::create(path, PRIVATE_FILE)?;
    file.write_all(bytes)?;
    file.commit(sync)
}
