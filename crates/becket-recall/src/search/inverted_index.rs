//! An inverted index with BM25 scoring: for each term, the slots that contain it and how often.
//!
//! Slots are append-only. Dead slots are skipped by the reader until [`InvertedIndex::compacted`].

use std::collections::HashMap;

use super::tokenizer::{Tokenizer, is_everyday};

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Limits the postings read per query. Rare terms come first.
const MAX_POSTINGS: u32 = 150_000;

/// Maximum number of query terms, one bit each.
const MAX_TERMS: usize = 32;

/// The slots of a term.
#[derive(Debug, Clone, Default)]
pub(super) struct PostingList {
    /// Varints: the distance from the previous slot, doubled, plus one if a count follows.
    pub(super) bytes: Vec<u8>,
    pub(super) last: u32,
    pub(super) count: u32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct InvertedIndex {
    pub(super) ids: HashMap<Box<str>, u32>,
    pub(super) lists: Vec<PostingList>,
    /// Terms per slot.
    pub(super) lengths: Vec<u32>,
    pub(super) total: u64,
}

/// BM25 scores of a query for all slots.
#[derive(Debug, Default)]
pub(super) struct WordScores {
    pub(super) tallies: Vec<TermTally>,
    /// The sum of all term weights, including terms that occur nowhere.
    pub(super) weight: f32,
    /// Term hashes with weights, rarest first.
    pub(super) weights: Vec<(u32, f32)>,
    /// Everyday terms, one bit each.
    pub(super) everyday: u32,
}

/// The score of one slot.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TermTally {
    /// BM25.
    pub(super) score: f32,
    /// The matched terms, one bit for each of [`WordScores::weights`].
    pub(super) terms: u32,
}

impl WordScores {
    /// The maximum BM25 score.
    pub(super) fn ceiling(&self) -> f32 {
        self.weight * (K1 + 1.0)
    }

    /// The weighted share of some query terms, from 0 to 1.
    pub(super) fn share(&self, terms: u32) -> f32 {
        let all = self.weights.iter().enumerate();
        let there = all.filter(|(at, _)| terms >> at & 1 == 1);
        there.map(|(_, (_, weight))| weight).sum::<f32>() / self.weight.max(f32::EPSILON)
    }

    /// The weight of the rarest of some terms.
    pub(super) fn rarest(&self, terms: u32) -> f32 {
        let first = self.weights.get(terms.trailing_zeros() as usize);
        first.map_or(0.0, |(_, weight)| *weight)
    }
}

impl PostingList {
    fn push(&mut self, slot: u32, times: u32) {
        // The first entry stores the slot itself.
        let distance = if self.count == 0 {
            slot
        } else {
            slot - self.last
        };
        let many = u64::from(times > 1);
        varint(&mut self.bytes, u64::from(distance) << 1 | many);
        if times > 1 {
            varint(&mut self.bytes, u64::from(times));
        }
        self.last = slot;
        self.count += 1;
    }

    /// Calls `each` with every slot and its count, in order.
    pub(super) fn each(&self, mut each: impl FnMut(u32, u32)) {
        let mut bytes = self.bytes.as_slice();
        let mut slot = 0;
        while let Some(word) = read_varint(&mut bytes) {
            slot += u32::try_from(word >> 1).unwrap_or(u32::MAX / 2);
            let times = if word & 1 == 1 {
                read_varint(&mut bytes).unwrap_or(1)
            } else {
                1
            };
            each(slot, u32::try_from(times).unwrap_or(u32::MAX));
        }
    }
}

impl InvertedIndex {
    /// Adds the next slot. Each text has a weight, as a repeat count.
    pub(super) fn push(&mut self, terms: &mut Tokenizer, texts: &[(&str, u32)]) {
        let slot = u32::try_from(self.lengths.len()).expect("fewer slots than 2^32");
        let mut found: Vec<u32> = Vec::with_capacity(64);
        for (text, weight) in texts {
            terms.for_each_term(text, |term| {
                let id = self.id(term);
                found.extend((0..*weight).map(|_| id));
            });
        }
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a == b) {
            let times = u32::try_from(same.len()).unwrap_or(u32::MAX);
            self.lists[same[0] as usize].push(slot, times);
        }
        let length = u32::try_from(found.len()).unwrap_or(u32::MAX);
        self.lengths.push(length);
        self.total += u64::from(length);
    }

    /// Whether any of these terms occurs.
    pub(super) fn has_any(&self, terms: &[String]) -> bool {
        terms
            .iter()
            .any(|term| self.ids.contains_key(term.as_str()))
    }

    fn id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = u32::try_from(self.lists.len()).expect("fewer terms than 2^32");
        self.ids.insert(term.into(), id);
        self.lists.push(PostingList::default());
        id
    }

    /// Scores all slots for a query.
    #[expect(clippy::cast_precision_loss, reason = "weights need no precision")]
    pub(super) fn score(&self, query: &[String]) -> WordScores {
        let slots = self.lengths.len();
        let mut out = WordScores {
            tallies: vec![TermTally::default(); slots],
            ..WordScores::default()
        };
        let mean = (self.total as f32 / slots.max(1) as f32).max(1.0);
        let mut known: Vec<(f32, &String, Option<&PostingList>)> = query
            .iter()
            .map(|term| {
                let list = self.ids.get(term.as_str());
                let list = list.map(|id| &self.lists[*id as usize]);
                (
                    inverse_document_frequency(slots, list.map_or(0, |list| list.count)),
                    term,
                    list,
                )
            })
            .collect();
        known.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        known.truncate(MAX_TERMS);
        // BM25 length normalisation.
        let (short, growth) = (K1 * (1.0 - B), K1 * B / mean);
        let mut read = 0;
        for (weight, term, list) in known {
            let count = list.map_or(0, |list| list.count);
            if read > 0 && read + count > MAX_POSTINGS {
                // The term is not read, so it must not count as missing.
                continue;
            }
            let bit = 1 << out.weights.len();
            out.weight += weight;
            out.weights.push((term_hash(term), weight));
            if is_everyday(term) {
                out.everyday |= bit;
            }
            let Some(list) = list else { continue };
            read += count;
            let most = weight * (K1 + 1.0);
            list.each(|slot, times| {
                let times = times as f32;
                let norm = short + growth * self.lengths[slot as usize] as f32;
                let tally = &mut out.tallies[slot as usize];
                tally.score += most * times / (times + norm);
                tally.terms |= bit;
            });
        }
        out
    }

    /// A copy with only the slots in `keep`, renumbered.
    pub(super) fn compacted(&self, keep: &[Option<u32>]) -> Self {
        let mut out = Self::default();
        for (length, _) in self
            .lengths
            .iter()
            .zip(keep)
            .filter(|(_, new)| new.is_some())
        {
            out.lengths.push(*length);
            out.total += u64::from(*length);
        }
        for (term, id) in &self.ids {
            let mut list = PostingList::default();
            self.lists[*id as usize].each(|slot, times| {
                if let Some(new) = keep[slot as usize] {
                    list.push(new, times);
                }
            });
            if list.count > 0 {
                let id = u32::try_from(out.lists.len()).expect("no more terms than before");
                out.ids.insert(term.clone(), id);
                out.lists.push(list);
            }
        }
        out
    }
}

/// A stable 32-bit hash of a term (FNV-1a).
pub(super) fn term_hash(term: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    term.bytes().fold(0x811c_9dc5, step)
}

/// Inverse document frequency: the rarer the term, the higher.
#[expect(clippy::cast_precision_loss, reason = "weights need no precision")]
fn inverse_document_frequency(slots: usize, having: u32) -> f32 {
    let (slots, having) = (slots as f32, having as f32);
    (1.0 + (slots - having + 0.5).max(0.5) / (having + 0.5)).ln()
}

pub(super) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
}

pub(super) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    if first < 0x80 {
        // Fast path for small values.
        *bytes = rest;
        return Some(u64::from(first));
    }
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> InvertedIndex {
        let mut words = InvertedIndex::default();
        for text in texts {
            words.push(&mut Tokenizer::default(), &[(text, 1)]);
        }
        words
    }

    fn scores(words: &InvertedIndex, query: &str) -> Vec<f32> {
        let found = words.score(&Tokenizer::default().unique_terms(query));
        found.tallies.iter().map(|one| one.score).collect()
    }

    #[test]
    fn rare_term_weighs_more_than_a_frequent_one() {
        let words = index(&["pool leak", "pool size", "pool name", "cache leak pool"]);
        let found: Vec<f32> = scores(&words, "pool leak");
        assert!(found[0] > found[1] && found[3] > found[1]);
        assert!(found[0] > found[3], "the shorter text is more about it");
        assert!(scores(&words, "banana").iter().all(|x| *x == 0.0));
    }

    #[test]
    fn unknown_term_weighs_most() {
        let words = index(&["pool leak", "pool size"]);
        let found = words.score(&Tokenizer::default().unique_terms("pool zebra"));
        assert!(found.share(found.tallies[0].terms) < 0.5);
    }

    #[test]
    fn posting_list_round_trips() {
        let mut list = PostingList::default();
        let all = [(0, 1), (1, 3), (500, 1), (70_000, 200)];
        for (slot, times) in all {
            list.push(slot, times);
        }
        let mut back = Vec::new();
        list.each(|slot, times| back.push((slot, times)));
        assert_eq!(back, all);
    }

    #[test]
    fn compaction_removes_dead_slots_and_their_terms() {
        let words = index(&["alpha beta", "secret beta", "gamma beta"]);
        let kept = words.compacted(&[Some(0), None, Some(1)]);
        assert!(!kept.ids.contains_key("secret"));
        assert_eq!(kept.lengths.len(), 2);
        assert!(scores(&kept, "gamma")[1] > 0.0);
    }
}
