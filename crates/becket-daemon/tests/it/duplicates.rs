//! Dedupe in the hooks API: duplicates, and events that only look like duplicates.

use serde_json::{Value, json};

use crate::oak::{bash, batch_of};
use crate::world::World;

#[test]
fn cursors_double_hooks_give_one_event_and_a_cursor_session() {
    for callers in [["claude", "cursor"], ["cursor", "claude"]] {
        let world = World::new();
        let twice = |event: &str, body: Value| {
            let answers = callers.map(|agent| {
                let mut body = body.clone();
                body["agent"] = json!(agent);
                world.oak(event, body)
            });
            (answers[0].clone(), answers[1].clone())
        };
        let (first, second) = twice("session-start", json!({ "source": "startup" }));
        assert_eq!(first["context"]["agent"], callers[0]);
        assert_eq!(second["context"]["agent"], callers[1]);
        for (event, body) in [
            (
                "prompt-submit",
                json!({ "prompt": "fix", "generation_id": "g1" }),
            ),
            ("pre-tool-use", bash("t1")),
            ("post-tool-use", bash("t1")),
            (
                "post-tool-use",
                json!({ "tool_name": "Edit", "tool_input": { "file_path": "a" } }),
            ),
            (
                "post-tool-use-failure",
                json!({ "tool_name": "Bash", "tool_use_id": "t2" }),
            ),
            ("subagent-start", json!({ "agent_id": "a1" })),
            ("subagent-stop", json!({ "agent_id": "a1" })),
            (
                "agent-thought",
                json!({ "text": "I wonder what is wrong." }),
            ),
            ("pre-compact", json!({})),
            ("stop", json!({})),
            ("session-end", json!({})),
        ] {
            let (first, second) = twice(event, body);
            assert_eq!(first, second, "{event}");
        }
        assert_eq!(world.kinds().len(), 13, "{:?}", world.kinds());
        assert_eq!(world.metric("becket_oak_echoes_total "), 11);
        let session = world
            .reader()
            .session("s1")
            .expect("a database")
            .expect("it");
        assert_eq!(session.agent, "cursor");
    }
}

#[test]
fn same_prompt_after_a_turn_is_new() {
    let world = World::new();
    let said = || batch_of(&world.oak("prompt-submit", json!({ "prompt": "continue" })));
    let first = said();
    assert_eq!(said(), first);
    world.oak("stop", json!({}));
    let second = said();
    assert_ne!(second, first);
    world.oak("post-tool-use", bash("t1"));
    let third = said();
    assert_ne!(third, second);
    let batches = world.reader().batches("s1").expect("batches");
    let ids: Vec<_> = batches.iter().map(|batch| &batch.id).collect();
    assert_eq!(ids, [&first, &second, &third]);
}

#[test]
fn second_stop_only_adds_the_answer() {
    let world = World::new();
    let batch = batch_of(&world.oak("prompt-submit", json!({ "prompt": "go" })));
    let first = world.oak("stop", json!({}));
    assert_eq!(world.oak("stop", json!({})), first);
    let late = world.oak("stop", json!({ "response_summary": "Done." }));
    assert_eq!(late, first);
    let found = || {
        world
            .reader()
            .batch(&batch)
            .expect("a database")
            .expect("a batch")
    };
    assert_eq!(found().response.as_deref(), Some("Done."));
    // The agent continues in the same turn, and stops again.
    world.oak("post-tool-use", bash("t1"));
    assert_eq!(found().status, "active");
    let again = world.oak("stop", json!({}));
    assert_eq!(again["prompt_batch_stats"]["activity_count"], 1);
    assert_eq!(found().status, "completed");
}

#[test]
fn resumed_session_ends_again() {
    let world = World::new();
    let status = || {
        let session = world.reader().session("s1").expect("a database");
        session.expect("the session").status
    };
    world.oak("session-start", json!({ "source": "startup" }));
    for _ in 0..2 {
        world.oak("session-end", json!({}));
        assert_eq!(status(), "completed");
        world.oak("session-end", json!({}));
        world.oak("session-start", json!({ "source": "resume" }));
        assert_eq!(status(), "active");
    }
    assert_eq!(world.kinds().len(), 5);
}

#[test]
fn compaction_after_the_window_is_new() {
    let world = World::new();
    let count = || {
        let kinds = world.kinds();
        kinds.iter().filter(|kind| *kind == "PreCompact").count()
    };
    world.oak("pre-compact", json!({}));
    world.oak("pre-compact", json!({}));
    assert_eq!(count(), 1);
    world.oak("session-start", json!({ "source": "compact" }));
    world.oak("pre-compact", json!({}));
    assert_eq!(count(), 2);
    world.oak("prompt-submit", json!({ "prompt": "next" }));
    world.oak("pre-compact", json!({}));
    assert_eq!(count(), 3);
}

#[test]
fn concurrent_duplicates_give_one_event() {
    let world = World::new();
    let body = json!({ "prompt": "go", "generation_id": "g1" });
    let batches: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| batch_of(&world.oak("prompt-submit", body.clone()))))
            .collect();
        let answers = threads.into_iter();
        answers
            .map(|thread| thread.join().expect("an answer"))
            .collect()
    });
    assert!(
        batches.iter().all(|batch| *batch == batches[0]),
        "{batches:?}"
    );
    assert_eq!(world.kinds(), ["UserPromptSubmit"]);
}

#[test]
fn duplicates_are_detected_after_a_restart() {
    let mut world = World::new();
    world.oak("prompt-submit", json!({ "prompt": "go" }));
    world.oak("post-tool-use", bash("t1"));
    world.stop();
    world.start().expect("a daemon starts again");
    world.oak("post-tool-use", bash("t1"));
    let stopped = world.oak("stop", json!({}));
    assert_eq!(stopped["prompt_batch_stats"]["activity_count"], 1);
}
