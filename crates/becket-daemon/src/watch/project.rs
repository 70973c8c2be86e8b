//! A watched project: its directories, and the files that changed in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};
use notify::{Event, EventKind};

/// More changed files than this cause a full scan.
const MAX_FILES: usize = 200;

/// Files that control which others are indexed.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".becketignore"];

/// After a full scan, the next one waits this many times as long as the scan took.
const FULL_SCAN_REST_FACTOR: u32 = 10;

/// A watched project.
pub(super) struct WatchedProject {
    /// The project's path.
    pub(super) name: String,
    pub(super) dirs: BTreeSet<PathBuf>,
    /// When there was activity last.
    pub(super) last_used: Instant,
    /// Changed files, relative to the project.
    changed_files: BTreeSet<String>,
    /// Any file may have changed.
    needs_full_scan: bool,
    /// Files that are not indexed; their changes are ignored.
    unindexed: BTreeSet<String>,
    /// The earliest time of the next full scan.
    next_full_scan: Option<Instant>,
}

/// What to index again.
pub(super) enum RescanScope {
    Files(Vec<String>),
    All,
}

impl WatchedProject {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            dirs: BTreeSet::new(),
            last_used: Instant::now(),
            changed_files: BTreeSet::new(),
            needs_full_scan: false,
            unindexed: BTreeSet::new(),
            next_full_scan: None,
        }
    }

    pub(super) fn root(&self) -> &Path {
        Path::new(&self.name)
    }

    /// Records a file event for one path.
    pub(super) fn record_event(&mut self, path: &Path, kind: EventKind) {
        let Some(relative_path) = self.relative_path(path) else {
            return;
        };
        let name = path.file_name().unwrap_or_default();
        if IGNORE_FILES.iter().any(|rules| name == *rules) || self.affects_directory(path, kind) {
            self.needs_full_scan = true;
        } else if !self.unindexed.contains(&relative_path) && !path.is_dir() {
            self.changed_files.insert(relative_path);
            self.needs_full_scan |= self.changed_files.len() > MAX_FILES;
        }
    }

    /// The path relative to the project, if its directory is watched.
    fn relative_path(&self, path: &Path) -> Option<String> {
        let is_watched = path.parent().is_some_and(|dir| self.dirs.contains(dir));
        let relative_path = path.strip_prefix(self.root()).ok()?.to_str()?;
        (is_watched && !relative_path.is_empty() && relative_path != ".git")
            .then(|| relative_path.to_owned())
    }

    /// Whether a directory appeared, moved or vanished: there is no event for each file in it.
    fn affects_directory(&self, path: &Path, kind: EventKind) -> bool {
        match kind {
            EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => true,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) => {
                path.is_dir() || self.dirs.contains(path)
            }
            EventKind::Remove(_) => self.dirs.contains(path),
            _ => false,
        }
    }

    /// Requests a full scan.
    pub(super) fn request_full_scan(&mut self) {
        self.needs_full_scan = true;
    }

    /// When the project should be indexed again, if at all.
    pub(super) fn due(&self) -> Option<Instant> {
        match (self.needs_full_scan, self.next_full_scan) {
            (true, Some(until)) => Some(until),
            (true, None) => Some(self.last_used),
            (false, _) if !self.changed_files.is_empty() => Some(self.last_used),
            (false, _) => None,
        }
    }

    /// Takes the pending changes, if they are due.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<RescanScope> {
        self.due().filter(|due| *due <= now)?;
        let changed_files = std::mem::take(&mut self.changed_files);
        if std::mem::take(&mut self.needs_full_scan) {
            self.unindexed.clear();
            return Some(RescanScope::All);
        }
        Some(RescanScope::Files(changed_files.into_iter().collect()))
    }

    /// Records how long a full scan took.
    pub(super) fn full_scan_took(&mut self, took: Duration) {
        self.next_full_scan = Some(Instant::now() + took * FULL_SCAN_REST_FACTOR);
    }

    /// Marks a file as not indexed.
    pub(super) fn mark_unindexed(&mut self, file: String) {
        self.unindexed.insert(file);
    }
}

/// Whether an event may have changed a file's content.
pub(super) fn may_change_content(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use notify::event::DataChange;

    use super::*;

    const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

    fn project(dirs: &[&str]) -> WatchedProject {
        let mut project = WatchedProject::new("/p".into());
        project.dirs = dirs.iter().map(PathBuf::from).collect();
        project
    }

    fn due_files(project: &mut WatchedProject) -> String {
        match project.take_due(Instant::now()) {
            None => "nothing".into(),
            Some(RescanScope::All) => "all".into(),
            Some(RescanScope::Files(files)) => files.join(" "),
        }
    }

    #[test]
    fn only_changes_in_watched_directories_are_indexed() {
        let folder = EventKind::Create(CreateKind::Folder);
        for (path, kind, expected) in [
            ("/p/src/a.rs", WRITTEN, "src/a.rs"),
            (
                "/p/README.md",
                EventKind::Remove(RemoveKind::File),
                "README.md",
            ),
            ("/p/target/debug/a.d", WRITTEN, "nothing"),
            ("/p/.git", WRITTEN, "nothing"),
            ("/elsewhere/a.rs", WRITTEN, "nothing"),
            ("/p/src/new", folder, "all"),
            ("/p/src", EventKind::Remove(RemoveKind::Any), "all"),
            ("/p/.gitignore", WRITTEN, "all"),
        ] {
            let mut project = project(&["/p", "/p/src"]);
            project.record_event(Path::new(path), kind);
            assert_eq!(due_files(&mut project), expected, "{path} {kind:?}");
        }
    }

    #[test]
    fn unindexed_files_are_ignored_until_the_ignore_rules_change() {
        let mut project = project(&["/p"]);
        project.mark_unindexed("app.log".into());
        project.record_event(Path::new("/p/app.log"), WRITTEN);
        assert_eq!(due_files(&mut project), "nothing");
        project.record_event(Path::new("/p/.gitignore"), WRITTEN);
        assert_eq!(due_files(&mut project), "all");
        project.record_event(Path::new("/p/app.log"), WRITTEN);
        assert_eq!(due_files(&mut project), "app.log");
    }

    #[test]
    fn many_changes_cause_one_full_scan_and_full_scans_are_rate_limited() {
        let mut project = project(&["/p"]);
        for number in 0..=MAX_FILES {
            project.record_event(Path::new(&format!("/p/{number}.rs")), WRITTEN);
        }
        assert_eq!(due_files(&mut project), "all");
        project.full_scan_took(Duration::from_secs(60));
        project.request_full_scan();
        assert_eq!(due_files(&mut project), "nothing");
        assert!(project.due().is_some_and(|due| due > Instant::now()));
    }
}
