//! The `api` methods: one event at a time.

use std::time::Duration;

use becket_model::{Decision, Verdict};
use becket_store::{
    ActivityFilter, EventOrigin, MemoryKind, NewMemory, PromptSource, QueryScope, StoreWriter,
    TokenCounts, ToolUse,
};
use serde_json::{Value, json};

use crate::{at, ingest, usual, writer};

fn origin(id: &str, seconds: f64) -> EventOrigin<'_> {
    EventOrigin {
        id,
        at: at(seconds),
        agent: "claude",
        session: "s1",
        project: Some("/home/ana/shop"),
        transcript: None,
        generation: None,
    }
}

fn call<'o>(tool: &'o str, input: Value, id: &'o str) -> ToolUse<'o> {
    ToolUse {
        tool,
        input,
        call_id: Some(id),
        duration: Some(Duration::from_millis(12)),
    }
}

fn rows(writer: &StoreWriter) -> Vec<becket_store::ActivityRow> {
    writer
        .reader()
        .activities(&ActivityFilter::default())
        .unwrap()
        .items
}

#[test]
fn api_methods_record_a_whole_session() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    let started = transaction
        .session_start(&origin("e1", 0.0), Some("startup"), None)
        .unwrap();
    assert!(started.created && !started.reactivated);
    let prompted = transaction
        .prompt_submit(&origin("e2", 1.0), "Fix it")
        .unwrap();
    assert_eq!(
        (
            prompted.batch_id.as_deref(),
            prompted.source,
            prompted.duplicate
        ),
        (Some("e2"), PromptSource::User, false)
    );
    transaction
        .post_tool_use(
            &origin("e3", 2.0),
            &call("Read", json!({ "file_path": "/home/ana/shop/a.rs" }), "t1"),
            json!("text"),
        )
        .unwrap();
    transaction
        .post_tool_use(
            &origin("e4", 3.0),
            &call("run_shell_command", json!({ "command": "ls" }), "t2"),
            json!("out"),
        )
        .unwrap();
    transaction
        .post_tool_use_failure(
            &origin("e5", 4.0),
            &call("Bash", json!({ "command": "make" }), "t3"),
            "no rule",
        )
        .unwrap();
    transaction
        .agent_thought(&origin("e6", 4.5), "The makefile is missing.")
        .unwrap();
    transaction
        .subagent_start(&origin("e7", 5.0), "a1", "explore", "look around")
        .unwrap();
    transaction
        .subagent_stop(
            &origin("e8", 6.0),
            "a1",
            "explore",
            Some("nothing"),
            Some("/t/a1.jsonl"),
        )
        .unwrap();
    transaction
        .pre_compact(&origin("e9", 7.0), Some("auto"))
        .unwrap();
    transaction
        .notify(&origin("f1", 7.5), Some("idle"), "waiting")
        .unwrap();
    let stopped = transaction
        .stop(&origin("f2", 8.0), Some("It cannot be fixed."))
        .unwrap();
    assert!(stopped.ended);
    assert_eq!(
        (
            stopped.stats.activity_count,
            stopped.stats.files_touched,
            stopped.stats.failures
        ),
        (7, 1, 1)
    );
    assert_eq!(
        json!(stopped.stats.tool_counts),
        json!({ "Bash": 2, "Read": 1 })
    );
    let ended = transaction
        .session_end(&origin("f3", 90.0), Some("exit"))
        .unwrap();
    assert!(ended.ended);
    assert_eq!(
        (ended.stats.tool_calls, ended.stats.duration),
        (3, Duration::from_secs(90))
    );
    transaction.commit().unwrap();
    let batch = writer.reader().batch("e2").unwrap().unwrap();
    assert_eq!(batch.response.as_deref(), Some("It cannot be fixed."));
    let tools: Vec<_> = rows(&writer)
        .into_iter()
        .rev()
        .map(|row| row.tool)
        .collect();
    assert_eq!(
        tools,
        [
            "Read",
            "Bash",
            "Bash",
            "agent_thought",
            "SubagentStart",
            "SubagentStop",
            "ContextCompact"
        ]
    );
    assert_eq!(
        writer.reader().notifications(Some("s1"), 5).unwrap()[0].message,
        "waiting"
    );
}

#[test]
fn api_methods_and_ingest_give_the_same_rows() {
    let mut told = writer();
    let mut transaction = told.begin().unwrap();
    let said = json!({ "stdout": "done", "stderr": "" });
    let use_of = |command: &str, id| ToolUse {
        tool: "Bash",
        input: json!({ "command": command }),
        call_id: Some(id),
        duration: None,
    };
    transaction
        .session_start(&origin("e01", 0.0), Some("startup"), None)
        .unwrap();
    transaction
        .prompt_submit(&origin("e02", 1.0), "Fix the parser")
        .unwrap();
    transaction
        .pre_tool_use(&origin("e03", 2.0), &use_of("cargo test", "t1"), None)
        .unwrap();
    transaction
        .post_tool_use(
            &origin("e04", 3.0),
            &use_of("cargo test", "t1"),
            said.clone(),
        )
        .unwrap();
    transaction
        .stop(&origin("e05", 4.0), Some("The parser is fixed."))
        .unwrap();
    transaction
        .prompt_submit(&origin("e06", 10.0), "Now the docs")
        .unwrap();
    transaction
        .post_tool_use(&origin("e07", 11.0), &use_of("mdbook build", "t2"), said)
        .unwrap();
    transaction
        .stop(&origin("e08", 12.0), Some("Done."))
        .unwrap();
    transaction
        .session_end(&origin("e09", 20.0), Some("exit"))
        .unwrap();
    transaction.commit().unwrap();
    let mut ingested = writer();
    ingest(&mut ingested, &usual());
    let all = |writer: &StoreWriter| {
        (
            writer.reader().session("s1").unwrap(),
            writer.reader().batches("s1").unwrap(),
            rows(writer),
        )
    };
    assert_eq!(all(&told), all(&ingested));
}

#[test]
fn api_methods_are_idempotent() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    transaction.prompt_submit(&origin("e1", 0.0), "a").unwrap();
    let first = transaction
        .post_tool_use(
            &origin("e2", 1.0),
            &call("Bash", json!({}), "t"),
            json!("x"),
        )
        .unwrap();
    let same_id = transaction
        .post_tool_use(
            &origin("e2", 1.0),
            &call("Bash", json!({}), "t"),
            json!("x"),
        )
        .unwrap();
    let same_call = transaction
        .post_tool_use(
            &origin("e3", 1.5),
            &call("Bash", json!({}), "t"),
            json!("x"),
        )
        .unwrap();
    assert_eq!(
        (first.duplicate, same_id.duplicate, same_call.duplicate),
        (false, false, true)
    );
    assert_eq!(same_call.batch_id.as_deref(), Some("e1"));
    let again = transaction.prompt_submit(&origin("e4", 2.0), "a").unwrap();
    assert_eq!(
        (again.duplicate, again.ended_batch.as_deref()),
        (false, Some("e1"))
    );
    transaction.commit().unwrap();
    assert_eq!(rows(&writer).len(), 1);
}

#[test]
fn a_resumed_session_is_reactivated_under_the_more_specific_name() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    let cursor = EventOrigin {
        agent: "cursor",
        ..origin("e1", 0.0)
    };
    transaction
        .session_start(&cursor, Some("startup"), None)
        .unwrap();
    transaction.session_end(&origin("e2", 1.0), None).unwrap();
    let again = transaction
        .session_start(&origin("e3", 2.0), Some("resume"), Some("other"))
        .unwrap();
    assert!(!again.created && again.reactivated);
    assert_eq!(
        (again.agent.as_str(), again.parent.as_deref()),
        ("cursor", Some("other"))
    );
    transaction.commit().unwrap();
}

#[test]
fn a_stop_without_an_open_turn_ends_nothing_and_keeps_the_answer() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    assert_eq!(
        transaction.stop(&origin("e0", 0.0), None).unwrap().batch_id,
        None
    );
    transaction.prompt_submit(&origin("e1", 1.0), "a").unwrap();
    transaction.stop(&origin("e2", 2.0), None).unwrap();
    let late = transaction.stop(&origin("e3", 3.0), Some("late")).unwrap();
    assert_eq!((late.ended, late.batch_id.as_deref()), (false, Some("e1")));
    transaction.commit().unwrap();
    assert_eq!(
        writer
            .reader()
            .batch("e1")
            .unwrap()
            .unwrap()
            .response
            .as_deref(),
        Some("late")
    );
}

#[test]
fn separate_answer_belongs_to_the_turn() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    transaction.prompt_submit(&origin("e1", 1.0), "a").unwrap();
    transaction
        .response(&origin("e2", 2.0), "All done.")
        .unwrap();
    transaction.commit().unwrap();
    let batch = writer.reader().batch("e1").unwrap().unwrap();
    assert_eq!(
        (batch.response.as_deref(), batch.status.as_str()),
        (Some("All done."), "active")
    );
}

#[test]
fn non_object_inputs_are_accepted() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    for (id, input) in [
        ("e1", json!("{\"command\":\"ls\"}")),
        ("e2", json!("ls -la")),
        ("e3", Value::Null),
        ("e4", json!([1])),
    ] {
        transaction
            .post_tool_use(&origin(id, 0.0), &call("Bash", input, id), Value::Null)
            .unwrap();
    }
    transaction.commit().unwrap();
    let inputs: Vec<_> = rows(&writer)
        .into_iter()
        .rev()
        .map(|row| row.input.unwrap())
        .collect();
    assert_eq!(
        inputs,
        [
            r#"{"command":"ls"}"#,
            r#"{"raw":"ls -la"}"#,
            "{}",
            r#"{"raw":[1]}"#
        ]
    );
}

#[test]
fn denied_call_reported_through_the_api_raises_an_alarm() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    let denied = Decision {
        verdict: Verdict::Deny,
        reason: Some("no".into()),
        ..Decision::default()
    };
    let rm = call("Bash", json!({ "command": "rm x" }), "t1");
    transaction
        .pre_tool_use(&origin("e1", 0.0), &rm, Some(&denied))
        .unwrap();
    let ran = transaction
        .post_tool_use(&origin("e2", 1.0), &rm, Value::Null)
        .unwrap();
    assert_eq!(ran.alarm.as_deref(), Some("denied-call-ran:e1"));
    transaction.commit().unwrap();
}

#[test]
fn api_event_without_a_session_stores_only_the_event() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    let nameless = EventOrigin {
        session: "",
        ..origin("e1", 0.0)
    };
    assert_eq!(
        transaction.prompt_submit(&nameless, "a").unwrap().batch_id,
        None
    );
    transaction.commit().unwrap();
    assert!(writer.reader().event("e1").unwrap().is_some());
    assert_eq!(writer.reader().session("").unwrap(), None);
}

#[test]
fn dropped_transaction_is_rolled_back() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    transaction.prompt_submit(&origin("e1", 0.0), "a").unwrap();
    drop(transaction);
    assert_eq!(writer.reader().event("e1").unwrap(), None);
    let mut transaction = writer.begin().unwrap();
    transaction.prompt_submit(&origin("e1", 0.0), "a").unwrap();
    transaction.commit().unwrap();
    assert!(writer.reader().batch("e1").unwrap().is_some());
}

#[test]
fn api_methods_redact_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trail.db");
    let token = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mut writer = StoreWriter::open(&path, becket_store::Options::default()).unwrap();
    let mut transaction = writer.begin().unwrap();
    transaction
        .prompt_submit(&origin("e1", 0.0), &format!("use {token}"))
        .unwrap();
    transaction
        .post_tool_use(
            &origin("e2", 1.0),
            &call(
                "Bash",
                json!({ "command": format!("curl -H 'Authorization: Bearer {token}'") }),
                "t",
            ),
            json!(token),
        )
        .unwrap();
    transaction.stop(&origin("e3", 2.0), Some(&token)).unwrap();
    transaction
        .set_title("s1", &token, becket_store::TitleAuthor::Program)
        .unwrap();
    transaction.set_summary("s1", &token, at(3.0)).unwrap();
    transaction.commit().unwrap();
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        // The index contains lower-case words.
        let bytes = std::fs::read(entry.unwrap().path())
            .unwrap()
            .to_ascii_lowercase();
        let part = token[4..].to_ascii_lowercase();
        assert!(
            !bytes
                .windows(part.len())
                .any(|window| window == part.as_bytes())
        );
    }
}

#[test]
fn model_requests_store_tokens() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    let tokens = TokenCounts {
        input: 1_234_567,
        output: 7_654_321,
        cache_read: 1_000_000,
        ..TokenCounts::default()
    };
    for _ in 0..2 {
        transaction
            .model_request(&origin("e1", 0.0), Some("opus"), tokens)
            .unwrap();
    }
    transaction.commit().unwrap();
    let row = writer
        .reader()
        .tokens(&QueryScope::default())
        .unwrap()
        .remove(0);
    assert_eq!(
        (row.model.as_deref(), row.input, row.output, row.cache_read),
        (Some("opus"), 1_234_567, 7_654_321, 1_000_000)
    );
}

#[test]
fn session_end_returns_its_memory_count() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    transaction
        .session_start(&origin("e1", 0.0), None, None)
        .unwrap();
    let kinds = [
        ("m1", "s1", MemoryKind::Gotcha),
        ("m2", "s1", MemoryKind::Decision),
        ("m3", "s1", MemoryKind::SessionSummary),
        ("m4", "other", MemoryKind::Gotcha),
    ];
    for (id, session, kind) in kinds {
        let memory = NewMemory {
            session: Some(session),
            ..NewMemory::new(id, "/home/ana/shop", kind, id, at(1.0))
        };
        transaction.add_memory(&memory, None).unwrap();
    }
    let ended = transaction.session_end(&origin("e2", 2.0), None).unwrap();
    assert_eq!(ended.memories, 2);
}
