//! Property tests over payloads and decisions; ordinary cases are in `fixtures/droid/`.
//!
//! [`read`] is Droid's interpretation of a reply, in the order of its code. Documented keys that it ignores at
//! an event have no effect there.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::DROID;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_object};
use crate::protocol::strategies::{KEYS, any_call, any_name, any_payload};

/// The effect on the action.
#[derive(Debug, PartialEq)]
enum DroidEffect {
    /// Droid's own rules decide.
    Nothing,
    /// Denied; after a tool, sent to the model.
    Refused(String),
    /// The agent is stopped.
    Stopped(String),
    /// No prompt, with these keys merged into the input.
    Approved(Map<String, Value>),
    /// These keys are merged into the input, and Droid's own rules decide.
    Rewritten(Map<String, Value>),
    /// At `Stop`: another turn, with this as the prompt.
    GoesOn(String),
}

fn read(name: &str, rendered: &Rendered) -> DroidEffect {
    let object = Some(&rendered.stdout).filter(|text| text.starts_with('{'));
    let reply: Option<Value> = object.and_then(|text| serde_json::from_str(text).ok());
    let reply = reply.unwrap_or(Value::Null);
    let stderr = rendered.stderr.trim().to_owned();
    let text = |key: &str| reply[key].as_str().unwrap_or_default().to_owned();
    let stopped = match (reply["continue"] == json!(false), rendered.exit) {
        (true, _) => Some(text("stopReason")),
        (false, 3) => Some(stderr.clone()),
        _ => None,
    };
    let input = reply["hookSpecificOutput"]["updatedInput"].as_object();
    let input = input.cloned().unwrap_or_default();
    match (name, stopped) {
        ("PreToolUse" | "PostToolUse" | "Stop", Some(why)) => DroidEffect::Stopped(why),
        ("UserPromptSubmit", Some(why)) => DroidEffect::Refused(why),
        ("PreToolUse", None) => {
            read_call(&reply["hookSpecificOutput"], rendered.exit, stderr, input)
        }
        ("Stop", None) if reply["decision"] == json!("block") && !text("reason").is_empty() => {
            DroidEffect::GoesOn(text("reason"))
        }
        ("Stop", None) if rendered.exit == 2 => DroidEffect::GoesOn(stderr),
        ("PostToolUse" | "UserPromptSubmit" | "PreCompact", _) if rendered.exit == 2 => {
            DroidEffect::Refused(stderr)
        }
        ("UserPromptSubmit", None) if input.contains_key("prompt") => DroidEffect::Rewritten(input),
        _ => DroidEffect::Nothing,
    }
}

fn read_call(
    specific: &Value,
    exit: i32,
    stderr: String,
    input: Map<String, Value>,
) -> DroidEffect {
    let why = specific["permissionDecisionReason"].as_str();
    match specific["permissionDecision"].as_str() {
        Some("allow") => DroidEffect::Approved(input),
        Some("deny") => DroidEffect::Refused(why.unwrap_or_default().into()),
        // Droid only logs `ask`.
        _ if exit == 2 => DroidEffect::Refused(stderr),
        _ if input.is_empty() => DroidEffect::Nothing,
        _ => DroidEffect::Rewritten(input),
    }
}

fn event(payload: &Value) -> Event {
    DROID
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "tool_name": "Execute",
        "tool_input": { "command": "rm -rf build", "riskLevel": "low" }, "prompt": "hi",
    }))
}

fn call(tool: &str, input: &Value) -> Event {
    event(&json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input }))
}

fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

fn rewrite(verdict: Verdict, input: Value) -> Decision {
    Decision {
        verdict,
        updated_input: Some(input),
        ..Decision::default()
    }
}

fn effect(name: &str, decision: &Decision) -> DroidEffect {
    read(name, &DROID.render(&named(name), decision))
}

/// The tool's input after a merge.
fn merged(native: &Value, over: Map<String, Value>) -> Value {
    let mut input = native.as_object().unwrap().clone();
    input.extend(over);
    Value::Object(input)
}

#[test]
fn no_opinion_renders_nothing_at_every_event() {
    for row in DROID.events {
        let rendered = DROID.render(&named(row.native), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", row.native);
    }
}

#[test]
fn a_question_is_a_refusal_because_droid_only_logs_it() {
    for name in ["PreToolUse", "UserPromptSubmit", "PreCompact"] {
        let rendered = DROID.render(&named(name), &verdict(Verdict::Ask));
        assert!(
            matches!(read(name, &rendered), DroidEffect::Refused(_)),
            "{name}"
        );
        assert!(!rendered.lost.is_empty(), "{name}");
    }
    assert_eq!(effect("Stop", &verdict(Verdict::Ask)), DroidEffect::Nothing);
}

#[test]
fn a_halt_stops_the_agent_where_it_can() {
    let halt = Decision {
        reason: Some("out of budget".into()),
        ..verdict(Verdict::Halt)
    };
    for name in ["PreToolUse", "PostToolUse", "Stop"] {
        assert_eq!(
            effect(name, &halt),
            DroidEffect::Stopped("out of budget".into()),
            "{name}"
        );
    }
    for name in ["UserPromptSubmit", "PreCompact"] {
        assert_eq!(
            effect(name, &halt),
            DroidEffect::Refused("out of budget".into()),
            "{name}"
        );
    }
}

#[test]
fn a_refusal_after_a_tool_reaches_the_model_beside_the_context() {
    let deny = Decision {
        reason: Some("leaks a key".into()),
        context: Some("see SECURITY.md".into()),
        ..verdict(Verdict::Deny)
    };
    let rendered = DROID.render(&named("PostToolUse"), &deny);
    assert_eq!(
        read("PostToolUse", &rendered),
        DroidEffect::Refused("leaks a key".into())
    );
    assert!(
        rendered
            .stdout
            .contains(r#""additionalContext":"see SECURITY.md""#)
    );
}

#[test]
fn only_what_changes_is_laid_over_the_input() {
    let only = Map::from_iter([("command".to_owned(), json!("ls"))]);
    let input = json!({ "command": "ls", "riskLevel": "low" });
    let quiet = effect("PreToolUse", &rewrite(Verdict::NoOpinion, input.clone()));
    assert_eq!(quiet, DroidEffect::Rewritten(only.clone()));
    let allowed = effect("PreToolUse", &rewrite(Verdict::Allow, input.clone()));
    assert_eq!(allowed, DroidEffect::Approved(only));
    match effect("PreToolUse", &rewrite(Verdict::Ask, input)) {
        DroidEffect::Refused(why) => assert!(why.contains(r#""command":"ls""#), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rewrite_goes_through_canonical_words_and_back() {
    for (tool, native, key, value, expected) in [
        (
            "Edit",
            json!({ "file_path": "/a", "old_str": "x", "new_str": "y", "change_all": true }),
            "new_string",
            "z",
            json!({ "file_path": "/a", "old_str": "x", "new_str": "z", "change_all": true }),
        ),
        (
            "ApplyPatch",
            json!({ "input": "*** Begin Patch" }),
            "command",
            "*** End Patch",
            json!({ "input": "*** End Patch" }),
        ),
        (
            "LS",
            json!({ "directory_path": "/" }),
            "path",
            "/b",
            json!({ "directory_path": "/b" }),
        ),
        (
            "Glob",
            json!({ "patterns": ["*"], "folder": "/" }),
            "path",
            "/b",
            json!({ "patterns": ["*"], "folder": "/b" }),
        ),
        (
            "FetchUrl",
            json!({ "url": "u" }),
            "url",
            "v",
            json!({ "url": "v" }),
        ),
    ] {
        let event = call(tool, &native);
        let mut wanted = event.call().unwrap().input.clone();
        wanted[key] = json!(value);
        let rendered = DROID.render(&event, &rewrite(Verdict::NoOpinion, wanted));
        match read("PreToolUse", &rendered) {
            DroidEffect::Rewritten(over) => assert_eq!(merged(&native, over), expected, "{tool}"),
            other => panic!("{tool}: {other:?}"),
        }
    }
}

#[test]
fn a_key_that_cannot_be_taken_away_refuses_the_call() {
    let event = call("mcp__db__run", &json!({ "query": "x", "force": true }));
    let rendered = DROID.render(&event, &rewrite(Verdict::Allow, json!({ "query": "x" })));
    assert!(
        matches!(read("PreToolUse", &rendered), DroidEffect::Refused(_)),
        "{rendered:?}"
    );
    assert!(rendered.lost[0].contains("`force`"), "{:?}", rendered.lost);
}

#[test]
fn a_prompt_can_be_rewritten_and_nothing_else_of_it() {
    let prompt = rewrite(Verdict::NoOpinion, json!({ "prompt": "hello" }));
    let over = Map::from_iter([("prompt".to_owned(), json!("hello"))]);
    assert_eq!(
        effect("UserPromptSubmit", &prompt),
        DroidEffect::Rewritten(over)
    );
    for input in [
        json!({ "prompt": 1 }),
        json!({ "prompt": "a", "x": 1 }),
        json!("hello"),
    ] {
        let effect = effect(
            "UserPromptSubmit",
            &rewrite(Verdict::NoOpinion, input.clone()),
        );
        assert!(matches!(effect, DroidEffect::Refused(_)), "{input}");
    }
}

#[test]
fn a_task_that_ended_in_an_error_has_failed() {
    let ended = |error: Value| {
        event(&json!({
            "hook_event_name": "SubagentStop", "task_name": "explore", "task_result": "r", "task_error": error,
        }))
        .data
    };
    for (error, expected) in [
        (Value::Null, None),
        (json!(""), None),
        (json!("timed out"), Some("timed out".to_owned())),
    ] {
        let EventData::SubagentStop {
            success,
            error,
            kind,
            ..
        } = ended(error)
        else {
            panic!("not a SubagentStop");
        };
        assert_eq!(
            (success, error, kind.as_str()),
            (expected.is_none(), expected, "explore")
        );
    }
}

#[test]
fn an_unread_payload_is_answered_from_the_name_on_the_command_line() {
    let unread = |kind: Option<EventKind>, verdict| {
        DROID.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
    };
    for verdict in [Verdict::Ask, Verdict::Deny] {
        for kind in [Some(EventKind::PreToolUse), None] {
            match read("PreToolUse", &unread(kind, verdict)) {
                DroidEffect::Refused(why) => {
                    assert!(why.starts_with("the payload is truncated"), "{why}");
                }
                other => panic!("{verdict}: {other:?}"),
            }
        }
    }
    for silent in [Verdict::NoOpinion, Verdict::Allow] {
        assert_eq!(
            unread(Some(EventKind::PreToolUse), silent),
            Rendered::default()
        );
    }
}

#[test]
fn droid_is_known_by_its_permission_modes_and_by_the_environment() {
    let recognised = |payload: &Value, inside: bool| {
        let payload = payload.as_object().unwrap();
        let has_env = |name: &str| inside && name == "FACTORY_PROJECT_DIR";
        DROID.recognises(&SenderClues {
            payload,
            has_env: &has_env,
        })
    };
    for (payload, inside, expected) in [
        (
            json!({ "hook_event_name": "Stop", "permission_mode": "auto-low" }),
            false,
            Recognition::Payload,
        ),
        (
            json!({ "hook_event_name": "Stop" }),
            true,
            Recognition::Environment,
        ),
        (
            json!({ "hook_event_name": "Stop", "permission_mode": "plan" }),
            true,
            Recognition::No,
        ),
        (json!({ "hook_event_name": "Stop" }), false, Recognition::No),
        (json!({ "permission_mode": "off" }), true, Recognition::No),
    ] {
        assert_eq!(recognised(&payload, inside), expected, "{payload}");
    }
}

proptest! {
    /// Any JSON object gives an event or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload(&DROID), hint in option::of(any_name(&DROID))) {
        match DROID.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Any decision on any event gives one object on one line, or an exit code and text, or both.
    #[test]
    fn every_reply_is_one_that_droid_reads(payload in any_payload(&DROID), decision in any_decision(KEYS)) {
        if let Ok(event) = DROID.parse(None, payload) {
            let rendered = DROID.render(&event, &decision);
            prop_assert!(matches!(rendered.exit, 0 | 2));
            prop_assert_eq!(rendered.exit == 2, !rendered.stderr.trim().is_empty());
            if !rendered.stdout.is_empty() {
                prop_assert_eq!(rendered.stdout.lines().count(), 1);
                let reply: Value = serde_json::from_str(&rendered.stdout).unwrap();
                prop_assert!(reply.is_object());
            }
        }
    }

    /// A denial before an action always prevents it.
    #[test]
    fn a_refusal_is_never_taken_for_permission(mut decision in any_decision(KEYS), halt in any::<bool>()) {
        decision.verdict = if halt { Verdict::Halt } else { Verdict::Deny };
        for name in ["PreToolUse", "UserPromptSubmit", "PreCompact"] {
            let effect = effect(name, &decision);
            prop_assert!(matches!(effect, DroidEffect::Refused(_) | DroidEffect::Stopped(_)), "{} {:?}", name, effect);
        }
    }

    /// Only an allow approves, and ask never lets a call through.
    #[test]
    fn nothing_but_an_allow_approves(decision in any_decision(KEYS)) {
        match effect("PreToolUse", &decision) {
            DroidEffect::Approved(_) => prop_assert_eq!(decision.verdict, Verdict::Allow),
            DroidEffect::Nothing | DroidEffect::Rewritten(_) => prop_assert_eq!(decision.verdict, Verdict::NoOpinion),
            _ => {}
        }
    }

    /// The merged input is the rewrite with native keys, or the call is denied.
    #[test]
    fn a_rewrite_arrives_or_refuses((tool, native) in any_call(), wanted in any_object(KEYS)) {
        let native = Value::Object(native);
        let event = call(&tool, &native);
        let rendered = DROID.render(&event, &rewrite(Verdict::NoOpinion, Value::Object(wanted.clone())));
        let ran = match read("PreToolUse", &rendered) {
            DroidEffect::Rewritten(over) => merged(&native, over),
            DroidEffect::Nothing => native,
            DroidEffect::Refused(_) => return Ok(()),
            other => panic!("{other:?}"),
        };
        // A hook would see the call that runs as it was rewritten.
        let seen = call(&tool, &ran);
        for (key, value) in &wanted {
            let native_key = DROID.tools.tools.iter().any(|row| {
                row.canonical == seen.call().unwrap().name && row.keys.iter().any(|own| own.0 == key)
            });
            // A null is no value under any name.
            if !native_key && !value.is_null() {
                prop_assert_eq!(seen.call().unwrap().input.get(key), Some(value), "{}", key);
            }
        }
    }

    /// The agent continues at `Stop` only if a hook requests it.
    #[test]
    fn a_stop_is_prolonged_only_on_request(decision in any_decision(KEYS)) {
        let on = decision.keep_going.as_ref().is_some_and(|text| !text.trim().is_empty());
        let meant = decision.verdict != Verdict::Halt && (on || decision.verdict == Verdict::Deny);
        let goes_on = matches!(effect("Stop", &decision), DroidEffect::GoesOn(_));
        prop_assert_eq!(goes_on, meant);
    }
}
