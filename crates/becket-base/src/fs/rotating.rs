//! Log files that are rotated by size.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{append_to_name, private_options};

/// A private file that is appended to and rotated before it grows beyond a size: `log` becomes `log.1`, `log.1` becomes
/// `log.2`, and so on. Several processes may append to the same file.
#[derive(Debug)]
pub struct RotatingFile {
    path: PathBuf,
    max_bytes: u64,
    keep: u64,
    file: Option<File>,
}

impl RotatingFile {
    /// A file that is opened at the first write. A `max_bytes` of 0 disables rotation; `keep` is the number of rotated
    /// files.
    pub fn new(path: impl Into<PathBuf>, max_bytes: u64, keep: u64) -> Self {
        Self {
            path: path.into(),
            max_bytes,
            keep,
            file: None,
        }
    }

    /// Appends a line with a single write, so that lines of concurrent writers do not mix.
    pub fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => open(&self.path)?,
        };
        // Another process may have rotated the file and filled the next one.
        while self.is_full(&file, line.len())? {
            self.rotate(&file)?;
            file = open(&self.path)?;
        }
        if file.write(line)? < line.len() {
            return Err(io::Error::new(ErrorKind::WriteZero, "the disk is full"));
        }
        self.file = Some(file);
        Ok(())
    }

    fn is_full(&self, file: &File, more: usize) -> io::Result<bool> {
        let size = file.metadata()?.len();
        Ok(self.max_bytes > 0 && size > 0 && size.saturating_add(more as u64) > self.max_bytes)
    }

    /// Renames the files, unless another process did it first. A writer that still has the old file open writes to it
    /// under its new name, so no line is lost.
    fn rotate(&self, file: &File) -> io::Result<()> {
        file.lock()?;
        if !is_same_file(file, &self.path)? {
            return Ok(());
        }
        if self.keep == 0 {
            return fs::remove_file(&self.path);
        }
        let numbered = |number: u64| append_to_name(&self.path, &format!(".{number}"));
        for number in (1..self.keep).rev() {
            match fs::rename(numbered(number), numbered(number + 1)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, numbered(1))
    }
}

fn open(path: &Path) -> io::Result<File> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = private_options()
        .append(true)
        .create(true)
        // A pipe without a reader must not block the program.
        .custom_flags(nonblocking)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
