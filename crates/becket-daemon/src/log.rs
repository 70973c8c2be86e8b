//! The daemon's log: JSON lines in a rotated file, or plain text on standard error.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use becket_base::fs::RotatingFile;
use becket_guard::redact::redact_text;
pub use tracing::Level;

/// The log is rotated before it gets larger.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// How many rotated files are kept.
const MAX_ROTATED_FILES: u64 = 3;

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
pub struct LogFile(RotatingFile);

impl LogFile {
    /// A log that is opened at the first write.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self(RotatingFile::new(path, MAX_FILE_BYTES, MAX_ROTATED_FILES))
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        self.0.append(redact_text(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
