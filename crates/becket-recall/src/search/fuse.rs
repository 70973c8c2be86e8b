//! What words say and what vectors say, as one order.

use std::collections::HashMap;

use super::background::Background;
use super::features::Features;
use super::pick::best;
use super::rank::{Ranker, rank};
use super::shelf::{Doc, Prepared, Scored, ShelfIndex};
use super::words::{WordScores, hashed};

/// What both ways of searching found.
pub(super) struct Both<'f> {
    pub(super) words: &'f WordScores,
    pub(super) by_words: &'f [(usize, f32)],
    pub(super) by_meaning: &'f [(usize, f32)],
    pub(super) background: Background,
}

impl ShelfIndex {
    /// The best texts of those that either way of searching found.
    pub(super) fn fuse(&self, query: &Prepared, both: &Both<'_>, most: usize) -> Vec<Scored> {
        let mut candidates = self.candidates(query, both);
        self.support(&mut candidates);
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
    fn candidates(&self, query: &Prepared, both: &Both<'_>) -> Vec<(usize, Features)> {
        let words = both.words;
        let mut cosines: HashMap<usize, f32> = both.by_meaning.iter().copied().collect();
        for (slot, _) in both.by_words {
            let cosine = || self.cosine(&query.vector, *slot);
            cosines.entry(*slot).or_insert_with(cosine);
        }
        let mut slots: Vec<(usize, f32)> = cosines.into_iter().collect();
        slots.sort_unstable_by_key(|(slot, _)| *slot);
        let weight = words.weight.max(f32::EPSILON);
        let strongest = both.by_words.first();
        let strength = strongest.map_or(1.0, |(_, score)| *score);
        let ground = strongest.map_or(0.0, |(slot, _)| words.covered[*slot] / weight);
        let by_name = self.words.has_any(&query.names);
        let asked: Vec<u32> = query.names.iter().map(|name| hashed(name)).collect();
        let known = |(slot, cosine): (usize, f32)| {
            let doc = &self.docs[slot];
            let (titled, named) = in_title(&words.weights, &doc.title);
            let is_defined = asked.iter().any(|name| doc.title.contains(name));
            let features = Features {
                coverage: words.covered[slot] / weight,
                ground,
                strength: words.scores[slot] / words.ceiling().max(f32::EPSILON),
                lexical: words.scores[slot] / strength,
                standing: both.background.standing(cosine),
                #[expect(clippy::cast_precision_loss, reason = "at most forty")]
                terms: words.terms as f32,
                titled: titled / weight,
                named,
                placed: self.placed(&words.weights, doc) / weight,
                by_name: f32::from(u8::from(by_name)),
                defined: f32::from(u8::from(is_defined)),
                ..Features::default()
            };
            (slot, features)
        };
        slots.into_iter().map(known).collect()
    }

    /// The weight of the query's terms that a path of a text has.
    fn placed(&self, query: &[(u32, f32)], doc: &Doc) -> f32 {
        let has = |term: &u32| {
            let mut files = doc.files.iter();
            files.any(|file| self.names.terms[*file as usize].contains(term))
        };
        let asked = query.iter().filter(|(term, _)| has(term));
        asked.map(|(_, weight)| weight).sum()
    }

    /// Texts of one file speak for each other: a file that is all about it is likelier than one that mentions it.
    fn support(&self, candidates: &mut [(usize, Features)]) {
        let mut files: HashMap<u32, f32> = HashMap::new();
        for (slot, features) in &*candidates {
            if let Some(file) = self.docs[*slot].files.first() {
                *files.entry(*file).or_default() += features.lexical;
            }
        }
        for (slot, features) in candidates {
            let file = self.docs[*slot].files.first();
            let all = file.map_or(0.0, |file| files[file]);
            features.support = (1.0 + (all - features.lexical).max(0.0)).ln();
        }
    }
}

/// The weight of the query's terms that a title has, and the share of the title that they make.
fn in_title(query: &[(u32, f32)], title: &[u32]) -> (f32, f32) {
    let asked = query.iter().filter(|(term, _)| title.contains(term));
    let weight = asked.map(|(_, weight)| weight).sum();
    let meant = title
        .iter()
        .filter(|term| query.iter().any(|(one, _)| one == *term));
    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    let share = meant.count() as f32 / title.len().max(1) as f32;
    (weight, share)
}
