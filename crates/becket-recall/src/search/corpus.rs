//! The index of one corpus of a project: an inverted index plus vectors.

use std::collections::HashMap;
use std::sync::Arc;

use becket_store::{CorpusChange, CorpusKind, CorpusRow, MemoryKind, MemoryStatus, Millis};

use super::background::CosineBackground;
use super::features::Features;
use super::fuse::CandidateLists;
use super::inverted_index::{InvertedIndex, term_hash};
use super::query::{HitKind, SearchFilter, path_matches};
use super::tokenizer::{Tokenizer, identifiers};
use super::top_k::top_k;
use super::vectors::{QuantisedVector, VectorIndex};

/// Candidates per search method.
const MAX_CANDIDATES: usize = 100;

/// Sample size for the background distribution.
const BACKGROUND_SAMPLE: usize = 256;

/// The search method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMode {
    /// BM25.
    Words,
    /// Vectors.
    Meaning,
    /// Both.
    #[default]
    Hybrid,
}

/// A search result inside the index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredDoc {
    /// The row id.
    pub pk: i64,
    /// The ranking score; higher is better.
    pub order: f32,
    /// Its features.
    pub features: Features,
}

/// An indexed text without its terms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IndexedDoc {
    pub(super) pk: i64,
    pub(super) kind: Option<MemoryKind>,
    pub(super) status: MemoryStatus,
    /// Ids in the name table.
    pub(super) files: Box<[u32]>,
    pub(super) agent: Option<u32>,
    pub(super) created: Millis,
    pub(super) expires: Option<Millis>,
    /// Hashes of the terms of its title.
    pub(super) title: Box<[u32]>,
    /// Hash of the last identifier of its title: what a chunk defines.
    pub(super) name: u32,
    pub(super) is_alive: bool,
}

impl IndexedDoc {
    fn is_always_visible(&self) -> bool {
        self.is_alive && self.status == MemoryStatus::Active && self.expires.is_none()
    }
}

/// Interned names that many texts share.
#[derive(Debug, Clone, Default)]
pub(super) struct NameTable {
    pub(super) all: Vec<Arc<str>>,
    /// Hashes of the terms of each name.
    pub(super) terms: Vec<Box<[u32]>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl NameTable {
    pub(super) fn number(&mut self, name: &str, terms: &mut Tokenizer) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let mut found = Vec::new();
        terms.for_each_term(name, |term| found.push(term_hash(term)));
        self.add(name.into(), found.into())
    }

    /// Copies a name from another table.
    fn copy_from(&mut self, from: &Self, number: u32) -> u32 {
        let name = &from.all[number as usize];
        let known = self.numbers.get(name).copied();
        known.unwrap_or_else(|| {
            let terms = from.terms[number as usize].clone();
            self.add(Arc::clone(name), terms)
        })
    }

    /// Adds a new name.
    pub(super) fn add(&mut self, name: Arc<str>, terms: Box<[u32]>) -> u32 {
        let number = u32::try_from(self.all.len()).expect("fewer names than 2^32");
        self.all.push(Arc::clone(&name));
        self.terms.push(terms);
        self.numbers.insert(name, number);
        number
    }
}

/// The index of one corpus.
#[derive(Debug, Clone)]
pub struct CorpusIndex {
    pub(super) corpus: CorpusKind,
    pub(super) model: String,
    /// The sequence number of the last applied change.
    pub(super) seq: i64,
    pub(super) docs: Vec<IndexedDoc>,
    /// Whether each text passes the default filter at any time, which is usually so.
    always_visible: Vec<bool>,
    pub(super) slots: HashMap<i64, usize>,
    pub(super) names: NameTable,
    pub(super) inverted_index: InvertedIndex,
    pub(super) vectors: VectorIndex,
}

/// A query prepared for all corpora.
pub(super) struct PreparedQuery {
    pub(super) terms: Vec<String>,
    /// Terms that are names.
    pub(super) names: Vec<String>,
    /// Hashes of these names as written.
    pub(super) written: Vec<u32>,
    /// Hashes of the terms of its heading.
    pub(super) heading: Vec<u32>,
    pub(super) vector: Vec<f32>,
    pub(super) background: CosineBackground,
}

impl CorpusIndex {
    /// An empty index for vectors of a model.
    pub fn new(corpus: CorpusKind, model: &str, dimensions: usize) -> Self {
        Self {
            corpus,
            model: model.to_owned(),
            seq: 0,
            docs: Vec::new(),
            always_visible: Vec::new(),
            slots: HashMap::new(),
            names: NameTable::default(),
            inverted_index: InvertedIndex::default(),
            vectors: VectorIndex::new(dimensions),
        }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it has no texts.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The sequence number of the last applied change.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// Applies changes. It is idempotent: changes that were applied before are skipped.
    pub fn apply(&mut self, changes: &[CorpusChange]) {
        let mut terms = Tokenizer::default();
        for change in changes {
            if change.seq <= self.seq {
                continue;
            }
            if let Some(slot) = self.slots.remove(&change.pk) {
                self.docs[slot].is_alive = false;
                self.always_visible[slot] = false;
            }
            if let Some(row) = &change.row {
                self.push(change.pk, row, &mut terms);
            }
            self.seq = change.seq;
        }
    }

    fn push(&mut self, pk: i64, row: &CorpusRow, terms: &mut Tokenizer) {
        self.slots.insert(pk, self.docs.len());
        let mut number = |name: &str| self.names.number(name, terms);
        let files = row.files.iter().map(|file| number(file)).collect();
        let agent = row.agent.as_deref().map(number);
        let title = row.title.as_deref().unwrap_or_default();
        let mut title_terms = Vec::new();
        terms.for_each_term(title, |term| title_terms.push(term_hash(term)));
        let doc = IndexedDoc {
            pk,
            kind: row.kind,
            status: row.status,
            files,
            agent,
            created: row.created,
            expires: row.expires,
            title: title_terms.into(),
            name: identifiers(title).last().map_or(0, term_hash),
            is_alive: true,
        };
        self.always_visible.push(doc.is_always_visible());
        self.docs.push(doc);
        let mut texts = vec![(title, 2), (row.text.as_str(), 1)];
        texts.extend(row.files.iter().map(|file| (file.as_str(), 1)));
        self.inverted_index.push(terms, &texts);
        let vector = row.vector.as_deref().and_then(QuantisedVector::from_bytes);
        self.vectors.push(vector.as_ref());
    }

    /// Whether enough texts are dead to compact the index.
    pub(super) fn needs_compaction(&self) -> bool {
        let dead = self.docs.len() - self.slots.len();
        dead > 256 && dead * 3 > self.docs.len()
    }

    /// Whether any text is dead.
    pub(super) fn has_dead(&self) -> bool {
        self.docs.len() > self.slots.len()
    }

    /// Removes dead texts and their terms.
    pub(super) fn compact(&mut self) {
        let mut next = 0;
        let keep: Vec<Option<u32>> = self
            .docs
            .iter()
            .map(|doc| {
                doc.is_alive.then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        self.inverted_index = self.inverted_index.compacted(&keep);
        self.vectors = self.vectors.compacted(&keep);
        let old = std::mem::take(&mut self.names);
        self.docs.retain(|doc| doc.is_alive);
        for doc in &mut self.docs {
            for file in &mut doc.files {
                *file = self.names.copy_from(&old, *file);
            }
            doc.agent = doc.agent.map(|agent| self.names.copy_from(&old, agent));
        }
        self.renumber();
    }

    /// Rebuilds the derived tables.
    pub(super) fn renumber(&mut self) {
        let alive = self.docs.iter().enumerate().filter(|(_, doc)| doc.is_alive);
        self.slots = alive.map(|(slot, doc)| (doc.pk, slot)).collect();
        self.always_visible = self
            .docs
            .iter()
            .map(IndexedDoc::is_always_visible)
            .collect();
    }

    /// The best texts for a query.
    pub(super) fn search(
        &self,
        query: &PreparedQuery,
        filter: &SearchFilter<'_>,
        now: Millis,
        mode: SearchMode,
        most: usize,
    ) -> Vec<ScoredDoc> {
        let passing = self.visible_docs(filter, now);
        let words = self.inverted_index.score(&query.terms);
        let cosines = self.vectors.nearest(&query.vector, &passing);
        let background = self.background(query);
        let by_words = words.tallies.iter().map(|tally| tally.score).enumerate();
        let by_words = by_words.filter(|(slot, score)| *score > 0.0 && passing[*slot]);
        let by_words = top_k(by_words, MAX_CANDIDATES.max(most));
        let by_meaning = top_k(cosines, MAX_CANDIDATES.max(most));
        match mode {
            SearchMode::Words => self.unranked(&by_words, most),
            SearchMode::Meaning => self.unranked(&by_meaning, most),
            SearchMode::Hybrid => {
                let both = CandidateLists {
                    words: &words,
                    by_words: &by_words,
                    by_meaning: &by_meaning,
                    background,
                };
                self.fuse(query, &both, most)
            }
        }
    }

    fn unranked(&self, found: &[(usize, f32)], most: usize) -> Vec<ScoredDoc> {
        let scored = |&(slot, order): &(usize, f32)| ScoredDoc {
            pk: self.docs[slot].pk,
            order,
            features: Features::default(),
        };
        found.iter().take(most).map(scored).collect()
    }

    pub(super) fn cosine(&self, query: &[f32], slot: usize) -> f32 {
        if query.len() == self.vectors.dimensions {
            self.vectors.cosine(query, slot)
        } else {
            0.0
        }
    }

    /// The cosine distribution of unrelated texts in this corpus; most texts are unrelated to a query.
    fn background(&self, query: &PreparedQuery) -> CosineBackground {
        let all = self.vectors.len();
        if query.vector.len() != self.vectors.dimensions || all == 0 {
            return query.background;
        }
        let step = all.div_ceil(BACKGROUND_SAMPLE);
        let there = |slot: &usize| self.docs[*slot].is_alive && self.vectors.scales[*slot] != 0.0;
        let slots: Vec<usize> = (0..all).step_by(step).filter(there).collect();
        let mut cosines = Vec::with_capacity(slots.len());
        self.vectors
            .cosines(&query.vector, &slots, |_, cosine| cosines.push(cosine));
        query.background.blended_with(&cosines)
    }

    /// Whether each text passes the filter.
    fn visible_docs(&self, filter: &SearchFilter<'_>, now: Millis) -> Vec<bool> {
        let everything = *filter == SearchFilter::default();
        let allowed = self.allowed(filter);
        let usual = self.always_visible.iter().zip(&self.docs);
        let passes = |(usual, doc): (&bool, &IndexedDoc)| {
            (everything && *usual) || self.passes(doc, filter, now, allowed.as_deref())
        };
        usual.map(passes).collect()
    }

    /// Whether each name passes the file filter; `None` without a filter.
    fn allowed(&self, filter: &SearchFilter<'_>) -> Option<Vec<bool>> {
        let asked = filter.file?;
        Some(
            self.names
                .all
                .iter()
                .map(|name| path_matches(name, asked))
                .collect(),
        )
    }

    fn passes(
        &self,
        doc: &IndexedDoc,
        filter: &SearchFilter<'_>,
        now: Millis,
        allowed: Option<&[bool]>,
    ) -> bool {
        let status = if filter.statuses.is_empty() {
            doc.status == MemoryStatus::Active
        } else {
            filter.statuses.contains(&doc.status)
        };
        let kind = filter.kinds.is_empty() || filter.kinds.contains(&HitKind::of(doc.kind));
        let sort =
            filter.types.is_empty() || doc.kind.is_some_and(|kind| filter.types.contains(&kind));
        let file =
            allowed.is_none_or(|allowed| doc.files.iter().any(|file| allowed[*file as usize]));
        let agent = filter.agent.is_none_or(|agent| {
            doc.agent
                .is_some_and(|number| *self.names.all[number as usize] == *agent)
        });
        let young = filter.since.is_none_or(|since| doc.created >= since);
        let valid = doc.expires.is_none_or(|end| end > now);
        doc.is_alive && status && kind && sort && file && agent && young && valid
    }
}
