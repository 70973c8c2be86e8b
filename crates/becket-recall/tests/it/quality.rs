//! What search is worth on the set that was written by hand. `make eval` has the other sets and all numbers.

use std::sync::Arc;

use becket_recall::embed::{Builtin, Embedder};
use becket_recall::eval::{bands, hand_written, measure};
use becket_recall::search::{Band, Calibration};
use becket_store::Shelf;

#[test]
fn both_ways_of_searching_together_are_better_than_each_and_high_can_be_relied_on() {
    let measured = measure(&hand_written(), Arc::new(Builtin)).unwrap();
    let [words, meaning, hybrid] = measured.rankings;
    for part in [words, meaning] {
        assert!(hybrid.ndcg > part.ndcg && hybrid.mrr > part.mrr);
        assert!(hybrid.recall_5 > part.recall_5 && hybrid.recall_10 > part.recall_10);
    }
    let numbers = bands(
        &measured.found,
        &Calibration::of(Builtin.id(), Shelf::Memory),
    );
    let high = Band::High as usize;
    assert!(
        numbers.answers[high] * 10 >= numbers.texts[high] * 8,
        "{numbers:?}"
    );
    assert!(
        numbers.false_alarms[high] * 100 <= numbers.unanswerable * 3,
        "{numbers:?}"
    );
    assert!(
        numbers.answered[high] * 4 >= numbers.answerable,
        "it says so often enough: {numbers:?}"
    );
}
