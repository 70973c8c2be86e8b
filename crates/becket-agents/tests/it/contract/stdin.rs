//! Hook input.

use std::path::{Path, PathBuf};

use becket_agents::adapter;
use becket_agents::contract::{EventMetadata, stdin};
use becket_model::Dialect::{Autohand, Becket, Claude, ClaudeAgent, CodeAgent, Cursor, Gemini};
use becket_model::{Dialect, Event, EventData, EventKind, Subagent};
use serde_json::{Map, Value, json};

use super::{AROUND, call, event, every_event, hook, kept_going, of_kind, stop, subagent_stop};

fn read(dialect: Dialect, event: &Event) -> Value {
    read_with(dialect, event, &AROUND)
}

fn read_with(dialect: Dialect, event: &Event, around: &EventMetadata<'_>) -> Value {
    let bytes = stdin(&hook(dialect, event.kind()), event, around);
    serde_json::from_slice(&bytes).expect("JSON")
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

/// Every recorded payload of Claude Code, with its event.
fn recorded() -> Vec<(Map<String, Value>, Event)> {
    let claude = adapter("claude").expect("an adapter");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
    let folders = |of: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(of).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_dir()).collect()
    };
    let cases = folders(&root).into_iter().flat_map(|of| folders(&of));
    let recorded: Vec<_> = cases
        .map(|case| {
            let text = std::fs::read_to_string(case.join("input.json")).expect("a payload");
            let raw: Map<_, _> = serde_json::from_str(&text).expect("JSON");
            let event = claude.parse(None, raw.clone()).expect("an event");
            (raw, event)
        })
        .collect();
    assert!(recorded.len() > 30, "{}", recorded.len());
    recorded
}

#[test]
fn every_hook_reads_one_line_of_json() {
    for event in every_event() {
        for dialect in Dialect::ALL {
            let bytes = stdin(&hook(dialect, event.kind()), &event, &AROUND);
            let lines = bytes.split_inclusive(|b| *b == b'\n').count();
            assert_eq!((lines, bytes.last()), (1, Some(&b'\n')), "{dialect:?}");
            assert!(serde_json::from_slice::<Map<String, Value>>(&bytes).is_ok());
        }
    }
}

#[test]
fn each_dialect_reads_the_events_name_in_its_own_spelling() {
    for (kind, claude, claude_agent, autohand) in [
        (
            EventKind::PreToolUse,
            "PreToolUse",
            "pre_tool_use",
            "pre-tool",
        ),
        (
            EventKind::PostToolUse,
            "PostToolUse",
            "post_tool_use",
            "post-tool",
        ),
        (
            EventKind::PostToolUseFailure,
            "PostToolUseFailure",
            "post_tool_use_failure",
            "post-tool",
        ),
        (
            EventKind::UserPromptSubmit,
            "UserPromptSubmit",
            "user_prompt_submit",
            "pre-prompt",
        ),
        (EventKind::Stop, "Stop", "stop", "stop"),
        (
            EventKind::SessionStart,
            "SessionStart",
            "session_start",
            "session-start",
        ),
        (
            EventKind::SessionEnd,
            "SessionEnd",
            "session_end",
            "session-end",
        ),
        (
            EventKind::SessionError,
            "SessionError",
            "session_error",
            "session-error",
        ),
        (
            EventKind::SubagentStop,
            "SubagentStop",
            "subagent_stop",
            "subagent-stop",
        ),
        (
            EventKind::FileModified,
            "FileModified",
            "file_modified",
            "file-modified",
        ),
        (
            EventKind::Notification,
            "Notification",
            "notification",
            "notification",
        ),
        (
            EventKind::PermissionRequest,
            "PermissionRequest",
            "permission_request",
            "permission-request",
        ),
        (
            EventKind::PostCompact,
            "PostCompact",
            "post_compact",
            "context:compact",
        ),
        (
            EventKind::Other("Worktree-Create".into()),
            "Worktree-Create",
            "Worktree-Create",
            "Worktree-Create",
        ),
    ] {
        let event = of_kind(&kind);
        assert_eq!(read(Claude, &event)["hook_event_name"], claude);
        assert_eq!(read(Becket, &event)["event"], claude);
        assert_eq!(read(CodeAgent, &event)["type"], claude);
        assert_eq!(read(ClaudeAgent, &event)["event"], claude_agent);
        assert_eq!(read(Autohand, &event)["hook_event_name"], autohand);
    }
}

#[test]
fn claude_hooks_read_claudes_keys_from_every_agent() {
    let read = read(Claude, &of_kind(&EventKind::PreToolUse));
    assert_eq!(
        read,
        json!({
            "session_id": "s-1",
            "transcript_path": "",
            "cwd": "/home/ana/shop/api",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": { "command": "npm test" },
            "tool_use_id": "call-1",
        })
    );
    assert_eq!(
        keys(&read)[..4],
        ["session_id", "transcript_path", "cwd", "hook_event_name"]
    );
}

#[test]
fn claude_hooks_read_what_claude_sent_unchanged() {
    for (raw, event) in recorded() {
        let read = read(Claude, &event);
        if raw["hook_event_name"] == event.kind().name() {
            assert_eq!(read, Value::Object(raw), "{}", event.kind());
        } else {
            assert_eq!(read["hook_event_name"], event.kind().name());
            assert_eq!(read["tool_response"], raw["tool_response"]);
            assert!(read["error"].is_string(), "{read}");
        }
    }
}

#[test]
fn the_current_tool_input_wins_over_what_the_agent_sent() {
    let calls = recorded().into_iter().filter(|(_, e)| e.call().is_some());
    for (raw, mut event) in calls {
        let call = event.data.call_mut().expect("a call");
        call.input = json!({ "command": "ls -l" });
        assert_ne!(raw["tool_input"], call.input);
        for (dialect, pointer) in [
            (Claude, "/tool_input/command"),
            (ClaudeAgent, "/tool_input/command"),
            (CodeAgent, "/payload/input/command"),
            (CodeAgent, "/tool_input/command"),
            (Autohand, "/tool_input/command"),
            (Becket, "/tool_input/command"),
            (Cursor, "/tool_input/command"),
            (Gemini, "/tool_input/command"),
        ] {
            let read = read(dialect, &event);
            assert_eq!(read.pointer(pointer), Some(&json!("ls -l")), "{dialect:?}");
        }
    }
}

#[test]
fn claude_agent_hooks_read_the_documented_four_keys_first() {
    let tool = read(ClaudeAgent, &of_kind(&EventKind::PreToolUse));
    assert_eq!(
        keys(&tool)[..4],
        ["event", "session_id", "tool_name", "tool_input"]
    );
    assert_eq!(tool["tool_name"], "Bash");
    assert_eq!(tool["cwd"], "/home/ana/shop/api");
    assert_eq!(tool["timestamp"], AROUND.timestamp);
    for foreign in ["hook_event_name", "schema_version", "native_event"] {
        assert_eq!(tool.get(foreign), None, "{foreign}");
    }
}

#[test]
fn code_agent_hooks_read_the_documented_object_and_claudes_keys_after_it() {
    let read = read(CodeAgent, &of_kind(&EventKind::PostToolUse));
    assert_eq!(
        keys(&read)[..4],
        ["type", "timestamp", "sessionId", "payload"]
    );
    assert_eq!(read["timestamp"], json!(1_787_479_872_345_i64));
    assert_eq!(read["sessionId"], "s-1");
    assert_eq!(
        read["payload"],
        json!({
            "toolName": "Bash",
            "input": { "command": "npm test" },
            "toolUseId": "call-1",
            "output": { "stdout": "ok" },
            "durationMs": 7,
        })
    );
    assert_eq!(read["tool_name"], "Bash");
    assert_eq!(read["tool_response"], json!({ "stdout": "ok" }));
    let failed = super::stdin::read(CodeAgent, &of_kind(&EventKind::PostToolUseFailure));
    assert_eq!(failed["payload"]["error"], "Exit code 3");
}

const AUTOHAND_KEYS: [&str; 30] = [
    "session_id",
    "cwd",
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "tool_response",
    "tool_success",
    "file_path",
    "change_type",
    "instruction",
    "mentioned_files",
    "tokens_used",
    "tool_calls_count",
    "turn_tool_calls",
    "turn_duration",
    "duration",
    "error",
    "error_code",
    "session_type",
    "session_end_reason",
    "subagent_id",
    "subagent_name",
    "subagent_type",
    "subagent_success",
    "subagent_error",
    "subagent_duration",
    "permission_type",
    "notification_type",
    "notification_message",
];

#[test]
fn autohand_hooks_read_exactly_the_thirty_documented_keys_on_every_event() {
    for event in every_event() {
        assert_eq!(
            keys(&read(Autohand, &event)),
            AUTOHAND_KEYS,
            "{}",
            event.kind()
        );
    }
}

/// The values that are not `null`.
fn facts(event: &Event) -> Value {
    let Value::Object(mut read) = read(Autohand, event) else {
        panic!("not an object");
    };
    read.retain(|key, value| {
        !value.is_null() && !["session_id", "cwd", "hook_event_name"].contains(&key.as_str())
    });
    Value::Object(read)
}

#[test]
fn autohand_hooks_read_what_the_document_promises_for_each_event() {
    let with_raw = |data: EventData, raw: Value| {
        let mut event = event("autohand", data);
        event.raw = raw.as_object().cloned().expect("an object");
        event
    };
    let write = || {
        call(
            "write_file",
            json!({ "path": "src/index.ts", "content": "" }),
        )
    };
    for (event, expected) in [
        (
            event("autohand", EventData::PreToolUse { call: write() }),
            json!({
                "tool_name": "write_file",
                "tool_input": { "path": "src/index.ts", "content": "" },
                "tool_use_id": "call-1",
            }),
        ),
        (
            event("autohand", EventData::PermissionRequest { call: write() }),
            json!({
                "tool_name": "write_file",
                "tool_input": { "path": "src/index.ts", "content": "" },
                "tool_use_id": "call-1",
                "file_path": "src/index.ts",
                "permission_type": "tool_approval",
            }),
        ),
        (
            of_kind(&EventKind::PostToolUseFailure),
            json!({
                "tool_name": "run_command",
                "tool_input": { "command": "npm test" },
                "tool_use_id": "call-1",
                "tool_response": "Exit code 3",
                "tool_success": false,
                "duration": 7,
                "error": "Exit code 3",
            }),
        ),
        (
            of_kind(&EventKind::FileModified),
            json!({ "file_path": "src/a.rs", "change_type": "modify" }),
        ),
        (
            with_raw(
                EventData::UserPromptSubmit { prompt: "p".into() },
                json!({ "mentioned_files": ["a.rs"], "tokens_used": 1 }),
            ),
            json!({ "instruction": "p", "mentioned_files": ["a.rs"] }),
        ),
        (
            with_raw(
                stop(false),
                json!({ "tokens_used": 5120, "tool_calls_count": 3, "turn_tool_calls": 2, "turn_duration": 64000 }),
            ),
            json!({
                "tokens_used": 5120,
                "tool_calls_count": 3,
                "turn_tool_calls": 2,
                "turn_duration": 64000,
                "duration": 64000,
            }),
        ),
        (
            with_raw(stop(false), json!({ "tokens_used": "many" })),
            json!({}),
        ),
        (
            with_raw(
                EventData::SessionEnd {
                    reason: Some("quit".into()),
                },
                json!({ "duration": 912_000 }),
            ),
            json!({ "session_end_reason": "quit", "duration": 912_000 }),
        ),
        (
            of_kind(&EventKind::SessionStart),
            json!({ "session_type": "startup" }),
        ),
        (
            of_kind(&EventKind::SessionError),
            json!({ "error": "429", "error_code": "rate_limited" }),
        ),
        (
            with_raw(
                subagent_stop(),
                json!({ "subagent_name": "scout", "subagent_duration": 8120 }),
            ),
            json!({
                "subagent_id": "a-1",
                "subagent_name": "scout",
                "subagent_type": "explore",
                "subagent_success": false,
                "subagent_error": "lost",
                "subagent_duration": 8120,
            }),
        ),
        (
            of_kind(&EventKind::Notification),
            json!({ "notification_type": "idle", "notification_message": "waiting" }),
        ),
    ] {
        assert_eq!(facts(&event), expected, "{}", event.kind());
    }
}

#[test]
fn autohand_hooks_read_autohands_names_from_every_agent() {
    for (agent, native, input, name, expected) in [
        (
            "claude",
            "Bash",
            json!({ "command": "git status" }),
            "run_command",
            json!({ "command": "git status" }),
        ),
        (
            "claude",
            "Write",
            json!({ "file_path": "src/index.ts", "content": "..." }),
            "write_file",
            json!({ "path": "src/index.ts", "content": "..." }),
        ),
        (
            "gemini",
            "replace",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
            "search_replace",
            json!({ "path": "a", "old_string": "x", "new_string": "y" }),
        ),
        (
            "claude",
            "mcp__github__search",
            json!({ "q": "x" }),
            "mcp__github__search",
            json!({ "q": "x" }),
        ),
        // The agent's own calls keep their names.
        (
            "autohand",
            "custom_command",
            json!({ "command": "x" }),
            "custom_command",
            json!({ "command": "x" }),
        ),
    ] {
        let data = EventData::PreToolUse {
            call: call(native, input),
        };
        let read = read(Autohand, &event(agent, data));
        assert_eq!(read["tool_name"], name);
        assert_eq!(read["tool_input"], expected, "{name}");
    }
}

#[test]
fn becket_hooks_read_the_canonical_event_and_the_native_payload() {
    let mut event = of_kind(&EventKind::PreToolUse);
    event.raw = json!({ "tool_name": "run_shell_command", "extra": [1] })
        .as_object()
        .cloned()
        .expect("an object");
    event.subagent = Some(Subagent {
        id: "a-1".into(),
        kind: None,
    });
    let read = read(Becket, &event);
    assert_eq!(read["schema_version"], 1);
    assert_eq!(read["agent"], "gemini");
    assert_eq!(read["tool_name"], "Bash");
    assert_eq!(read["native_tool_name"], "run_shell_command");
    assert_eq!(read["event_id"], "ev-1");
    assert_eq!(read["timestamp"], AROUND.timestamp);
    assert_eq!(read["agent_id"], "a-1");
    assert_eq!(read["native"], Value::Object(event.raw.clone()));
}

#[test]
fn stop_hook_gets_stop_hook_active() {
    let own = [of_kind(&EventKind::Stop), of_kind(&EventKind::SubagentStop)];
    let sent = recorded().into_iter().map(|(_, event)| event);
    let first_stop = |event: &Event| {
        let stops = [EventKind::Stop, EventKind::SubagentStop];
        stops.contains(&event.kind()) && event.raw.get("stop_hook_active") != Some(&json!(true))
    };
    for event in sent.filter(first_stop).chain(own) {
        for dialect in [Claude, ClaudeAgent, CodeAgent, Becket] {
            let read = read(dialect, &event);
            assert_eq!(read["stop_hook_active"], false, "{dialect:?}");
            let again = self::read(dialect, &kept_going(event.clone()));
            assert_eq!(again["stop_hook_active"], true, "{dialect:?}");
        }
    }
    let other = read(Claude, &of_kind(&EventKind::SessionEnd));
    assert_eq!(other.get("stop_hook_active"), None);
}

#[test]
fn project_root_replaces_a_missing_cwd() {
    let mut event = of_kind(&EventKind::SessionStart);
    event.cwd = None;
    for dialect in [Claude, Autohand] {
        assert_eq!(
            read(dialect, &event)["cwd"],
            "/home/ana/shop",
            "{dialect:?}"
        );
    }
    let nowhere = EventMetadata {
        project_dir: None,
        ..AROUND
    };
    assert_eq!(read_with(Claude, &event, &nowhere)["cwd"], "");
    assert_eq!(read_with(Autohand, &event, &nowhere)["cwd"], Value::Null);
}
