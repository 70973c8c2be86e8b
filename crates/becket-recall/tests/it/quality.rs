//! Search quality on the hand-written sets. `make eval` has the other sets and all numbers.
//!
//! Memories are judged on all questions and on those that were not used for fitting. The thresholds have some slack for
//! changes that cost a question or two.

use std::sync::Arc;

use becket_recall::embed::{BuiltinModel, Embedder};
use becket_recall::eval::{
    DataSplit, EvalSet, QuestionResult, QuestionSource, RankingMetrics, SetResult, bands,
    hand_written, measure, measure_all, other_domains, reliability, repositories,
};
use becket_recall::search::{Band, Calibration};
use becket_store::CorpusKind;

fn model() -> Arc<dyn Embedder> {
    Arc::new(BuiltinModel)
}

fn measured(set: &EvalSet) -> (SetResult, Calibration) {
    let measured = measure(set, model()).unwrap();
    (measured, Calibration::of(BuiltinModel.id(), set.corpus))
}

/// Word and vector search, each paired with hybrid search.
fn parts(measured: &SetResult, half: Option<DataSplit>) -> [(RankingMetrics, RankingMetrics); 2] {
    let [words, meaning, both] = measured.rankings(half);
    [(words, both), (meaning, both)]
}

/// High-confidence results are injected with prompts: they must be rare without an answer, and mostly be answers.
#[track_caller]
fn assert_reliable(measured: &SetResult, calibration: &Calibration) {
    let high = Band::High as usize;
    for half in [None, Some(DataSplit::Unseen)] {
        let numbers = bands(measured.of(half), calibration);
        assert!(
            numbers.answers[high] * 10 >= numbers.texts[high] * 8 || numbers.answerable == 0,
            "{}, {half:?}: {numbers:?}",
            measured.name
        );
        assert!(
            numbers.false_alarms[high] * 100 <= numbers.unanswerable * 3,
            "{}, {half:?}: {numbers:?}",
            measured.name
        );
        assert!(
            numbers.answered[high] * 5 >= numbers.answerable,
            "it says so often enough: {}, {half:?}: {numbers:?}",
            measured.name
        );
    }
}

#[test]
fn questions_about_one_topic_share_a_split() {
    let set = hand_written();
    let answered = set.questions.iter().filter(|one| !one.answers.is_empty());
    for one in answered {
        let alike = set
            .questions
            .iter()
            .filter(|two| two.answers == one.answers);
        for other in alike {
            assert_eq!(
                DataSplit::of(&set, one),
                DataSplit::of(&set, other),
                "{}",
                one.text
            );
        }
    }
    let left_out = set.without_answers(4);
    let asked = left_out.iter().flat_map(|part| &part.questions);
    for one in asked {
        let original = set.questions.iter().find(|two| two.text == one.text);
        let half = original.map(|original| DataSplit::of(&set, original));
        assert_eq!(Some(DataSplit::of(&set, one)), half, "{}", one.text);
    }
}

#[test]
fn hybrid_search_beats_words_and_vectors_on_memories() {
    let (measured, _) = measured(&hand_written());
    for half in [None, Some(DataSplit::Unseen)] {
        for (part, both) in parts(&measured, half) {
            assert!(both.ndcg > part.ndcg && both.mrr > part.mrr);
            assert!(both.recall_5 > part.recall_5 && both.recall_10 > part.recall_10);
        }
        let [_, _, both] = measured.rankings(half);
        assert!(both.mrr > 0.69 && both.recall_10 > 0.87, "{both:?}");
    }
}

#[test]
fn commit_subjects_find_files() {
    let measured = measure_all(&repositories(), &model()).unwrap();
    assert_eq!(
        (measured.source, measured.questions.len()),
        (QuestionSource::Commits, 170)
    );
    for half in [None, Some(DataSplit::Unseen)] {
        for (part, both) in parts(&measured, half) {
            assert!(both.recall_5 >= part.recall_5 && both.recall_10 >= part.recall_10);
            assert!(both.ndcg > part.ndcg && both.mrr > part.mrr);
        }
    }
}

#[test]
fn high_band_results_are_reliable() {
    let (measured, calibration) = measured(&hand_written());
    assert_reliable(&measured, &calibration);
}

#[test]
fn missing_answers_rarely_cause_false_alarms() {
    let left_out = hand_written().without_answers(4);
    let measured = measure_all(&left_out, &model()).unwrap();
    assert!(
        measured.questions.len() > 250 && measured.questions.iter().all(|one| one.answers == 0)
    );
    assert_reliable(
        &measured,
        &Calibration::of(BuiltinModel.id(), CorpusKind::Memory),
    );
}

#[test]
fn other_domains_are_no_worse() {
    let trades = other_domains();
    let left_out: Vec<EvalSet> = trades
        .iter()
        .flat_map(|set| set.without_answers(4))
        .collect();
    for (sets, least) in [(left_out, 350), (trades, 550)] {
        let measured = measure_all(&sets, &model()).unwrap();
        assert!(measured.questions.len() > least);
        let calibration = Calibration::of(BuiltinModel.id(), CorpusKind::Memory);
        let numbers = bands(&measured.questions, &calibration);
        let high = Band::High as usize;
        assert!(numbers.false_alarms[high] * 100 <= numbers.unanswerable * 3);
        assert!(numbers.answers[high] * 10 >= numbers.texts[high] * 8 || numbers.answerable == 0);
    }
}

#[test]
fn rare_term_in_a_small_store_is_not_an_answer() {
    let stores = hand_written().in_small_stores(15);
    assert!(stores.iter().all(|store| store.texts.len() <= 15));
    let measured = measure_all(&stores, &model()).unwrap();
    assert_reliable(
        &measured,
        &Calibration::of(BuiltinModel.id(), CorpusKind::Memory),
    );
}

#[test]
fn scores_are_calibrated() {
    let (measured, calibration) = measured(&hand_written());
    let mut off = 0.0;
    let mut texts = 0.0;
    for bin in reliability(&measured.questions, &calibration) {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let (count, answers) = (bin.texts as f64, bin.answers as f64);
        off += (bin.scores - answers).abs();
        texts += count;
    }
    assert!(off / texts < 0.025, "off by {:.4} in the mean", off / texts);
}

#[test]
fn nonsense_scores_at_most_low() {
    let mut set = hand_written();
    let nonsense = [
        "zzqx flibbertigibbet banana recipe",
        "asdf jkl qwerty",
        "lorem ipsum dolor sit amet",
        "8f3a9c1e-77b2-4d0a-9a51-0c3f2d1e6b7a",
        "blorp grunk fnord wibble",
        "????? !!!!! #####",
    ];
    set.questions.truncate(nonsense.len());
    for (question, text) in set.questions.iter_mut().zip(nonsense) {
        question.text = text.to_owned();
        question.answers.clear();
    }
    let code = EvalSet {
        questions: set.questions.clone(),
        ..repositories()[0].clone()
    };
    assert_eq!(code.corpus, CorpusKind::Code);
    for set in [set, code] {
        let (measured, calibration) = measured(&set);
        let best = |asked: &QuestionResult| {
            let scores = asked
                .found
                .iter()
                .map(|one| calibration.score(&one.features));
            scores.fold(0.0, f32::max)
        };
        for (question, asked) in set.questions.iter().zip(&measured.questions) {
            assert!(Band::of(best(asked)) <= Band::Low, "{}", question.text);
        }
    }
}
