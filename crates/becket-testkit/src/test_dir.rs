//! A temporary directory with files.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A temporary directory. Names are relative to it; missing directories are created.
#[derive(Debug)]
pub struct TestDir(tempfile::TempDir);

impl TestDir {
    /// An empty directory.
    #[expect(clippy::new_without_default, reason = "it writes to the disk")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// An empty directory inside another one.
    pub fn new_in(dir: &Path) -> Self {
        Self(tempfile::TempDir::new_in(dir).expect("a temporary directory"))
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// The path of a name.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    /// Creates a directory.
    pub fn create_dir(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).expect("a directory");
        path
    }

    /// Writes a file.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        write_file(self.root(), name, content)
    }

    /// Writes an executable shell script.
    pub fn script(&self, name: impl AsRef<Path>, body: &str) -> PathBuf {
        let path = self.path(name);
        write_script(&path, body);
        path
    }

    /// The text of a file; empty if there is none.
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

/// Writes a file below a directory, and creates the directories in between.
pub fn write_file(root: &Path, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(&path, content).expect("written");
    path
}

/// Writes an executable shell script.
pub fn write_script(path: &Path, body: &str) {
    write_file(Path::new(""), path, format!("#!/bin/sh\n{body}\n"));
    fs::set_permissions(path, Permissions::from_mode(0o755)).expect("made executable");
}
