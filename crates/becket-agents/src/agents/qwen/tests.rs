//! Property tests over payloads and decisions; ordinary cases are in `fixtures/qwen/`.
//!
//! [`read`] is Qwen's interpretation of a reply: which text it reads, how it treats text that is not JSON, and
//! which keys decide at which event.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::QWEN;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_object};
use crate::protocol::strategies::{KEYS, any_name, any_payload};

/// The effect on the action.
#[derive(Debug, PartialEq)]
enum QwenEffect {
    /// Qwen's own rules decide; they ran before `PreToolUse`.
    Nothing,
    /// Denied; after a tool, sent to the model instead of the result.
    Refused(String),
    Asked,
    Approved(Option<Value>),
    /// At `Stop`: another turn, with this as the prompt.
    GoesOn(String),
}

/// Qwen's limit for a hook's output.
const KEPT: usize = 1024 * 1024;

/// The object that Qwen derives from a hook's output.
fn output(rendered: &Rendered) -> Option<Value> {
    let cut = |text: &str| {
        let kept = &text.as_bytes()[..text.len().min(KEPT)];
        String::from_utf8_lossy(kept).trim().to_owned()
    };
    let (stdout, stderr) = (cut(&rendered.stdout), cut(&rendered.stderr));
    let text = match rendered.exit {
        2 => stderr,
        _ if stdout.is_empty() => stderr,
        _ => stdout,
    };
    let parsed = match serde_json::from_str(&text) {
        Ok(Value::String(inner)) => serde_json::from_str(&inner),
        other => other,
    };
    match parsed {
        _ if text.is_empty() => None,
        Ok(value) => Some(value).filter(Value::is_object),
        Err(_) if rendered.exit == 2 => Some(json!({ "decision": "deny", "reason": text })),
        Err(_) => Some(json!({ "decision": "allow", "systemMessage": text })),
    }
}

fn read(name: &str, rendered: &Rendered) -> QwenEffect {
    let Some(reply) = output(rendered) else {
        return QwenEffect::Nothing;
    };
    let text = |key: &str| reply[key].as_str().filter(|text| !text.is_empty());
    let reason = || {
        text("stopReason")
            .or(text("reason"))
            .unwrap_or("No reason provided")
    };
    let blocks = matches!(reply["decision"].as_str(), Some("block" | "deny"));
    let stops = reply["continue"] == json!(false);
    match name {
        "PreToolUse" => read_call(&reply, stops, reason()),
        "PermissionRequest" => read_request(&reply),
        "Stop" | "SubagentStop" if blocks || stops => QwenEffect::GoesOn(reason().into()),
        "UserPromptSubmit" | "UserPromptExpansion" | "PostToolBatch" if blocks || stops => {
            QwenEffect::Refused(reason().into())
        }
        "PostToolUse" if stops => QwenEffect::Refused(reason().into()),
        "TodoCreated" | "TodoCompleted" if reply["decision"] == json!("block") => {
            QwenEffect::Refused(reason().into())
        }
        _ => QwenEffect::Nothing,
    }
}

fn read_call(reply: &Value, stops: bool, reason: &str) -> QwenEffect {
    let specific = &reply["hookSpecificOutput"];
    let said = specific["permissionDecision"]
        .as_str()
        .or(reply["decision"].as_str());
    let why = specific["permissionDecisionReason"]
        .as_str()
        .unwrap_or(reason);
    match said {
        Some("deny" | "block") => QwenEffect::Refused(why.into()),
        Some("ask") => QwenEffect::Asked,
        _ if stops => QwenEffect::Refused(reason.into()),
        _ => QwenEffect::Nothing,
    }
}

fn read_request(reply: &Value) -> QwenEffect {
    let decision = &reply["hookSpecificOutput"]["decision"];
    match decision["behavior"].as_str() {
        _ if !decision.is_object() => QwenEffect::Nothing,
        Some("allow") => QwenEffect::Approved(decision.get("updatedInput").cloned()),
        _ => QwenEffect::Refused(decision["message"].as_str().unwrap_or_default().into()),
    }
}

fn event(payload: &Value) -> Event {
    QWEN.parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "tool_name": "run_shell_command",
        "tool_input": { "command": "rm -rf build", "is_background": false }, "prompt": "hi",
    }))
}

fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

fn effect(name: &str, decision: &Decision) -> QwenEffect {
    read(name, &QWEN.render(&named(name), decision))
}

#[test]
fn no_opinion_renders_nothing_at_every_event() {
    for row in QWEN.events {
        let rendered = QWEN.render(&named(row.native), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", row.native);
    }
}

#[test]
fn a_question_is_put_before_a_tool_and_is_a_refusal_elsewhere() {
    let ask = verdict(Verdict::Ask);
    assert_eq!(effect("PreToolUse", &ask), QwenEffect::Asked);
    assert_eq!(effect("PermissionRequest", &ask), QwenEffect::Nothing);
    for name in [
        "UserPromptSubmit",
        "UserPromptExpansion",
        "TodoCreated",
        "TodoCompleted",
    ] {
        assert!(
            matches!(effect(name, &ask), QwenEffect::Refused(_)),
            "{name}"
        );
    }
    assert_eq!(effect("Stop", &ask), QwenEffect::Nothing);
}

#[test]
fn allow_before_a_tool_is_omitted_because_it_would_override_other_hooks() {
    let rendered = QWEN.render(&named("PreToolUse"), &verdict(Verdict::Allow));
    assert_eq!(rendered.stdout, "");
    assert_eq!(rendered.lost.len(), 1);
    let asked = effect("PermissionRequest", &verdict(Verdict::Allow));
    assert_eq!(asked, QwenEffect::Approved(None));
}

#[test]
fn a_halt_at_stop_does_not_make_the_agent_go_on() {
    for name in ["Stop", "SubagentStop"] {
        let halt = Decision {
            keep_going: Some("Run the tests.".into()),
            reason: Some("out of budget".into()),
            ..verdict(Verdict::Halt)
        };
        assert_eq!(effect(name, &halt), QwenEffect::Nothing, "{name}");
        let on = Decision {
            verdict: Verdict::NoOpinion,
            ..halt
        };
        assert_eq!(
            effect(name, &on),
            QwenEffect::GoesOn("Run the tests.".into()),
            "{name}"
        );
    }
}

#[test]
fn a_refusal_after_a_tool_reaches_the_model_with_its_context() {
    let deny = Decision {
        reason: Some("leaks a key".into()),
        context: Some("see SECURITY.md".into()),
        ..verdict(Verdict::Deny)
    };
    let told = QwenEffect::Refused("leaks a key\nsee SECURITY.md".into());
    assert_eq!(effect("PostToolUse", &deny), told);
}

#[test]
fn a_rewrite_is_made_where_qwen_asks_and_is_a_refusal_before_the_tool() {
    let rewrite = |verdict| Decision {
        verdict,
        updated_input: Some(json!({ "command": "ls" })),
        ..Decision::default()
    };
    let whole = json!({ "command": "ls", "is_background": false });
    let allowed = effect("PermissionRequest", &rewrite(Verdict::Allow));
    assert_eq!(allowed, QwenEffect::Approved(Some(whole)));
    for (name, own) in [
        ("PermissionRequest", Verdict::NoOpinion),
        ("PermissionRequest", Verdict::Ask),
        ("PreToolUse", Verdict::NoOpinion),
        ("PreToolUse", Verdict::Allow),
        ("PreToolUse", Verdict::Ask),
    ] {
        match effect(name, &rewrite(own)) {
            QwenEffect::Refused(why) => {
                assert!(why.contains(r#""command":"ls""#), "{name} {own}: {why}");
            }
            other => panic!("{name} {own}: {other:?}"),
        }
    }
}

#[test]
fn a_written_todo_can_no_more_be_refused_and_is_not_counted_twice() {
    let todo = |phase: &str| {
        event(
            &json!({ "hook_event_name": "TodoCreated", "todo_id": "1", "todo_content": "x", "phase": phase }),
        )
    };
    let deny = verdict(Verdict::Deny);
    let planned = todo("validation");
    assert_eq!(planned.kind(), EventKind::TaskCreated);
    assert!(matches!(
        read("TodoCreated", &QWEN.render(&planned, &deny)),
        QwenEffect::Refused(_)
    ));
    let written = todo("postWrite");
    assert_eq!(written.kind(), EventKind::Other("TodoCreated".into()));
    let rendered = QWEN.render(&written, &deny);
    assert_eq!(read("TodoCreated", &rendered), QwenEffect::Nothing);
    assert!(!rendered.lost.is_empty());
}

#[test]
fn a_continuation_is_no_prompt_of_a_person() {
    let submit = |prompt: &str| {
        event(&json!({ "hook_event_name": "UserPromptSubmit", "prompt": prompt })).kind()
    };
    assert_eq!(submit("hi"), EventKind::UserPromptSubmit);
    assert_eq!(
        submit(""),
        EventKind::Other("UserPromptContinuation".into())
    );
}

#[test]
fn only_the_last_chunk_of_a_message_is_the_answer() {
    let shown = |last: bool| {
        event(&json!({ "hook_event_name": "MessageDisplay", "displayed_text": "Done.", "is_final": last })).data
    };
    assert_eq!(
        shown(true),
        EventData::AgentResponse {
            text: "Done.".into()
        }
    );
    assert_eq!(
        shown(false).kind(),
        EventKind::Other("MessageDisplay".into())
    );
}

#[test]
fn a_monitor_is_guarded_as_the_shell_command_that_it_runs() {
    let call = event(&json!({
        "hook_event_name": "PreToolUse", "tool_name": "monitor", "tool_input": { "command": "tail -f x" },
    }));
    let call = call.call().unwrap();
    assert_eq!(
        (call.name.as_str(), call.command()),
        ("Bash", Some("tail -f x"))
    );
}

#[test]
fn a_reason_that_is_json_still_refuses_when_the_event_is_not_known() {
    for reason in ["42", "null", "{\"continue\":true}", "[]", "\"{}\"", "plain"] {
        let rendered = QWEN.render_unparsed(None, Verdict::Deny, reason);
        let reply = output(&rendered).unwrap();
        assert_eq!(reply["decision"], json!("deny"), "{reason}");
    }
}

#[test]
fn qwen_is_known_by_its_ids_and_by_the_environment() {
    let recognised = |payload: &Value, inside: bool| {
        let payload = payload.as_object().unwrap();
        let has_env = |name: &str| inside && name == "QWEN_CODE_SESSION_ID";
        QWEN.recognises(&SenderClues {
            payload,
            has_env: &has_env,
        })
    };
    let start =
        json!({ "hook_event_name": "SessionStart", "timestamp": "t", "permission_mode": "yolo" });
    let claudes = json!({ "hook_event_name": "SessionStart", "source": "startup" });
    for (payload, inside, expected) in [
        (
            json!({ "hook_event_name": "Stop", "prompt_id": "f87f########0" }),
            false,
            Recognition::Payload,
        ),
        (
            json!({ "hook_event_name": "PreToolUse", "tool_use_id": "toolu_1_x", "tool_call_id": "call_1" }),
            false,
            Recognition::Payload,
        ),
        (start.clone(), true, Recognition::Environment),
        (start, false, Recognition::No),
        (claudes, true, Recognition::No),
    ] {
        assert_eq!(recognised(&payload, inside), expected, "{payload}");
    }
}

/// A decision with texts of maximum length.
fn flood(verdict: Verdict) -> Decision {
    let text = || Some("\u{1}".repeat(2_000_000));
    Decision {
        verdict,
        reason: text(),
        context: text(),
        system_message: text(),
        keep_going: text(),
        updated_input: Some(json!({ "command": "\u{1}".repeat(2_000_000) })),
        ..Decision::default()
    }
}

#[test]
fn no_reply_is_so_long_that_it_is_cut_off() {
    for row in QWEN.events {
        for own in [
            Verdict::NoOpinion,
            Verdict::Allow,
            Verdict::Ask,
            Verdict::Deny,
            Verdict::Halt,
        ] {
            let rendered = QWEN.render(&named(row.native), &flood(own));
            assert!(rendered.stdout.len() < KEPT, "{} {own}", row.native);
            assert!(rendered.stderr.len() < KEPT, "{} {own}", row.native);
        }
    }
    for name in ["PreToolUse", "PermissionRequest", "UserPromptSubmit"] {
        let effect = effect(name, &flood(Verdict::Deny));
        assert!(matches!(effect, QwenEffect::Refused(_)), "{name}");
    }
}

proptest! {
    /// Any JSON object gives an event or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload(&QWEN), hint in option::of(any_name(&QWEN))) {
        match QWEN.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Any decision on any event gives one object on one line, or an exit code and text.
    #[test]
    fn every_reply_is_one_that_qwen_reads(payload in any_payload(&QWEN), decision in any_decision(KEYS)) {
        if let Ok(event) = QWEN.parse(None, payload) {
            let rendered = QWEN.render(&event, &decision);
            match rendered.exit {
                0 => prop_assert!(rendered.stderr.is_empty()),
                2 => prop_assert!(rendered.stdout.is_empty() && !rendered.stderr.trim().is_empty()),
                code => prop_assert!(false, "exit {}", code),
            }
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
        for name in ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion", "TodoCreated"] {
            let effect = effect(name, &decision);
            prop_assert!(matches!(effect, QwenEffect::Refused(_)), "{} {:?}", name, effect);
        }
    }

    /// An unknown event is denied by exit code 2, which Qwen supports at every event.
    #[test]
    fn an_unknown_event_is_refused_by_exit_code_2(mut decision in any_decision(KEYS)) {
        decision.verdict = Verdict::Deny;
        let rendered = QWEN.render(&named("FutureEvent"), &decision);
        prop_assert_eq!(output(&rendered).unwrap()["decision"].clone(), json!("deny"));
    }

    /// Only an allow approves, and it approves exactly the rewrite.
    #[test]
    fn nothing_but_an_allow_approves(decision in any_decision(KEYS), wanted in any_object(KEYS)) {
        if let QwenEffect::Approved(_) = effect("PermissionRequest", &decision) {
            prop_assert_eq!(decision.verdict, Verdict::Allow);
        }
        let native = json!({ "a": 1 });
        let request = event(&json!({
            "hook_event_name": "PermissionRequest", "tool_name": "mcp__a__b", "tool_input": native,
        }));
        let wanted = Value::Object(wanted);
        let allow = Decision { updated_input: Some(wanted.clone()), ..verdict(Verdict::Allow) };
        let approved = read("PermissionRequest", &QWEN.render(&request, &allow));
        prop_assert_eq!(approved, QwenEffect::Approved(Some(wanted).filter(|input| *input != native)));
    }

    /// The agent continues at `Stop` only if a hook requests it.
    #[test]
    fn a_stop_is_prolonged_only_on_request(decision in any_decision(KEYS)) {
        let on = decision.keep_going.as_ref().is_some_and(|text| !text.trim().is_empty());
        let meant = decision.verdict != Verdict::Halt && (on || decision.verdict == Verdict::Deny);
        let goes_on = matches!(effect("Stop", &decision), QwenEffect::GoesOn(_));
        prop_assert_eq!(goes_on, meant);
    }
}
