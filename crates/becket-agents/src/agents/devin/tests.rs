//! Property tests over payloads and decisions; ordinary cases are in `fixtures/devin/`.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::DEVIN;
use super::events::EVENTS;
use crate::adapter::{Adapter, Rendered, SenderClues, recognise};
use crate::arbitrary::{any_decision, any_payload, any_verdict, verdict};

const GATES: [&str; 3] = ["PreToolUse", "PermissionRequest", "UserPromptSubmit"];

/// Devin's interpretation of a finished hook, as documented.
#[derive(Debug, PartialEq)]
enum DevinReading {
    Blocked,
    Approved,
    Nothing,
}

fn read(rendered: &Rendered) -> DevinReading {
    match rendered.exit {
        0 => {}
        2 => return DevinReading::Blocked,
        _ => return DevinReading::Nothing,
    }
    let Ok(reply) = serde_json::from_str::<Value>(&rendered.stdout) else {
        return DevinReading::Nothing;
    };
    match reply.get("decision").and_then(Value::as_str) {
        Some("block" | "deny") => DevinReading::Blocked,
        Some("approve") => DevinReading::Approved,
        _ => DevinReading::Nothing,
    }
}

fn event(payload: &Value) -> Event {
    DEVIN
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

/// A payload with all required fields.
fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "session_id": "s-1", "tool_name": "exec",
        "tool_input": { "command": "ls", "shell_id": "main" }, "prompt": "hi",
    }))
}

#[test]
fn a_command_is_a_command_and_a_failed_tool_has_failed() {
    let before = named("PreToolUse");
    let call = before.call().unwrap();
    assert_eq!((&*call.name, call.command()), ("Bash", Some("ls")));
    assert_eq!(call.native_name, "exec");
    assert_eq!(before.agent.as_str(), "devin");
    let failed = event(&json!({
        "hook_event_name": "PostToolUse", "tool_name": "exec", "tool_input": { "command": "false" },
        "tool_response": { "success": false, "output": "", "error": "exit 1" },
    }));
    assert_eq!(failed.kind(), EventKind::PostToolUseFailure);
}

#[test]
fn a_compaction_is_read_with_its_summary() {
    for name in ["PostCompaction", "post-compact"] {
        let event = event(&json!({ "hook_event_name": name, "summary": "three files" }));
        assert_eq!(event.native_name, "PostCompaction");
        assert_eq!(
            event.data,
            EventData::PostCompact {
                trigger: None,
                summary: Some("three files".into())
            }
        );
    }
}

#[test]
fn devin_asks_by_itself_where_it_asks_and_is_refused_elsewhere() {
    let read_at = |name: &str| read(&DEVIN.render(&named(name), &verdict(Verdict::Ask)));
    assert_eq!(read_at("PermissionRequest"), DevinReading::Nothing);
    assert_eq!(read_at("PreToolUse"), DevinReading::Blocked);
    assert_eq!(read_at("UserPromptSubmit"), DevinReading::Blocked);
}

#[test]
fn a_block_at_stop_is_an_instruction_and_a_halt_is_not() {
    let stop = named("Stop");
    let halted = DEVIN.render(&stop, &verdict(Verdict::Halt));
    assert_eq!(read(&halted), DevinReading::Nothing);
    let decision = Decision {
        keep_going: Some("test it".into()),
        ..Decision::default()
    };
    let rendered = DEVIN.render(&stop, &decision);
    assert_eq!(
        serde_json::from_str::<Value>(&rendered.stdout).unwrap(),
        json!({ "decision": "block", "reason": "test it" })
    );
}

#[test]
fn a_required_key_that_is_missing_is_named_and_so_is_the_agent() {
    let payload = json!({ "hook_event_name": "PreToolUse", "tool_name": "exec" });
    let error = DEVIN.parse(None, payload.as_object().unwrap().clone());
    assert_eq!(
        error.unwrap_err().to_string(),
        "not a valid devin payload: `tool_input` is missing"
    );
}

#[test]
fn devin_is_known_by_its_variable_even_inside_claude() {
    let payload = json!({ "hook_event_name": "PreToolUse" });
    let clues = SenderClues {
        payload: payload.as_object().unwrap(),
        has_env: &|key| matches!(key, "DEVIN_PROJECT_DIR" | "CLAUDECODE"),
    };
    assert_eq!(recognise(&clues).map(Adapter::id), Some("devin"));
}

const KEYS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "prompt_id",
    "tool_name",
    "tool_input",
    "tool_response",
    "success",
    "prompt",
    "summary",
    "source",
    "reason",
];

fn names() -> Vec<&'static str> {
    EVENTS.iter().map(|row| row.native).collect()
}

proptest! {
    /// A denial is always applied, and only an approval approves.
    #[test]
    fn every_decision_reaches_devin(payload in any_payload("hook_event_name", names(), KEYS), decision in any_decision(&["command", "file_path", "content"])) {
        let Ok(event) = DEVIN.parse(None, payload) else { return Ok(()) };
        let reading = read(&DEVIN.render(&event, &decision));
        if reading == DevinReading::Approved {
            prop_assert_eq!(decision.verdict, Verdict::Allow);
        }
        if GATES.contains(&event.native_name.as_str()) {
            let sent = event.call().map(|call| &call.input);
            let rewrites = decision.updated_input.as_ref().is_some_and(|input| Some(input) != sent);
            if decision.verdict.blocks() || rewrites {
                prop_assert_eq!(reading, DevinReading::Blocked);
            }
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_is_answered_as_the_policy_says(verdict in any_verdict()) {
        let kinds = [Some(EventKind::PreToolUse), None];
        for kind in kinds {
            let reading = read(&DEVIN.render_unparsed(kind.as_ref(), verdict, "cannot be read"));
            let expected = if verdict >= Verdict::Ask { DevinReading::Blocked } else { DevinReading::Nothing };
            prop_assert_eq!(reading, expected);
        }
    }
}
