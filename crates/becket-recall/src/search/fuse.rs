//! What words say and what vectors say, as one order.

use std::collections::HashMap;

use super::background::Background;
use super::features::{Features, QueryFeatures};
use super::pick::best;
use super::rank::{Ranker, rank};
use super::shelf::{Doc, Prepared, Scored, ShelfIndex};
use super::words::WordScores;

/// What both ways of searching found.
pub(super) struct Both<'f> {
    pub(super) words: &'f WordScores,
    pub(super) by_words: &'f [(usize, f32)],
    pub(super) by_meaning: &'f [(usize, f32)],
    pub(super) background: Background,
}

/// What the texts of a file have in common.
#[derive(Default)]
struct OfFile {
    fit: f32,
    /// Which terms of the query they have.
    terms: u32,
}

impl ShelfIndex {
    /// The best texts of those that either way of searching found.
    pub(super) fn fuse(&self, query: &Prepared, both: &Both<'_>, most: usize) -> Vec<Scored> {
        let mut candidates = self.candidates(query, both);
        self.support(&mut candidates, both.words);
        let known = candidates.iter_mut().map(|(_, known)| known);
        rank(&Ranker::of(self.shelf), known);
        let orders = candidates.iter().map(|(_, known)| known.fused).enumerate();
        let scored = best(orders, most).into_iter().map(|(at, order)| {
            let (slot, features) = candidates[at];
            Scored {
                pk: self.docs[slot].pk,
                order,
                features,
            }
        });
        scored.collect()
    }

    /// What is known about each text, but for what the others say about it. In order of the slots.
    #[expect(clippy::cast_precision_loss, reason = "at most 32 terms")]
    fn candidates(&self, query: &Prepared, both: &Both<'_>) -> Vec<(usize, Features)> {
        let mut cosines: HashMap<usize, f32> = both.by_meaning.iter().copied().collect();
        for (slot, _) in both.by_words {
            let cosine = || self.cosine(&query.vector, *slot);
            cosines.entry(*slot).or_insert_with(cosine);
        }
        let mut slots: Vec<(usize, f32)> = cosines.into_iter().collect();
        slots.sort_unstable_by_key(|(slot, _)| *slot);
        let is_definition = |doc: &Doc| query.written.contains(&doc.name);
        let of_query = self.of_query(query, both, |slot| is_definition(&self.docs[slot]));
        let words = both.words;
        let strongest = both.by_words.first().map_or(1.0, |(_, score)| *score);
        let (word_places, meaning_places) = (places(both.by_words), places(both.by_meaning));
        let known = |(slot, cosine): (usize, f32)| {
            let doc = &self.docs[slot];
            let tally = words.tallies[slot];
            let (titled, named) = in_title(&words.weights, &doc.title);
            let features = Features {
                coverage: words.share(tally.terms),
                strength: tally.score / words.ceiling().max(f32::EPSILON),
                lexical: tally.score / strongest,
                standing: both.background.standing(cosine),
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
    fn of_query(
        &self,
        query: &Prepared,
        both: &Both<'_>,
        is_definition: impl Fn(usize) -> bool,
    ) -> QueryFeatures {
        let best_by_words = both.by_words.first();
        let ground = best_by_words.map(|(slot, _)| both.words.tallies[*slot].terms);
        let nearest = both.by_meaning.first();
        let mentions = self.words.has_any(&query.names);
        // Who has a name in its title has it among its words.
        let mut by_words = both.by_words.iter();
        QueryFeatures {
            terms: both.words.weights.len() as f32,
            ground: both.words.share(ground.unwrap_or_default()),
            size: (1.0 + self.len() as f32).ln(),
            peak: nearest.map_or(0.0, |(_, cosine)| both.background.standing(*cosine)),
            mentions: f32::from(u8::from(mentions)),
            heading: f32::from(u8::from(!query.heading.is_empty())),
            is_defined: mentions && by_words.any(|(slot, _)| is_definition(*slot)),
        }
    }

    /// Which of the query's terms a path of a text has.
    fn in_path(&self, query: &[(u32, f32)], doc: &Doc) -> u32 {
        let mut found = 0;
        for file in &doc.files {
            found |= bits(query, &self.names.terms[*file as usize]);
        }
        found
    }

    /// How much of a heading the paths of a text have.
    fn headed(&self, heading: &[u32], doc: &Doc) -> f32 {
        let has = |term: &u32| {
            let has_it = |file: &u32| self.names.terms[*file as usize].contains(term);
            doc.files.iter().any(has_it)
        };
        let there = heading.iter().filter(|term| has(term)).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
        let share = there as f32 / heading.len().max(1) as f32;
        share
    }

    /// Texts of one file speak for each other: a file that is all about it is likelier than one that mentions it.
    fn support(&self, candidates: &mut [(usize, Features)], words: &WordScores) {
        let fit = |features: &Features| features.lexical + features.standing.max(0.0) / 12.0;
        let mut files: HashMap<u32, OfFile> = HashMap::new();
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

/// One for the first, half for the eleventh, and so on.
fn places(found: &[(usize, f32)]) -> HashMap<usize, f32> {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let place = |at: usize| 10.0 / (10 + at) as f32;
    let numbered = found.iter().enumerate();
    numbered.map(|(at, (slot, _))| (*slot, place(at))).collect()
}

/// How far a text is ahead of the best other one.
fn lead(found: &[(usize, f32)], slot: usize, score: f32) -> f32 {
    let other = found.iter().find(|(one, _)| *one != slot);
    score - other.map_or(0.0, |(_, score)| *score)
}

/// Which of the query's terms are among others.
fn bits(query: &[(u32, f32)], terms: &[u32]) -> u32 {
    let has = |(at, (term, _)): (usize, &(u32, f32))| u32::from(terms.contains(term)) << at;
    query
        .iter()
        .enumerate()
        .map(has)
        .fold(0, |all, bit| all | bit)
}

/// Which of the query's terms a title has, and the share of the title that they make.
fn in_title(query: &[(u32, f32)], title: &[u32]) -> (u32, f32) {
    let meant = title
        .iter()
        .filter(|term| query.iter().any(|(one, _)| one == *term));
    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    let share = meant.count() as f32 / title.len().max(1) as f32;
    (bits(query, title), share)
}
