//! The search index over all projects, kept up to date from the store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use becket_base::fs::{FileSync, write_private};
use becket_base::sync::{MutexExt, RwLockExt};
use becket_base::text::prefix_bytes;
use becket_store::{ChunkRow, CorpusKind, MemoryRow, StoreReader};
use serde::Serialize;

use super::background::CosineBackground;
use super::calibrate::{Band, Calibration};
use super::corpus::{CorpusIndex, PreparedQuery, ScoredDoc, SearchMode};
use super::features::Features;
use super::inverted_index::term_hash;
use super::query::{Freshness, HitKind, SearchQuery};
use super::snapshot::{self, SnapshotKey};
use super::tokenizer::{Tokenizer, heading};
use crate::embed::{EmbedError, Embedder};

/// Changes per batch. Limits memory and the time for which searches are blocked.
const CHANGES_PER_BATCH: usize = 500;

/// Longer prompts are truncated; some contain whole files.
const MAX_QUERY_BYTES: usize = 8_000;

/// Minimum corpus size for a parallel search.
const PARALLEL_DOCS: usize = 10_000;

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
    /// The model failed on first use.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A snapshot could not be written. It will be rebuilt.
    #[error("cannot write the index `{}`", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// The probability of relevance.
    pub score: f32,
    /// The confidence band.
    pub band: Band,
    /// The kind.
    pub kind: HitKind,
    /// The row.
    pub hit: SearchHit,
    /// The features behind the score.
    #[serde(skip)]
    pub features: Features,
}

/// The row of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SearchHit {
    /// A memory, a session summary or a plan.
    Memory(Box<MemoryRow>),
    /// A code chunk.
    Code(Box<ChunkRow>),
}

/// A loaded corpus.
struct OpenCorpus {
    index: RwLock<CorpusIndex>,
    /// One thread catches up; the others wait or search the current index.
    catch_up_lock: Mutex<()>,
    /// The id of the database.
    database: String,
    /// The last change in the snapshot file. Held while writing it.
    saved_seq: Mutex<i64>,
}

impl OpenCorpus {
    fn read(&self) -> RwLockReadGuard<'_, CorpusIndex> {
        self.index.read_ignoring_poison()
    }

    fn write(&self) -> RwLockWriteGuard<'_, CorpusIndex> {
        self.index.write_ignoring_poison()
    }

    fn search(
        &self,
        query: &SearchQuery<'_>,
        prepared: &PreparedQuery,
        mode: SearchMode,
    ) -> Vec<ScoredDoc> {
        let (filter, now) = (&query.filter, query.now);
        self.read().search(prepared, filter, now, mode, query.limit)
    }
}

/// Searches corpora, large ones in parallel.
fn search_corpora(
    corpora: &[(CorpusKind, &OpenCorpus)],
    query: &SearchQuery<'_>,
    prepared: &PreparedQuery,
) -> Vec<Vec<ScoredDoc>> {
    let search = |(_, opened): &(CorpusKind, &OpenCorpus)| {
        opened.search(query, prepared, SearchMode::Hybrid)
    };
    match corpora {
        [first, second]
            if [first, second]
                .iter()
                .all(|(_, one)| one.read().len() > PARALLEL_DOCS) =>
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
        _ => corpora.iter().map(search).collect(),
    }
}

/// Each corpus is opened on first use, without blocking the others.
type OpenCorpora = HashMap<(String, CorpusKind), Arc<OnceLock<OpenCorpus>>>;

/// All corpora of all projects. Share one instance; threads use it with their own
/// [`StoreReader`](becket_store::StoreReader).
pub struct Recall {
    dir: Option<PathBuf>,
    model: Arc<dyn Embedder>,
    background: CosineBackground,
    corpora: Mutex<OpenCorpora>,
}

impl Recall {
    /// Stores snapshots in `dir`; `None` keeps everything in memory.
    pub fn new(dir: Option<&Path>, model: Arc<dyn Embedder>) -> Result<Self, RecallError> {
        Ok(Self {
            dir: dir.map(Path::to_owned),
            background: CosineBackground::measure(model.as_ref())?,
            model,
            corpora: Mutex::default(),
        })
    }

    /// The embedding model.
    pub fn model(&self) -> &Arc<dyn Embedder> {
        &self.model
    }

    /// Searches, most relevant first. If the model is not available, only words are searched.
    pub fn search(
        &self,
        reader: &StoreReader,
        query: &SearchQuery<'_>,
    ) -> Result<Vec<SearchResult>, RecallError> {
        let prepared = self.prepare_query(query);
        let wanted = CorpusKind::ALL.iter().filter(|on| query.filter.wants(**on));
        let places: Vec<_> = wanted
            .map(|&on| (on, self.corpus_slot(query.project, on)))
            .collect();
        let mut corpora = Vec::with_capacity(places.len());
        for (on, place) in &places {
            corpora.push((*on, self.ready_corpus(place, reader, *on, query)?));
        }
        let mut found = Vec::new();
        for ((on, _), scored) in corpora
            .iter()
            .zip(search_corpora(&corpora, query, &prepared))
        {
            let calibration = Calibration::of(self.model.id(), *on);
            let sure = scored
                .into_iter()
                .map(|one| (calibration.score(&one.features), one));
            let sure: Vec<(f32, ScoredDoc)> = sure
                .filter(|(score, _)| Band::of(*score) >= query.least)
                .collect();
            found.extend(load_rows(reader, *on, query, &sure)?);
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(found)
    }

    /// Ranks one corpus with one search mode, for evaluation.
    pub fn ranked(
        &self,
        reader: &StoreReader,
        on: CorpusKind,
        query: &SearchQuery<'_>,
        mode: SearchMode,
    ) -> Result<Vec<ScoredDoc>, RecallError> {
        let prepared = self.prepare_query(query);
        let place = self.corpus_slot(query.project, on);
        let opened = self.ready_corpus(&place, reader, on, query)?;
        Ok(opened.search(query, &prepared, mode))
    }

    fn prepare_query(&self, query: &SearchQuery<'_>) -> PreparedQuery {
        let text = prefix_bytes(query.text, MAX_QUERY_BYTES);
        let vector = self.model.embed_query(text, query.embed_timeout);
        let names = Tokenizer::default().names(text);
        let heading = Tokenizer::default().unique_terms(heading(text).unwrap_or_default());
        PreparedQuery {
            terms: Tokenizer::default().unique_terms(text),
            written: names
                .iter()
                .map(|(_, written)| term_hash(written))
                .collect(),
            heading: heading.iter().map(|term| term_hash(term)).collect(),
            names: names.into_iter().map(|(term, _)| term).collect(),
            vector: vector.unwrap_or_default(),
            background: self.background,
        }
    }

    /// Opens a corpus and updates it if requested.
    fn ready_corpus<'p>(
        &self,
        place: &'p OnceLock<OpenCorpus>,
        reader: &StoreReader,
        on: CorpusKind,
        query: &SearchQuery<'_>,
    ) -> Result<&'p OpenCorpus, RecallError> {
        let opened = self.open_corpus(place, reader, query.project, on);
        if query.freshness == Freshness::UpToDate {
            self.catch_up(reader, query.project, on, opened)?;
        }
        Ok(opened)
    }

    /// Updates the corpora of a project; returns the number of texts.
    pub fn sync(&self, reader: &StoreReader, project: &str) -> Result<usize, RecallError> {
        let mut texts = 0;
        for &on in CorpusKind::ALL {
            let place = self.corpus_slot(project, on);
            let opened = self.open_corpus(&place, reader, project, on);
            self.catch_up(reader, project, on, opened)?;
            texts += opened.read().len();
        }
        Ok(texts)
    }

    fn catch_up(
        &self,
        reader: &StoreReader,
        project: &str,
        on: CorpusKind,
        opened: &OpenCorpus,
    ) -> Result<(), RecallError> {
        let latest = reader.corpus_seq(project, on)?;
        if opened.read().seq() >= latest {
            return Ok(());
        }
        let _alone = opened.catch_up_lock.lock_ignoring_poison();
        loop {
            let seq = opened.read().seq();
            if seq >= latest {
                break;
            }
            let changes =
                reader.corpus_changes(project, on, self.model.id(), seq, CHANGES_PER_BATCH)?;
            if changes.is_empty() {
                // Between the two queries, a newer change replaced the latest one.
                break;
            }
            opened.write().apply(&changes);
        }
        if opened.read().needs_compaction() {
            opened.write().compact();
        }
        Ok(())
    }

    fn corpus_slot(&self, project: &str, on: CorpusKind) -> Arc<OnceLock<OpenCorpus>> {
        let mut corpora = self.corpora.lock_ignoring_poison();
        Arc::clone(corpora.entry((project.to_owned(), on)).or_default())
    }

    /// Loads the snapshot, if it belongs to this database; otherwise starts empty.
    fn open_corpus<'p>(
        &self,
        place: &'p OnceLock<OpenCorpus>,
        reader: &StoreReader,
        project: &str,
        on: CorpusKind,
    ) -> &'p OpenCorpus {
        place.get_or_init(|| {
            let owner = SnapshotKey {
                database: &reader.database_id().unwrap_or_default(),
                project,
                corpus: on,
                model: self.model.id(),
            };
            let dimensions = self.model.dimensions();
            let file = self.file(project, on);
            let saved = file.and_then(|file| snapshot::load(&file, &owner, dimensions));
            // The database may have been replaced by an older copy.
            let latest = reader.corpus_seq(project, on).unwrap_or_default();
            let saved = saved.filter(|index| index.seq() <= latest);
            OpenCorpus {
                catch_up_lock: Mutex::default(),
                database: owner.database.to_owned(),
                saved_seq: Mutex::new(saved.as_ref().map_or(-1, CorpusIndex::seq)),
                index: RwLock::new(
                    saved.unwrap_or_else(|| CorpusIndex::new(on, owner.model, dimensions)),
                ),
            }
        })
    }

    /// Writes changed corpora to their snapshots. Forgotten texts are compacted away first.
    pub fn save(&self) -> Result<(), RecallError> {
        let corpora: Vec<_> = {
            let corpora = self.corpora.lock_ignoring_poison();
            let all = corpora.iter();
            all.map(|(key, corpus)| (key.clone(), Arc::clone(corpus)))
                .collect()
        };
        for ((project, on), place) in corpora {
            if let (Some(file), Some(opened)) = (self.file(&project, on), place.get()) {
                let saved = save(opened, &project, &file);
                saved.map_err(|source| RecallError::Save { path: file, source })?;
            }
        }
        Ok(())
    }

    /// Unloads the corpora of a project. They are reloaded from their snapshots on demand.
    pub fn unload(&self, project: &str) {
        let mut corpora = self.corpora.lock_ignoring_poison();
        corpora.retain(|(of, _), _| of != project);
    }

    fn file(&self, project: &str, on: CorpusKind) -> Option<PathBuf> {
        let name = blake3::hash(project.as_bytes()).to_hex();
        let name = format!("{}-{}.shelf", &name[..24], on.word());
        Some(self.dir.as_ref()?.join(name))
    }
}

/// Compacts an index and writes its snapshot. Searches continue while the file is written.
fn save(opened: &OpenCorpus, project: &str, file: &Path) -> std::io::Result<()> {
    let mut saved = opened.saved_seq.lock_ignoring_poison();
    // Keep updates out until the bytes are copied, so that the snapshot contains no dead text.
    let alone = opened.catch_up_lock.lock_ignoring_poison();
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
    write_private(file, &bytes, FileSync::BeforeRename)?;
    *saved = seq;
    Ok(())
}

/// Loads the rows of results. Rows that are gone or belong to another project are dropped.
fn load_rows(
    reader: &StoreReader,
    on: CorpusKind,
    query: &SearchQuery<'_>,
    sure: &[(f32, ScoredDoc)],
) -> Result<Vec<SearchResult>, RecallError> {
    if sure.is_empty() {
        return Ok(Vec::new());
    }
    let pks: Vec<i64> = sure.iter().map(|(_, one)| one.pk).collect();
    let mut hits: HashMap<i64, (HitKind, SearchHit)> = HashMap::new();
    match on {
        CorpusKind::Memory => {
            for row in reader.memories_by_pk(&pks)? {
                if row.project == query.project {
                    let kind = HitKind::of(Some(row.kind));
                    hits.insert(row.pk, (kind, SearchHit::Memory(Box::new(row))));
                }
            }
        }
        CorpusKind::Code => {
            for row in reader.chunks_by_pk(&pks)? {
                if row.project == query.project {
                    hits.insert(row.pk, (HitKind::Code, SearchHit::Code(Box::new(row))));
                }
            }
        }
    }
    let found = sure.iter().filter_map(|(score, one)| {
        let (kind, hit) = hits.remove(&one.pk)?;
        Some(SearchResult {
            score: *score,
            band: Band::of(*score),
            kind,
            hit,
            features: one.features,
        })
    });
    Ok(found.collect())
}
