//! `becket daemon logs`: prints the end of the log and follows it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::runtime_dir::RuntimeDir;

use crate::exit::Exit;
use crate::report::{sanitize, try_print};

/// How often to look for new lines.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn show(home: &Home, lines: usize, follow: bool) -> anyhow::Result<Exit> {
    let path = RuntimeDir::in_state_dir(&home.state).log();
    let mut log = LogTail::default();
    let text = match log.read_new_lines(&path) {
        // With `--follow`, the file may appear later.
        Err(error) if follow && error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "`{}` does not exist: no daemon has written a log yet\nhint: run `becket daemon start`; a service needs `becket daemon run --log-file`, as in `becket daemon unit`",
            path.display()
        ),
        read => read.with_context(|| format!("cannot read `{}`", path.display()))?,
    };
    let all: Vec<&str> = text.lines().collect();
    let latest = &all[all.len().saturating_sub(lines)..];
    let mut has_reader = latest.iter().all(|line| print_line(line));
    while follow && has_reader {
        std::thread::sleep(POLL_INTERVAL);
        // During a log rotation the file is missing for a moment.
        let text = log.read_new_lines(&path).unwrap_or_default();
        has_reader = text.lines().all(print_line);
    }
    Ok(Exit::Success)
}

/// Prints a line. Returns whether standard output is still open.
fn print_line(line: &str) -> bool {
    try_print(&format!("{}\n", sanitize(line)))
}

/// A read position in a log file that may be rotated or truncated.
#[derive(Default)]
struct LogTail {
    file: Option<(File, u64)>,
    /// An incomplete last line.
    rest: Vec<u8>,
}

impl LogTail {
    /// The complete lines since the last call. A rotated file is read to its end before the new one.
    fn read_new_lines(&mut self, path: &Path) -> std::io::Result<String> {
        let mut read = std::mem::take(&mut self.rest);
        if let Some((file, at)) = &mut self.file {
            // The file was truncated: read it from the start.
            if file.metadata()?.len() < *at {
                file.seek(SeekFrom::Start(0))?;
                *at = 0;
            }
            *at += file.read_to_end(&mut read)? as u64;
        }
        if self.is_rotated(path) {
            let mut file = File::open(path)?;
            let at = file.read_to_end(&mut read)? as u64;
            self.file = Some((file, at));
        }
        let end = read.iter().rposition(|byte| *byte == b'\n');
        self.rest = read.split_off(end.map_or(0, |end| end + 1));
        Ok(String::from_utf8_lossy(&read).into_owned())
    }

    /// Whether the path now names another file than the open one.
    fn is_rotated(&self, path: &Path) -> bool {
        let Some((file, _)) = &self.file else {
            return true;
        };
        match (file.metadata(), path.metadata()) {
            (Ok(open), Ok(named)) => (open.dev(), open.ino()) != (named.dev(), named.ino()),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn complete_lines_are_read_once_across_rotation_and_truncation() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log");
        let append = |text: &str| {
            use std::io::Write;
            let mut options = fs::OpenOptions::new();
            let file = options.append(true).create(true).open(&path);
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .expect("written");
        };
        let mut log = LogTail::default();
        assert!(log.read_new_lines(&path).is_err());
        append("one\ntw");
        assert_eq!(log.read_new_lines(&path).expect("read"), "one\n");
        append("o\n");
        assert_eq!(log.read_new_lines(&path).expect("read"), "two\n");
        append("three\n");
        fs::rename(&path, dir.path().join("log.1")).expect("renamed");
        append("four\n");
        assert_eq!(log.read_new_lines(&path).expect("read"), "three\nfour\n");
        fs::write(&path, "5\n").expect("cut");
        assert_eq!(log.read_new_lines(&path).expect("read"), "5\n");
        assert_eq!(log.read_new_lines(&path).expect("read"), "");
    }
}
