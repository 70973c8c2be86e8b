//! What search is worth on the sets that were written by hand. `make eval` has the other sets and all numbers.
//!
//! Memories are judged by questions that nothing was fitted on as well as by all. The figures have some slack: a change
//! that costs a question or two is none of their business.

use std::sync::Arc;

use becket_recall::embed::{Builtin, Embedder};
use becket_recall::eval::{
    Asked, Half, Measured, Ranking, Set, Sort, bands, hand_written, measure, measure_all,
    reliability, repositories, trades,
};
use becket_recall::search::{Band, Calibration};
use becket_store::Shelf;

fn model() -> Arc<dyn Embedder> {
    Arc::new(Builtin)
}

fn measured(set: &Set) -> (Measured, Calibration) {
    let measured = measure(set, model()).unwrap();
    (measured, Calibration::of(Builtin.id(), set.shelf))
}

/// Each part, beside both.
fn parts(measured: &Measured, half: Option<Half>) -> [(Ranking, Ranking); 2] {
    let [words, meaning, both] = measured.rankings(half);
    [(words, both), (meaning, both)]
}

/// What is told beside a prompt is what is high: seldom if there is no answer, and mostly answers.
#[track_caller]
fn assert_reliable(measured: &Measured, calibration: &Calibration) {
    let high = Band::High as usize;
    for half in [None, Some(Half::Unseen)] {
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
fn questions_about_one_thing_are_in_one_half() {
    let set = hand_written();
    let answered = set.questions.iter().filter(|one| !one.answers.is_empty());
    for one in answered {
        let alike = set
            .questions
            .iter()
            .filter(|two| two.answers == one.answers);
        for other in alike {
            assert_eq!(Half::of(&set, one), Half::of(&set, other), "{}", one.text);
        }
    }
    let left_out = set.left_out(4);
    let asked = left_out.iter().flat_map(|part| &part.questions);
    for one in asked {
        let original = set.questions.iter().find(|two| two.text == one.text);
        let half = original.map(|original| Half::of(&set, original));
        assert_eq!(Some(Half::of(&set, one)), half, "{}", one.text);
    }
}

#[test]
fn memories_are_found_better_by_both_ways_than_by_each() {
    let (measured, _) = measured(&hand_written());
    for half in [None, Some(Half::Unseen)] {
        for (part, both) in parts(&measured, half) {
            assert!(both.ndcg > part.ndcg && both.mrr > part.mrr);
            assert!(both.recall_5 > part.recall_5 && both.recall_10 > part.recall_10);
        }
        let [_, _, both] = measured.rankings(half);
        assert!(both.mrr > 0.69 && both.recall_10 > 0.87, "{both:?}");
    }
}

#[test]
fn files_are_found_by_what_commits_say() {
    let measured = measure_all(&repositories(), &model()).unwrap();
    assert_eq!((measured.sort, measured.asked.len()), (Sort::Commits, 170));
    for half in [None, Some(Half::Unseen)] {
        for (part, both) in parts(&measured, half) {
            assert!(both.recall_5 >= part.recall_5 && both.recall_10 >= part.recall_10);
            assert!(both.ndcg > part.ndcg && both.mrr > part.mrr);
        }
    }
}

#[test]
fn what_is_told_beside_a_prompt_can_be_relied_on() {
    let (measured, calibration) = measured(&hand_written());
    assert_reliable(&measured, &calibration);
}

#[test]
fn nothing_is_told_when_the_answer_is_missing_and_everything_like_it_is_there() {
    let left_out = hand_written().left_out(4);
    let measured = measure_all(&left_out, &model()).unwrap();
    assert!(measured.asked.len() > 250 && measured.asked.iter().all(|one| one.answers == 0));
    assert_reliable(&measured, &Calibration::of(Builtin.id(), Shelf::Memory));
}

#[test]
fn other_trades_are_no_worse() {
    let trades = trades();
    let left_out: Vec<Set> = trades.iter().flat_map(|set| set.left_out(4)).collect();
    for (sets, least) in [(left_out, 350), (trades, 550)] {
        let measured = measure_all(&sets, &model()).unwrap();
        assert!(measured.asked.len() > least);
        let calibration = Calibration::of(Builtin.id(), Shelf::Memory);
        let numbers = bands(&measured.asked, &calibration);
        let high = Band::High as usize;
        assert!(numbers.false_alarms[high] * 100 <= numbers.unanswerable * 3);
        assert!(numbers.answers[high] * 10 >= numbers.texts[high] * 8 || numbers.answerable == 0);
    }
}

#[test]
fn a_word_that_is_rare_among_few_memories_is_no_answer() {
    let stores = hand_written().small(15);
    assert!(stores.iter().all(|store| store.texts.len() <= 15));
    let measured = measure_all(&stores, &model()).unwrap();
    assert_reliable(&measured, &Calibration::of(Builtin.id(), Shelf::Memory));
}

#[test]
fn a_score_is_about_how_often_it_is_right() {
    let (measured, calibration) = measured(&hand_written());
    let mut off = 0.0;
    let mut texts = 0.0;
    for bin in reliability(&measured.asked, &calibration) {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let (count, answers) = (bin.texts as f64, bin.answers as f64);
        off += (bin.scores - answers).abs();
        texts += count;
    }
    assert!(off / texts < 0.025, "off by {:.4} in the mean", off / texts);
}

#[test]
fn nonsense_is_never_more_than_low() {
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
    let code = Set {
        questions: set.questions.clone(),
        ..repositories()[0].clone()
    };
    assert_eq!(code.shelf, Shelf::Code);
    for set in [set, code] {
        let (measured, calibration) = measured(&set);
        let best = |asked: &Asked| {
            let scores = asked
                .found
                .iter()
                .map(|one| calibration.score(&one.features));
            scores.fold(0.0, f32::max)
        };
        for (question, asked) in set.questions.iter().zip(&measured.asked) {
            assert!(Band::of(best(asked)) <= Band::Low, "{}", question.text);
        }
    }
}
