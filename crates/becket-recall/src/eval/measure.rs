//! Measuring.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use becket_store::{
    CodeFile, MemoryStatus, Millis, NewChunk, NewMemory, NewVector, Shelf, Trust, Writer,
};

use super::fit::Example;
use super::set::{Question, Set, Sort, Text};
use crate::embed::{Embedder, composed};
use crate::search::{Band, Calibration, Mode, Query, Ranker, Recall, RecallError, Scored, rank};

const PROJECT: &str = "/eval";

/// As many texts are looked at for each question.
const DEPTH: usize = 10;

/// How well one way of searching ranks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ranking {
    /// How many of the answers are among the first five.
    pub recall_5: f64,
    /// … ten.
    pub recall_10: f64,
    /// One divided by the place of the first answer.
    pub mrr: f64,
    /// Discounted gain of the first ten, as a part of the best possible.
    pub ndcg: f64,
}

/// What bands are worth.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BandNumbers {
    /// How many texts fell into each, from weak to high.
    pub texts: [usize; 4],
    /// How many of them were answers.
    pub answers: [usize; 4],
    /// Questions without an answer.
    pub unanswerable: usize,
    /// Of those, the ones for which something was in the band or above it.
    pub false_alarms: [usize; 4],
    /// Questions with an answer.
    pub answerable: usize,
    /// Of those, the ones for which an answer was in the band or above it.
    pub answered: [usize; 4],
}

/// Questions are told apart by a hash of what they are about, so that two wordings of one question are never in
/// different halves: what is fitted is fitted on one half, and measured on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Fitted on.
    Seen,
    /// Never fitted on.
    Unseen,
    /// Written after everything was fitted and chosen.
    Sealed,
}

impl Half {
    /// The half of a question of a set.
    pub fn of(set: &Set, question: &Question) -> Self {
        if set.is_sealed {
            Self::Sealed
        } else if blake3::hash(question.about.as_bytes()).as_bytes()[0].is_multiple_of(2) {
            Self::Seen
        } else {
            Self::Unseen
        }
    }
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its half.
    pub half: Half,
    /// How many answers there are.
    pub answers: usize,
    /// By words, by meaning, by both: which of the first ten were answers.
    pub hits: [Vec<bool>; 3],
    /// Everything that was found by both, in order, and of each answer only the best of its texts.
    pub found: Vec<Example>,
    /// All of its texts, each with the number of what it is a part of.
    texts: Vec<(usize, Example)>,
}

impl Asked {
    /// What would have been found if texts came in another order.
    #[must_use]
    pub fn reordered(&self, ranker: &Ranker) -> Self {
        let mut texts = self.texts.clone();
        rank(ranker, texts.iter_mut().map(|(_, one)| &mut one.features));
        texts.sort_by(|(_, a), (_, b)| b.features.fused.total_cmp(&a.features.fused));
        let found = best_of_each(&texts);
        let first = found.iter().take(DEPTH).map(|one| one.relevant);
        let [words, meaning, _] = self.hits.clone();
        Self {
            hits: [words, meaning, first.collect()],
            found,
            texts,
            ..*self
        }
    }
}

/// The first text of each number.
fn best_of_each(texts: &[(usize, Example)]) -> Vec<Example> {
    let mut known = HashSet::new();
    let is_first = |(of, _): &&(usize, Example)| known.insert(*of);
    texts.iter().filter(is_first).map(|(_, one)| *one).collect()
}

/// A set, or several of one name, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// What was asked for.
    pub sort: Sort,
    /// Where.
    pub shelf: Shelf,
    /// How many texts there were.
    pub texts: usize,
    /// Question by question.
    pub asked: Vec<Asked>,
}

impl Measured {
    /// The questions of a half, or all.
    pub fn of(&self, half: Option<Half>) -> impl Iterator<Item = &Asked> {
        let is_of = move |one: &&Asked| half.is_none_or(|half| half == one.half);
        self.asked.iter().filter(is_of)
    }

    /// How well words, meaning and both rank, on a half of the questions or on all.
    pub fn rankings(&self, half: Option<Half>) -> [Ranking; 3] {
        let mut rankings = [Ranking::default(); 3];
        let mut count = 0.0;
        for one in self.of(half).filter(|one| one.answers > 0) {
            count += 1.0;
            for (ranking, hits) in rankings.iter_mut().zip(&one.hits) {
                ranking.add(hits, one.answers);
            }
        }
        for ranking in &mut rankings {
            ranking.divide(f64::max(count, 1.0));
        }
        rankings
    }
}

/// A set in a store of its own.
pub struct Bench {
    writer: Writer,
    recall: Recall,
    ids: HashMap<i64, String>,
}

impl Bench {
    /// Puts the texts of a set into a store in memory.
    pub fn new(set: &Set, model: Arc<dyn Embedder>) -> Result<Self, RecallError> {
        let mut writer = Writer::in_memory()?;
        let vectors = embedded(set, model.as_ref())?;
        let mut group = writer.begin()?;
        let vector = |bytes| NewVector {
            model: model.id(),
            bytes,
        };
        let all: Vec<(&Text, NewVector<'_>)> = set
            .texts
            .iter()
            .zip(vectors.iter().map(|bytes| vector(bytes)))
            .collect();
        match set.shelf {
            Shelf::Memory => {
                for (text, vector) in all {
                    add_memory(&mut group, text, vector)?;
                }
            }
            Shelf::Code => {
                for pieces in all.chunk_by(|(a, _), (b, _)| a.context == b.context) {
                    add_code(&mut group, pieces)?;
                }
            }
        }
        group.commit()?;
        let recall = Recall::new(None, model)?;
        let mut bench = Self {
            ids: HashMap::new(),
            writer,
            recall,
        };
        bench.ids = bench.numbered(set)?;
        Ok(bench)
    }

    /// Rows are numbered in the order in which they came.
    fn numbered(&self, set: &Set) -> Result<HashMap<i64, String>, RecallError> {
        let changes =
            self.writer
                .reader()
                .shelf_changes(PROJECT, set.shelf, "", 0, usize::MAX >> 1)?;
        let mut rows: Vec<i64> = changes.iter().map(|change| change.pk).collect();
        rows.sort_unstable();
        let ids = set.texts.iter().map(|text| text.id.clone());
        Ok(rows.into_iter().zip(ids).collect())
    }

    fn ranked(
        &self,
        set: &Set,
        text: &str,
        mode: Mode,
    ) -> Result<Vec<(&str, Scored)>, RecallError> {
        let query = Query {
            // Several pieces of one file are one answer.
            limit: DEPTH * 20,
            ..Query::new(PROJECT, text)
        };
        let found = self
            .recall
            .ranked(self.writer.reader(), set.shelf, &query, mode)?;
        let named = found.into_iter().map(|one| (&*self.ids[&one.pk], one));
        Ok(named.collect())
    }
}

fn embedded(set: &Set, model: &dyn Embedder) -> Result<Vec<Vec<u8>>, RecallError> {
    let titled = |text: &Text| match set.shelf {
        Shelf::Memory => composed(&text.context, &text.text),
        Shelf::Code => {
            let name = text.name.as_deref().unwrap_or_default();
            composed(&format!("{} {name}", text.context), &text.text)
        }
    };
    let texts: Vec<String> = set.texts.iter().map(titled).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.embed_quantised(&texts)?;
    Ok(vectors
        .iter()
        .map(crate::search::Quantised::to_bytes)
        .collect())
}

fn add_memory(
    group: &mut becket_store::Group<'_>,
    text: &Text,
    vector: NewVector<'_>,
) -> Result<(), RecallError> {
    let kind = text.kind.unwrap_or(becket_store::MemoryKind::Discovery);
    let files: &[&str] = &[&text.context];
    let memory = NewMemory {
        files,
        context: Some(&text.context),
        status: MemoryStatus::Active,
        trust: Trust::Agent,
        ..NewMemory::new(&text.id, PROJECT, kind, &text.text, Millis(1))
    };
    group.add_memory(&memory, Some(vector))?;
    Ok(())
}

/// A file with its pieces.
fn add_code(
    group: &mut becket_store::Group<'_>,
    pieces: &[(&Text, NewVector<'_>)],
) -> Result<(), RecallError> {
    let Some((first, _)) = pieces.first() else {
        return Ok(());
    };
    let file = CodeFile {
        path: &first.context,
        content_hash: "",
        language: "",
        lines: 0,
        size: 0,
        changed: 0,
    };
    let chunks: Vec<NewChunk<'_>> = (1..)
        .zip(pieces)
        .map(|(line, (text, vector))| NewChunk {
            start: line,
            end: line,
            name: text.name.as_deref(),
            kind: "function",
            text: &text.text,
            vector: Some(*vector),
        })
        .collect();
    group.put_code_file(PROJECT, &file, &chunks, Millis(1))?;
    Ok(())
}

/// Searches for every question of a set, in three ways.
pub fn measure(set: &Set, model: Arc<dyn Embedder>) -> Result<Measured, RecallError> {
    let bench = Bench::new(set, model)?;
    let ask = |question| bench.ask(set, question);
    let asked: Result<_, _> = set.questions.iter().map(ask).collect();
    Ok(Measured {
        name: set.name.clone(),
        sort: set.sort,
        shelf: set.shelf,
        texts: set.texts.len(),
        asked: asked?,
    })
}

/// The same of sets that belong together, each in a store of its own.
pub fn measure_all(sets: &[Set], model: &Arc<dyn Embedder>) -> Result<Measured, RecallError> {
    let mut all: Option<Measured> = None;
    for set in sets {
        let one = measure(set, Arc::clone(model))?;
        match &mut all {
            None => all = Some(one),
            Some(all) => {
                all.texts += one.texts;
                all.asked.extend(one.asked);
            }
        }
    }
    Ok(all.expect("at least one set"))
}

impl Bench {
    fn ask(&self, set: &Set, question: &Question) -> Result<Asked, RecallError> {
        let is_answer = |id: &str| question.answers.iter().any(|one| one == id);
        let mut asked = Asked {
            half: Half::of(set, question),
            answers: question.answers.len(),
            hits: Default::default(),
            found: Vec::new(),
            texts: Vec::new(),
        };
        let ways = [Mode::Words, Mode::Meaning, Mode::Hybrid];
        for (hits, mode) in asked.hits.iter_mut().zip(ways) {
            let found = self.ranked(set, &question.text, mode)?;
            let mut numbers: HashMap<&str, usize> = HashMap::new();
            let texts = found.iter().map(|(id, one)| {
                let next = numbers.len();
                let example = Example {
                    features: one.features,
                    relevant: is_answer(id),
                    answerable: !question.answers.is_empty(),
                };
                (*numbers.entry(id).or_insert(next), example)
            });
            let texts: Vec<(usize, Example)> = texts.collect();
            let best = best_of_each(&texts);
            hits.extend(best.iter().take(DEPTH).map(|one| one.relevant));
            if mode == Mode::Hybrid {
                (asked.found, asked.texts) = (best, texts);
            }
        }
        Ok(asked)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of places")]
impl Ranking {
    fn add(&mut self, hits: &[bool], answers: usize) {
        let among = |most: usize| hits.iter().take(most).filter(|hit| **hit).count() as f64;
        self.recall_5 += among(5) / answers.min(5) as f64;
        self.recall_10 += among(10) / answers.min(10) as f64;
        let first = hits.iter().position(|hit| *hit);
        self.mrr += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        let gain = |place: usize| 1.0 / ((place + 2) as f64).log2();
        let best: f64 = (0..answers.min(10)).map(gain).sum();
        let got: f64 = hits
            .iter()
            .enumerate()
            .filter(|(_, hit)| **hit)
            .map(|(place, _)| gain(place))
            .sum();
        self.ndcg += got / best;
    }

    fn divide(&mut self, by: f64) {
        for number in [
            &mut self.recall_5,
            &mut self.recall_10,
            &mut self.mrr,
            &mut self.ndcg,
        ] {
            *number /= by;
        }
    }
}

/// What the bands of a calibration are worth on what was found.
pub fn bands<'a>(
    asked: impl IntoIterator<Item = &'a Asked>,
    calibration: &Calibration,
) -> BandNumbers {
    let mut numbers = BandNumbers::default();
    for one in asked {
        let (mut best, mut best_answer) = (Band::Weak, Band::Weak);
        for example in one.found.iter().take(DEPTH) {
            let band = Band::of(calibration.score(&example.features));
            numbers.texts[band as usize] += 1;
            numbers.answers[band as usize] += usize::from(example.relevant);
            best = best.max(band);
            if example.relevant {
                best_answer = best_answer.max(band);
            }
        }
        let (count, per_band, reached) = if one.answers > 0 {
            (&mut numbers.answerable, &mut numbers.answered, best_answer)
        } else {
            (&mut numbers.unanswerable, &mut numbers.false_alarms, best)
        };
        *count += 1;
        for band in per_band.iter_mut().take(reached as usize + 1) {
            *band += 1;
        }
    }
    numbers
}

/// Texts whose scores are about the same.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bin {
    /// How many.
    pub texts: usize,
    /// How many of them are answers.
    pub answers: usize,
    /// The sum of their scores.
    pub scores: f64,
}

/// What scores promise and what they keep, in ten bins from 0 to 1.
pub fn reliability<'a>(
    asked: impl IntoIterator<Item = &'a Asked>,
    calibration: &Calibration,
) -> [Bin; 10] {
    let mut bins = [Bin::default(); 10];
    let found = asked
        .into_iter()
        .flat_map(|one| one.found.iter().take(DEPTH));
    for example in found {
        let score = calibration.score(&example.features);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 10"
        )]
        let at = ((score * 10.0) as usize).min(9);
        bins[at].texts += 1;
        bins[at].answers += usize::from(example.relevant);
        bins[at].scores += f64::from(score);
    }
    bins
}
