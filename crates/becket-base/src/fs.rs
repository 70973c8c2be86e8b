//! Private files and directories, atomic writes, log rotation, and locks with a timeout. Unix only.
//!
//! "Private" means that only the owner has access: mode 0600 for files, 0700 for directories.

mod atomic;
mod lock;
mod rotating;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub use atomic::{AtomicFile, FileSync, TEMPORARY_SUFFIX, write_private};
pub use lock::LockRetry;
pub use rotating::RotatingFile;

/// The mode of a private file.
pub const PRIVATE_FILE: u32 = 0o600;
/// The mode of a private directory.
pub const PRIVATE_DIR: u32 = 0o700;

/// Creates a private directory, and its parents, unless it exists.
pub fn create_private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_DIR)
        .create(dir)
}

/// Creates the directory of a file as a private one, unless it exists.
pub fn create_private_parent(file: &Path) -> io::Result<()> {
    create_private_dir(parent(file))
}

/// Options for writing a file that is private if this creates it.
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(PRIVATE_FILE);
    options
}

/// Opens a file for reading and writing as it is, or creates a private one: a lock, or a file that is read first.
pub fn open_private(path: &Path) -> io::Result<File> {
    private_options()
        .read(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// The path with text appended to the file name.
pub fn append_to_name(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}
