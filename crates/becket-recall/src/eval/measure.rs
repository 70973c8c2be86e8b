//! Measures search quality on an evaluation set.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use becket_store::{
    CodeFile, CorpusKind, MemoryStatus, Millis, NewChunk, NewMemory, NewVector, StoreWriter, Trust,
};

use super::fit::FitExample;
use super::set::{EvalQuestion, EvalSet, EvalText, QuestionSource};
use crate::embed::{Embedder, embedding_text};
use crate::search::{
    Band, Calibration, Ranker, Recall, RecallError, ScoredDoc, SearchMode, SearchQuery, rank,
};

const PROJECT: &str = "/eval";

/// Results per question.
const DEPTH: usize = 10;

/// Ranking quality.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RankingMetrics {
    /// Recall at 5.
    pub recall_5: f64,
    /// Recall at 10.
    pub recall_10: f64,
    /// Mean reciprocal rank.
    pub mrr: f64,
    /// Normalised discounted cumulative gain at 10.
    pub ndcg: f64,
}

/// Quality of the confidence bands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BandMetrics {
    /// Results per band, from weak to high.
    pub texts: [usize; 4],
    /// Answers among them.
    pub answers: [usize; 4],
    /// Questions without an answer.
    pub unanswerable: usize,
    /// Unanswerable questions with a result in this band or above.
    pub false_alarms: [usize; 4],
    /// Questions with an answer.
    pub answerable: usize,
    /// Answerable questions with an answer in this band or above.
    pub answered: [usize; 4],
}

/// Train and test split. A hash of the topic decides, so that all wordings of a question are in the same split. Weights
/// are fitted on one half and measured on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataSplit {
    /// Used for fitting.
    Seen,
    /// Not used for fitting.
    Unseen,
    /// Written after fitting and model selection.
    Sealed,
}

impl DataSplit {
    /// The split of a question.
    pub fn of(set: &EvalSet, question: &EvalQuestion) -> Self {
        if set.is_sealed {
            Self::Sealed
        } else if blake3::hash(question.about.as_bytes()).as_bytes()[0].is_multiple_of(2) {
            Self::Seen
        } else {
            Self::Unseen
        }
    }
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionResult {
    /// Its split.
    pub split: DataSplit,
    /// The number of answers.
    pub answers: usize,
    /// For words, vectors and hybrid search: which of the first ten are answers.
    pub hits: [Vec<bool>; 3],
    /// All hybrid results in order, with only the best text of each answer.
    pub found: Vec<FitExample>,
    /// All texts, each with the number of its answer.
    texts: Vec<(usize, FitExample)>,
}

impl QuestionResult {
    /// The results under another ranking.
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
fn best_of_each(texts: &[(usize, FitExample)]) -> Vec<FitExample> {
    let mut known = HashSet::new();
    let is_first = |(of, _): &&(usize, FitExample)| known.insert(*of);
    texts.iter().filter(is_first).map(|(_, one)| *one).collect()
}

/// The measurement of one set, or of several with the same name.
#[derive(Debug, Clone, PartialEq)]
pub struct SetResult {
    /// Its name.
    pub name: String,
    /// The source of the questions.
    pub source: QuestionSource,
    /// The searched corpus.
    pub corpus: CorpusKind,
    /// The number of texts.
    pub texts: usize,
    /// The results by question.
    pub questions: Vec<QuestionResult>,
}

impl SetResult {
    /// The results of a split, or all.
    pub fn of(&self, half: Option<DataSplit>) -> impl Iterator<Item = &QuestionResult> {
        let is_of = move |one: &&QuestionResult| half.is_none_or(|half| half == one.split);
        self.questions.iter().filter(is_of)
    }

    /// Ranking quality of words, vectors and hybrid search, on a split or on all questions.
    pub fn rankings(&self, half: Option<DataSplit>) -> [RankingMetrics; 3] {
        let mut rankings = [RankingMetrics::default(); 3];
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

/// A set in its own store.
pub struct EvalStore {
    writer: StoreWriter,
    recall: Recall,
    ids: HashMap<i64, String>,
}

impl EvalStore {
    /// Stores the texts of a set in memory.
    pub fn new(set: &EvalSet, model: Arc<dyn Embedder>) -> Result<Self, RecallError> {
        let mut writer = StoreWriter::in_memory()?;
        let vectors = embedded(set, model.as_ref())?;
        let mut group = writer.begin()?;
        let vector = |bytes| NewVector {
            model: model.id(),
            bytes,
        };
        let all: Vec<(&EvalText, NewVector<'_>)> = set
            .texts
            .iter()
            .zip(vectors.iter().map(|bytes| vector(bytes)))
            .collect();
        match set.corpus {
            CorpusKind::Memory => {
                for (text, vector) in all {
                    add_memory(&mut group, text, vector)?;
                }
            }
            CorpusKind::Code => {
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

    /// Row numbers follow the order of insertion.
    fn numbered(&self, set: &EvalSet) -> Result<HashMap<i64, String>, RecallError> {
        let changes =
            self.writer
                .reader()
                .corpus_changes(PROJECT, set.corpus, "", 0, usize::MAX >> 1)?;
        let mut rows: Vec<i64> = changes.iter().map(|change| change.pk).collect();
        rows.sort_unstable();
        let ids = set.texts.iter().map(|text| text.id.clone());
        Ok(rows.into_iter().zip(ids).collect())
    }

    fn ranked(
        &self,
        set: &EvalSet,
        text: &str,
        mode: SearchMode,
    ) -> Result<Vec<(&str, ScoredDoc)>, RecallError> {
        let query = SearchQuery {
            // Several chunks of one file are one answer.
            limit: DEPTH * 20,
            ..SearchQuery::new(PROJECT, text)
        };
        let found = self
            .recall
            .ranked(self.writer.reader(), set.corpus, &query, mode)?;
        let named = found.into_iter().map(|one| (&*self.ids[&one.pk], one));
        Ok(named.collect())
    }
}

fn embedded(set: &EvalSet, model: &dyn Embedder) -> Result<Vec<Vec<u8>>, RecallError> {
    let titled = |text: &EvalText| match set.corpus {
        CorpusKind::Memory => embedding_text(&text.context, &text.text),
        CorpusKind::Code => {
            let name = text.name.as_deref().unwrap_or_default();
            embedding_text(&format!("{} {name}", text.context), &text.text)
        }
    };
    let texts: Vec<String> = set.texts.iter().map(titled).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.embed_quantised(&texts)?;
    Ok(vectors
        .iter()
        .map(crate::search::QuantisedVector::to_bytes)
        .collect())
}

fn add_memory(
    group: &mut becket_store::WriteTransaction<'_>,
    text: &EvalText,
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

/// Adds a file with its chunks.
fn add_code(
    group: &mut becket_store::WriteTransaction<'_>,
    pieces: &[(&EvalText, NewVector<'_>)],
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

/// Searches for every question with all three search modes.
pub fn measure(set: &EvalSet, model: Arc<dyn Embedder>) -> Result<SetResult, RecallError> {
    let bench = EvalStore::new(set, model)?;
    let ask = |question| bench.ask(set, question);
    let asked: Result<_, _> = set.questions.iter().map(ask).collect();
    Ok(SetResult {
        name: set.name.clone(),
        source: set.source,
        corpus: set.corpus,
        texts: set.texts.len(),
        questions: asked?,
    })
}

/// The same for several sets, each in its own store.
pub fn measure_all(sets: &[EvalSet], model: &Arc<dyn Embedder>) -> Result<SetResult, RecallError> {
    let mut all: Option<SetResult> = None;
    for set in sets {
        let one = measure(set, Arc::clone(model))?;
        match &mut all {
            None => all = Some(one),
            Some(all) => {
                all.texts += one.texts;
                all.questions.extend(one.questions);
            }
        }
    }
    Ok(all.expect("at least one set"))
}

impl EvalStore {
    fn ask(&self, set: &EvalSet, question: &EvalQuestion) -> Result<QuestionResult, RecallError> {
        let is_answer = |id: &str| question.answers.iter().any(|one| one == id);
        let mut asked = QuestionResult {
            split: DataSplit::of(set, question),
            answers: question.answers.len(),
            hits: Default::default(),
            found: Vec::new(),
            texts: Vec::new(),
        };
        let ways = [SearchMode::Words, SearchMode::Meaning, SearchMode::Hybrid];
        for (hits, mode) in asked.hits.iter_mut().zip(ways) {
            let found = self.ranked(set, &question.text, mode)?;
            let mut numbers: HashMap<&str, usize> = HashMap::new();
            let texts = found.iter().map(|(id, one)| {
                let next = numbers.len();
                let example = FitExample {
                    features: one.features,
                    relevant: is_answer(id),
                    answerable: !question.answers.is_empty(),
                };
                (*numbers.entry(id).or_insert(next), example)
            });
            let texts: Vec<(usize, FitExample)> = texts.collect();
            let best = best_of_each(&texts);
            hits.extend(best.iter().take(DEPTH).map(|one| one.relevant));
            if mode == SearchMode::Hybrid {
                (asked.found, asked.texts) = (best, texts);
            }
        }
        Ok(asked)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of places")]
impl RankingMetrics {
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

/// The quality of the confidence bands.
pub fn bands<'a>(
    asked: impl IntoIterator<Item = &'a QuestionResult>,
    calibration: &Calibration,
) -> BandMetrics {
    let mut numbers = BandMetrics::default();
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

/// Results with similar scores.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReliabilityBin {
    /// The number of results.
    pub texts: usize,
    /// Answers among them.
    pub answers: usize,
    /// The sum of their scores.
    pub scores: f64,
}

/// Predicted against observed relevance, in ten bins from 0 to 1.
pub fn reliability<'a>(
    asked: impl IntoIterator<Item = &'a QuestionResult>,
    calibration: &Calibration,
) -> [ReliabilityBin; 10] {
    let mut bins = [ReliabilityBin::default(); 10];
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
