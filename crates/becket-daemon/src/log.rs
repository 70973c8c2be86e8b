//! The daemon's log: one JSON object a line in a file that stays small, or plain text for whoever watches.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use becket_guard::redact::redact_text;
pub use tracing::Level;

/// A file that reaches this size is set aside.
const LONGEST: u64 = 4 * 1024 * 1024;
/// How many of those are kept.
const KEPT: u32 = 3;

/// Starts writing; the first call in a process counts.
pub fn start(level: Level, file: Option<LogFile>) {
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false);
    // A second subscriber is refused, and the first goes on.
    let _ = match file {
        Some(file) => tracing::subscriber::set_global_default(
            log.json().with_writer(Mutex::new(file)).finish(),
        ),
        None => tracing::subscriber::set_global_default(
            log.with_ansi(false).with_writer(io::stderr).finish(),
        ),
    };
}

/// A log in a file. Every write is a whole line, and is freed of secrets.
pub struct LogFile {
    path: PathBuf,
    longest: u64,
    open: Option<(File, u64)>,
}

impl LogFile {
    /// A log that is opened with its first line.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            longest: LONGEST,
            open: None,
        }
    }

    fn file(&mut self) -> io::Result<&mut (File, u64)> {
        if self
            .open
            .as_ref()
            .is_some_and(|(_, size)| *size >= self.longest)
        {
            self.open = None;
            set_aside(&self.path)?;
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
            .ok_or_else(|| io::Error::other("the log is not open"))
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

/// `log` becomes `log.1`, `log.1` becomes `log.2`, and the last one goes.
fn set_aside(path: &Path) -> io::Result<()> {
    let numbered = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    for number in (1..KEPT).rev() {
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
    fn a_long_log_is_set_aside_and_only_the_latest_are_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("daemon.log");
        let mut log = LogFile::open(&path);
        log.longest = 10;
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
    fn secrets_do_not_reach_the_log() {
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
