//! Dedupe of events that agents report by hooks and by telemetry, and telemetry alone.

use becket_store::{ActivityFilter, ActivityRow, Millis};
use becket_testkit::wait_for;
use serde_json::{Value, json};

use crate::world::World;

const SESSION: &str = "c1";

/// Posts log records: the offset in milliseconds, the event name, the attributes.
fn export(world: &World, records: &[(u64, &str, Value)]) {
    let logs: Vec<Value> = records
        .iter()
        .map(|(millis, name, attributes)| {
            let mut attributes = attributes.clone();
            attributes["event.name"] = json!(name);
            let fields = attributes.as_object().expect("attributes").iter();
            let fields: Vec<_> = fields
                .map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } }))
                .collect();
            let nanos = (TIME + millis) * 1_000_000;
            json!({ "timeUnixNano": nanos.to_string(), "attributes": fields })
        })
        .collect();
    let body = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": logs }] }] });
    let answer = world.post("/v1/logs", "Application/JSON", body.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// A day in 2023, so that no timestamp is in the future.
const TIME: u64 = 1_700_000_000_000;

/// A record as an agent's hooks write it.
fn hooked(agent: &str, session: &str, millis: u64, names: [&str; 2], more: &Value) -> Value {
    let [event, native] = names;
    let mut payload = more.clone();
    payload["hook_event_name"] = json!(native);
    payload["session_id"] = json!(session);
    let at = Millis(i64::try_from(TIME + millis).expect("a time"));
    json!({
        "v": 1, "id": format!("{session} {event}"), "ts": at.to_text(), "agent": agent, "event": event,
        "session": session, "decision": { "verdict": "none" }, "payload": payload,
    })
}

fn spool(world: &World, records: &[Value]) {
    world.deliver(records);
    let last = records.last().expect("a record")["id"]
        .as_str()
        .expect("an id");
    wait_for("the spool is emptied", || {
        world.reader().event(last).expect("a database").is_some()
    });
}

fn activities(world: &World, session: &str) -> Vec<ActivityRow> {
    let filter = ActivityFilter {
        session: Some(session),
        ..ActivityFilter::default()
    };
    world
        .reader()
        .activities(&filter)
        .expect("activities")
        .items
}

/// The hook and telemetry reports of a prompt and a call; telemetry may omit the prompt.
struct Agent {
    hooks: [Value; 2],
    logs: [(&'static str, Value); 2],
}

const AGENTS: [&str; 3] = ["claude", "codex", "gemini"];
const PROMPT: &str = "fix the bug";
const SUBMIT: &str = "UserPromptSubmit";
const POST: &str = "PostToolUse";

fn agent(name: &str, session: &str, redacted: bool) -> Agent {
    let hook = |millis, names, more| hooked(name, session, millis, names, &more);
    let said = |instead: &'static str| if redacted { instead } else { PROMPT };
    match name {
        "claude" => Agent {
            hooks: [
                hook(10, [SUBMIT, SUBMIT], json!({ "prompt": PROMPT })),
                hook(
                    20,
                    [POST, POST],
                    json!({
                        "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": { "command": "ls" },
                        "tool_response": { "stdout": "a.txt", "stderr": "" },
                    }),
                ),
            ],
            logs: [
                (
                    "claude_code.user_prompt",
                    json!({
                        "session.id": session, "prompt": said("<REDACTED>"), "prompt_length": "11",
                    }),
                ),
                (
                    "claude_code.tool_result",
                    json!({
                        "session.id": session, "tool_name": "Bash", "tool_use_id": "toolu_1", "success": "true",
                        "duration_ms": "77",
                    }),
                ),
            ],
        },
        "codex" => Agent {
            hooks: [
                hook(
                    10,
                    [SUBMIT, SUBMIT],
                    json!({ "turn_id": "u1", "prompt": PROMPT }),
                ),
                hook(
                    20,
                    [POST, POST],
                    json!({
                        "turn_id": "u1", "tool_name": "Bash", "tool_use_id": "call_1",
                        "tool_input": { "command": "ls" }, "tool_response": "a.txt",
                    }),
                ),
            ],
            logs: [
                (
                    "codex.user_prompt",
                    json!({
                        "conversation.id": session, "prompt": said("[REDACTED]"), "prompt_length": "11",
                    }),
                ),
                (
                    "codex.tool_result",
                    json!({
                        "conversation.id": session, "tool_name": "exec_command", "call_id": "call_1",
                        "arguments": "{\"cmd\":\"ls\"}", "output": "a.txt\n", "success": "true", "duration_ms": "77",
                    }),
                ),
            ],
        },
        _ => Agent {
            hooks: [
                hook(10, [SUBMIT, "BeforeAgent"], json!({ "prompt": PROMPT })),
                hook(
                    20,
                    [POST, "AfterTool"],
                    json!({
                        "tool_name": "run_shell_command", "tool_input": { "command": "ls" },
                        "tool_response": { "llmContent": "a.txt", "returnDisplay": "a.txt" },
                    }),
                ),
            ],
            logs: [
                // Without permission to export prompts, the text is missing.
                (
                    "gemini_cli.user_prompt",
                    if redacted {
                        json!({ "session.id": session, "prompt_length": "11", "prompt_id": "p1" })
                    } else {
                        json!({ "session.id": session, "prompt_length": "11", "prompt_id": "p1", "prompt": PROMPT })
                    },
                ),
                (
                    "gemini_cli.tool_call",
                    json!({
                        "session.id": session, "function_name": "run_shell_command",
                        "function_args": "{\n  \"command\": \"ls\"\n}", "success": "true", "duration_ms": "77",
                        "decision": "auto_accept", "prompt_id": "p1",
                    }),
                ),
            ],
        },
    }
}

#[test]
fn hook_and_telemetry_reports_are_deduped_in_any_order() {
    let world = World::new();
    for case in 0..24_u32 {
        let [redacted, hooks_first, earlier] = [1, 2, 4].map(|bit| case & bit != 0);
        let name = AGENTS[case as usize / 8];
        let session =
            format!("{name}, redacted: {redacted}, first: {hooks_first}, earlier: {earlier}");
        let Agent { hooks, logs } = agent(name, &session, redacted);
        // Telemetry times may be before or after those of hooks, regardless of the order of arrival.
        let times = if earlier { [5, 15] } else { [12, 25] };
        let mut times = times.into_iter();
        let logs = logs.map(|(name, fields)| (times.next().expect("two"), name, fields));
        if hooks_first {
            spool(&world, &hooks);
            export(&world, &logs);
        } else {
            export(&world, &logs);
            spool(&world, &hooks);
        }
        export(&world, &logs);
        let batches = world.reader().batches(&session).expect("batches");
        let prompts: Vec<_> = batches
            .iter()
            .map(|batch| batch.prompt.as_deref())
            .collect();
        assert_eq!(prompts, [Some(PROMPT)], "{session}");
        let done = activities(&world, &session);
        assert_eq!(done.len(), 1, "{done:?}");
        assert_eq!(done[0].id, format!("{session} PostToolUse"));
        assert_eq!(done[0].duration_ms, Some(77), "{session}");
        let output = done[0].output.as_deref().unwrap_or_default();
        assert!(output.contains("a.txt"), "{session}: {output}");
    }
}

#[test]
fn telemetry_denials_and_tokens_are_recorded() {
    let world = World::new();
    let of = |more: Value| {
        let mut all = json!({ "conversation.id": SESSION });
        all.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        all
    };
    export(
        &world,
        &[
            (
                1,
                "codex.user_prompt",
                of(json!({ "prompt": "go", "prompt_length": "2" })),
            ),
            (
                2,
                "codex.tool_decision",
                of(json!({ "tool_name": "exec_command", "call_id": "c1", "decision": "denied" })),
            ),
            (
                3,
                "codex.tool_decision",
                of(json!({ "tool_name": "exec_command", "call_id": "c2", "decision": "approved" })),
            ),
            (
                4,
                "codex.sse_event",
                of(json!({
                    "event.kind": "response.completed", "model": "gpt-5.5", "input_token_count": "70",
                    "output_token_count": "7", "cached_token_count": "60",
                })),
            ),
        ],
    );
    assert_eq!(
        world.kinds(),
        [
            "UserPromptSubmit",
            "PermissionDenied",
            "PreToolUse",
            "PostModelRequest"
        ]
    );
    let tokens = world.reader().session_tokens(SESSION).expect("a database");
    assert_eq!(tokens, Some(77));
}

#[test]
fn events_of_one_millisecond_keep_their_order() {
    let world = World::new();
    let record = |nanos: &str, name: &str, more: &Value| {
        let mut fields = vec![
            ("event.name", json!(name)),
            ("conversation.id", json!("c1")),
        ];
        let more = more.as_object().expect("an object");
        fields.extend(
            more.iter()
                .map(|(key, value)| (key.as_str(), value.clone())),
        );
        let fields: Vec<_> = fields
            .into_iter()
            .map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } }))
            .collect();
        json!({ "timeUnixNano": nanos, "attributes": fields })
    };
    let post = |logs: &[Value]| {
        let body = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": logs }] }] });
        let answer = world.post("/v1/logs", "application/json", body.to_string().as_bytes());
        assert_eq!(answer.status, 200);
    };
    // Calls come after the prompt that precedes them by nanoseconds, whatever their hashes are.
    let mut logs = vec![record(
        "1700000000000000000",
        "codex.user_prompt",
        &json!({ "prompt": "go" }),
    )];
    for number in 1..9 {
        let call = json!({ "tool_name": "exec_command", "call_id": format!("c{number}"), "success": "true" });
        logs.push(record(
            &format!("170000000000000{number}000"),
            "codex.tool_result",
            &call,
        ));
    }
    post(&logs);
    let batches = world.reader().batches(SESSION).expect("batches");
    assert_eq!(batches.len(), 1, "{batches:?}");
    let before = Millis::now();
    let odd = json!({ "prompt": "more" });
    let odd: Vec<_> = ["", "soon", "18446744073709551615"]
        .map(|nanos| record(nanos, "codex.user_prompt", &odd))
        .into();
    post(&odd);
    let count = world.kinds().len();
    post(&odd);
    assert_eq!(world.kinds().len(), count, "sent again, they are the same");
    let session = world
        .reader()
        .session(SESSION)
        .expect("a database")
        .expect("a session");
    assert!(session.last_at >= before && session.last_at <= Millis::now());
    assert!(session.started_at > Millis(0), "nothing happened in 1970");
}

#[test]
fn project_is_inherited_from_the_session() {
    let world = World::new();
    let at =
        |session: &str| json!({ "session_id": session, "cwd": "/tmp/proj", "source": "startup" });
    world.oak("session-start", at("a9"));
    let read = |tool: &str, path: &str| json!({ "session_id": "a9", "tool_name": tool, "tool_input": { "file_path": path } });
    world.oak("post-tool-use", read("Read", "/tmp/proj/src/db.py"));
    world.oak("post-tool-use", read("Edit", "src/db.py"));
    let ended = world.oak("session-end", json!({ "session_id": "a9" }));
    assert_eq!(ended["activity_stats"]["files_touched"], 1);
    let resumed = json!({ "session_id": "a9", "source": "resume" });
    let resumed = world.oak("session-start", resumed);
    assert_eq!(resumed["context"]["project_root"], "/tmp/proj");
    world.oak("session-end", json!({ "session_id": "a9" }));
    let mut cleared = at("b9");
    cleared["source"] = json!("clear");
    world.oak("session-start", cleared);
    let child = world
        .reader()
        .session("b9")
        .expect("a database")
        .expect("a session");
    assert_eq!(child.parent.as_deref(), Some("a9"));
}

#[test]
fn telemetry_gets_the_project_from_hooks() {
    let world = World::new();
    world.oak(
        "session-start",
        json!({ "session_id": SESSION, "cwd": "/tmp/proj", "agent": "codex" }),
    );
    let call = json!({
        "conversation.id": SESSION, "tool_name": "Read", "call_id": "c1", "success": "true",
        "arguments": "{\"file_path\":\"/tmp/proj/src/db.py\"}",
    });
    export(&world, &[(1, "codex.tool_result", call)]);
    let files = activities(&world, SESSION).remove(0).files;
    assert!(
        files
            .as_deref()
            .is_some_and(|files| files.contains("src/db.py") && !files.contains("/tmp")),
        "{files:?}"
    );
}
