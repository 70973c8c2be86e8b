//! `becket daemon logs`: the end of the log, and what comes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::place::Place;

use crate::exit::Exit;
use crate::report::{tame, try_print};

/// How often it is looked for more.
const LOOK: Duration = Duration::from_millis(200);

pub(super) fn show(home: &Home, lines: usize, follow: bool) -> anyhow::Result<Exit> {
    let path = Place::below(&home.state).log();
    let mut log = Log::default();
    let text = match log.more(&path) {
        // It may come yet.
        Err(error) if follow && error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "`{}` is not there: no daemon has written a log yet\nhint: `becket daemon start` starts one that does; a service does with `becket daemon run --log-file`, as `becket daemon unit` prints it",
            path.display()
        ),
        read => read.with_context(|| format!("`{}` cannot be read", path.display()))?,
    };
    let all: Vec<&str> = text.lines().collect();
    let latest = &all[all.len().saturating_sub(lines)..];
    let mut is_read = latest.iter().all(|line| show_line(line));
    while follow && is_read {
        std::thread::sleep(LOOK);
        // Between two files there is none for a moment.
        let text = log.more(&path).unwrap_or_default();
        is_read = text.lines().all(show_line);
    }
    Ok(Exit::Success)
}

/// Prints a line; whether somebody still reads.
fn show_line(line: &str) -> bool {
    try_print(&format!("{}\n", tame(line)))
}

/// How far a log was read.
#[derive(Default)]
struct Log {
    file: Option<(File, u64)>,
    /// The beginning of a line whose end is not written yet.
    rest: Vec<u8>,
}

impl Log {
    /// Whole lines that were not read before. A log that was set aside is read to its end first.
    fn more(&mut self, path: &Path) -> std::io::Result<String> {
        let mut read = std::mem::take(&mut self.rest);
        if let Some((file, at)) = &mut self.file {
            // Cut short by somebody: it begins again.
            if file.metadata()?.len() < *at {
                file.seek(SeekFrom::Start(0))?;
                *at = 0;
            }
            *at += file.read_to_end(&mut read)? as u64;
        }
        if self.is_another(path) {
            let mut file = File::open(path)?;
            let at = file.read_to_end(&mut read)? as u64;
            self.file = Some((file, at));
        }
        let end = read.iter().rposition(|byte| *byte == b'\n');
        self.rest = read.split_off(end.map_or(0, |end| end + 1));
        Ok(String::from_utf8_lossy(&read).into_owned())
    }

    /// Whether the path leads to another file than the one that was read.
    fn is_another(&self, path: &Path) -> bool {
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
    fn lines_are_read_once_and_whole_also_when_the_log_is_set_aside_or_cut() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log");
        let append = |text: &str| {
            use std::io::Write;
            let mut options = fs::OpenOptions::new();
            let file = options.append(true).create(true).open(&path);
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .expect("written");
        };
        let mut log = Log::default();
        assert!(log.more(&path).is_err());
        append("one\ntw");
        assert_eq!(log.more(&path).expect("read"), "one\n");
        append("o\n");
        assert_eq!(log.more(&path).expect("read"), "two\n");
        append("three\n");
        fs::rename(&path, dir.path().join("log.1")).expect("renamed");
        append("four\n");
        assert_eq!(log.more(&path).expect("read"), "three\nfour\n");
        fs::write(&path, "5\n").expect("cut");
        assert_eq!(log.more(&path).expect("read"), "5\n");
        assert_eq!(log.more(&path).expect("read"), "");
    }
}
