//! The file that is formatted: opened once, never through a link, written only as it was read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Formatters of larger files take longer than anybody waits, and their output is not kept whole.
const LARGEST: u64 = 1024 * 1024;

pub(super) struct OpenFile {
    path: PathBuf,
    file: File,
    /// What it held when it was opened.
    pub(super) text: Vec<u8>,
}

impl OpenFile {
    /// Opens a regular text file of reasonable size; `None` for anything else.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let file = open(path).ok()?;
        let meta = file.metadata().ok()?;
        if !meta.is_file() || meta.len() > LARGEST || meta.len() == 0 {
            return None;
        }
        let text = read(&file).ok()?;
        (!text.contains(&0)).then_some(Self {
            path: path.to_owned(),
            file,
            text,
        })
    }

    /// Whether the file, or what now has its name, holds something else.
    pub(super) fn changed_since(&mut self) -> bool {
        open(&self.path)
            .and_then(|file| read(&file))
            .is_ok_and(|now| now != self.text)
    }

    /// Writes other text, unless somebody else has written meanwhile; says whether it did. The file
    /// stays the same file, with its links, owner and rights.
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
    file.take(LARGEST + 1).read_to_end(&mut text)?;
    Ok(text)
}
