//! The thread that watches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use becket_recall::code::FileOutcome;
use becket_store::{Millis, Reader, Shelf};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::places::{Look, Project, changes};
use super::{Ear, Message};
use crate::counters::Counters;
use crate::recall::{Remembering, Unanswered};

/// What comes within this is looked at together.
const TOGETHER: Duration = Duration::from_millis(150);
/// Projects that are watched at a time.
const MOST_PROJECTS: usize = 8;
/// Projects that were not used for longer are not watched before they are used again.
const LATELY: Duration = Duration::from_secs(7 * 24 * 3600);
/// Directories that are watched in all of them.
const MOST_DIRECTORIES: usize = 16_384;

pub(super) struct Thread {
    remembering: Remembering,
    counters: Arc<Counters>,
    ear: Ear,
    /// Made when there is something to watch.
    watcher: Option<RecommendedWatcher>,
    projects: Vec<Project>,
    /// Somebody was told that not everything is watched.
    has_warned: bool,
}

impl Thread {
    pub(super) fn new(remembering: Remembering, counters: Arc<Counters>, ear: Ear) -> Self {
        Self {
            remembering,
            counters,
            ear,
            watcher: None,
            projects: Vec::new(),
            has_warned: false,
        }
    }

    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        if let Err(error) = self.begin() {
            tracing::debug!("no project is watched yet: {error}");
        }
        while self.hear(messages) {
            self.look();
        }
    }

    /// Projects that were used last are likely to be used next.
    fn begin(&mut self) -> Result<(), Unanswered> {
        let reader = self.reader()?;
        let mut indexed = Vec::new();
        let lately = Millis::now().minus(LATELY);
        let projects = reader.projects()?.into_iter();
        for project in projects.take_while(|one| one.last_seen >= lately) {
            if reader.shelf_seq(&project.path, Shelf::Code)? > 0 {
                indexed.push(project.path);
            }
            if indexed.len() == MOST_PROJECTS {
                break;
            }
        }
        // The latest last, so that it stays longest.
        for project in indexed.into_iter().rev() {
            self.used(project);
        }
        self.look();
        Ok(())
    }

    fn reader(&self) -> Result<Reader, Unanswered> {
        Ok(Reader::open(self.remembering.keeper().database())?)
    }

    /// Waits for something to do, and takes what comes with it. Whether to go on.
    fn hear(&mut self, messages: &Receiver<Message>) -> bool {
        let due = self.projects.iter().filter_map(Project::due).min();
        let first = match due {
            None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => messages.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match first {
            Err(RecvTimeoutError::Disconnected) | Ok(Message::Stop) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(message) => self.take(message),
        }
        let until = Instant::now() + TOGETHER;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match messages.recv_timeout(left) {
                Ok(Message::Stop) => return false,
                Ok(message) => self.take(message),
                Err(_) => break,
            }
            if left.is_zero() {
                break;
            }
        }
        if self.ear.has_missed() {
            self.projects.iter_mut().for_each(Project::doubt);
        }
        true
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Used(project) => self.used(project),
            Message::Changed(event) if event.need_rescan() => {
                self.projects.iter_mut().for_each(Project::doubt);
            }
            Message::Changed(event) if changes(&event) => {
                for path in &event.paths {
                    // One may be inside another.
                    for project in &mut self.projects {
                        project.note(path, event.kind);
                    }
                }
            }
            Message::Changed(_) | Message::Stop => {}
        }
    }

    fn used(&mut self, name: String) {
        if let Some(at) = self.projects.iter().position(|one| one.name == name) {
            let mut project = self.projects.remove(at);
            project.used = Instant::now();
            self.projects.push(project);
            return;
        }
        while self.projects.len() >= MOST_PROJECTS {
            let gone = self.projects.remove(0);
            self.unwatch(&gone.dirs);
        }
        self.projects.push(Project::new(name));
        self.watch_again(self.projects.len() - 1);
    }

    /// Brings up to date what has changed.
    fn look(&mut self) {
        for at in 0..self.projects.len() {
            let begun = Instant::now();
            let Some(look) = self.projects[at].take(begun) else {
                continue;
            };
            let name = self.projects[at].name.clone();
            let (files, all) = match look {
                Look::All => (Vec::new(), true),
                Look::Files(files) => (files, false),
            };
            match self.remembering.update(&name, &files, all) {
                Ok(outcomes) => self.note(at, files, outcomes),
                // A project that is gone, or cannot be read now, is no reason to leave out the others.
                Err(error) => tracing::debug!("`{name}`: {error}"),
            }
            if all {
                self.projects[at].looked(begun.elapsed());
                self.watch_again(at);
            }
        }
    }

    fn note(&mut self, at: usize, files: Vec<String>, outcomes: Vec<FileOutcome>) {
        for (file, outcome) in files.into_iter().zip(outcomes) {
            match outcome {
                FileOutcome::Changed | FileOutcome::Removed => {
                    self.counters.watched_changes.add(1);
                }
                FileOutcome::Refused(_) => self.projects[at].refuse(file),
                FileOutcome::Same | FileOutcome::Problem(_) => {}
            }
        }
    }

    /// Watches the directories that hold files of the index, and no others any more.
    fn watch_again(&mut self, at: usize) {
        let project = &self.projects[at];
        let dirs = match self.directories(project) {
            Ok(dirs) => dirs,
            Err(error) => return tracing::debug!("`{}`: {error}", project.name),
        };
        let gone: BTreeSet<PathBuf> = project.dirs.difference(&dirs).cloned().collect();
        let new: Vec<PathBuf> = dirs.difference(&project.dirs).cloned().collect();
        let root = project.root().to_owned();
        self.unwatch(&gone);
        self.projects[at].dirs.retain(|dir| !gone.contains(dir));
        for dir in new {
            if !self.watch(&root, &dir) {
                return;
            }
            self.projects[at].dirs.insert(dir);
            // Something may have changed in it before.
            self.projects[at].doubt();
        }
    }

    fn directories(&self, project: &Project) -> Result<BTreeSet<PathBuf>, Unanswered> {
        let root = project.root();
        let mut dirs = BTreeSet::from([root.to_owned()]);
        for file in self.reader()?.code_files(&project.name)? {
            let file = root.join(file.path);
            let above = file.ancestors().skip(1).take_while(|dir| *dir != root);
            for dir in above {
                if !dirs.insert(dir.to_owned()) {
                    break;
                }
            }
        }
        dirs.retain(|dir| dir.is_dir());
        Ok(dirs)
    }

    /// Whether there is room for more.
    fn watch(&mut self, root: &Path, dir: &Path) -> bool {
        let in_all: usize = self.projects.iter().map(|one| one.dirs.len()).sum();
        if in_all >= MOST_DIRECTORIES {
            return self.degrade(&format!("{MOST_DIRECTORIES} directories are watched"));
        }
        // There a watch is for everything below, and each one more is costly.
        if cfg!(target_os = "macos") && dir != root {
            return true;
        }
        let mode = if cfg!(target_os = "macos") {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        };
        match self.watch_one(dir, mode) {
            Ok(()) => true,
            Err(error) if is_gone(&error) => true,
            Err(error) => self.degrade(&error.to_string()),
        }
    }

    fn watch_one(&mut self, dir: &Path, mode: RecursiveMode) -> notify::Result<()> {
        let watcher = match &mut self.watcher {
            Some(watcher) => watcher,
            none => none.insert(tell(self.ear.clone())?),
        };
        watcher.watch(dir, mode)
    }

    fn unwatch(&mut self, dirs: &BTreeSet<PathBuf>) {
        for dir in dirs {
            if let Some(watcher) = &mut self.watcher {
                // One that is gone is not watched any more, either.
                let _ = watcher.unwatch(dir);
            }
        }
    }

    /// Says once that not everything is watched.
    fn degrade(&mut self, why: &str) -> bool {
        if !self.has_warned {
            self.has_warned = true;
            tracing::warn!(
                "not every directory is watched ({why}); what you change there is found after the next turn of an agent or `becket index`"
            );
        }
        false
    }
}

/// Tells the ear what changes.
fn tell(ear: Ear) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event {
            ear.changed(event);
        }
    })
}

/// A directory that went while it was to be watched.
fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
