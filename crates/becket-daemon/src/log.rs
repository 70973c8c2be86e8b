//! The daemon's log: JSON lines in a rotated file, or plain text on standard error.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use becket_guard::redact::redact_text;
pub use tracing::Level;

/// A log file of this size is rotated.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// How many rotated files are kept.
const MAX_ROTATED_FILES: u32 = 3;

/// Installs the logger; only the first call in a process has an effect.
pub fn init(level: Level, file: Option<LogFile>) {
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false);
    // A second subscriber is rejected, and the first stays.
    let _ = match file {
        Some(file) => tracing::subscriber::set_global_default(
            log.json().with_writer(Mutex::new(file)).finish(),
        ),
        None => tracing::subscriber::set_global_default(
            log.with_ansi(false).with_writer(io::stderr).finish(),
        ),
    };
}

/// A rotated log file. Every write is one line, and secrets in it are redacted.
pub struct LogFile {
    path: PathBuf,
    max_bytes: u64,
    open: Option<(File, u64)>,
}

impl LogFile {
    /// A log that is opened at the first write.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            max_bytes: MAX_FILE_BYTES,
            open: None,
        }
    }

    fn file(&mut self) -> io::Result<&mut (File, u64)> {
        if self
            .open
            .as_ref()
            .is_some_and(|(_, size)| *size >= self.max_bytes)
        {
            self.open = None;
            rotate(&self.path)?;
        }
        if self.open.is_none() {
            let file = OpenOptions::new()
                .append(true)
                .create(true)
                .mode(0o600)
                .open(&self.path)?;
            let size = file.metadata()?.len();
            self.open = Some((file, size));
        }
        self.open
            .as_mut()
            .ok_or_else(|| io::Error::other("the log file is not open"))
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let text = redact_text(&text);
        let (file, size) = self.file()?;
        file.write_all(text.as_bytes())?;
        *size += text.len() as u64;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Renames `log` to `log.1`, `log.1` to `log.2` and so on; the last one is overwritten.
fn rotate(path: &Path) -> io::Result<()> {
    let numbered = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    for number in (1..MAX_ROTATED_FILES).rev() {
        match std::fs::rename(numbered(number), numbered(number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    std::fs::rename(path, numbered(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_is_rotated_and_old_files_are_deleted() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("daemon.log");
        let mut log = LogFile::open(&path);
        log.max_bytes = 10;
        for number in 0..8 {
            log.write_all(format!("line number {number}\n").as_bytes())
                .expect("written");
        }
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("there");
        assert_eq!(read("daemon.log"), "line number 7\n");
        assert_eq!(read("daemon.log.1"), "line number 6\n");
        assert_eq!(read("daemon.log.3"), "line number 4\n");
        assert!(!dir.path().join("daemon.log.4").exists());
    }

    #[test]
    fn log_lines_are_redacted() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("daemon.log");
        let secret = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
        let mut log = LogFile::open(&path);
        log.write_all(format!("{{\"message\":\"no access with {secret}\"}}\n").as_bytes())
            .expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(
            text.contains("no access with") && !text.contains(secret),
            "{text}"
        );
    }
}
