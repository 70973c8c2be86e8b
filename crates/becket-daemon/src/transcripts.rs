//! Finds agents' transcripts that grew recently, and the sessions they belong to.
//!
//! A growing transcript shows that an agent works although its hooks report nothing. Only names and modification times
//! are read, symbolic links are not followed, and the number of entries is bounded.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use becket_store::{Millis, TranscriptFile};

/// Where agents store transcripts: agent, path pattern, position of the session id.
const TRANSCRIPT_PATTERNS: &[(&str, &str, SessionIdPosition)] = &[
    (
        "claude",
        ".claude/projects/*/*",
        SessionIdPosition::FileStem,
    ),
    (
        "codex",
        ".codex/sessions/*/*/*/*",
        SessionIdPosition::Suffix(36),
    ),
    (
        "copilot",
        ".copilot/session-state/*/events.jsonl",
        SessionIdPosition::Directory,
    ),
    (
        "gemini",
        ".gemini/tmp/*/chats/*",
        SessionIdPosition::Suffix(8),
    ),
    (
        "qwen",
        ".qwen/projects/*/chats/*",
        SessionIdPosition::FileStem,
    ),
];
/// Older transcripts are ignored.
const MAX_AGE: Duration = Duration::from_secs(24 * 3600);
/// Limits for the names read and the subdirectories visited in one directory, the newest first.
const MAX_NAMES: usize = 4000;
const MAX_DIRECTORIES: usize = 64;
/// The most transcripts of one agent, the newest first.
const MAX_TRANSCRIPTS: usize = 64;

/// Where the session id is in a transcript's path.
#[derive(Clone, Copy)]
enum SessionIdPosition {
    FileStem,
    /// The last characters of the file stem: a whole id, or the beginning of one if there are fewer.
    Suffix(usize),
    Directory,
}

/// Transcripts below `home` that grew within the last day.
pub(crate) fn recently_grown(home: &Path, now: SystemTime) -> Vec<TranscriptFile> {
    let of_agent = |(agent, pattern, name): &(&str, &str, SessionIdPosition)| {
        let parts: Vec<&str> = pattern.split('/').collect();
        let mut found: Vec<(PathBuf, SystemTime)> = Vec::new();
        walk(home, &parts, &mut found);
        found.retain(|(_, grown)| {
            *grown <= now && now.duration_since(*grown).is_ok_and(|ago| ago <= MAX_AGE)
        });
        found.sort_by_key(|(_, grown)| std::cmp::Reverse(*grown));
        found.truncate(MAX_TRANSCRIPTS);
        let transcripts = found.into_iter().filter_map(|(path, grown)| {
            Some(TranscriptFile {
                agent: (*agent).to_owned(),
                session: session_id(&path, *name)?,
                path: path.to_str()?.to_owned(),
                modified_at: millis(grown)?,
            })
        });
        transcripts.collect::<Vec<_>>()
    };
    TRANSCRIPT_PATTERNS.iter().flat_map(of_agent).collect()
}

fn walk(dir: &Path, parts: &[&str], found: &mut Vec<(PathBuf, SystemTime)>) {
    match parts {
        [] => {}
        ["*"] => found.extend(files(dir)),
        ["*", rest @ ..] => {
            for below in directories(dir) {
                walk(&below, rest, found);
            }
        }
        [name] => found.extend(file(&dir.join(name))),
        [name, rest @ ..] => walk(&dir.join(name), rest, found),
    }
}

fn entries(dir: &Path) -> impl Iterator<Item = DirEntry> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    entries.filter_map(Result::ok).take(MAX_NAMES)
}

fn directories(dir: &Path) -> Vec<PathBuf> {
    let is_directory = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut all: Vec<(SystemTime, PathBuf)> = entries(dir)
        .filter(is_directory)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    all.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    all.truncate(MAX_DIRECTORIES);
    all.into_iter().map(|(_, path)| path).collect()
}

fn files(dir: &Path) -> impl Iterator<Item = (PathBuf, SystemTime)> {
    entries(dir).filter_map(|entry| file(&entry.path()))
}

fn file(path: &Path) -> Option<(PathBuf, SystemTime)> {
    path.extension().filter(|ending| *ending == "jsonl")?;
    let meta = fs::symlink_metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)?;
    Some((path.to_owned(), meta.modified().ok()?))
}

/// The session id, or its beginning. `None` for other files, such as the transcript of a subagent.
fn session_id(path: &Path, name: SessionIdPosition) -> Option<String> {
    let part = match name {
        SessionIdPosition::Directory => path.parent()?.file_name()?,
        _ => path.file_stem()?,
    };
    let part = part.to_str()?;
    let id = match name {
        SessionIdPosition::Suffix(length) => part.get(part.len().checked_sub(length)?..)?,
        _ => part,
    };
    let is_id = id.char_indices().all(|(at, letter)| match at {
        8 | 13 | 18 | 23 => letter == '-',
        _ => letter.is_ascii_hexdigit(),
    });
    (is_id && matches!(id.len(), 8 | 36)).then(|| id.to_owned())
}

fn millis(time: SystemTime) -> Option<Millis> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "020f002d-0448-45e0-a9c2-b5863ebb5f91";

    #[test]
    fn only_recently_grown_transcripts_are_found() {
        let home = tempfile::tempdir().expect("a directory");
        let now = SystemTime::now();
        let write = |name: &str, hours: u64| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("created");
            let file = fs::File::create(&path).expect("created");
            file.set_modified(now - Duration::from_secs(hours * 3600))
                .expect("set");
        };
        assert_eq!(recently_grown(home.path(), now), []);
        for (name, hours) in [
            (format!(".claude/projects/-home-dev-app/{ID}.jsonl"), 1),
            (
                format!(".codex/sessions/2026/11/15/rollout-2026-11-15T19-26-34-{ID}.jsonl"),
                2,
            ),
            (format!(".copilot/session-state/{ID}/events.jsonl"), 3),
            (
                ".gemini/tmp/app/chats/session-2026-11-15T19-11-74af8a90.jsonl".to_owned(),
                4,
            ),
            (format!(".qwen/projects/-home-dev-app/chats/{ID}.jsonl"), 5),
            // A subagent's transcript, another file type, an old one, and an unknown agent.
            (
                ".claude/projects/-home-dev-app/agent-a0a8704e.jsonl".to_owned(),
                1,
            ),
            (
                format!(".claude/projects/-home-dev-app/{ID}/subagents/{ID}.jsonl"),
                1,
            ),
            (format!(".claude/projects/-home-dev-app/{ID}.json"), 1),
            (format!(".claude/projects/-home-dev-old/{ID}.jsonl"), 25),
            (format!(".cursor/projects/app/{ID}.jsonl"), 1),
        ] {
            write(&name, hours);
        }
        let link = home
            .path()
            .join(".claude/projects/-home-dev-app/120f002d-0448-45e0-a9c2-b5863ebb5f91.jsonl");
        std::os::unix::fs::symlink("/etc/passwd", link).expect("linked");
        let found = recently_grown(home.path(), now);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|it| (it.agent.as_str(), it.session.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("claude", ID),
                ("codex", ID),
                ("copilot", ID),
                ("gemini", "74af8a90"),
                ("qwen", ID)
            ]
        );
    }
}
