//! Bringing the index of a project up to date.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use becket_store::{CodeFileRow, Group, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prepare::{Failing, Prepared, embed, hash, prepare, put, read};
use super::refuse::Refusal;
use super::walk::{Candidate, walk};
use crate::embed::Embedder;

/// As many files are committed together.
const GROUP: usize = 128;

/// As long is waited for them.
const GATHER: Duration = Duration::from_millis(100);

/// As many problems are told.
const MOST_PROBLEMS: usize = 20;

/// Why nothing was indexed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// There is no such directory.
    #[error("the project `{}` cannot be read", path.display())]
    NoProject {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its name cannot be stored.
    #[error("the project `{}` has a name that is not text", .0.display())]
    BadName(PathBuf),
    /// The store did not take it. What was stored before stays.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Files that were looked at.
    pub done: usize,
    /// Files that there are.
    pub total: usize,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
pub struct Indexed {
    /// Files that are indexed now.
    pub files: usize,
    /// Of them, those that are new or changed.
    pub changed: usize,
    /// Of them, those that only have another path.
    pub moved: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Pieces that are new.
    pub chunks: usize,
    /// Lines of new and changed files.
    pub lines: usize,
    /// Files that were left out, by reason.
    pub refused: BTreeMap<Refusal, usize>,
    /// What could not be read, the first few.
    pub problems: Vec<String>,
    /// Why pieces are without vectors.
    pub unembedded: Option<String>,
}

/// Walks `root` and brings what the store knows of it up to date. Files are read, taken apart and embedded on all
/// cores; `progress` hears how far it is.
pub fn index(
    writer: &mut Writer,
    root: &Path,
    model: &dyn Embedder,
    mut progress: impl FnMut(IndexProgress),
) -> Result<Indexed, IndexError> {
    let (root, project) = resolved(root)?;
    let threads = thread::available_parallelism().map_or(2, NonZeroUsize::get);
    let walked = walk(&root, threads);
    let known = writer.reader().code_files(&project)?;
    let known = Known::of(&known, &walked.files);
    let model = &Failing::new(model);
    let mut run = Run {
        project: &project,
        known: &known,
        model,
        out: Indexed::default(),
    };
    for refusal in walked.refused {
        *run.out.refused.entry(refusal).or_default() += 1;
    }
    run.out.problems = walked.problems;
    let total = walked.files.len();
    let todo: Vec<&Candidate> = walked
        .files
        .iter()
        .filter(|file| !known.is_untouched(file))
        .collect();
    let mut done = total - todo.len();
    progress(IndexProgress { done, total });
    let (sender, receiver) = sync_channel(GROUP);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| -> Result<(), IndexError> {
        for _ in 0..threads {
            let sender = sender.clone();
            let (todo, known, next) = (&todo, &known, &next);
            scope.spawn(move || {
                while let Some(file) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut outcome = look(file, known);
                    if !model.is_far() {
                        embed(outcome.prepared(file), model);
                    }
                    if sender.send((*file, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // Whatever happens, the threads end: without a receiver they cannot send.
        let receiver = receiver;
        let gather = (!model.is_far()).then_some(GATHER);
        while let Some(mut together) = gathered(&receiver, gather) {
            if model.is_far() {
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
        // Those that were moved are not there any more.
        run.out.removed += usize::from(group.remove_code_file(&project, path)?);
    }
    group.commit()?;
    run.out.files = writer.reader().code_files(&project)?.len();
    run.out.problems.truncate(MOST_PROBLEMS);
    Ok(run.out)
}

/// The next files to be committed together; `None` after the last. Others write while these are waited for, no longer
/// than `patience` if there is one.
fn gathered<T>(receiver: &Receiver<T>, patience: Option<Duration>) -> Option<Vec<T>> {
    let mut together = vec![receiver.recv().ok()?];
    let end = patience.map(|patience| Instant::now() + patience);
    while together.len() < GROUP {
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

/// The project's directory with its links resolved, and its name in the store.
pub(super) fn resolved(root: &Path) -> Result<(PathBuf, String), IndexError> {
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

/// What the store knows.
struct Known<'k> {
    by_path: HashMap<&'k str, &'k CodeFileRow>,
    /// Paths that have no file any more.
    gone: Vec<&'k str>,
    gone_by_hash: HashMap<&'k str, &'k str>,
}

impl<'k> Known<'k> {
    fn of(known: &'k [CodeFileRow], files: &[Candidate]) -> Self {
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

    /// Size and time of its last change are those of before.
    fn is_untouched(&self, file: &Candidate) -> bool {
        let row = self.by_path.get(file.path.as_str());
        row.is_some_and(|row| (row.size, row.changed) == (file.size, file.changed))
    }
}

/// What a look at a file brought.
enum Outcome<'k> {
    Changed(Box<Prepared>),
    /// Only size or time are others.
    Same,
    /// It was at another path before. Its language and its vectors follow from its path.
    Moved(&'k str, Box<Prepared>),
    Refused(Refusal),
    Problem(String),
}

impl Outcome<'_> {
    /// What is to be embedded, with its path.
    fn prepared<'o>(&'o mut self, file: &'o Candidate) -> Option<(&'o str, &'o mut Prepared)> {
        match self {
            Self::Changed(prepared) | Self::Moved(_, prepared) => Some((&file.path, prepared)),
            Self::Same | Self::Refused(_) | Self::Problem(_) => None,
        }
    }
}

fn look<'k>(file: &Candidate, known: &Known<'k>) -> Outcome<'k> {
    let text = match read(file) {
        Ok(Ok(text)) => text,
        Ok(Err(refusal)) => return Outcome::Refused(refusal),
        Err(error) => return Outcome::Problem(format!("`{}`: {error}", file.path)),
    };
    let hash = hash(&text);
    let row = known.by_path.get(file.path.as_str());
    if row.is_some_and(|row| row.content_hash == hash) {
        return Outcome::Same;
    }
    let from = known.gone_by_hash.get(hash.as_str());
    let prepared = Box::new(prepare(&file.path, &text, hash));
    match from.filter(|_| row.is_none()) {
        Some(from) => Outcome::Moved(from, prepared),
        None => Outcome::Changed(prepared),
    }
}

struct Run<'r> {
    project: &'r str,
    known: &'r Known<'r>,
    model: &'r Failing<'r>,
    out: Indexed,
}

impl Run<'_> {
    fn store(
        &mut self,
        group: &mut Group<'_>,
        file: &Candidate,
        outcome: Outcome<'_>,
    ) -> Result<(), IndexError> {
        match outcome {
            Outcome::Changed(prepared) => self.put(group, file, &prepared)?,
            Outcome::Same => {
                group.touch_code_file(self.project, &file.path, file.size, file.changed)?;
            }
            // Of several copies of a file that is gone, the first has been moved and the others are new.
            Outcome::Moved(from, prepared) => {
                if group.move_code_file(self.project, from, &file.path)? {
                    put(group, self.project, file, &prepared, self.model.id())?;
                    self.note_unembedded(&prepared);
                    self.out.moved += 1;
                } else {
                    self.put(group, file, &prepared)?;
                }
            }
            Outcome::Refused(refusal) => {
                *self.out.refused.entry(refusal).or_default() += 1;
                if self.known.by_path.contains_key(file.path.as_str()) {
                    group.remove_code_file(self.project, &file.path)?;
                    self.out.removed += 1;
                }
            }
            Outcome::Problem(problem) => self.out.problems.push(problem),
        }
        Ok(())
    }

    fn put(
        &mut self,
        group: &mut Group<'_>,
        file: &Candidate,
        prepared: &Prepared,
    ) -> Result<(), IndexError> {
        put(group, self.project, file, prepared, self.model.id())?;
        self.out.changed += 1;
        self.out.chunks += prepared.chunks.len();
        self.out.lines += prepared.lines;
        self.note_unembedded(prepared);
        Ok(())
    }

    fn note_unembedded(&mut self, prepared: &Prepared) {
        if self.out.unembedded.is_none() {
            self.out.unembedded.clone_from(&prepared.unembedded);
        }
    }
}
