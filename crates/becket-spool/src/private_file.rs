//! Atomic writes of files that only their owner can read.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Replaces `path` with a file of mode 0600, and creates its directory with mode 0700 if it is missing.
///
/// The bytes go to a temporary file in the same directory, which is synced and then renamed: a reader sees the old
/// content or the new content, never a part of it.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    let temporary = path.with_extension(format!("new-{}", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_stays_private() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("state/logins");
        write_private(&path, b"a longer first text").expect("written");
        write_private(&path, b"second").expect("replaced");
        assert_eq!(fs::read(&path).expect("readable"), b"second");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&dir.path().join("state")), 0o700);
        let names = fs::read_dir(dir.path().join("state")).expect("a directory");
        assert_eq!(names.count(), 1, "no temporary file is left");
    }
}
