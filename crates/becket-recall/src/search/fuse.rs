//! Fuses word and vector candidates into one ranking.

use std::collections::HashMap;

use super::background::CosineBackground;
use super::corpus::{CorpusIndex, IndexedDoc, PreparedQuery, ScoredDoc};
use super::features::{Features, QueryFeatures};
use super::inverted_index::WordScores;
use super::rank::{Ranker, rank};
use super::top_k::top_k;

/// The candidates of both search methods.
pub(super) struct CandidateLists<'f> {
    pub(super) words: &'f WordScores,
    pub(super) by_words: &'f [(usize, f32)],
    pub(super) by_meaning: &'f [(usize, f32)],
    pub(super) background: CosineBackground,
}

/// Totals over the texts of a file.
#[derive(Default)]
struct FileTotals {
    fit: f32,
    /// The matched query terms, one bit each.
    terms: u32,
}

impl CorpusIndex {
    /// Ranks the candidates of both search methods.
    pub(super) fn fuse(
        &self,
        query: &PreparedQuery,
        both: &CandidateLists<'_>,
        most: usize,
    ) -> Vec<ScoredDoc> {
        let mut candidates = self.candidates(query, both);
        self.support(&mut candidates, both.words);
        let known = candidates.iter_mut().map(|(_, known)| known);
        rank(&Ranker::of(self.corpus), known);
        let orders = candidates.iter().map(|(_, known)| known.fused).enumerate();
        let scored = top_k(orders, most).into_iter().map(|(at, order)| {
            let (slot, features) = candidates[at];
            ScoredDoc {
                pk: self.docs[slot].pk,
                order,
                features,
            }
        });
        scored.collect()
    }

    /// The features of each candidate, except those that depend on other candidates. Sorted by slot.
    #[expect(clippy::cast_precision_loss, reason = "at most 32 terms")]
    fn candidates(
        &self,
        query: &PreparedQuery,
        both: &CandidateLists<'_>,
    ) -> Vec<(usize, Features)> {
        let mut cosines: HashMap<usize, f32> = both.by_meaning.iter().copied().collect();
        for (slot, _) in both.by_words {
            let cosine = || self.cosine(&query.vector, *slot);
            cosines.entry(*slot).or_insert_with(cosine);
        }
        let mut slots: Vec<(usize, f32)> = cosines.into_iter().collect();
        slots.sort_unstable_by_key(|(slot, _)| *slot);
        let is_definition = |doc: &IndexedDoc| query.written.contains(&doc.name);
        let of_query = self.query_features(query, both, |slot| is_definition(&self.docs[slot]));
        let words = both.words;
        let strongest = both.by_words.first().map_or(1.0, |(_, score)| *score);
        let (word_places, meaning_places) = (
            reciprocal_ranks(both.by_words),
            reciprocal_ranks(both.by_meaning),
        );
        let known = |(slot, cosine): (usize, f32)| {
            let doc = &self.docs[slot];
            let tally = words.tallies[slot];
            let (titled, named) = in_title(&words.weights, &doc.title);
            let features = Features {
                coverage: words.share(tally.terms),
                strength: tally.score / words.ceiling().max(f32::EPSILON),
                lexical: tally.score / strongest,
                standing: both.background.z_score(cosine),
                titled: words.share(titled),
                named,
                defined: f32::from(u8::from(is_definition(doc))),
                placed: words.share(self.in_path(&words.weights, doc)),
                headed: self.headed(&query.heading, doc),
                word_place: word_places.get(&slot).copied().unwrap_or_default(),
                meaning_place: meaning_places.get(&slot).copied().unwrap_or_default(),
                matched: tally.terms.count_ones() as f32,
                missing: words.rarest(!tally.terms),
                everyday: words.share(tally.terms & words.everyday),
                word_lead: lead(both.by_words, slot, tally.score) / strongest,
                meaning_lead: lead(both.by_meaning, slot, cosine) / both.background.deviation,
                query: of_query,
                ..Features::default()
            };
            (slot, features)
        };
        slots.into_iter().map(known).collect()
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a logarithm, and at most 32 terms"
    )]
    fn query_features(
        &self,
        query: &PreparedQuery,
        both: &CandidateLists<'_>,
        is_definition: impl Fn(usize) -> bool,
    ) -> QueryFeatures {
        let best_by_words = both.by_words.first();
        let ground = best_by_words.map(|(slot, _)| both.words.tallies[*slot].terms);
        let nearest = both.by_meaning.first();
        let mentions = self.inverted_index.has_any(&query.names);
        // A name in a title is also among the words.
        let mut by_words = both.by_words.iter();
        QueryFeatures {
            terms: both.words.weights.len() as f32,
            ground: both.words.share(ground.unwrap_or_default()),
            size: (1.0 + self.len() as f32).ln(),
            peak: nearest.map_or(0.0, |(_, cosine)| both.background.z_score(*cosine)),
            mentions: f32::from(u8::from(mentions)),
            heading: f32::from(u8::from(!query.heading.is_empty())),
            is_defined: mentions && by_words.any(|(slot, _)| is_definition(*slot)),
        }
    }

    /// The query terms in the file paths of a text.
    fn in_path(&self, query: &[(u32, f32)], doc: &IndexedDoc) -> u32 {
        let mut found = 0;
        for file in &doc.files {
            found |= term_bits(query, &self.names.terms[*file as usize]);
        }
        found
    }

    /// The share of heading terms in the file paths.
    fn headed(&self, heading: &[u32], doc: &IndexedDoc) -> f32 {
        let has = |term: &u32| {
            let has_it = |file: &u32| self.names.terms[*file as usize].contains(term);
            doc.files.iter().any(has_it)
        };
        let there = heading.iter().filter(|term| has(term)).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
        let share = there as f32 / heading.len().max(1) as f32;
        share
    }

    /// Computes support: texts of one file strengthen each other.
    fn support(&self, candidates: &mut [(usize, Features)], words: &WordScores) {
        let fit = |features: &Features| features.lexical + features.standing.max(0.0) / 12.0;
        let mut files: HashMap<u32, FileTotals> = HashMap::new();
        for (slot, features) in &*candidates {
            if let Some(file) = self.docs[*slot].files.first() {
                let of_file = files.entry(*file).or_default();
                of_file.fit += fit(features);
                of_file.terms |= words.tallies[*slot].terms;
            }
        }
        for (slot, features) in candidates {
            let file = self.docs[*slot].files.first();
            let of_file = file.and_then(|file| files.get(file));
            let others = of_file.map_or(0.0, |all| (all.fit - fit(features)).max(0.0));
            features.support = (1.0 + others).ln();
            let terms = of_file.map_or(words.tallies[*slot].terms, |all| all.terms);
            features.breadth = words.share(terms);
        }
    }
}

/// 1 for the first, 0.5 for the eleventh, and so on.
fn reciprocal_ranks(found: &[(usize, f32)]) -> HashMap<usize, f32> {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let place = |at: usize| 10.0 / (10 + at) as f32;
    let numbered = found.iter().enumerate();
    numbered.map(|(at, (slot, _))| (*slot, place(at))).collect()
}

/// The lead over the best other text.
fn lead(found: &[(usize, f32)], slot: usize, score: f32) -> f32 {
    let other = found.iter().find(|(one, _)| *one != slot);
    score - other.map_or(0.0, |(_, score)| *score)
}

/// The query terms that occur in `terms`, one bit each.
fn term_bits(query: &[(u32, f32)], terms: &[u32]) -> u32 {
    let has = |(at, (term, _)): (usize, &(u32, f32))| u32::from(terms.contains(term)) << at;
    query
        .iter()
        .enumerate()
        .map(has)
        .fold(0, |all, bit| all | bit)
}

/// The query terms in a title, and their share of the title.
fn in_title(query: &[(u32, f32)], title: &[u32]) -> (u32, f32) {
    let meant = title
        .iter()
        .filter(|term| query.iter().any(|(one, _)| one == *term));
    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    let share = meant.count() as f32 / title.len().max(1) as f32;
    (term_bits(query, title), share)
}
