//! The file to format: opened once, never through a link, and replaced only if it has not changed since.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Larger files take too long to format, and the output of a formatter is limited.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

pub(super) struct OpenFile {
    path: PathBuf,
    file: File,
    /// The content when it was opened.
    pub(super) text: Vec<u8>,
}

impl OpenFile {
    /// Opens a non-empty regular text file of limited size; `None` for anything else.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let file = open(path).ok()?;
        let meta = file.metadata().ok()?;
        if !meta.is_file() || meta.len() > MAX_FILE_BYTES || meta.len() == 0 {
            return None;
        }
        let text = read(&file).ok()?;
        (!text.contains(&0)).then_some(Self {
            path: path.to_owned(),
            file,
            text,
        })
    }

    /// Whether the content under this path has changed.
    pub(super) fn has_changed(&mut self) -> bool {
        open(&self.path)
            .and_then(|file| read(&file))
            .is_ok_and(|now| now != self.text)
    }

    /// Writes new content, unless the file has changed in the meantime; returns whether it did. The inode, with its links,
    /// owner and permissions, stays the same.
    pub(super) fn replace(&mut self, text: &[u8]) -> io::Result<bool> {
        let same =
            |a: &std::fs::Metadata, b: &std::fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        let named = self.path.symlink_metadata();
        let still = named.is_ok_and(|named| {
            self.file
                .metadata()
                .is_ok_and(|opened| same(&named, &opened))
        });
        if !still || read(&self.file)? != self.text {
            return Ok(false);
        }
        self.file.write_all_at(text, 0)?;
        self.file.set_len(text.len() as u64)?;
        Ok(true)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

fn read(mut file: &File) -> io::Result<Vec<u8>> {
    use std::io::Seek;
    file.rewind()?;
    let mut text = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut text)?;
    Ok(text)
}
