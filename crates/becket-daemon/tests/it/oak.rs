//! The hooks API of Codebase Intelligence, as its clients use it.

use becket_store::{ActivityFilter, Options, StoreWriter};
use serde_json::{Value, json};

use crate::world::World;

const ENDPOINTS: [&str; 12] = [
    "session-start",
    "prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "post-tool-use-failure",
    "stop",
    "session-end",
    "subagent-start",
    "subagent-stop",
    "pre-compact",
    "agent-thought",
    "notify",
];

fn tool(name: &str, id: &str, input: Value, output: &str) -> Value {
    json!({ "tool_name": name, "tool_use_id": id, "tool_input": input, "tool_output": output })
}

pub(crate) fn bash(id: &str) -> Value {
    tool("Bash", id, json!({ "command": "ls" }), "a.rs")
}

pub(crate) fn batch_of(answer: &Value) -> String {
    let id = answer["prompt_batch_id"].as_str();
    id.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn complete_session_gets_the_documented_replies() {
    let world = World::new();
    let start = json!({
        "session_id": "abc-123", "agent": "claude", "source": "startup", "cwd": "/home/ana/shop",
    });
    assert_eq!(
        world.oak_text("session-start", &start),
        r#"{"status":"ok","session_id":"abc-123","context":{"session_id":"abc-123","agent":"claude","injected_context":"","project_root":"/home/ana/shop","index":{"code_chunks":0,"memory_observations":0,"status":"ready"}}}"#
    );
    let of = |mut body: Value| {
        body["session_id"] = json!("abc-123");
        body["cwd"] = json!("/home/ana/shop");
        body
    };
    let prompted = world.oak_text("prompt-submit", &of(json!({ "prompt": "fix the parser" })));
    let batch = batch_of(&serde_json::from_str(&prompted).expect("JSON"));
    assert_eq!(
        prompted,
        format!(
            r#"{{"status":"ok","context":{{"injected_context":""}},"prompt_batch_id":"{batch}"}}"#
        )
    );
    let used = r#"{"status":"ok","observations_captured":0,"injected_context":""}"#;
    for (name, id, file) in [
        ("Read", "t1", "/home/ana/shop/a.rs"),
        ("Read", "t2", "/home/ana/shop/b.rs"),
        ("Edit", "t3", "/home/ana/shop/a.rs"),
    ] {
        let body = of(tool(name, id, json!({ "file_path": file }), "text"));
        assert_eq!(world.oak_text("post-tool-use", &body), used);
    }
    let write = json!({ "file_path": "/home/ana/shop/new.rs", "content": "fn main() {}" });
    world.oak_text("post-tool-use", &of(tool("Write", "t4", write, "")));
    let failed = of(json!({ "tool_name": "Bash", "tool_use_id": "t5", "error_message": "no" }));
    let heard = r#"{"status":"ok"}"#;
    assert_eq!(world.oak_text("post-tool-use-failure", &failed), heard);
    let stopped = format!(
        r#"{{"status":"ok","prompt_batch_id":"{batch}","prompt_batch_stats":{{"activity_count":5,"files_touched":3,"tool_counts":{{"Read":2,"Bash":1,"Edit":1,"Write":1}}}},"processing_scheduled":false}}"#
    );
    assert_eq!(world.oak_text("stop", &of(json!({}))), stopped);
    let ended = r#"{"status":"ok","observations_captured":0,"tool_calls":5,"files_modified":1,"files_created":1,"duration_minutes":0.0,"activity_stats":{"files_touched":3,"tool_counts":{"Read":2,"Bash":1,"Edit":1,"Write":1}}}"#;
    assert_eq!(world.oak_text("session-end", &of(json!({}))), ended);
    let session = world.reader().session("abc-123").expect("a database");
    let session = session.expect("the session");
    assert_eq!(session.status, "completed");
    assert_eq!(session.project.as_deref(), Some("/home/ana/shop"));
    assert_eq!((session.tool_calls, session.failures), (5, 1));
}

#[test]
fn other_events_are_acknowledged_and_stored() {
    let world = World::new();
    let heard = json!({ "status": "ok" });
    world.oak("prompt-submit", json!({ "prompt": "look around" }));
    let subagent = json!({ "agent_id": "a1", "agent_type": "explore" });
    assert_eq!(world.oak("subagent-start", subagent), heard);
    let subagent = json!({
        "agent_id": "a1", "subagent_type": "explore", "agent_transcript_path": "/t/a1.jsonl",
        "stop_hook_active": false,
    });
    assert_eq!(world.oak("subagent-stop", subagent), heard);
    let thought = json!({ "text": "The parser is broken." });
    assert_eq!(world.oak("agent-thought", thought), heard);
    assert_eq!(
        world.oak("pre-compact", json!({ "trigger": "auto" })),
        heard
    );
    assert_eq!(world.oak("pre-tool-use", bash("t1")), heard);
    assert_eq!(
        world.kinds(),
        [
            "UserPromptSubmit",
            "SubagentStart",
            "SubagentStop",
            "AgentThought",
            "PreCompact",
            "PreToolUse"
        ]
    );
    let activities = world.reader().activities(&ActivityFilter::default());
    let tools: Vec<_> = activities
        .expect("activities")
        .items
        .into_iter()
        .map(|row| row.tool)
        .collect();
    let expected = [
        "ContextCompact",
        "agent_thought",
        "SubagentStop",
        "SubagentStart",
    ];
    assert_eq!(tools, expected);
    let events = world.reader().events_since(0, 10).expect("events");
    assert!(
        events[2].record.contains("/t/a1.jsonl"),
        "{}",
        events[2].record
    );
}

#[test]
fn tool_activity_is_stored_condensed() {
    use base64::Engine as _;
    let world = World::new();
    world.oak("prompt-submit", json!({ "prompt": "go" }));
    let b64 = base64::engine::general_purpose::STANDARD;
    let encoded = b64.encode(r#"{"stdout":"built","stderr":"a warning"}"#);
    let mut build = tool("Bash", "t1", json!({ "command": "make" }), "not this");
    build["tool_output_b64"] = json!(encoded);
    world.oak("post-tool-use", build);
    let long = json!({ "file_path": "a.rs", "content": "x".repeat(5000) });
    world.oak(
        "post-tool-use",
        tool("Write", "t2", long, &"y".repeat(5000)),
    );
    let error = json!({ "tool_name": "Bash", "tool_use_id": "t3", "error": { "message": "z".repeat(5000) } });
    world.oak("post-tool-use-failure", error);
    let rows = world.reader().activities(&ActivityFilter::default());
    let [failed, write, build] = &rows.expect("activities").items[..] else {
        panic!("three")
    };
    assert_eq!(build.error.as_deref(), Some("a warning"));
    assert_eq!(build.output.as_deref(), Some("built\na warning"));
    assert!(build.success && write.success && !failed.success);
    assert!(
        write
            .input
            .as_deref()
            .is_some_and(|input| input.contains("<5000 chars>"))
    );
    assert_eq!(write.output.as_deref().map(str::len), Some(500));
    assert_eq!(failed.error.as_deref().map(str::len), Some(500));
}

#[test]
fn written_plan_marks_its_turn_as_a_plan() {
    let world = World::new();
    let plan = batch_of(&world.oak("prompt-submit", json!({ "prompt": "plan it" })));
    let file =
        json!({ "file_path": "/home/ana/.claude/plans/calm-otter.md", "content": "# Plan\n1. x" });
    world.oak("post-tool-use", tool("Write", "t1", file, ""));
    let carried_out = json!({ "prompt": "Implement the following plan:\n\n# Plan\n1. x" });
    let carried_out = batch_of(&world.oak("prompt-submit", carried_out));
    let note = batch_of(&world.oak(
        "prompt-submit",
        json!({ "prompt": "<system-reminder>brief" }),
    ));
    let user = batch_of(&world.oak("prompt-submit", json!({ "prompt": "thanks" })));
    let found = |id: &str| {
        world
            .reader()
            .batch(id)
            .expect("a database")
            .expect("a batch")
    };
    assert_eq!(found(&plan).plan.as_deref(), Some("# Plan\n1. x"));
    for (id, source) in [
        (plan, "plan"),
        (carried_out, "plan"),
        (note, "system"),
        (user, "user"),
    ] {
        assert_eq!(found(&id).source, source);
    }
}

#[test]
fn fields_are_read_under_every_agents_names() {
    let world = World::new();
    let windsurf = json!({
        "trajectory_id": "w", "execution_id": "x1", "agent": "windsurf",
        "tool_info": { "user_prompt": "hello there" },
    });
    world.oak_text("prompt-submit", &windsurf);
    let cursor = json!({ "conversation_id": "c", "agent": "cursor", "prompt": "hi" });
    world.oak_text("prompt-submit", &cursor);
    let gemini = json!({ "sessionId": "g", "agent": "gemini", "prompt": "hi" });
    world.oak_text("prompt-submit", &gemini);
    let answer = json!({ "sessionId": "g", "agent": "gemini", "prompt_response": "Hello." });
    world.oak_text("AfterAgent", &answer);
    let first = |session: &str| world.reader().batches(session).expect("batches").remove(0);
    assert_eq!(first("w").prompt.as_deref(), Some("hello there"));
    assert_eq!(first("c").prompt.as_deref(), Some("hi"));
    assert_eq!(first("g").response.as_deref(), Some("Hello."));
}

#[test]
fn codex_notification_stores_the_answer_of_the_active_prompt() {
    let world = World::new();
    let prompt = json!({ "session_id": "th-1", "agent": "codex", "prompt": "fix it" });
    let batch = batch_of(&world.oak("prompt-submit", prompt));
    let complete = json!({
        "agent": "codex", "type": "agent-turn-complete", "thread-id": "th-1", "turn-id": "4",
        "input-messages": ["fix it"], "last-assistant-message": "It is fixed.",
    });
    for _ in 0..2 {
        assert_eq!(world.oak_text("notify", &complete), r#"{"status":"ok"}"#);
    }
    let found = world
        .reader()
        .batch(&batch)
        .expect("a database")
        .expect("a batch");
    assert_eq!(found.response.as_deref(), Some("It is fixed."));
    assert_eq!(found.status, "active");
    assert_eq!(world.kinds().len(), 2);
    let other = json!({ "agent": "codex", "type": "approval-requested", "thread-id": "th-1", "message": "May I?" });
    world.oak_text("notify", &other);
    let notices = world
        .reader()
        .notifications(Some("th-1"), 5)
        .expect("notices");
    assert_eq!(notices[0].message, "May I?");
}

#[test]
fn errors_never_reach_the_agent() {
    let world = World::new();
    let deep = "[".repeat(100_000);
    let bodies: [&[u8]; 12] = [
        b"",
        b"{}",
        b"[]",
        b"[{\"session_id\":\"s1\"}]",
        b"null",
        b"\"text\"",
        b"{",
        b"\xff\xfe",
        b"{\"session_id\":{\"a\":1},\"prompt\":7,\"tool_output\":{\"a\":1},\"tool_input\":[1]}",
        b"{\"session_id\":\"s1\",\"prompt\":[1],\"tool_name\":{},\"source\":3,\"agent\":[],\"error\":{}}",
        b"{\"session_id\":\"\\ud800\",\"prompt\":\"\\ud800\",\"tool_output\":\"\\u0000\"}",
        deep.as_bytes(),
    ];
    for event in ENDPOINTS {
        for body in bodies {
            let response = world.post(&format!("/api/oak/ci/{event}"), "application/json", body);
            let shown = String::from_utf8_lossy(&body[..body.len().min(80)]);
            assert_eq!(response.status, 200, "{event} {shown}: {}", response.body);
            assert_eq!(response.json()["status"], "ok", "{event} {shown}");
        }
    }
    // Exactly the bodies that are not objects, and those without a session.
    assert_eq!(world.metric("becket_oak_errors_total "), 12 * 10);
    assert_eq!(
        world.oak("something-new", json!({})),
        json!({ "status": "ok", "event": "something-new" })
    );
    // Not even UTF-8.
    assert_eq!(world.oak("%ff", json!({})), json!({ "status": "ok" }));
    world.oak("stop", json!({}));
}

#[test]
fn read_only_database_does_not_fail_the_agent() {
    let world = World::new();
    let batch = batch_of(&world.oak("prompt-submit", json!({ "prompt": "first" })));
    let database = world.state().join("becket.db");
    let mut other = StoreWriter::open(database, Options::default()).expect("a database");
    let lock = other.begin().expect("the lock");
    let unkept = world.oak("prompt-submit", json!({ "prompt": "second" }));
    assert_eq!(unkept, json!({ "status": "ok" }));
    drop(lock);
    let kept = batch_of(&world.oak("prompt-submit", json!({ "prompt": "second" })));
    assert_ne!(kept, batch);
    let found = world
        .reader()
        .batch(&kept)
        .expect("a database")
        .expect("a batch");
    assert_eq!(found.prompt.as_deref(), Some("second"));
}
