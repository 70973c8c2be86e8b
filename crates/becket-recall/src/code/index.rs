//! Updates the code index of a project.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use becket_store::{CodeFileRow, StoreWriter, WriteTransaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prepare::{FailFastEmbedder, PreparedFile, embed, hash, prepare, read, store_file};
use super::skip::SkipReason;
use super::walk::{CandidateFile, walk};
use crate::embed::Embedder;

/// Files per transaction.
const COMMIT_FILES: usize = 128;

/// How long to wait for more files before a commit.
const COMMIT_WAIT: Duration = Duration::from_millis(100);

/// Maximum number of reported problems.
const MAX_PROBLEMS: usize = 20;

/// Why indexing failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The directory does not exist or cannot be read.
    #[error("cannot read the project `{}`", path.display())]
    NoProject {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The path is not valid UTF-8.
    #[error("the path of the project `{}` is not valid UTF-8", .0.display())]
    BadName(PathBuf),
    /// The store failed. Earlier commits stay.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
}

/// Progress of indexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Processed files.
    pub done: usize,
    /// All files.
    pub total: usize,
}

/// The result of indexing.
#[derive(Debug, Clone, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Indexed")]
pub struct IndexReport {
    /// Indexed files.
    pub files: usize,
    /// New or changed files.
    pub changed: usize,
    /// Moved files.
    pub moved: usize,
    /// Removed files.
    pub removed: usize,
    /// New chunks.
    pub chunks: usize,
    /// Lines of new and changed files.
    pub lines: usize,
    /// Skipped files by reason.
    pub refused: BTreeMap<SkipReason, usize>,
    /// The first read errors.
    pub problems: Vec<String>,
    /// Why chunks have no vectors, if so.
    pub unembedded: Option<String>,
}

/// Walks `root` and updates the index. All cores read, chunk and embed files; `progress` is called after each commit.
pub fn index(
    writer: &mut StoreWriter,
    root: &Path,
    model: &dyn Embedder,
    mut progress: impl FnMut(IndexProgress),
) -> Result<IndexReport, IndexError> {
    let (root, project) = resolve_project(root)?;
    let threads = thread::available_parallelism().map_or(2, NonZeroUsize::get);
    let walked = walk(&root, threads);
    let known = writer.reader().code_files(&project)?;
    let known = KnownFiles::of(&known, &walked.files);
    let model = &FailFastEmbedder::new(model);
    let mut run = IndexRun {
        project: &project,
        known: &known,
        model,
        out: IndexReport::default(),
    };
    for refusal in walked.refused {
        *run.out.refused.entry(refusal).or_default() += 1;
    }
    run.out.problems = walked.problems;
    let total = walked.files.len();
    let todo: Vec<&CandidateFile> = walked
        .files
        .iter()
        .filter(|file| !known.is_untouched(file))
        .collect();
    let mut done = total - todo.len();
    progress(IndexProgress { done, total });
    let (sender, receiver) = sync_channel(COMMIT_FILES);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| -> Result<(), IndexError> {
        for _ in 0..threads {
            let sender = sender.clone();
            let (todo, known, next) = (&todo, &known, &next);
            scope.spawn(move || {
                while let Some(file) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut outcome = inspect(file, known);
                    if !model.is_remote() {
                        embed(outcome.prepared(file), model);
                    }
                    if sender.send((*file, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // If this scope ends, the receiver is dropped and the threads stop.
        let receiver = receiver;
        let gather = (!model.is_remote()).then_some(COMMIT_WAIT);
        while let Some(mut together) = next_batch(&receiver, gather) {
            if model.is_remote() {
                let files = together.iter_mut();
                embed(
                    files.filter_map(|(file, outcome)| outcome.prepared(file)),
                    model,
                );
            }
            let mut group = writer.begin()?;
            for (file, outcome) in together {
                run.store(&mut group, file, outcome)?;
                done += 1;
            }
            group.commit()?;
            progress(IndexProgress { done, total });
        }
        Ok(())
    })?;
    let mut group = writer.begin()?;
    for path in &known.gone {
        // Moved files are already gone from the index.
        run.out.removed += usize::from(group.remove_code_file(&project, path)?);
    }
    group.commit()?;
    run.out.files = writer.reader().code_files(&project)?.len();
    run.out.problems.truncate(MAX_PROBLEMS);
    Ok(run.out)
}

/// The next files to commit together; `None` after the last. Waits at most `wait`, so that other writers can
/// commit in between.
fn next_batch<T>(receiver: &Receiver<T>, wait: Option<Duration>) -> Option<Vec<T>> {
    let mut together = vec![receiver.recv().ok()?];
    let end = wait.map(|wait| Instant::now() + wait);
    while together.len() < COMMIT_FILES {
        let one = match end {
            Some(end) => receiver
                .recv_timeout(end.saturating_duration_since(Instant::now()))
                .ok(),
            None => receiver.recv().ok(),
        };
        match one {
            Some(one) => together.push(one),
            None => break,
        }
    }
    Some(together)
}

/// The canonical project directory, and its name in the store.
pub(super) fn resolve_project(root: &Path) -> Result<(PathBuf, String), IndexError> {
    let real = root
        .canonicalize()
        .map_err(|source| IndexError::NoProject {
            path: root.to_owned(),
            source,
        })?;
    let Some(project) = real.to_str().map(str::to_owned) else {
        return Err(IndexError::BadName(real));
    };
    Ok((real, project))
}

/// The indexed files of the store.
struct KnownFiles<'k> {
    by_path: HashMap<&'k str, &'k CodeFileRow>,
    /// Indexed paths without a file.
    gone: Vec<&'k str>,
    gone_by_hash: HashMap<&'k str, &'k str>,
}

impl<'k> KnownFiles<'k> {
    fn of(known: &'k [CodeFileRow], files: &[CandidateFile]) -> Self {
        let there: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let gone = known
            .iter()
            .filter(|row| !there.contains(row.path.as_str()));
        let gone: Vec<&CodeFileRow> = gone.collect();
        Self {
            by_path: known.iter().map(|row| (row.path.as_str(), row)).collect(),
            gone_by_hash: gone
                .iter()
                .map(|row| (row.content_hash.as_str(), row.path.as_str()))
                .collect(),
            gone: gone.iter().map(|row| row.path.as_str()).collect(),
        }
    }

    /// Whether size and modification time are unchanged.
    fn is_untouched(&self, file: &CandidateFile) -> bool {
        let row = self.by_path.get(file.path.as_str());
        row.is_some_and(|row| (row.size, row.changed) == (file.size, file.changed))
    }
}

/// How a file has changed.
enum FileUpdate<'k> {
    Changed(Box<PreparedFile>),
    /// Only size or modification time changed.
    Same,
    /// Moved from another path. Language and vectors depend on the path, so both are computed again.
    Moved(&'k str, Box<PreparedFile>),
    Refused(SkipReason),
    Problem(String),
}

impl FileUpdate<'_> {
    /// The chunks to embed, with their path.
    fn prepared<'o>(
        &'o mut self,
        file: &'o CandidateFile,
    ) -> Option<(&'o str, &'o mut PreparedFile)> {
        match self {
            Self::Changed(prepared) | Self::Moved(_, prepared) => Some((&file.path, prepared)),
            Self::Same | Self::Refused(_) | Self::Problem(_) => None,
        }
    }
}

fn inspect<'k>(file: &CandidateFile, known: &KnownFiles<'k>) -> FileUpdate<'k> {
    let text = match read(file) {
        Ok(Ok(text)) => text,
        Ok(Err(refusal)) => return FileUpdate::Refused(refusal),
        Err(error) => return FileUpdate::Problem(format!("`{}`: {error}", file.path)),
    };
    let hash = hash(&text);
    let row = known.by_path.get(file.path.as_str());
    if row.is_some_and(|row| row.content_hash == hash) {
        return FileUpdate::Same;
    }
    let from = known.gone_by_hash.get(hash.as_str());
    let prepared = Box::new(prepare(&file.path, &text, hash));
    match from.filter(|_| row.is_none()) {
        Some(from) => FileUpdate::Moved(from, prepared),
        None => FileUpdate::Changed(prepared),
    }
}

struct IndexRun<'r> {
    project: &'r str,
    known: &'r KnownFiles<'r>,
    model: &'r FailFastEmbedder<'r>,
    out: IndexReport,
}

impl IndexRun<'_> {
    fn store(
        &mut self,
        group: &mut WriteTransaction<'_>,
        file: &CandidateFile,
        outcome: FileUpdate<'_>,
    ) -> Result<(), IndexError> {
        match outcome {
            FileUpdate::Changed(prepared) => self.put(group, file, &prepared)?,
            FileUpdate::Same => {
                group.touch_code_file(self.project, &file.path, file.size, file.changed)?;
            }
            // If several files have the content of a removed file, the first counts as moved and the others as new.
            FileUpdate::Moved(from, prepared) => {
                if group.move_code_file(self.project, from, &file.path)? {
                    store_file(group, self.project, file, &prepared, self.model.id())?;
                    self.note_unembedded(&prepared);
                    self.out.moved += 1;
                } else {
                    self.put(group, file, &prepared)?;
                }
            }
            FileUpdate::Refused(refusal) => {
                *self.out.refused.entry(refusal).or_default() += 1;
                if self.known.by_path.contains_key(file.path.as_str()) {
                    group.remove_code_file(self.project, &file.path)?;
                    self.out.removed += 1;
                }
            }
            FileUpdate::Problem(problem) => self.out.problems.push(problem),
        }
        Ok(())
    }

    fn put(
        &mut self,
        group: &mut WriteTransaction<'_>,
        file: &CandidateFile,
        prepared: &PreparedFile,
    ) -> Result<(), IndexError> {
        store_file(group, self.project, file, prepared, self.model.id())?;
        self.out.changed += 1;
        self.out.chunks += prepared.chunks.len();
        self.out.lines += prepared.lines;
        self.note_unembedded(prepared);
        Ok(())
    }

    fn note_unembedded(&mut self, prepared: &PreparedFile) {
        if self.out.unembedded.is_none() {
            self.out.unembedded.clone_from(&prepared.unembedded);
        }
    }
}
