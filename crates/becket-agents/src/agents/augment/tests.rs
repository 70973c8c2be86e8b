//! Property tests over payloads and decisions; ordinary cases are in `fixtures/augment/`.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::AUGMENT;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_payload, any_value, any_verdict, verdict};

const KEYS: &[&str] = &[
    "hook_event_name",
    "conversation_id",
    "workspace_roots",
    "tool_name",
    "tool_input",
    "tool_output",
    "tool_error",
    "is_mcp_tool",
    "mcp_metadata",
    "agent_stop_cause",
    "command",
    "path",
    "old_str_1",
    "old_str_2",
    "new_str_2",
    "edits",
    "str-replace-editor",
];

const NAMES: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SessionStart",
    "SessionEnd",
    "PromptSubmit",
    "Notification",
    "MoonPhase",
];

fn event(payload: &Value) -> Event {
    let payload = payload.as_object().unwrap().clone();
    AUGMENT.parse(None, payload).unwrap()
}

fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "tool_name": "launch-process",
        "tool_input": { "command": "rm -rf build", "wait": true },
    }))
}

fn call(tool: &str, input: &Value) -> Event {
    event(&json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input }))
}

fn rewrite(input: Value) -> Decision {
    Decision {
        updated_input: Some(input),
        ..Decision::default()
    }
}

/// Auggie's interpretation of a reply, by its schema.
#[derive(Debug, Default, PartialEq)]
struct AugmentReading {
    blocked: bool,
    approved: bool,
    to_model: Vec<String>,
    to_person: Vec<String>,
    input: Option<Value>,
}

/// The names that the client's schema accepts in `hookSpecificOutput`.
const REPLY_NAMES: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SessionStart",
    "SessionEnd",
    "Notification",
];

fn heard(name: &str, rendered: &Rendered) -> AugmentReading {
    let mut heard = AugmentReading::default();
    if rendered.exit == 2 && matches!(name, "PreToolUse" | "PostToolUse") {
        heard.blocked = name == "PreToolUse";
        heard.to_model.push(rendered.stderr.trim().to_owned());
    }
    if !matches!(rendered.exit, 0 | 2) || rendered.stdout.is_empty() {
        return heard;
    }
    let reply: Value = serde_json::from_str(&rendered.stdout).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let specific = &reply["hookSpecificOutput"];
    if !specific.is_null() {
        let accepted = specific["hookEventName"].as_str();
        assert!(
            accepted.is_some_and(|own| REPLY_NAMES.contains(&own)),
            "{reply}"
        );
        assert!(specific.get("updatedInput").is_none_or(Value::is_object));
    }
    heard.to_person.extend(text(&reply["systemMessage"]));
    match name {
        "PreToolUse" => {
            let word = specific["permissionDecision"].as_str();
            heard.blocked |= word == Some("deny") || reply["continue"] == json!(false);
            // The client does not apply it yet; a later one may.
            heard.approved = word == Some("allow") && !heard.blocked;
            if heard.blocked {
                heard
                    .to_model
                    .extend(text(&specific["permissionDecisionReason"]));
            } else {
                heard.input = specific.get("updatedInput").cloned();
            }
        }
        "PostToolUse" => {
            if specific["decision"] == json!("block") {
                heard.to_model.extend(text(&specific["reason"]));
            }
            heard.to_model.extend(text(&specific["additionalContext"]));
        }
        _ => {}
    }
    heard
}

#[test]
fn no_opinion_renders_nothing_at_every_event() {
    for native in AUGMENT.events {
        for quiet in [false, true] {
            let decision = Decision {
                suppress_logging: quiet,
                ..Decision::default()
            };
            let rendered = AUGMENT.render(&named(native.native), &decision);
            assert_eq!(
                (&*rendered.stdout, rendered.exit),
                ("", 0),
                "{}",
                native.native
            );
        }
    }
}

#[test]
fn a_rewrite_replaces_the_input_whole_and_keeps_what_becket_has_no_word_for() {
    let native =
        json!({ "command": "npm test", "wait": true, "max_wait_seconds": 60, "cwd": "/a" });
    let event = call("launch-process", &native);
    let rendered = AUGMENT.render(&event, &rewrite(json!({ "command": "npm test -- --ci" })));
    let mut expected = native;
    expected["command"] = json!("npm test -- --ci");
    assert_eq!(heard("PreToolUse", &rendered).input, Some(expected));
    assert_eq!(
        rendered.lost,
        ["The rewrite leaves out `wait`, `max_wait_seconds`, `cwd`, which stay."]
    );
}

#[test]
fn several_edits_in_one_call_are_seen_and_rewritten_one_by_one() {
    let native = json!({
        "command": "str_replace", "path": "a.rs",
        "old_str_1": "a", "new_str_1": "b", "old_str_start_line_number_1": 3,
        "old_str_2": "c", "new_str_2": "d",
    });
    let event = call("str-replace-editor", &native);
    let own = event.call().unwrap();
    assert_eq!(own.name, "MultiEdit");
    assert_eq!(own.command(), None);
    assert_eq!(
        own.input,
        json!({
            "operation": "str_replace", "file_path": "a.rs", "edits": [
                { "old_string": "a", "new_string": "b", "start_line": 3 },
                { "old_string": "c", "new_string": "d" },
            ],
        })
    );
    let mut updated = own.input.clone();
    updated["edits"][1]["new_string"] = json!("e");
    let rendered = AUGMENT.render(&event, &rewrite(updated));
    let mut expected = native;
    expected["new_str_2"] = json!("e");
    assert_eq!(heard("PreToolUse", &rendered).input, Some(expected));
}

#[test]
fn a_list_of_edits_of_the_models_own_hides_none_of_the_numbered_ones() {
    let event = call(
        "str-replace-editor",
        &json!({ "path": "a", "edits": [], "new_str_1": "x", "new_str_2": "SECRET" }),
    );
    let edits = &event.call().unwrap().input["edits"];
    assert_eq!(edits[1]["new_string"], json!("SECRET"));
    let one = json!({ "path": "a", "edits": [], "old_str_1": "x", "new_str_1": "SECRET" });
    let event = call("str-replace-editor", &one);
    let own = event.call().unwrap();
    assert_eq!(
        (&*own.name, &own.input["new_string"]),
        ("Edit", &json!("SECRET"))
    );
}

#[test]
fn a_servers_tool_is_named_after_its_server() {
    for (tool, metadata, expected) in [
        ("search_my-server", json!(null), "mcp__my-server__search"),
        (
            "create_issue_git_hub",
            json!({ "mcpExecutedToolServerName": "git_hub" }),
            "mcp__git_hub__create_issue",
        ),
        ("view", json!(null), "mcp__unknown__view"),
        (
            "view",
            json!({ "mcpExecutedToolServerName": "files" }),
            "mcp__files__view",
        ),
    ] {
        let event = event(&json!({
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": { "path": "/" },
            "is_mcp_tool": true, "mcp_metadata": metadata,
        }));
        let own = event.call().unwrap();
        assert_eq!((&*own.name, &*own.native_name), (expected, tool));
        assert_eq!(own.input, json!({ "path": "/" }));
    }
}

#[test]
fn a_servers_tool_keeps_its_own_keys_whatever_its_name() {
    let event = event(&json!({
        "hook_event_name": "PreToolUse", "tool_name": "view", "is_mcp_tool": true,
        "tool_input": { "path": "/a", "depth": 2 },
    }));
    let rendered = AUGMENT.render(&event, &rewrite(json!({ "path": "/b", "depth": 2 })));
    let input = heard("PreToolUse", &rendered).input;
    assert_eq!(input, Some(json!({ "path": "/b", "depth": 2 })));
}

#[test]
fn a_tool_with_an_error_has_failed_and_a_stop_with_an_error_is_one() {
    let failed = event(&json!({
        "hook_event_name": "PostToolUse", "tool_name": "view", "tool_error": "no such file",
    }));
    assert_eq!(failed.kind(), EventKind::PostToolUseFailure);
    let context = Decision {
        context: Some("look in src".into()),
        ..Decision::default()
    };
    let rendered = AUGMENT.render(&failed, &context);
    assert_eq!(heard("PostToolUse", &rendered).to_model, ["look in src"]);

    let stopped =
        |cause: &str| event(&json!({ "hook_event_name": "Stop", "agent_stop_cause": cause })).data;
    assert!(matches!(stopped("error"), EventData::SessionError { .. }));
    assert!(matches!(stopped("end_turn"), EventData::Stop { .. }));
    assert!(matches!(stopped("interrupted"), EventData::Stop { .. }));
}

#[test]
fn the_person_learns_of_what_auggie_cannot_enforce() {
    for name in ["SessionStart", "SessionEnd", "PostToolUse"] {
        let rendered = AUGMENT.render(&named(name), &verdict(Verdict::Ask));
        let heard = heard(name, &rendered);
        assert!(
            heard.to_person.concat().contains("wanted to ask you"),
            "{name}"
        );
    }
    let rendered = AUGMENT.render(&named("SessionEnd"), &verdict(Verdict::Deny));
    let heard = heard("SessionEnd", &rendered);
    assert!(heard.to_person.concat().contains("goes on regardless"));
}

#[test]
fn an_event_of_a_later_version_is_refused_without_json_that_would_be_rejected() {
    let rendered = AUGMENT.render(&named("MoonPhase"), &verdict(Verdict::Deny));
    assert_eq!((&*rendered.stdout, rendered.exit), ("", 2));
    assert!(rendered.stderr.starts_with("refused by a hook\n"));
}

#[test]
fn auggie_is_recognised_by_its_payload_and_told_from_cursor() {
    let recognised = |payload: Value, env: bool| {
        AUGMENT.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|name| env && name == "AUGMENT_HOOK_EVENT",
        })
    };
    let mut payload =
        json!({ "hook_event_name": "SessionStart", "conversation_id": "a", "workspace_roots": [] });
    assert_eq!(recognised(payload.clone(), true), Recognition::Environment);
    assert_eq!(recognised(payload.clone(), false), Recognition::No);
    payload["is_mcp_tool"] = json!(false);
    assert_eq!(recognised(payload.clone(), false), Recognition::Payload);
    payload["cursor_version"] = json!("3");
    assert_eq!(recognised(payload, true), Recognition::No);
}

proptest! {
    /// Any JSON object gives an event that keeps it whole, or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload("hook_event_name", NAMES.to_vec(), KEYS)) {
        match AUGMENT.parse(None, payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Ask and deny before a tool always stop it, and only an allow approves it.
    #[test]
    fn verdict_before_a_tool_is_applied(decision in any_decision(KEYS)) {
        let heard = heard("PreToolUse", &AUGMENT.render(&named("PreToolUse"), &decision));
        prop_assert!(heard.blocked || decision.verdict < Verdict::Ask);
        prop_assert!(!heard.approved || decision.verdict == Verdict::Allow);
        if let Some(updated) = &decision.updated_input {
            // Replaced or denied: the original never runs against a hook's decision.
            let runs = heard.input.as_ref().and_then(|new| new.get("command"));
            let wanted = updated.get("command").filter(|command| !command.is_null());
            prop_assert!(heard.blocked || runs == wanted, "{:?}", heard);
        }
        if heard.blocked {
            prop_assert!(!heard.to_model.concat().trim().is_empty());
        }
    }

    /// Any decision on any event gives a reply that the client accepts.
    #[test]
    fn every_reply_is_one_that_auggie_accepts(payload in any_payload("hook_event_name", NAMES.to_vec(), KEYS), decision in any_decision(KEYS)) {
        if let Ok(event) = AUGMENT.parse(None, payload) {
            let name = event.native_name.clone();
            heard(&name, &AUGMENT.render(&event, &decision));
        }
    }

    /// A round trip through canonical keys changes nothing, and a changed path arrives.
    #[test]
    fn a_rewrite_survives_the_way_back(extra in any_value(KEYS), path in ".{1,12}", both in any::<bool>()) {
        let mut native = json!({ "path": "a", "old_str_1": "x", "new_str_1": "y", "note": extra });
        if both {
            native["old_str_2"] = json!("z");
        }
        let event = call("str-replace-editor", &native);
        let same = event.call().unwrap().input.clone();
        let rendered = AUGMENT.render(&event, &rewrite(same.clone()));
        prop_assert_eq!(rendered, Rendered::default());
        let mut updated = same;
        updated["file_path"] = json!(path);
        prop_assume!(path != "a");
        native["path"] = json!(path);
        let rendered = AUGMENT.render(&event, &rewrite(updated));
        prop_assert_eq!(heard("PreToolUse", &rendered).input, Some(native));
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_never_becomes_permission(verdict in any_verdict()) {
        for kind in [Some(EventKind::PreToolUse), None] {
            let rendered = AUGMENT.render_unparsed(kind.as_ref(), verdict, "no");
            let heard = heard("PreToolUse", &rendered);
            prop_assert!(!heard.approved);
            prop_assert_eq!(heard.blocked, verdict > Verdict::Allow);
        }
    }
}
