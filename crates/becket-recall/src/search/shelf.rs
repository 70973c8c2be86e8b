//! One shelf of one project: what stands on it, found by words and by meaning.

use std::collections::HashMap;
use std::sync::Arc;

use becket_store::{MemoryKind, MemoryStatus, Millis, Shelf, ShelfChange, ShelfRow};

use super::background::Background;
use super::features::Features;
use super::filter::{Filter, Kind, is_meant};
use super::fuse::Both;
use super::pick::best;
use super::terms::{Terms, identifiers};
use super::vectors::{Quantised, Vectors};
use super::words::{Words, hashed};

/// As many of each way of searching are looked at together.
const CANDIDATES: usize = 100;

/// As many texts tell what unrelated ones look like.
const SAMPLE: usize = 256;

/// What is searched by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// BM25.
    Words,
    /// Vectors.
    Meaning,
    /// Both.
    #[default]
    Hybrid,
}

/// A text that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Its row.
    pub pk: i64,
    /// What it was found by: the higher the better, on no particular scale.
    pub order: f32,
    /// What is known about it and the query.
    pub features: Features,
}

/// A text, but for its words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Doc {
    pub(super) pk: i64,
    pub(super) kind: Option<MemoryKind>,
    pub(super) status: MemoryStatus,
    /// Numbers of names.
    pub(super) files: Box<[u32]>,
    pub(super) agent: Option<u32>,
    pub(super) created: Millis,
    pub(super) expires: Option<Millis>,
    /// The terms of its title, hashed.
    pub(super) title: Box<[u32]>,
    /// The last identifier of its title as it is written, hashed: what a piece of code defines.
    pub(super) name: u32,
    pub(super) alive: bool,
}

impl Doc {
    fn is_usual(&self) -> bool {
        self.alive && self.status == MemoryStatus::Active && self.expires.is_none()
    }
}

/// Names that many texts share.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) all: Vec<Arc<str>>,
    /// The terms of each, hashed.
    pub(super) terms: Vec<Box<[u32]>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str, terms: &mut Terms) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let mut found = Vec::new();
        terms.each(name, |term| found.push(hashed(term)));
        self.add(name.into(), found.into())
    }

    /// The number here of one that has a number there.
    fn adopt(&mut self, from: &Self, number: u32) -> u32 {
        let name = &from.all[number as usize];
        let known = self.numbers.get(name).copied();
        known.unwrap_or_else(|| {
            let terms = from.terms[number as usize].clone();
            self.add(Arc::clone(name), terms)
        })
    }

    /// Adds one that is not known.
    pub(super) fn add(&mut self, name: Arc<str>, terms: Box<[u32]>) -> u32 {
        let number = u32::try_from(self.all.len()).expect("fewer names than memory has bytes");
        self.all.push(Arc::clone(&name));
        self.terms.push(terms);
        self.numbers.insert(name, number);
        number
    }
}

/// The index of one shelf.
#[derive(Debug, Clone)]
pub struct ShelfIndex {
    pub(super) shelf: Shelf,
    pub(super) model: String,
    /// The number of the last change that was read.
    pub(super) seq: i64,
    pub(super) docs: Vec<Doc>,
    /// For each text whether everyone may find it at any time, which is nearly always so.
    usual: Vec<bool>,
    pub(super) slots: HashMap<i64, usize>,
    pub(super) names: Names,
    pub(super) words: Words,
    pub(super) vectors: Vectors,
}

/// A query, made ready once for all shelves.
pub(super) struct Prepared {
    pub(super) terms: Vec<String>,
    /// Those that are names.
    pub(super) names: Vec<String>,
    /// Those names as they are written, hashed.
    pub(super) written: Vec<u32>,
    /// The terms of its heading, hashed.
    pub(super) heading: Vec<u32>,
    pub(super) vector: Vec<f32>,
    pub(super) background: Background,
}

impl ShelfIndex {
    /// An empty shelf for vectors of a model.
    pub fn new(shelf: Shelf, model: &str, dimensions: usize) -> Self {
        Self {
            shelf,
            model: model.to_owned(),
            seq: 0,
            docs: Vec::new(),
            usual: Vec::new(),
            slots: HashMap::new(),
            names: Names::default(),
            words: Words::default(),
            vectors: Vectors::new(dimensions),
        }
    }

    /// How many texts stand on it.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of the last change that was read.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// Reads on. Changes that were read before do no harm: they may be older than what is known by now.
    pub fn apply(&mut self, changes: &[ShelfChange]) {
        let mut terms = Terms::default();
        for change in changes {
            if change.seq <= self.seq {
                continue;
            }
            if let Some(slot) = self.slots.remove(&change.pk) {
                self.docs[slot].alive = false;
                self.usual[slot] = false;
            }
            if let Some(row) = &change.row {
                self.push(change.pk, row, &mut terms);
            }
            self.seq = change.seq;
        }
    }

    fn push(&mut self, pk: i64, row: &ShelfRow, terms: &mut Terms) {
        self.slots.insert(pk, self.docs.len());
        let mut number = |name: &str| self.names.number(name, terms);
        let files = row.files.iter().map(|file| number(file)).collect();
        let agent = row.agent.as_deref().map(number);
        let title = row.title.as_deref().unwrap_or_default();
        let mut title_terms = Vec::new();
        terms.each(title, |term| title_terms.push(hashed(term)));
        let doc = Doc {
            pk,
            kind: row.kind,
            status: row.status,
            files,
            agent,
            created: row.created,
            expires: row.expires,
            title: title_terms.into(),
            name: identifiers(title).last().map_or(0, hashed),
            alive: true,
        };
        self.usual.push(doc.is_usual());
        self.docs.push(doc);
        let mut texts = vec![(title, 2), (row.text.as_str(), 1)];
        texts.extend(row.files.iter().map(|file| (file.as_str(), 1)));
        self.words.push(terms, &texts);
        let vector = row.vector.as_deref().and_then(Quantised::from_bytes);
        self.vectors.push(vector.as_ref());
    }

    /// Whether so much has died that it is worth tidying up.
    pub(super) fn is_untidy(&self) -> bool {
        let dead = self.docs.len() - self.slots.len();
        dead > 256 && dead * 3 > self.docs.len()
    }

    /// Whether anything has died.
    pub(super) fn has_dead(&self) -> bool {
        self.docs.len() > self.slots.len()
    }

    /// Forgets what died, with its words.
    pub(super) fn compact(&mut self) {
        let mut next = 0;
        let keep: Vec<Option<u32>> = self
            .docs
            .iter()
            .map(|doc| {
                doc.alive.then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        self.words = self.words.compacted(&keep);
        self.vectors = self.vectors.compacted(&keep);
        let old = std::mem::take(&mut self.names);
        self.docs.retain(|doc| doc.alive);
        for doc in &mut self.docs {
            for file in &mut doc.files {
                *file = self.names.adopt(&old, *file);
            }
            doc.agent = doc.agent.map(|agent| self.names.adopt(&old, agent));
        }
        self.renumber();
    }

    /// Finds out again what follows from the texts.
    pub(super) fn renumber(&mut self) {
        let alive = self.docs.iter().enumerate().filter(|(_, doc)| doc.alive);
        self.slots = alive.map(|(slot, doc)| (doc.pk, slot)).collect();
        self.usual = self.docs.iter().map(Doc::is_usual).collect();
    }

    /// The best texts for a query.
    pub(super) fn search(
        &self,
        query: &Prepared,
        filter: &Filter<'_>,
        now: Millis,
        mode: Mode,
        most: usize,
    ) -> Vec<Scored> {
        let passing = self.passing(filter, now);
        let words = self.words.score(&query.terms);
        let cosines = self.vectors.nearest(&query.vector, &passing);
        let background = self.background(query);
        let by_words = words.tallies.iter().map(|tally| tally.score).enumerate();
        let by_words = by_words.filter(|(slot, score)| *score > 0.0 && passing[*slot]);
        let by_words = best(by_words, CANDIDATES.max(most));
        let by_meaning = best(cosines, CANDIDATES.max(most));
        match mode {
            Mode::Words => self.plain(&by_words, most),
            Mode::Meaning => self.plain(&by_meaning, most),
            Mode::Hybrid => {
                let both = Both {
                    words: &words,
                    by_words: &by_words,
                    by_meaning: &by_meaning,
                    background,
                };
                self.fuse(query, &both, most)
            }
        }
    }

    fn plain(&self, found: &[(usize, f32)], most: usize) -> Vec<Scored> {
        let scored = |&(slot, order): &(usize, f32)| Scored {
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

    /// What texts of this shelf that have nothing to do with the query look like: most of them have not.
    fn background(&self, query: &Prepared) -> Background {
        let all = self.vectors.len();
        if query.vector.len() != self.vectors.dimensions || all == 0 {
            return query.background;
        }
        let step = all.div_ceil(SAMPLE);
        let there = |slot: &usize| self.docs[*slot].alive && self.vectors.scales[*slot] != 0.0;
        let slots: Vec<usize> = (0..all).step_by(step).filter(there).collect();
        let mut cosines = Vec::with_capacity(slots.len());
        self.vectors
            .cosines(&query.vector, &slots, |_, cosine| cosines.push(cosine));
        query.background.informed(&cosines)
    }

    /// For each text whether it may be found.
    fn passing(&self, filter: &Filter<'_>, now: Millis) -> Vec<bool> {
        let everything = *filter == Filter::default();
        let allowed = self.allowed(filter);
        let usual = self.usual.iter().zip(&self.docs);
        let passes = |(usual, doc): (&bool, &Doc)| {
            (everything && *usual) || self.passes(doc, filter, now, allowed.as_deref())
        };
        usual.map(passes).collect()
    }

    /// For each name whether it passes; `None` if all do.
    fn allowed(&self, filter: &Filter<'_>) -> Option<Vec<bool>> {
        let asked = filter.file?;
        Some(
            self.names
                .all
                .iter()
                .map(|name| is_meant(name, asked))
                .collect(),
        )
    }

    fn passes(
        &self,
        doc: &Doc,
        filter: &Filter<'_>,
        now: Millis,
        allowed: Option<&[bool]>,
    ) -> bool {
        let status = if filter.statuses.is_empty() {
            doc.status == MemoryStatus::Active
        } else {
            filter.statuses.contains(&doc.status)
        };
        let kind = filter.kinds.is_empty() || filter.kinds.contains(&Kind::of(doc.kind));
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
        doc.alive && status && kind && sort && file && agent && young && valid
    }
}
