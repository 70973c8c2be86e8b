//! Property tests over payloads and decisions; ordinary cases are in `fixtures/goose/`.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::GOOSE;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_payload, any_verdict, verdict};

const KEYS: &[&str] = &[
    "event",
    "session_id",
    "matcher_context",
    "tool_name",
    "tool_input",
    "tool_call_id",
    "working_dir",
    "message",
    "last_assistant_message",
    "path",
    "command",
    "shell",
];

const NAMES: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "AfterFileEdit",
    "Stop",
    "SubagentStop",
    "MoonPhase",
];

fn named(name: &str) -> Event {
    let payload = json!({
        "event": name, "matcher_context": null, "tool_name": "shell",
        "tool_input": { "command": "rm -rf build" }, "message": "hi",
    });
    GOOSE
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

/// A plugin entry's setting for failing hooks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum GooseOnFailure {
    Allow,
    Block,
}

/// Goose's interpretation of a reply at the two events where it reads one: the reason of a denial.
fn denied(rendered: &Rendered, on_failure: GooseOnFailure) -> Option<String> {
    let non_empty = |text: &str| match text.trim() {
        "" => "denied by plugin hook".to_owned(),
        text => text.to_owned(),
    };
    if rendered.exit == 2 {
        return Some(non_empty(&rendered.stderr));
    }
    let text = rendered.stdout.trim();
    let reply: Option<Value> = serde_json::from_str(text).ok();
    let word = reply.as_ref().and_then(|r| r["decision"].as_str());
    match word {
        Some("block") => Some(non_empty(reply?["reason"].as_str().unwrap_or(""))),
        _ if on_failure == GooseOnFailure::Allow => None,
        Some("allow") if rendered.exit == 0 => None,
        None if text.is_empty() && rendered.exit == 0 => None,
        _ => Some("the hook failed".into()),
    }
}

fn listens(name: &str) -> bool {
    matches!(name, "PreToolUse" | "Stop")
}

#[test]
fn no_opinion_renders_nothing_even_where_a_failing_hook_blocks() {
    for native in GOOSE.events {
        let rendered = GOOSE.render(&named(native.native), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", native.native);
        assert_eq!(denied(&rendered, GooseOnFailure::Block), None);
    }
}

#[test]
fn no_output_at_events_goose_ignores() {
    for native in GOOSE.events.iter().filter(|native| !listens(native.native)) {
        for own in [Verdict::Allow, Verdict::Ask, Verdict::Deny, Verdict::Halt] {
            let rendered = GOOSE.render(&named(native.native), &verdict(own));
            assert_eq!((&*rendered.stdout, rendered.exit), ("", 0));
            let nothing_lost = own == Verdict::Allow;
            assert_eq!(
                rendered.lost.is_empty(),
                nothing_lost,
                "{} {own}",
                native.native
            );
        }
    }
}

#[test]
fn a_rewrite_is_refused_with_the_input_that_was_wanted() {
    for own in [Verdict::NoOpinion, Verdict::Allow, Verdict::Ask] {
        let decision = Decision {
            updated_input: Some(json!({ "command": "rm -ri build" })),
            ..verdict(own)
        };
        let rendered = GOOSE.render(&named("PreToolUse"), &decision);
        let reason = denied(&rendered, GooseOnFailure::Allow).unwrap();
        assert!(reason.contains("rm -ri build"), "{reason}");
    }
}

#[test]
fn at_rest_an_instruction_keeps_goose_going_and_a_halt_lets_it_stop() {
    let going = |own| Decision {
        keep_going: Some("run the tests".into()),
        reason: Some("not yet".into()),
        ..verdict(own)
    };
    for (own, expected) in [
        (Verdict::NoOpinion, Some("run the tests")),
        (Verdict::Deny, Some("not yet\nrun the tests")),
        (Verdict::Halt, None),
    ] {
        let rendered = GOOSE.render(&named("Stop"), &going(own));
        let reason = denied(&rendered, GooseOnFailure::Allow);
        assert_eq!(reason.as_deref(), expected, "{own}");
    }
    let asked = GOOSE.render(&named("Stop"), &verdict(Verdict::Ask));
    assert_eq!(denied(&asked, GooseOnFailure::Block), None);
}

#[test]
fn what_fires_beside_a_tool_event_is_no_tool_event() {
    for (name, kind) in [
        (
            "BeforeShellExecution",
            EventKind::Other("BeforeShellExecution".into()),
        ),
        (
            "AfterShellExecution",
            EventKind::Other("AfterShellExecution".into()),
        ),
        ("BeforeReadFile", EventKind::Other("BeforeReadFile".into())),
        (
            "PreToolUseResult",
            EventKind::Other("PreToolUseResult".into()),
        ),
        ("AfterFileEdit", EventKind::FileModified),
    ] {
        let event = named(name);
        assert_eq!(event.kind(), kind);
        assert_eq!(event.call(), None);
    }
}

#[test]
fn goose_is_recognised_by_its_payload() {
    let recognised = |payload: Value| {
        GOOSE.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|_| false,
        })
    };
    let own = json!({ "event": "Stop", "session_id": "1", "matcher_context": null });
    assert_eq!(recognised(own), Recognition::Payload);
    let crush = json!({ "event": "PreToolUse", "session_id": "1", "cwd": "/" });
    assert_eq!(recognised(crush), Recognition::No);
}

proptest! {
    /// Any JSON object gives an event that keeps it whole, or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload("event", NAMES.to_vec(), KEYS)) {
        match GOOSE.parse(None, payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Ask, deny and a rewrite before a tool always stop it; nothing else does, whatever the setting for failing
    /// hooks.
    #[test]
    fn verdict_before_a_tool_is_applied(decision in any_decision(KEYS)) {
        let rendered = GOOSE.render(&named("PreToolUse"), &decision);
        let wanted = decision.verdict >= Verdict::Ask || decision.updated_input.is_some();
        for on_failure in [GooseOnFailure::Allow, GooseOnFailure::Block] {
            prop_assert_eq!(denied(&rendered, on_failure).is_some(), wanted);
        }
    }

    /// Any decision on any event gives a reply with values that Goose knows.
    #[test]
    fn every_reply_is_silence_or_a_block(payload in any_payload("event", NAMES.to_vec(), KEYS), decision in any_decision(KEYS)) {
        if let Ok(event) = GOOSE.parse(None, payload) {
            let rendered = GOOSE.render(&event, &decision);
            let silent = rendered.stdout.is_empty();
            prop_assert!(silent || denied(&rendered, GooseOnFailure::Allow).is_some());
            prop_assert_eq!(rendered.exit, 0);
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_never_becomes_permission(verdict in any_verdict()) {
        for kind in [Some(EventKind::PreToolUse), None] {
            let rendered = GOOSE.render_unparsed(kind.as_ref(), verdict, "no");
            let stern = verdict > Verdict::Allow;
            prop_assert_eq!(denied(&rendered, GooseOnFailure::Allow).is_some(), stern);
        }
    }
}
