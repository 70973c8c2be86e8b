//! Writes the evidence of a run to its directory, and collects it for a failed test.
//!
//! Evidence goes through files, so that a panic, a kill or a hanging client loses none of it, and so that the drivers and
//! the harness do not depend on each other.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use becket_base::text::ellipsize;

use crate::fake_model::RecordedRequest;

/// A readable summary of the requests.
const REQUESTS: &str = "requests.txt";
/// The same requests with their bodies, as JSON Lines.
const REQUESTS_IN_FULL: &str = "requests.jsonl";

/// How much of each file is shown: its last lines, where errors are, and the start of each line, because clients write
/// JSON lines of many kilobytes.
const MAX_LINES: usize = 40;
const MAX_LINE_CHARS: usize = 400;

/// Writes the recorded requests to the run directory.
pub(crate) fn write_requests(root: &Path, requests: &[RecordedRequest]) -> io::Result<()> {
    let lines = |show: &dyn Fn(&RecordedRequest) -> String| {
        let shown = requests.iter().map(|request| show(request) + "\n");
        shown.collect::<String>()
    };
    fs::write(root.join(REQUESTS), lines(&ToString::to_string))?;
    let in_full = lines(&|request| request.to_json().to_string());
    fs::write(root.join(REQUESTS_IN_FULL), in_full)
}

/// The evidence in a run directory, for a person who analyses a failure.
pub(crate) fn collect(root: &Path) -> String {
    let mut shown = String::new();
    for path in files(root) {
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path);
        shown.extend(["--- ", &name.to_string_lossy(), "\n", &end_of(&text), "\n"]);
    }
    shown
}

/// The files to show: those in the run directory, in its client runs and in further session directories. The clients'
/// homes and repositories are skipped.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !matches!(&*name, "home" | "work" | "tmp") {
                found.extend(files(&path));
            }
        } else if matches!(&*name, "stdout" | "stderr" | REQUESTS) {
            found.push(path);
        }
    }
    found
}

fn end_of(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(MAX_LINES);
    let note = (left_out > 0).then(|| format!("[{left_out} lines before]"));
    let shown = lines[left_out..]
        .iter()
        .map(|line| ellipsize(line, MAX_LINE_CHARS).into_owned());
    note.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_shows_the_end_of_each_output_and_no_client_files() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("turn-1/stdout", &"noise\n".repeat(100));
        write("turn-1/stderr", "the reason");
        write("turn-2/stderr", "\n");
        write("second/turn-1/stderr", "the other reason");
        write("requests.txt", "#1 POST /v1/messages");
        write("work/stdout", "a file of the client's");
        let shown = collect(dir.path());
        assert!(shown.contains("--- turn-1/stderr\nthe reason\n"), "{shown}");
        assert!(shown.contains("the other reason"), "{shown}");
        assert!(shown.contains("#1 POST /v1/messages"), "{shown}");
        assert!(!shown.contains("turn-2"), "{shown}");
        assert!(!shown.contains("a file of the client's"), "{shown}");
        assert_eq!(shown.matches("noise").count(), MAX_LINES);
        assert!(shown.contains("[60 lines before]\nnoise"), "{shown}");
    }

    #[test]
    fn overlong_line_is_truncated() {
        let shown = end_of(&"é".repeat(MAX_LINE_CHARS + 1));
        assert_eq!(shown, "é".repeat(MAX_LINE_CHARS - 1) + "…");
        let whole = "é".repeat(MAX_LINE_CHARS);
        assert_eq!(end_of(&whole), whole);
    }
}
