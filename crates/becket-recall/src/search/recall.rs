//! All shelves of all projects, brought up to date from the store and searched together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use becket_store::{ChunkRow, MemoryRow, Reader, Shelf};
use serde::Serialize;

use super::background::Background;
use super::calibrate::{Band, Calibration};
use super::features::Features;
use super::filter::{Freshness, Kind, Query};
use super::shelf::{Mode, Prepared, Scored, ShelfIndex};
use super::snapshot::{self, Owner};
use super::terms::{Terms, heading};
use super::words::hashed;
use crate::embed::{EmbedError, Embedder};

/// As many changes are read at a time: the memory that they take is bounded, and so is the time for which others
/// cannot search.
const AT_A_TIME: usize = 500;

/// What of a prompt is looked for; whole files are pasted into some.
const MOST_QUERY: usize = 8_000;

/// For so many texts a thread is worth its start.
const LARGE: usize = 10_000;

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

/// A shelf in use.
struct Opened {
    index: RwLock<ShelfIndex>,
    /// One reads on, the others wait for it or search what is there.
    reading: Mutex<()>,
    /// Where the rows are.
    database: String,
    /// The last change that is in the file; whoever writes that holds it.
    saved: Mutex<i64>,
}

impl Opened {
    fn read(&self) -> RwLockReadGuard<'_, ShelfIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, ShelfIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn search(&self, query: &Query<'_>, prepared: &Prepared, mode: Mode) -> Vec<Scored> {
        let (filter, now) = (&query.filter, query.now);
        self.read().search(prepared, filter, now, mode, query.limit)
    }
}

/// Searches shelves, large ones at the same time.
fn searched(
    shelves: &[(Shelf, &Opened)],
    query: &Query<'_>,
    prepared: &Prepared,
) -> Vec<Vec<Scored>> {
    let search = |(_, opened): &(Shelf, &Opened)| opened.search(query, prepared, Mode::Hybrid);
    match shelves {
        [first, second]
            if [first, second]
                .iter()
                .all(|(_, one)| one.read().len() > LARGE) =>
        {
            std::thread::scope(|scope| {
                let second = scope.spawn(|| search(second));
                let first = search(first);
                let second = second.join();
                vec![
                    first,
                    second.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                ]
            })
        }
        _ => shelves.iter().map(search).collect(),
    }
}

/// A shelf is opened by whoever needs it first, and nobody waits for the shelves of others.
type Shelves = HashMap<(String, Shelf), Arc<OnceLock<Opened>>>;

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
        let prepared = self.prepared(query);
        let wanted = Shelf::ALL.iter().filter(|on| query.filter.wants(**on));
        let places: Vec<_> = wanted
            .map(|&on| (on, self.place(query.project, on)))
            .collect();
        let mut shelves = Vec::with_capacity(places.len());
        for (on, place) in &places {
            shelves.push((*on, self.ready(place, reader, *on, query)?));
        }
        let mut found = Vec::new();
        for ((on, _), scored) in shelves.iter().zip(searched(&shelves, query, &prepared)) {
            let calibration = Calibration::of(self.model.id(), *on);
            let sure = scored
                .into_iter()
                .map(|one| (calibration.score(&one.features), one));
            let sure: Vec<(f32, Scored)> = sure
                .filter(|(score, _)| Band::of(*score) >= query.least)
                .collect();
            found.extend(hydrated(reader, *on, query, &sure)?);
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
        let prepared = self.prepared(query);
        let place = self.place(query.project, on);
        let opened = self.ready(&place, reader, on, query)?;
        Ok(opened.search(query, &prepared, mode))
    }

    fn prepared(&self, query: &Query<'_>) -> Prepared {
        let text = crate::text::cut(query.text, MOST_QUERY);
        let vector = self.model.embed_query(text, query.patience);
        let names = Terms::default().names(text);
        let heading = Terms::default().unique(heading(text).unwrap_or_default());
        Prepared {
            terms: Terms::default().unique(text),
            written: names.iter().map(|(_, written)| hashed(written)).collect(),
            heading: heading.iter().map(|term| hashed(term)).collect(),
            names: names.into_iter().map(|(term, _)| term).collect(),
            vector: vector.unwrap_or_default(),
            background: self.background,
        }
    }

    /// A shelf that may be searched.
    fn ready<'p>(
        &self,
        place: &'p OnceLock<Opened>,
        reader: &Reader,
        on: Shelf,
        query: &Query<'_>,
    ) -> Result<&'p Opened, RecallError> {
        let opened = self.opened(place, reader, query.project, on);
        if query.freshness == Freshness::UpToDate {
            self.read_on(reader, query.project, on, opened)?;
        }
        Ok(opened)
    }

    /// Brings the shelves of a project up to date, and tells how many texts are on them.
    pub fn sync(&self, reader: &Reader, project: &str) -> Result<usize, RecallError> {
        let mut texts = 0;
        for &on in Shelf::ALL {
            let place = self.place(project, on);
            let opened = self.opened(&place, reader, project, on);
            self.read_on(reader, project, on, opened)?;
            texts += opened.read().len();
        }
        Ok(texts)
    }

    fn read_on(
        &self,
        reader: &Reader,
        project: &str,
        on: Shelf,
        opened: &Opened,
    ) -> Result<(), RecallError> {
        let latest = reader.shelf_seq(project, on)?;
        if opened.read().seq() >= latest {
            return Ok(());
        }
        let _alone = opened
            .reading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            let seq = opened.read().seq();
            if seq >= latest {
                break;
            }
            let changes = reader.shelf_changes(project, on, self.model.id(), seq, AT_A_TIME)?;
            if changes.is_empty() {
                // The latest change was replaced by a later one between the two looks.
                break;
            }
            opened.write().apply(&changes);
        }
        if opened.read().is_untidy() {
            opened.write().compact();
        }
        Ok(())
    }

    fn place(&self, project: &str, on: Shelf) -> Arc<OnceLock<Opened>> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shelves.entry((project.to_owned(), on)).or_default())
    }

    /// The shelf from its file, if that was made from this database, or empty.
    fn opened<'p>(
        &self,
        place: &'p OnceLock<Opened>,
        reader: &Reader,
        project: &str,
        on: Shelf,
    ) -> &'p Opened {
        place.get_or_init(|| {
            let owner = Owner {
                database: &reader.database_id().unwrap_or_default(),
                project,
                shelf: on,
                model: self.model.id(),
            };
            let dimensions = self.model.dimensions();
            let file = self.file(project, on);
            let saved = file.and_then(|file| snapshot::load(&file, &owner, dimensions));
            // An older copy of the database may have been put in its place.
            let latest = reader.shelf_seq(project, on).unwrap_or_default();
            let saved = saved.filter(|index| index.seq() <= latest);
            Opened {
                reading: Mutex::default(),
                database: owner.database.to_owned(),
                saved: Mutex::new(saved.as_ref().map_or(-1, ShelfIndex::seq)),
                index: RwLock::new(
                    saved.unwrap_or_else(|| ShelfIndex::new(on, owner.model, dimensions)),
                ),
            }
        })
    }

    /// Writes every shelf that has changed to its file. What was forgotten is in none of them.
    pub fn save(&self) -> Result<(), RecallError> {
        let shelves: Vec<_> = {
            let shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
            let all = shelves.iter();
            all.map(|(key, shelf)| (key.clone(), Arc::clone(shelf)))
                .collect()
        };
        for ((project, on), place) in shelves {
            if let (Some(file), Some(opened)) = (self.file(&project, on), place.get()) {
                let saved = save(opened, &project, &file);
                saved.map_err(|source| RecallError::Save { path: file, source })?;
            }
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

/// Others may search while the file is written.
fn save(opened: &Opened, project: &str, file: &Path) -> std::io::Result<()> {
    let mut saved = opened.saved.lock().unwrap_or_else(PoisonError::into_inner);
    // Until the bytes are there nothing dies.
    let alone = opened
        .reading
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if opened.read().has_dead() {
        opened.write().compact();
    }
    let (seq, bytes) = {
        let index = opened.read();
        if index.seq() == *saved {
            return Ok(());
        }
        (
            index.seq(),
            snapshot::bytes(&opened.database, project, &index),
        )
    };
    drop(alone);
    snapshot::write(file, &bytes)?;
    *saved = seq;
    Ok(())
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
