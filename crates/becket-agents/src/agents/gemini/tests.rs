//! Property tests over payloads and decisions; ordinary cases are in `fixtures/gemini/`.
//!
//! [`GeminiReading`] is a model of how client 0.61.0 interprets a hook's output, so that the tests check the
//! effect and not the text.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::GEMINI;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{self, verdict};

/// The client's interpretation of stdout, stderr and the exit code.
#[derive(Debug, Default)]
struct GeminiReading {
    output: Option<Map<String, Value>>,
}

impl GeminiReading {
    fn of(rendered: &Rendered) -> Self {
        let text = match rendered.stdout.trim() {
            "" => rendered.stderr.trim(),
            text => text,
        };
        let plain = |deny: bool| {
            let output = if deny {
                json!({ "decision": "deny", "reason": text })
            } else {
                json!({ "decision": "allow", "systemMessage": text })
            };
            output.as_object().cloned()
        };
        let output = match serde_json::from_str::<Value>(text) {
            _ if text.is_empty() => None,
            Ok(Value::Object(output)) => Some(output),
            Ok(_) => None,
            Err(_) => plain(rendered.exit >= 2),
        };
        Self { output }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.output.as_ref()?.get(key)
    }

    /// The fate of a tool call.
    fn before_tool(&self, input: &Value) -> GeminiOutcome {
        let decision = self.get("decision").and_then(Value::as_str);
        let rewritten = self
            .get("hookSpecificOutput")
            .and_then(|specific| specific.get("tool_input"))
            .filter(|input| input.is_object());
        if self.get("continue") == Some(&json!(false)) {
            GeminiOutcome::TurnEnds
        } else if matches!(decision, Some("deny" | "block")) {
            GeminiOutcome::Refused
        } else if decision == Some("ask") {
            GeminiOutcome::Asked(rewritten.unwrap_or(input).clone())
        } else {
            GeminiOutcome::Runs(rewritten.unwrap_or(input).clone())
        }
    }
}

#[derive(Debug, PartialEq)]
enum GeminiOutcome {
    Runs(Value),
    Asked(Value),
    Refused,
    TurnEnds,
}

fn event(payload: &Value) -> Event {
    let payload = payload.as_object().unwrap().clone();
    GEMINI.parse(None, payload).unwrap()
}

fn input() -> Value {
    json!({ "command": "rm -rf build", "dir_path": "/srv" })
}

fn shell() -> Event {
    event(&json!({
        "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": input(),
    }))
}

fn named(name: &str) -> Event {
    event(
        &json!({ "hook_event_name": name, "tool_name": "glob", "tool_input": {}, "prompt": "hi" }),
    )
}

fn printed(rendered: &Rendered) -> Value {
    serde_json::from_str(&rendered.stdout).unwrap_or_else(|e| panic!("{}: {e}", rendered.stdout))
}

#[test]
fn an_empty_reply_is_never_printed_where_it_would_change_the_tools() {
    for decision in [
        verdict(Verdict::Allow),
        Decision {
            context: Some("x".into()),
            system_message: Some("y".into()),
            keep_going: Some("z".into()),
            ..Decision::default()
        },
    ] {
        let rendered = GEMINI.render(&named("BeforeToolSelection"), &decision);
        assert_eq!(rendered.stdout, "");
    }
    let rendered = GEMINI.render(&named("BeforeToolSelection"), &verdict(Verdict::Deny));
    assert_eq!(
        printed(&rendered)["hookSpecificOutput"]["toolConfig"],
        json!({ "mode": "NONE" })
    );
}

#[test]
fn a_rewrite_keeps_the_directory_that_a_hook_does_not_know_of() {
    let decision = Decision {
        updated_input: Some(json!({ "command": "ls" })),
        ..Decision::default()
    };
    let reading = GeminiReading::of(&GEMINI.render(&shell(), &decision));
    assert_eq!(
        reading.before_tool(&input()),
        GeminiOutcome::Runs(json!({ "command": "ls", "dir_path": "/srv" }))
    );
}

#[test]
fn ask_shows_the_reason_to_the_user() {
    let decision = Decision {
        reason: Some("looks unusual".into()),
        ..verdict(Verdict::Ask)
    };
    let reply = printed(&GEMINI.render(&shell(), &decision));
    assert_eq!(reply["systemMessage"], json!("looks unusual"));
}

#[test]
fn halt_at_stop_lets_the_agent_stop() {
    let reply = printed(&GEMINI.render(&named("AfterAgent"), &verdict(Verdict::Halt)));
    assert_eq!(reply["continue"], json!(false));
    assert_eq!(reply.get("decision"), None);
}

#[test]
fn context_is_lost_after_a_clear_and_only_there() {
    let start = |source: &str| {
        let start = event(&json!({ "hook_event_name": "SessionStart", "source": source }));
        let decision = Decision {
            context: Some("x".into()),
            ..Decision::default()
        };
        GEMINI.render(&start, &decision)
    };
    assert!(start("startup").lost.is_empty());
    assert_eq!(start("clear").stdout, "");
    assert_eq!(start("clear").lost.len(), 1);
}

#[test]
fn an_unread_payload_is_answered_from_the_name_on_the_command_line() {
    let unread = |kind: Option<EventKind>, verdict| {
        GEMINI.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
    };
    let asked = unread(Some(EventKind::PreToolUse), Verdict::Ask);
    assert_eq!(printed(&asked)["decision"], json!("ask"));
    let nameless = unread(None, Verdict::Ask);
    assert_eq!(printed(&nameless)["decision"], json!("deny"));
    assert!(!nameless.lost.is_empty());
}

#[test]
fn stderr_without_a_verdict_denies_nothing() {
    let kinds = GEMINI
        .events
        .iter()
        .map(|row| Some(EventKind::parse(row.native)));
    for kind in kinds.chain([None]) {
        let mut rendered = GEMINI.render_unparsed(kind.as_ref(), Verdict::NoOpinion, "no");
        rendered.stderr = "becket: the payload is truncated\n".into();
        assert!(GeminiReading::of(&rendered).output.is_none(), "{kind:?}");
        assert!(!rendered.stdout.is_empty(), "{kind:?}");
    }
}

#[test]
fn gemini_is_recognised_by_its_own_names_and_else_by_its_environment() {
    let recognise = |payload: &Value, env: bool| {
        GEMINI.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|name| env && name == "GEMINI_SESSION_ID",
        })
    };
    let tool = json!({ "hook_event_name": "BeforeTool" });
    let start = json!({ "hook_event_name": "SessionStart", "timestamp": "2026-11-15T19:26:49Z" });
    let inner = json!({ "hook_event_name": "SessionStart", "session_id": "x" });
    assert_eq!(recognise(&tool, false), Recognition::Payload);
    assert_eq!(recognise(&start, true), Recognition::Environment);
    assert_eq!(recognise(&start, false), Recognition::No);
    assert_eq!(recognise(&inner, true), Recognition::No);
}

const KEYS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "transcript_path",
    "cwd",
    "tool_name",
    "tool_input",
    "tool_response",
    "mcp_context",
    "server_name",
    "prompt",
    "prompt_response",
    "source",
    "error",
    "message",
];

fn any_name() -> impl Strategy<Value = String> {
    arbitrary::any_name(GEMINI.events.iter().map(|row| row.native).collect())
}

fn any_payload() -> impl Strategy<Value = Map<String, Value>> {
    (arbitrary::any_object(KEYS), option::of(any_name())).prop_map(|(mut payload, name)| {
        if let Some(name) = name {
            payload.insert("hook_event_name".into(), name.into());
        }
        payload
    })
}

proptest! {
    /// Any decision on any event gives one line of JSON or nothing, exit code 0 and an empty stderr.
    #[test]
    fn every_reply_is_json_with_exit_code_0(payload in any_payload(), decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        if let Ok(event) = GEMINI.parse(None, payload) {
            let rendered = GEMINI.render(&event, &decision);
            prop_assert_eq!((rendered.exit, &*rendered.stderr), (0, ""));
            prop_assert!(rendered.stdout.is_empty() || printed(&rendered).is_object());
            prop_assert!(rendered.stdout.lines().count() <= 1);
        }
    }

    /// A call never gets more than the decision permits.
    #[test]
    fn no_verdict_is_lost_before_a_tool(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let outcome = GeminiReading::of(&GEMINI.render(&shell(), &decision)).before_tool(&input());
        let fits = decision.updated_input.as_ref().is_none_or(Value::is_object);
        match (decision.verdict, outcome) {
            (Verdict::Halt, outcome) => prop_assert_eq!(outcome, GeminiOutcome::TurnEnds),
            (Verdict::Deny, outcome) => prop_assert_eq!(outcome, GeminiOutcome::Refused),
            (_, outcome) if !fits => prop_assert_eq!(outcome, GeminiOutcome::Refused),
            (Verdict::Ask, GeminiOutcome::Asked(ran)) | (Verdict::Allow | Verdict::NoOpinion, GeminiOutcome::Runs(ran)) => {
                let command = match &decision.updated_input {
                    Some(new) => new.get("command").filter(|c| !c.is_null()).cloned(),
                    None => Some(json!("rm -rf build")),
                };
                prop_assert_eq!(ran.get("command").cloned(), command);
            }
            (verdict, outcome) => prop_assert!(false, "{verdict}: {outcome:?}"),
        }
    }

    /// Deny and ask both block a prompt.
    #[test]
    fn a_refused_prompt_never_reaches_the_model(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let reading = GeminiReading::of(&GEMINI.render(&named("BeforeAgent"), &decision));
        let refused = reading.get("decision") == Some(&json!("deny"));
        let wanted = decision.verdict >= Verdict::Ask || decision.updated_input.is_some();
        prop_assert_eq!(refused, wanted);
    }

    /// A denial of an unread payload stays one under any event name.
    #[test]
    fn an_unread_refusal_is_a_refusal_where_a_call_is_guarded(verdict in arbitrary::any_verdict()) {
        for kind in [Some(EventKind::PreToolUse), None] {
            let rendered = GEMINI.render_unparsed(kind.as_ref(), verdict, "no");
            let outcome = GeminiReading::of(&rendered).before_tool(&input());
            let runs = matches!(outcome, GeminiOutcome::Runs(_));
            prop_assert_eq!(runs, verdict <= Verdict::Allow);
        }
    }
}
