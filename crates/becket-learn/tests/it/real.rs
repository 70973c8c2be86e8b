//! The whole path with a real, very small model; `make llm` serves one on loopback. It is not clever: what counts is
//! that it is asked, that its answers are understood, and that whatever it says becomes memories that are in order.

use becket_learn::{Budget, Desk, Habits, Ran, Worker, catch_up, status};

use crate::world::{MENDED, at, desk, memories, model_at, records};

#[test]
#[ignore = "needs a model: make llm"]
fn a_turn_is_learnt_from_with_a_real_model() {
    let url = std::env::var("BECKET_LLM_URL").expect("`make llm` sets BECKET_LLM_URL");
    let dir = tempfile::tempdir().unwrap();
    let habits = Habits {
        model: Some(model_at(dir.path(), "openai", &url, "temperature = 0")),
        budget: Budget {
            answer: 200,
            ..Budget::for_context(2_000)
        },
        think_for: std::time::Duration::from_secs(900),
        ..Habits::default()
    };
    let worker = Worker::new(desk(&records("s1", 0, MENDED)), habits);
    catch_up(worker.desk(), at(10), 10).unwrap();
    let ran = worker.run_once(at(100)).unwrap();
    let Ran::Done(report) = ran else {
        panic!("not done: {ran:?}");
    };
    // Rules find the person's own words as well: only this says that the model was asked and understood.
    assert!(report.by_model && report.note.is_none(), "{report:?}");
    assert!(report.spent.questions >= 2, "{report:?}");
    let spent = worker
        .desk()
        .read(|reader| status(reader, None, at(100)))
        .unwrap()
        .spent_today;
    assert!(spent.tokens() > 100, "{spent:?}");
    let found = memories(worker.desk());
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
