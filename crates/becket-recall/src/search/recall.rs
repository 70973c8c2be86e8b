//! All shelves of all projects, brought up to date from the store and searched together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use becket_store::{ChunkRow, MemoryRow, Reader, Shelf};
use serde::Serialize;

use super::background::Background;
use super::calibrate::{Band, Calibration};
use super::features::Features;
use super::filter::{Freshness, Kind, Query};
use super::shelf::{Mode, Prepared, Scored, ShelfIndex};
use super::snapshot;
use super::terms::Terms;
use crate::embed::{EmbedError, Embedder};

/// As many changes are read at a time: the memory that they take is bounded.
const AT_A_TIME: usize = 2000;

/// What of a prompt is looked for; whole files are pasted into some.
const MOST_QUERY: usize = 8_000;

/// Why nothing could be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
    /// The model did not answer when it was first asked.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// An index could not be written. It will be made anew.
    #[error("the index `{}` cannot be written", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// How likely it is that it is relevant.
    pub score: f32,
    /// How sure that is.
    pub band: Band,
    /// What it is.
    pub kind: Kind,
    /// The thing itself.
    pub hit: Hit,
    /// What the score comes from.
    #[serde(skip)]
    pub features: Features,
}

/// The thing itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Hit {
    /// A memory, the summary of a session or a plan.
    Memory(Box<MemoryRow>),
    /// A piece of a file.
    Code(Box<ChunkRow>),
}

type Shelves = HashMap<(String, Shelf), Arc<RwLock<ShelfIndex>>>;

/// All shelves of all projects. Share one; it may be used from many threads, each with its own [`Reader`].
pub struct Recall {
    dir: Option<PathBuf>,
    model: Arc<dyn Embedder>,
    background: Background,
    shelves: Mutex<Shelves>,
}

impl Recall {
    /// Indexes are remembered in `dir`; `None` keeps them in memory only.
    pub fn new(dir: Option<&Path>, model: Arc<dyn Embedder>) -> Result<Self, RecallError> {
        Ok(Self {
            dir: dir.map(Path::to_owned),
            background: Background::measure(model.as_ref())?,
            model,
            shelves: Mutex::default(),
        })
    }

    /// The model whose vectors are searched.
    pub fn model(&self) -> &Arc<dyn Embedder> {
        &self.model
    }

    /// What is relevant to a query, the likeliest first. Without its model it finds by words alone.
    pub fn search(&self, reader: &Reader, query: &Query<'_>) -> Result<Vec<Found>, RecallError> {
        let prepared = self.prepared(query.text);
        let mut found = Vec::new();
        for &shelf in Shelf::ALL {
            if !query.filter.wants(shelf) {
                continue;
            }
            let calibration = Calibration::of(self.model.id(), shelf);
            let scored = self.scored(reader, shelf, query, &prepared, Mode::Hybrid)?;
            let sure = scored
                .into_iter()
                .map(|one| (calibration.score(&one.features), one));
            let sure: Vec<(f32, Scored)> = sure
                .filter(|(score, _)| Band::of(*score) >= query.least)
                .collect();
            found.extend(hydrated(reader, shelf, query, &sure)?);
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(found)
    }

    /// The best of one shelf, by one way of searching or both, for measuring.
    pub fn ranked(
        &self,
        reader: &Reader,
        on: Shelf,
        query: &Query<'_>,
        mode: Mode,
    ) -> Result<Vec<Scored>, RecallError> {
        let prepared = self.prepared(query.text);
        self.scored(reader, on, query, &prepared, mode)
    }

    fn prepared(&self, text: &str) -> Prepared {
        let text = crate::text::cut(text, MOST_QUERY);
        let vectors = self.model.embed(&[text]).unwrap_or_default();
        Prepared {
            terms: Terms::default().unique(text),
            names: Terms::default().names(text),
            vector: vectors.into_iter().next().unwrap_or_default(),
            background: self.background,
        }
    }

    fn scored(
        &self,
        reader: &Reader,
        on: Shelf,
        query: &Query<'_>,
        prepared: &Prepared,
        mode: Mode,
    ) -> Result<Vec<Scored>, RecallError> {
        let index = self.shelf(query.project, on);
        if query.freshness == Freshness::UpToDate {
            self.read_on(reader, query.project, on, &index)?;
        }
        let index = index.read().unwrap_or_else(PoisonError::into_inner);
        let (filter, now) = (&query.filter, query.now);
        Ok(index.search(prepared, filter, now, mode, query.limit))
    }

    /// Brings the shelves of a project up to date, and tells how many texts are on them.
    pub fn sync(&self, reader: &Reader, project: &str) -> Result<usize, RecallError> {
        let mut texts = 0;
        for &shelf in Shelf::ALL {
            let index = self.shelf(project, shelf);
            self.read_on(reader, project, shelf, &index)?;
            texts += index.read().unwrap_or_else(PoisonError::into_inner).len();
        }
        Ok(texts)
    }

    fn read_on(
        &self,
        reader: &Reader,
        project: &str,
        on: Shelf,
        index: &RwLock<ShelfIndex>,
    ) -> Result<(), RecallError> {
        let latest = reader.shelf_seq(project, on)?;
        let behind = |index: &ShelfIndex| index.seq() < latest;
        if !behind(&index.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let mut index = index.write().unwrap_or_else(PoisonError::into_inner);
        while behind(&index) {
            let seq = index.seq();
            let changes = reader.shelf_changes(project, on, self.model.id(), seq, AT_A_TIME)?;
            if changes.is_empty() {
                // The latest change was replaced by a later one between the two looks.
                break;
            }
            index.apply(&changes);
        }
        if index.is_untidy() {
            index.compact();
        }
        Ok(())
    }

    /// The index of a shelf: in memory, or from its file, or empty.
    fn shelf(&self, project: &str, on: Shelf) -> Arc<RwLock<ShelfIndex>> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        let made = shelves.entry((project.to_owned(), on)).or_insert_with(|| {
            let (id, dimensions) = (self.model.id(), self.model.dimensions());
            let saved = self
                .file(project, on)
                .and_then(|file| snapshot::load(&file, project, on, id, dimensions));
            let index = saved.unwrap_or_else(|| ShelfIndex::new(on, id, dimensions));
            Arc::new(RwLock::new(index))
        });
        Arc::clone(made)
    }

    /// Writes every index that is in memory to its file. What was forgotten is in none of them.
    pub fn save(&self) -> Result<(), RecallError> {
        let shelves: Vec<_> = {
            let shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
            shelves
                .iter()
                .map(|(key, index)| (key.clone(), Arc::clone(index)))
                .collect()
        };
        for ((project, shelf), index) in shelves {
            let Some(file) = self.file(&project, shelf) else {
                continue;
            };
            let mut index = index.write().unwrap_or_else(PoisonError::into_inner);
            if index.has_dead() {
                index.compact();
            }
            let saved = snapshot::save(&file, &project, &index);
            saved.map_err(|source| RecallError::Save { path: file, source })?;
        }
        Ok(())
    }

    /// Lets go of the shelves of a project; they come back from their files.
    pub fn unload(&self, project: &str) {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        shelves.retain(|(of, _), _| of != project);
    }

    fn file(&self, project: &str, on: Shelf) -> Option<PathBuf> {
        let name = blake3::hash(project.as_bytes()).to_hex();
        let name = format!("{}-{}.shelf", &name[..24], on.word());
        Some(self.dir.as_ref()?.join(name))
    }
}

/// Fetches the things themselves. A row that is gone, or is not the project's, is not found.
fn hydrated(
    reader: &Reader,
    on: Shelf,
    query: &Query<'_>,
    sure: &[(f32, Scored)],
) -> Result<Vec<Found>, RecallError> {
    if sure.is_empty() {
        return Ok(Vec::new());
    }
    let pks: Vec<i64> = sure.iter().map(|(_, one)| one.pk).collect();
    let mut hits: HashMap<i64, (Kind, Hit)> = HashMap::new();
    match on {
        Shelf::Memory => {
            for row in reader.memories_by_pk(&pks)? {
                if row.project == query.project {
                    let kind = Kind::of(Some(row.kind));
                    hits.insert(row.pk, (kind, Hit::Memory(Box::new(row))));
                }
            }
        }
        Shelf::Code => {
            for row in reader.chunks_by_pk(&pks)? {
                if row.project == query.project {
                    hits.insert(row.pk, (Kind::Code, Hit::Code(Box::new(row))));
                }
            }
        }
    }
    let found = sure.iter().filter_map(|(score, one)| {
        let (kind, hit) = hits.remove(&one.pk)?;
        Some(Found {
            score: *score,
            band: Band::of(*score),
            kind,
            hit,
            features: one.features,
        })
    });
    Ok(found.collect())
}
