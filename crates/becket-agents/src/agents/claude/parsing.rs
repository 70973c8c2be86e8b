//! Tests of payloads: what is read, and which missing key is an error.

use becket_model::{Event, EventData, EventKind, Subagent};
use serde_json::{Value, json};

use super::{CLAUDE, events};
use crate::adapter::{Adapter, ParseError};

fn parsed(hint: Option<&str>, payload: &Value) -> Result<Event, ParseError> {
    CLAUDE.parse(hint, payload.as_object().unwrap().clone())
}

fn message(hint: Option<&str>, payload: &Value) -> String {
    parsed(hint, payload).unwrap_err().to_string()
}

#[test]
fn the_event_name_comes_from_the_payload_then_from_the_command_line() {
    let bare = json!({ "prompt": "hi" });
    let named = json!({ "prompt": "hi", "hook_event_name": "UserPromptSubmit" });
    for (hint, payload) in [
        (Some("UserPromptSubmit"), &bare),
        (Some("prompt-submit"), &bare),
        (None, &named),
        (Some("PreToolUse"), &named),
    ] {
        let event = parsed(hint, payload).unwrap();
        assert_eq!(event.kind(), EventKind::UserPromptSubmit, "{hint:?}");
        assert_eq!(event.native_name, "UserPromptSubmit");
    }
    assert_eq!(
        message(None, &bare),
        "not a valid claude payload: `hook_event_name` is missing"
    );
    assert_eq!(
        message(Some("Stop"), &json!({ "hook_event_name": 7 })),
        "not a valid claude payload: `hook_event_name` is a number, not a string"
    );
}

#[test]
fn a_required_key_that_is_missing_or_of_another_type_is_named() {
    for (payload, expected) in [
        (
            json!({ "hook_event_name": "PreToolUse", "tool_input": {} }),
            "`tool_name` is missing",
        ),
        (
            json!({ "hook_event_name": "PreToolUse", "tool_name": "", "tool_input": {} }),
            "`tool_name` is empty",
        ),
        (
            json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash" }),
            "`tool_input` is missing",
        ),
        (
            json!({ "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": "ls" }),
            "`tool_input` is a string, not an object",
        ),
        (
            json!({ "hook_event_name": "PostToolUse", "tool_name": ["Bash"] }),
            "`tool_name` is an array, not a string",
        ),
        (
            json!({ "hook_event_name": "UserPromptSubmit", "prompt": null }),
            "`prompt` is null, not a string",
        ),
    ] {
        assert_eq!(parsed(None, &payload).unwrap_err().message, expected);
    }
}

#[test]
fn every_event_without_a_required_key_is_read_from_its_name_alone() {
    let required = [
        "PreToolUse",
        "PermissionRequest",
        "PermissionDenied",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
    ];
    for native in &events::EVENTS {
        let event = parsed(None, &json!({ "hook_event_name": native.native }));
        assert_eq!(
            event.is_err(),
            required.contains(&native.native),
            "{}",
            native.native
        );
        if let Ok(event) = event {
            assert_eq!(event.kind().name(), native.native);
            assert_eq!(event.session.as_str(), "");
        }
    }
}

#[test]
fn an_unknown_event_is_carried_whole() {
    let payload = json!({ "hook_event_name": "MoonPhase", "phase": "full", "cwd": "" });
    let event = parsed(Some("PreToolUse"), &payload).unwrap();
    assert_eq!(event.kind(), EventKind::Other("MoonPhase".into()));
    assert_eq!(event.native_name, "MoonPhase");
    assert_eq!(event.cwd, None);
    assert_eq!(Value::Object(event.raw), payload);
}

#[test]
fn a_tool_that_reports_failure_has_failed_and_one_that_was_interrupted_has_not() {
    let post = |response: Value| {
        let payload = json!({
            "hook_event_name": "PostToolUse", "tool_name": "X", "tool_input": {},
            "tool_response": response, "duration_ms": 2.7,
        });
        parsed(None, &payload).unwrap()
    };
    for (response, expected) in [
        (json!({ "is_error": true, "content": "boom" }), Some("boom")),
        (
            json!({ "isError": true, "content": [] }),
            Some(r#"{"isError":true,"content":[]}"#),
        ),
        (
            json!({ "success": false, "error": "no such task" }),
            Some("no such task"),
        ),
        (json!({ "success": true, "error": "" }), None),
        (json!({ "success": "false" }), None),
        (json!({ "stdout": "", "interrupted": true }), None),
        (json!("is_error"), None),
        (Value::Null, None),
    ] {
        let event = post(response.clone());
        assert_eq!(event.native_name, "PostToolUse");
        match event.data {
            EventData::PostToolUseFailure {
                error, duration_ms, ..
            } => {
                assert_eq!(Some(error.as_str()), expected, "{response}");
                assert_eq!(duration_ms, Some(2));
            }
            EventData::PostToolUse { .. } => assert_eq!(expected, None, "{response}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_subagent_needs_an_id() {
    let event = |extra: Value| {
        let mut payload = json!({ "hook_event_name": "Stop" });
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        parsed(None, &payload).unwrap().subagent
    };
    assert_eq!(event(json!({ "agent_type": "reviewer" })), None);
    assert_eq!(event(json!({ "agent_id": "", "agent_type": "x" })), None);
    assert_eq!(
        event(json!({ "agent_id": "a1", "agent_type": "" })),
        Some(Subagent {
            id: "a1".into(),
            kind: None
        })
    );
}

#[test]
fn a_changed_file_is_matched_by_its_base_name() {
    for (path, expected) in [
        ("/home/dev/app/.env", ".env"),
        (r"C:\app\.env", ".env"),
        (".env", ".env"),
        ("/", "/"),
    ] {
        let payload = json!({ "hook_event_name": "FileChanged", "file_path": path });
        let event = parsed(None, &payload).unwrap();
        assert_eq!(event.subject(), Some(expected));
    }
}
