//! A project that is watched: its directories, and what has changed in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};
use notify::{Event, EventKind};

/// More files at once are looked at as a whole project.
const MOST_FILES: usize = 200;

/// Files that say which others are indexed.
const RULES: [&str; 3] = [".gitignore", ".ignore", ".becketignore"];

/// A look at a whole project may take this part of the time.
const SHARE: u32 = 10;

/// A project that is watched.
pub(super) struct Project {
    /// As the record calls it, which is where it is.
    pub(super) name: String,
    pub(super) dirs: BTreeSet<PathBuf>,
    /// When it was last used.
    pub(super) used: Instant,
    /// Files that have changed, inside the project.
    changed: BTreeSet<String>,
    /// Anything may have changed.
    all: bool,
    /// Files that are not indexed, however often they change.
    refused: BTreeSet<String>,
    /// The next look at everything is not before then.
    rests_until: Option<Instant>,
}

/// What is to be looked at again.
pub(super) enum Look {
    Files(Vec<String>),
    All,
}

impl Project {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            dirs: BTreeSet::new(),
            used: Instant::now(),
            changed: BTreeSet::new(),
            all: false,
            refused: BTreeSet::new(),
            rests_until: None,
        }
    }

    pub(super) fn root(&self) -> &Path {
        Path::new(&self.name)
    }

    /// Notes what an event says of one path inside the project.
    pub(super) fn note(&mut self, path: &Path, kind: EventKind) {
        let Some(inside) = self.inside(path) else {
            return;
        };
        let name = path.file_name().unwrap_or_default();
        if RULES.iter().any(|rules| name == *rules) || self.moves_directory(path, kind) {
            self.all = true;
        } else if !self.refused.contains(&inside) && !path.is_dir() {
            self.changed.insert(inside);
            self.all |= self.changed.len() > MOST_FILES;
        }
    }

    /// The path as the project sees it, if its directory is one that is watched.
    fn inside(&self, path: &Path) -> Option<String> {
        let is_watched = path.parent().is_some_and(|dir| self.dirs.contains(dir));
        let inside = path.strip_prefix(self.root()).ok()?.to_str()?;
        (is_watched && !inside.is_empty() && inside != ".git").then(|| inside.to_owned())
    }

    /// Files come and go with their directory, and nobody tells of each.
    fn moves_directory(&self, path: &Path, kind: EventKind) -> bool {
        match kind {
            EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => true,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) => {
                path.is_dir() || self.dirs.contains(path)
            }
            EventKind::Remove(_) => self.dirs.contains(path),
            _ => false,
        }
    }

    /// Anything may have changed.
    pub(super) fn doubt(&mut self) {
        self.all = true;
    }

    /// When it is to be looked at, if at all.
    pub(super) fn due(&self) -> Option<Instant> {
        match (self.all, self.rests_until) {
            (true, Some(until)) => Some(until),
            (true, None) => Some(self.used),
            (false, _) if !self.changed.is_empty() => Some(self.used),
            (false, _) => None,
        }
    }

    /// Takes what is to be looked at, if its time has come.
    pub(super) fn take(&mut self, now: Instant) -> Option<Look> {
        self.due().filter(|due| *due <= now)?;
        let changed = std::mem::take(&mut self.changed);
        if std::mem::take(&mut self.all) {
            self.refused.clear();
            return Some(Look::All);
        }
        Some(Look::Files(changed.into_iter().collect()))
    }

    /// A look at everything took this long.
    pub(super) fn looked(&mut self, took: Duration) {
        self.rests_until = Some(Instant::now() + took * SHARE);
    }

    /// A file is not indexed.
    pub(super) fn refuse(&mut self, file: String) {
        self.refused.insert(file);
    }
}

/// Whether an event may have changed what a file says.
pub(super) fn changes(event: &Event) -> bool {
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

    fn project(dirs: &[&str]) -> Project {
        let mut project = Project::new("/p".into());
        project.dirs = dirs.iter().map(PathBuf::from).collect();
        project
    }

    fn looked_at(project: &mut Project) -> String {
        match project.take(Instant::now()) {
            None => "nothing".into(),
            Some(Look::All) => "all".into(),
            Some(Look::Files(files)) => files.join(" "),
        }
    }

    #[test]
    fn changes_in_watched_directories_are_looked_at_and_others_are_not() {
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
            project.note(Path::new(path), kind);
            assert_eq!(looked_at(&mut project), expected, "{path} {kind:?}");
        }
    }

    #[test]
    fn what_is_not_indexed_is_not_looked_at_again_until_the_rules_change() {
        let mut project = project(&["/p"]);
        project.refuse("app.log".into());
        project.note(Path::new("/p/app.log"), WRITTEN);
        assert_eq!(looked_at(&mut project), "nothing");
        project.note(Path::new("/p/.gitignore"), WRITTEN);
        assert_eq!(looked_at(&mut project), "all");
        project.note(Path::new("/p/app.log"), WRITTEN);
        assert_eq!(looked_at(&mut project), "app.log");
    }

    #[test]
    fn many_changes_are_one_look_and_looks_at_everything_leave_time_for_others() {
        let mut project = project(&["/p"]);
        for number in 0..=MOST_FILES {
            project.note(Path::new(&format!("/p/{number}.rs")), WRITTEN);
        }
        assert_eq!(looked_at(&mut project), "all");
        project.looked(Duration::from_secs(60));
        project.doubt();
        assert_eq!(looked_at(&mut project), "nothing");
        assert!(project.due().is_some_and(|due| due > Instant::now()));
    }
}
