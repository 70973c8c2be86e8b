//! Property tests over payloads and decisions; ordinary cases are in `fixtures/crush/`.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::CRUSH;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_payload, any_value, any_verdict, verdict};

const KEYS: &[&str] = &[
    "event",
    "session_id",
    "cwd",
    "tool_name",
    "tool_input",
    "command",
    "COMMAND",
    "file_path",
    "content",
    "a.b",
    "bash",
    "mcp_git_status",
];

fn call(tool: &str, input: &Value) -> Event {
    let payload = json!({ "event": "PreToolUse", "tool_name": tool, "tool_input": input });
    CRUSH
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

fn bash() -> Event {
    call(
        "bash",
        &json!({ "command": "rm -rf build", "description": "clean" }),
    )
}

fn rewrite(input: Value) -> Decision {
    Decision {
        updated_input: Some(input),
        ..Decision::default()
    }
}

/// Crush's interpretation of a reply, as in `parseStdout`, `aggregate` and `hookedTool`.
#[derive(Debug, Default, PartialEq)]
struct CrushOutcome {
    blocked: bool,
    halted: bool,
    approved: bool,
    reason: String,
    context: String,
    /// The input that the tool gets, if the reply changes it.
    input: Option<Map<String, Value>>,
}

fn heard(rendered: &Rendered, native: &Value) -> CrushOutcome {
    match rendered.exit {
        0 => {}
        2 | 49 => {
            return CrushOutcome {
                blocked: true,
                halted: rendered.exit == 49,
                reason: rendered.stderr.clone(),
                ..CrushOutcome::default()
            };
        }
        _ => return CrushOutcome::default(),
    }
    let Ok(Value::Object(reply)) = serde_json::from_str::<Value>(rendered.stdout.trim()) else {
        return CrushOutcome::default();
    };
    assert!(!reply.contains_key("hookSpecificOutput"));
    // Go rejects the whole reply for a field of the wrong type.
    let text = |key: &str| reply.get(key).map_or("", |v| v.as_str().expect("a text"));
    let decision = text("decision").to_lowercase();
    let halted = reply
        .get("halt")
        .is_some_and(|v| v.as_bool().expect("a flag"));
    let blocked = decision == "deny" || halted;
    let patch = reply.get("updated_input").filter(|_| !blocked);
    CrushOutcome {
        blocked,
        halted,
        approved: decision == "allow" && !blocked,
        reason: text("reason").to_owned(),
        context: if blocked { "" } else { text("context") }.to_owned(),
        input: patch.map(|patch| merged(native, patch)),
    }
}

/// The shallow merge, for keys that are not paths.
fn merged(native: &Value, patch: &Value) -> Map<String, Value> {
    let mut out = native.as_object().unwrap().clone();
    for (key, value) in patch.as_object().expect("a patch is an object") {
        assert!(!key.contains(['.', '*', '?', '|', '#', '@', '\\']), "{key}");
        out.insert(key.clone(), value.clone());
    }
    out
}

/// A parameter as Go's decoder fills it: any case, the last one wins.
fn decoded<'a>(input: &'a Map<String, Value>, parameter: &str) -> Option<&'a Value> {
    let own = |(key, _): &(&String, &Value)| key.eq_ignore_ascii_case(parameter);
    input.iter().rfind(own).map(|(_, value)| value)
}

#[test]
fn a_guard_sees_the_command_that_go_would_run() {
    for (input, expected) in [
        (
            json!({ "command": "ls", "COMMAND": "rm -rf /" }),
            "rm -rf /",
        ),
        (json!({ "COMMAND": "rm -rf /", "command": "ls" }), "ls"),
        (json!({ "Command": "rm" }), "rm"),
    ] {
        let event = call("bash", &input);
        assert_eq!(event.call().unwrap().command(), Some(expected), "{input}");
        let native = input.as_object().unwrap();
        assert_eq!(decoded(native, "command"), Some(&json!(expected)));
    }
    let long_s = call("edit", &json!({ "old_ſtring": "a" }));
    assert_eq!(long_s.call().unwrap().input["old_string"], json!("a"));
    let server = call("mcp_git_status", &json!({ "Path": "x" }));
    assert_eq!(server.call().unwrap().input, json!({ "Path": "x" }));
}

#[test]
fn a_rewrite_reaches_every_spelling_of_a_key() {
    let native = json!({ "command": "ls", "COMMAND": "rm -rf /" });
    let event = call("bash", &native);
    let rendered = CRUSH.render(&event, &rewrite(json!({ "command": "true" })));
    let input = heard(&rendered, &native).input.unwrap();
    assert_eq!(decoded(&input, "command"), Some(&json!("true")));
}

#[test]
fn a_rewrite_is_only_the_keys_that_change() {
    let event = bash();
    let updated = json!({ "command": "rm -ri build", "description": "clean" });
    let rendered = CRUSH.render(&event, &rewrite(updated));
    assert_eq!(
        rendered.stdout,
        "{\"updated_input\":{\"command\":\"rm -ri build\"}}\n"
    );
    assert!(rendered.lost.is_empty());
    let same = event.call().unwrap().input.clone();
    assert_eq!(CRUSH.render(&event, &rewrite(same)), Rendered::default());
}

#[test]
fn a_rewrite_that_a_merge_cannot_make_is_a_refusal_that_repeats_it() {
    let edit = json!({ "file_path": "a", "old_string": "x", "new_string": "y" });
    for (native, updated) in [
        (&edit, json!({ "file_path": "a", "new_string": "y" })),
        (
            &edit,
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "a.b": 1 }),
        ),
        (
            &edit,
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "0": 1 }),
        ),
        (&edit, json!("y")),
    ] {
        for own in [Verdict::NoOpinion, Verdict::Allow, Verdict::Ask] {
            let decision = Decision {
                verdict: own,
                ..rewrite(updated.clone())
            };
            let rendered = CRUSH.render(&call("edit", native), &decision);
            let heard = heard(&rendered, native);
            assert!(heard.blocked && heard.reason.contains('y'), "{rendered:?}");
            assert!(!rendered.lost.is_empty());
        }
    }
}

#[test]
fn what_else_a_refusal_carries_goes_into_its_reason() {
    let decision = Decision {
        context: Some("use make".into()),
        reason: Some("no npm".into()),
        ..verdict(Verdict::Deny)
    };
    let event = bash();
    let heard = heard(&CRUSH.render(&event, &decision), &json!({}));
    assert_eq!(heard.reason, "no npm\nuse make");
}

#[test]
fn a_halt_ends_the_turn_and_a_deny_does_not() {
    for (own, halted) in [(Verdict::Deny, false), (Verdict::Halt, true)] {
        let heard = heard(&CRUSH.render(&bash(), &verdict(own)), &json!({}));
        assert_eq!((heard.blocked, heard.halted), (true, halted));
        assert_eq!(heard.reason, "refused by a hook");
    }
}

#[test]
fn an_unread_payload_is_refused_where_a_guard_wants_to_ask() {
    let unread = |kind: Option<EventKind>, verdict| {
        let rendered = CRUSH.render_unparsed(kind.as_ref(), verdict, "cut off");
        heard(&rendered, &json!({}))
    };
    for kind in [Some(EventKind::PreToolUse), Some(EventKind::Stop), None] {
        for stern in [Verdict::Ask, Verdict::Deny, Verdict::Halt] {
            let heard = unread(kind.clone(), stern);
            assert!(heard.blocked, "{kind:?} {stern}");
            assert!(heard.reason.starts_with("cut off"));
        }
        assert_eq!(unread(kind, Verdict::Allow), CrushOutcome::default());
    }
}

#[test]
fn crush_is_recognised_by_its_variable_together_with_its_shape() {
    let recognised = |payload: &Value, variable: &str| {
        let has_env = |name: &str| name == variable;
        CRUSH.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &has_env,
        })
    };
    let own = json!({ "event": "PreToolUse", "session_id": "s" });
    assert_eq!(recognised(&own, "CRUSH"), Recognition::Environment);
    assert_eq!(recognised(&own, ""), Recognition::No);
    let inner = json!({ "hook_event_name": "PreToolUse" });
    assert_eq!(recognised(&inner, "CRUSH"), Recognition::No);
    let goose = json!({ "event": "PreToolUse", "matcher_context": null });
    assert_eq!(recognised(&goose, "CRUSH"), Recognition::No);
}

proptest! {
    /// Any JSON object gives an event that keeps it whole, or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload("event", ["PreToolUse", "pre_tool_use", "MoonPhase"].to_vec(), KEYS)) {
        match CRUSH.parse(None, payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Ask and deny before a tool always stop it, and only an allow approves it.
    #[test]
    fn verdict_before_a_tool_is_applied(input in any_value(KEYS), decision in any_decision(KEYS)) {
        let input = json!({ "command": "ls", "extra": input });
        let heard = heard(&CRUSH.render(&call("bash", &input), &decision), &input);
        prop_assert!(heard.blocked || decision.verdict < Verdict::Ask);
        prop_assert_eq!(heard.halted, decision.verdict == Verdict::Halt);
        prop_assert!(!heard.approved || decision.verdict == Verdict::Allow);
        prop_assert!(heard.approved || heard.blocked || decision.verdict != Verdict::Allow);
        if decision.updated_input.is_some() {
            // Changed, unchanged, or denied: the original never runs against a hook's decision.
            let wanted = decision.updated_input.as_ref().and_then(|new| new.get("command"));
            let runs = heard.input.as_ref().map_or(Some(&input["command"]), |new| new.get("command"));
            prop_assert!(heard.blocked || runs == wanted, "{:?}", heard);
        }
    }

    /// A change survives the round trip through canonical keys.
    #[test]
    fn a_rewrite_survives_the_way_back(command in ".{1,20}", flag in any::<bool>()) {
        let native = json!({ "description": "d", "command": "ls", "run_in_background": flag });
        let event = call("bash", &native);
        let mut updated = event.call().unwrap().input.clone();
        updated["command"] = json!(command);
        let heard = heard(&CRUSH.render(&event, &rewrite(updated)), &native);
        let mut expected = native.clone();
        expected["command"] = json!(command);
        let input = heard.input.map_or(native, Value::Object);
        prop_assert_eq!(input, expected);
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_never_becomes_permission(verdict in any_verdict()) {
        let rendered = CRUSH.render_unparsed(Some(&EventKind::PreToolUse), verdict, "no");
        let heard = heard(&rendered, &json!({}));
        prop_assert!(!heard.approved);
        prop_assert_eq!(heard.blocked, verdict > Verdict::Allow);
    }
}
