//! The whole path with a real, very small model, served on loopback by `make llm`. The model is not clever. The tests check
//! that it gets the requests, that its answers are parsed, and that every answer becomes valid memories.

use becket_learn::{
    PromptBudget, RunOutcome, StoreAccess, Worker, WorkerOptions, backfill_queue, status,
};

use crate::world::{MENDED, at, memories, model_at, records, store};

#[test]
#[ignore = "needs a model: make llm"]
fn real_model_learns_from_a_turn() {
    let url = std::env::var("BECKET_LLM_URL").expect("`make llm` sets BECKET_LLM_URL");
    let dir = tempfile::tempdir().unwrap();
    let options = WorkerOptions {
        model: Some(model_at(dir.path(), "openai", &url, "temperature = 0")),
        budget: PromptBudget {
            answer: 200,
            ..PromptBudget::for_context(2_000)
        },
        llm_timeout: std::time::Duration::from_secs(900),
        ..WorkerOptions::default()
    };
    let worker = Worker::new(store(&records("s1", 0, MENDED)), options);
    backfill_queue(worker.store(), at(10), 10).unwrap();
    let ran = worker.run_once(at(100)).unwrap();
    let RunOutcome::Done(report) = ran else {
        panic!("not done: {ran:?}");
    };
    // Rules find the user's statements as well; only this proves that the model was used.
    assert!(report.by_model && report.note.is_none(), "{report:?}");
    assert!(report.spent.questions >= 2, "{report:?}");
    let spent = worker
        .store()
        .read(|reader| status(reader, None, at(100)))
        .unwrap()
        .spent_today;
    assert!(spent.total() > 100, "{spent:?}");
    let found = memories(worker.store());
    assert!(
        found
            .iter()
            .any(|row| row.text == "Use pnpm instead of npm."),
        "{found:?}"
    );
    for row in &found {
        assert!(
            row.text.chars().count() <= 600 && (1..=10).contains(&row.importance),
            "{row:?}"
        );
    }
}
