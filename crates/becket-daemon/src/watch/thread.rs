//! The watch thread.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use becket_recall::code::FileOutcome;
use becket_store::{CorpusKind, Millis, StoreReader};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::project::{RescanScope, WatchedProject, may_change_content};
use super::{WatchHandle, WatchMessage};
use crate::counters::Counters;
use crate::recall::{MemoryError, MemoryService};

/// File events within this time are handled together.
const DEBOUNCE: Duration = Duration::from_millis(150);
/// The most watched projects.
const MAX_PROJECTS: usize = 8;
/// Projects without activity for longer are not watched at the start.
const RECENT_USE: Duration = Duration::from_secs(7 * 24 * 3600);
/// The most watched directories of all projects together.
const MAX_DIRECTORIES: usize = 16_384;

pub(super) struct WatchThread {
    memory: MemoryService,
    counters: Arc<Counters>,
    handle: WatchHandle,
    /// Created at the first watch.
    watcher: Option<RecommendedWatcher>,
    projects: Vec<WatchedProject>,
    /// The log says already that not every directory is watched.
    has_warned: bool,
}

impl WatchThread {
    pub(super) fn new(memory: MemoryService, counters: Arc<Counters>, handle: WatchHandle) -> Self {
        Self {
            memory,
            counters,
            handle,
            watcher: None,
            projects: Vec::new(),
            has_warned: false,
        }
    }

    pub(super) fn run(mut self, messages: &Receiver<WatchMessage>) {
        if let Err(error) = self.watch_recent_projects() {
            tracing::debug!("cannot watch recent projects: {error}");
        }
        while self.receive(messages) {
            self.reindex_due();
        }
    }

    /// Watches the projects that were used last.
    fn watch_recent_projects(&mut self) -> Result<(), MemoryError> {
        let reader = self.reader()?;
        let mut indexed = Vec::new();
        let lately = Millis::now().minus(RECENT_USE);
        let projects = reader.projects()?.into_iter();
        for project in projects.take_while(|one| one.last_seen >= lately) {
            if reader.corpus_seq(&project.path, CorpusKind::Code)? > 0 {
                indexed.push(project.path);
            }
            if indexed.len() == MAX_PROJECTS {
                break;
            }
        }
        // The most recent one is added last, so that it is evicted last.
        for project in indexed.into_iter().rev() {
            self.touch_project(project);
        }
        self.reindex_due();
        Ok(())
    }

    fn reader(&self) -> Result<StoreReader, MemoryError> {
        Ok(StoreReader::open(self.memory.store().database_path())?)
    }

    /// Waits for a message, and handles those that follow within the debounce time. Returns false to stop.
    fn receive(&mut self, messages: &Receiver<WatchMessage>) -> bool {
        let due = self.projects.iter().filter_map(WatchedProject::due).min();
        let first = match due {
            None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => messages.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match first {
            Err(RecvTimeoutError::Disconnected) | Ok(WatchMessage::Stop) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(message) => self.handle_message(message),
        }
        let until = Instant::now() + DEBOUNCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match messages.recv_timeout(left) {
                Ok(WatchMessage::Stop) => return false,
                Ok(message) => self.handle_message(message),
                Err(_) => break,
            }
            if left.is_zero() {
                break;
            }
        }
        if self.handle.take_overflow() {
            self.projects
                .iter_mut()
                .for_each(WatchedProject::request_full_scan);
        }
        true
    }

    fn handle_message(&mut self, message: WatchMessage) {
        match message {
            WatchMessage::ProjectUsed(project) => self.touch_project(project),
            WatchMessage::FileEvent(event) if event.need_rescan() => {
                self.projects
                    .iter_mut()
                    .for_each(WatchedProject::request_full_scan);
            }
            WatchMessage::FileEvent(event) if may_change_content(&event) => {
                for path in &event.paths {
                    // Projects may be nested.
                    for project in &mut self.projects {
                        project.record_event(path, event.kind);
                    }
                }
            }
            WatchMessage::FileEvent(_) | WatchMessage::Stop => {}
        }
    }

    fn touch_project(&mut self, name: String) {
        if let Some(at) = self.projects.iter().position(|one| one.name == name) {
            let mut project = self.projects.remove(at);
            project.last_used = Instant::now();
            self.projects.push(project);
            return;
        }
        while self.projects.len() >= MAX_PROJECTS {
            let oldest = self.projects.remove(0);
            self.unwatch(&oldest.dirs);
        }
        self.projects.push(WatchedProject::new(name));
        self.refresh_watches(self.projects.len() - 1);
    }

    /// Indexes the changes that are due.
    fn reindex_due(&mut self) {
        for at in 0..self.projects.len() {
            let begun = Instant::now();
            let Some(scope) = self.projects[at].take_due(begun) else {
                continue;
            };
            let name = self.projects[at].name.clone();
            let (files, all) = match scope {
                RescanScope::All => (Vec::new(), true),
                RescanScope::Files(files) => (files, false),
            };
            match self.memory.update_files(&name, &files, all) {
                Ok(outcomes) => self.record_outcomes(at, files, outcomes),
                // A project that is missing or unreadable must not block the others.
                Err(error) => tracing::debug!("`{name}`: {error}"),
            }
            if all {
                self.projects[at].full_scan_took(begun.elapsed());
                self.refresh_watches(at);
            }
        }
    }

    fn record_outcomes(&mut self, at: usize, files: Vec<String>, outcomes: Vec<FileOutcome>) {
        for (file, outcome) in files.into_iter().zip(outcomes) {
            match outcome {
                FileOutcome::Changed | FileOutcome::Removed => {
                    self.counters.watched_changes.add(1);
                }
                FileOutcome::Refused(_) => self.projects[at].mark_unindexed(file),
                FileOutcome::Same | FileOutcome::Problem(_) => {}
            }
        }
    }

    /// Watches the directories that hold indexed files, and drops the others.
    fn refresh_watches(&mut self, at: usize) {
        let project = &self.projects[at];
        let dirs = match self.directories(project) {
            Ok(dirs) => dirs,
            Err(error) => return tracing::debug!("`{}`: {error}", project.name),
        };
        let removed: BTreeSet<PathBuf> = project.dirs.difference(&dirs).cloned().collect();
        let new: Vec<PathBuf> = dirs.difference(&project.dirs).cloned().collect();
        let root = project.root().to_owned();
        self.unwatch(&removed);
        self.projects[at].dirs.retain(|dir| !removed.contains(dir));
        for dir in new {
            if !self.add_watch(&root, &dir) {
                return;
            }
            self.projects[at].dirs.insert(dir);
            // Files in it may have changed before it was watched.
            self.projects[at].request_full_scan();
        }
    }

    fn directories(&self, project: &WatchedProject) -> Result<BTreeSet<PathBuf>, MemoryError> {
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

    /// Adds a watch. Returns false if no more can be added.
    fn add_watch(&mut self, root: &Path, dir: &Path) -> bool {
        let in_all: usize = self.projects.iter().map(|one| one.dirs.len()).sum();
        if in_all >= MAX_DIRECTORIES {
            return self.warn_incomplete(&format!(
                "{MAX_DIRECTORIES} directories are watched already"
            ));
        }
        // On macOS a watch covers all subdirectories, and each further watch is costly.
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
            Err(error) if is_missing(&error) => true,
            Err(error) => self.warn_incomplete(&error.to_string()),
        }
    }

    fn watch_one(&mut self, dir: &Path, mode: RecursiveMode) -> notify::Result<()> {
        let watcher = match &mut self.watcher {
            Some(watcher) => watcher,
            none => none.insert(new_watcher(self.handle.clone())?),
        };
        watcher.watch(dir, mode)
    }

    fn unwatch(&mut self, dirs: &BTreeSet<PathBuf>) {
        for dir in dirs {
            if let Some(watcher) = &mut self.watcher {
                // A missing directory is not watched any more; the error is harmless.
                let _ = watcher.unwatch(dir);
            }
        }
    }

    /// Logs once that not every directory is watched.
    fn warn_incomplete(&mut self, why: &str) -> bool {
        if !self.has_warned {
            self.has_warned = true;
            tracing::warn!(
                "not every directory is watched ({why}); changes there are found after an agent's next turn or with `becket index`"
            );
        }
        false
    }
}

/// Creates a watcher that sends its events to the thread.
fn new_watcher(handle: WatchHandle) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event {
            handle.file_event(event);
        }
    })
}

/// The directory vanished before it could be watched.
fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
