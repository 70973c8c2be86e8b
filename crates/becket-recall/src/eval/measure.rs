//! Measuring.

use std::collections::HashMap;
use std::sync::Arc;

use becket_store::{
    CodeFile, MemoryStatus, Millis, NewChunk, NewMemory, NewVector, Shelf, Trust, Writer,
};

use super::fit::Example;
use super::set::{Set, Text};
use crate::embed::{Embedder, composed};
use crate::search::{Band, Calibration, Mode, Query, Recall, RecallError, Scored};

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

/// A set, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// By words, by meaning, by both.
    pub rankings: [Ranking; 3],
    /// Everything that was found by both, question by question: what was known and whether it was an answer.
    pub found: Vec<(bool, Vec<Example>)>,
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
        for (at, (text, bytes)) in set.texts.iter().zip(&vectors).enumerate() {
            let vector = NewVector {
                model: model.id(),
                bytes,
            };
            match set.shelf {
                Shelf::Memory => add_memory(&mut group, text, vector)?,
                Shelf::Code => add_code(&mut group, at, text, vector)?,
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
    ) -> Result<Vec<(String, Scored)>, RecallError> {
        let query = Query {
            // Several pieces of one file are one answer.
            limit: DEPTH * 10,
            ..Query::new(PROJECT, text)
        };
        let found = self
            .recall
            .ranked(self.writer.reader(), set.shelf, &query, mode)?;
        let mut out: Vec<(String, Scored)> = Vec::new();
        for one in found {
            let id = &self.ids[&one.pk];
            if out.len() < DEPTH && !out.iter().any(|(known, _)| known == id) {
                out.push((id.clone(), one));
            }
        }
        Ok(out)
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

fn add_code(
    group: &mut becket_store::Group<'_>,
    at: usize,
    text: &Text,
    vector: NewVector<'_>,
) -> Result<(), RecallError> {
    // Each piece has a file of its own, so that pieces of one file may be told apart; the path begins with its own.
    let path = format!("{}#{at}", text.context);
    let file = CodeFile {
        path: &path,
        content_hash: "",
        language: "",
        lines: 0,
        size: 0,
        changed: 0,
    };
    let chunk = NewChunk {
        start: 1,
        end: 1,
        name: text.name.as_deref(),
        kind: "function",
        text: &text.text,
        vector: Some(vector),
    };
    group.put_code_file(PROJECT, &file, &[chunk], Millis(1))?;
    Ok(())
}

/// Searches for every question of a set, in three ways.
pub fn measure(set: &Set, model: Arc<dyn Embedder>) -> Result<Measured, RecallError> {
    let bench = Bench::new(set, model)?;
    let mut measured = Measured {
        rankings: [Ranking::default(); 3],
        found: Vec::new(),
    };
    let mut answerable = 0.0;
    for question in &set.questions {
        let is_answer = |id: &String| question.answers.contains(id);
        let ways = [Mode::Words, Mode::Meaning, Mode::Hybrid];
        for (ranking, mode) in measured.rankings.iter_mut().zip(ways) {
            let found = bench.ranked(set, &question.text, mode)?;
            if !question.answers.is_empty() {
                let hits: Vec<bool> = found.iter().map(|(id, _)| is_answer(id)).collect();
                ranking.add(&hits, question.answers.len());
            }
            if mode == Mode::Hybrid {
                let examples = found.iter().map(|(id, one)| Example {
                    features: one.features,
                    relevant: is_answer(id),
                });
                measured
                    .found
                    .push((!question.answers.is_empty(), examples.collect()));
            }
        }
        answerable += f64::from(u8::from(!question.answers.is_empty()));
    }
    for ranking in &mut measured.rankings {
        ranking.divide(f64::max(answerable, 1.0));
    }
    Ok(measured)
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
pub fn bands(found: &[(bool, Vec<Example>)], calibration: &Calibration) -> BandNumbers {
    let mut numbers = BandNumbers::default();
    for (answerable, examples) in found {
        let (mut best, mut best_answer) = (Band::Weak, Band::Weak);
        for example in examples {
            let band = Band::of(calibration.score(&example.features));
            numbers.texts[band as usize] += 1;
            numbers.answers[band as usize] += usize::from(example.relevant);
            best = best.max(band);
            if example.relevant {
                best_answer = best_answer.max(band);
            }
        }
        let (count, per_band, reached) = if *answerable {
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
