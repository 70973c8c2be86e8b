//! Property tests over payloads and decisions; ordinary cases are in `fixtures/codex/`.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::reading::{CodexEffect, read};
use super::{CODEX, notify};
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_object, any_verdict};
use crate::protocol::strategies::{KEYS, any_name, any_payload};

fn event(payload: &Value) -> Event {
    CODEX
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "tool_name": "Bash",
        "tool_input": { "command": "rm -rf build" }, "prompt": "hi",
    }))
}

fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

fn effect(name: &str, decision: &Decision) -> CodexEffect {
    read(name, &CODEX.render(&named(name), decision))
}

#[test]
fn no_opinion_renders_nothing_at_every_event() {
    for row in CODEX.events {
        let rendered = CODEX.render(&named(row.native), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", row.native);
    }
}

#[test]
fn ask_is_denied_where_codex_ignores_it_and_empty_where_codex_asks_itself() {
    for (name, refused) in [
        ("PreToolUse", true),
        ("UserPromptSubmit", true),
        ("PermissionRequest", false),
        ("PostToolUse", false),
    ] {
        let rendered = CODEX.render(&named(name), &verdict(Verdict::Ask));
        let blocked = matches!(read(name, &rendered), CodexEffect::Blocked(_));
        assert_eq!(blocked, refused, "{name}");
        assert!(!rendered.lost.is_empty(), "{name}");
    }
}

#[test]
fn allow_is_rendered_only_where_codex_asks() {
    let allow = verdict(Verdict::Allow);
    assert_eq!(effect("PermissionRequest", &allow), CodexEffect::Approved);
    assert_eq!(effect("PreToolUse", &allow), CodexEffect::Nothing);
    assert_eq!(CODEX.render(&named("PreToolUse"), &allow).lost.len(), 1);
}

#[test]
fn a_halt_ends_the_turn_where_it_can_and_refuses_the_call_where_it_cannot() {
    let halt = verdict(Verdict::Halt);
    for name in [
        "SessionStart",
        "PreCompact",
        "PostCompact",
        "Stop",
        "SubagentStop",
    ] {
        assert_eq!(effect(name, &halt), CodexEffect::Stopped, "{name}");
    }
    for name in [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "UserPromptSubmit",
    ] {
        assert!(
            matches!(effect(name, &halt), CodexEffect::Blocked(_)),
            "{name}"
        );
    }
}

#[test]
fn stop_is_prolonged_only_on_request() {
    let on = Decision {
        keep_going: Some("Run the tests.".into()),
        ..Decision::default()
    };
    for name in ["Stop", "SubagentStop"] {
        let text = "Run the tests.".to_owned();
        assert_eq!(effect(name, &on), CodexEffect::Blocked(text), "{name}");
        let halted = Decision {
            verdict: Verdict::Halt,
            ..on.clone()
        };
        assert_eq!(effect(name, &halted), CodexEffect::Stopped, "{name}");
        assert_eq!(
            effect(name, &verdict(Verdict::Ask)),
            CodexEffect::Nothing,
            "{name}"
        );
    }
}

#[test]
fn commands_are_rewritten_and_unsupported_rewrites_are_denied() {
    for (input, taken) in [
        (json!({ "command": "ls" }), true),
        (json!({ "command": "ls", "description": "list" }), true),
        (json!({ "command": "ls", "timeout": 5 }), false),
        (json!({ "command": ["ls"] }), false),
        (json!({ "timeout": 5 }), false),
        (json!("ls"), false),
    ] {
        let decision = Decision {
            updated_input: Some(input.clone()),
            ..Decision::default()
        };
        let rendered = CODEX.render(&named("PreToolUse"), &decision);
        match read("PreToolUse", &rendered) {
            CodexEffect::Rewritten(rewritten) => {
                assert!(taken, "{input}");
                assert_eq!(rewritten, json!({ "command": "ls" }));
            }
            CodexEffect::Blocked(_) => assert!(!taken && rendered.lost.len() == 1, "{input}"),
            other => panic!("{input}: {other:?}"),
        }
    }
}

#[test]
fn unchanged_rewrite_is_omitted() {
    let decision = Decision {
        updated_input: Some(json!({ "command": "rm -rf build" })),
        ..Decision::default()
    };
    assert_eq!(
        CODEX.render(&named("PreToolUse"), &decision),
        Rendered::default()
    );
}

#[test]
fn unparsable_rewrite_is_denied() {
    let mut deep = json!("x");
    for _ in 0..110 {
        deep = json!([deep]);
    }
    let call = event(&json!({
        "hook_event_name": "PreToolUse", "tool_name": "mcp__a__b", "tool_input": { "x": 1 },
    }));
    let decision = Decision {
        updated_input: Some(json!({ "x": deep })),
        ..Decision::default()
    };
    let rendered = CODEX.render(&call, &decision);
    assert!(
        matches!(read("PreToolUse", &rendered), CodexEffect::Blocked(_)),
        "{rendered:?}"
    );
}

#[test]
fn subagent_prompt_is_rewritten_in_native_keys() {
    let call = event(&json!({
        "hook_event_name": "PreToolUse", "tool_name": "spawn_agent",
        "tool_input": { "message": "do it", "agent_type": "default", "fork": true },
    }));
    let input = &call.call().unwrap().input;
    assert_eq!(
        *input,
        json!({ "prompt": "do it", "subagent_type": "default", "fork": true })
    );
    let mut wanted = input.clone();
    wanted["prompt"] = json!("do it safely");
    let decision = Decision {
        updated_input: Some(wanted),
        ..Decision::default()
    };
    assert_eq!(
        read("PreToolUse", &CODEX.render(&call, &decision)),
        CodexEffect::Rewritten(
            json!({ "message": "do it safely", "agent_type": "default", "fork": true })
        )
    );
}

#[test]
fn context_that_codex_will_put_in_a_file_is_reported() {
    let with = |text: String| {
        let decision = Decision {
            context: Some(text),
            ..Decision::default()
        };
        CODEX.render(&named("SessionStart"), &decision).lost.len()
    };
    assert_eq!(with("é".repeat(5_000)), 0);
    assert_eq!(with("é".repeat(5_001)), 1);
}

#[test]
fn an_unread_payload_is_answered_from_the_name_on_the_command_line() {
    let unread = |kind: Option<EventKind>, verdict| {
        CODEX.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
    };
    let cut = || CodexEffect::Blocked("the payload is truncated".into());
    let is_cut = |effect| match effect {
        CodexEffect::Blocked(why) => why.starts_with("the payload is truncated\n"),
        _ => false,
    };
    for verdict in [Verdict::Ask, Verdict::Deny, Verdict::Halt] {
        let rendered = unread(Some(EventKind::PreToolUse), verdict);
        assert_eq!(read("PreToolUse", &rendered), cut(), "{verdict}");
        let nameless = unread(None, verdict);
        assert!(is_cut(read("PreToolUse", &nameless)), "{verdict}");
    }
    let dialog = unread(Some(EventKind::PermissionRequest), Verdict::Ask);
    assert_eq!(read("PermissionRequest", &dialog), CodexEffect::Nothing);
    for silent in [Verdict::NoOpinion, Verdict::Allow] {
        assert_eq!(
            unread(Some(EventKind::PermissionRequest), silent),
            Rendered::default()
        );
        assert_eq!(unread(None, silent), Rendered::default());
    }
}

#[test]
fn a_notification_is_a_stop_and_another_type_is_carried_whole() {
    let done = r#"{"type":"agent-turn-complete","thread-id":"t","turn-id":"u","cwd":"/w","input-messages":["hi"],"last-assistant-message":"done"}"#;
    let event = notify(done).unwrap();
    let last_message = Some("done".to_owned());
    assert_eq!(
        event.data,
        EventData::Stop {
            active: false,
            last_message
        }
    );
    assert_eq!(event.session.as_str(), "t");
    assert_eq!(event.cwd.as_deref(), Some("/w"));
    assert_eq!(event.raw["turn-id"], "u");

    let other = notify(r#"{"type":"approval-requested","thread-id":"t"}"#).unwrap();
    assert_eq!(other.kind(), EventKind::Other("approval-requested".into()));
}

#[test]
fn a_notification_that_is_none_names_what_is_wrong() {
    for (text, expected) in [
        ("", "the last argument: the payload is empty"),
        (
            "[]",
            "the last argument: the payload is an array, not an object",
        ),
        ("{}", "`type` is missing"),
        (r#"{"type":7}"#, "`type` is a number, not a string"),
        (r#"{"type":""}"#, "`type` is missing"),
    ] {
        assert_eq!(notify(text).unwrap_err().message, expected, "{text}");
    }
}

#[test]
fn a_failed_patch_is_a_failure_and_a_shell_that_prints_the_same_is_not() {
    let post = |tool: &str, response: &str| {
        event(&json!({
            "hook_event_name": "PostToolUse", "tool_name": tool,
            "tool_input": { "command": "x" }, "tool_response": response,
        }))
        .kind()
    };
    assert_eq!(
        post("apply_patch", "Exit code: 1\nOutput:\nno"),
        EventKind::PostToolUseFailure
    );
    assert_eq!(
        post("apply_patch", "Exit code: 0\nOutput:\nok"),
        EventKind::PostToolUse
    );
    assert_eq!(post("Bash", "Exit code: 1\n"), EventKind::PostToolUse);
}

#[test]
fn codex_is_known_by_its_payload_and_unsaved_sessions_by_the_launcher() {
    let recognised = |payload: Value, launched: bool| {
        let payload = payload.as_object().unwrap();
        let has_env = |name: &str| launched && name == "CODEX_MANAGED_BY_NPM";
        CODEX.recognises(&SenderClues {
            payload,
            has_env: &has_env,
        })
    };
    let rollout = "/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T19-26-34-01a1.jsonl";
    for (payload, launched, expected) in [
        (
            json!({ "hook_event_name": "Stop", "turn_id": "t", "model": "m" }),
            false,
            Recognition::Payload,
        ),
        (
            json!({ "hook_event_name": "SessionEnd", "transcript_path": rollout }),
            false,
            Recognition::Payload,
        ),
        (
            json!({ "type": "agent-turn-complete", "thread-id": "t" }),
            false,
            Recognition::Payload,
        ),
        (
            json!({ "hook_event_name": "SessionEnd", "transcript_path": null }),
            true,
            Recognition::Environment,
        ),
        (
            json!({ "hook_event_name": "SessionEnd", "transcript_path": null }),
            false,
            Recognition::No,
        ),
        (
            json!({ "hook_event_name": "Stop", "transcript_path": "/x/1.jsonl" }),
            true,
            Recognition::No,
        ),
    ] {
        assert_eq!(recognised(payload.clone(), launched), expected, "{payload}");
    }
}

proptest! {
    /// Any JSON object gives an event or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload(&CODEX), hint in option::of(any_name(&CODEX))) {
        match CODEX.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Any text as the last argument gives an event or an error.
    #[test]
    fn notify_never_panics(text in ".{0,40}") {
        prop_assert!(notify(&text).is_err());
    }

    /// Codex accepts the reply to any decision on any event.
    #[test]
    fn every_reply_is_one_that_codex_accepts(payload in any_payload(&CODEX), decision in any_decision(KEYS)) {
        if let Ok(event) = CODEX.parse(None, payload) {
            let rendered = CODEX.render(&event, &decision);
            let effect = read(&event.native_name, &rendered);
            prop_assert!(!matches!(effect, CodexEffect::Failed(_)), "{:?} {:?}", effect, rendered);
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_has_an_acceptable_answer_too(name in option::of(any_name(&CODEX)), verdict in any_verdict()) {
        let kind = name.as_deref().map(EventKind::parse);
        let rendered = CODEX.render_unparsed(kind.as_ref(), verdict, "no");
        let effect = read(kind.as_ref().map_or("", EventKind::name), &rendered);
        prop_assert!(!matches!(effect, CodexEffect::Failed(_)), "{:?} {:?}", effect, rendered);
    }

    /// A denial before an action always prevents it.
    #[test]
    fn a_refusal_is_never_taken_for_permission(mut decision in any_decision(KEYS), halt in any::<bool>()) {
        decision.verdict = if halt { Verdict::Halt } else { Verdict::Deny };
        for name in ["PreToolUse", "PermissionRequest", "UserPromptSubmit"] {
            let effect = effect(name, &decision);
            prop_assert!(matches!(effect, CodexEffect::Blocked(_)), "{} {:?}", name, effect);
        }
    }

    /// Ask before a tool never lets it run, and only an allow approves.
    #[test]
    fn nothing_but_an_allow_approves(decision in any_decision(KEYS)) {
        let approved = effect("PermissionRequest", &decision) == CodexEffect::Approved;
        prop_assert!(!approved || decision.verdict == Verdict::Allow);
        let before = effect("PreToolUse", &decision);
        if decision.verdict >= Verdict::Ask {
            prop_assert!(matches!(before, CodexEffect::Blocked(_)), "{:?}", before);
        }
    }

    /// A rewrite is applied exactly, or the call is denied.
    #[test]
    fn a_rewrite_of_any_tool_arrives_or_refuses(native in any_object(KEYS), wanted in any_object(KEYS)) {
        let call = event(&json!({
            "hook_event_name": "PreToolUse", "tool_name": "mcp__a__b", "tool_input": native,
        }));
        let decision = Decision { updated_input: Some(Value::Object(wanted.clone())), ..Decision::default() };
        let effect = read("PreToolUse", &CODEX.render(&call, &decision));
        let expected = if native == wanted {
            CodexEffect::Nothing
        } else {
            CodexEffect::Rewritten(Value::Object(wanted))
        };
        prop_assert_eq!(effect, expected);
    }
}
