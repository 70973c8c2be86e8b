//! Property tests over payloads and decisions; ordinary cases are in `fixtures/copilot/`.
//!
//! [`CopilotClient`] is a model of how Copilot 1.0.102 interprets a hook's output, and [`CopilotVsCode`] of VS
//! Code's local agent, so that the tests check the effect and not the text.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::COPILOT;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{self, verdict};
use crate::protocol::EventRow;

#[derive(Debug, PartialEq)]
enum CopilotOutcome {
    Runs(Value),
    Asked(Value),
    Refused,
}

/// The client's interpretation: progress lines are removed, the rest is one JSON document; other text is not a
/// reply; a non-zero exit code denies a tool.
struct CopilotClient {
    output: Value,
    exit: i32,
}

impl CopilotClient {
    fn reads(rendered: &Rendered) -> Self {
        let is_progress = |line: &&str| {
            let line: Option<Value> = serde_json::from_str(line).ok();
            line.is_some_and(|line| line["type"] == "progress")
        };
        let rest: Vec<&str> = rendered
            .stdout
            .lines()
            .filter(|line| !is_progress(line))
            .collect();
        Self {
            output: serde_json::from_str(&rest.join("\n")).unwrap_or(Value::Null),
            exit: rendered.exit,
        }
    }

    fn pre_tool_use(&self, arguments: &Value) -> CopilotOutcome {
        let modified = self.output.get("modifiedArgs").unwrap_or(arguments).clone();
        match self.output["permissionDecision"].as_str() {
            _ if self.exit != 0 => CopilotOutcome::Refused,
            Some("deny") => CopilotOutcome::Refused,
            Some("ask") => CopilotOutcome::Asked(modified),
            _ => CopilotOutcome::Runs(modified),
        }
    }

    fn permits(&self) -> Option<bool> {
        match self.output["behavior"].as_str() {
            _ if self.exit == 2 => Some(false),
            Some("allow") => Some(true),
            Some("deny") => Some(false),
            _ => None,
        }
    }

    fn blocks(&self) -> bool {
        self.output["decision"] == "block"
    }
}

/// VS Code's interpretation: only `hookSpecificOutput` with the right name, and `continue`.
struct CopilotVsCode {
    output: Value,
    exit: i32,
}

impl CopilotVsCode {
    fn reads(rendered: &Rendered) -> Self {
        Self {
            output: serde_json::from_str(&rendered.stdout).unwrap_or(Value::Null),
            exit: rendered.exit,
        }
    }

    fn pre_tool_use(&self, input: &Value) -> CopilotOutcome {
        let specific = &self.output["hookSpecificOutput"];
        let updated = specific.get("updatedInput").unwrap_or(input).clone();
        match specific["permissionDecision"].as_str() {
            _ if self.exit == 2 || self.output["continue"] == json!(false) => {
                CopilotOutcome::Refused
            }
            _ if !specific.is_null() && specific["hookEventName"] != "PreToolUse" => {
                CopilotOutcome::Runs(input.clone())
            }
            Some("deny") => CopilotOutcome::Refused,
            Some("ask") => CopilotOutcome::Asked(updated),
            _ => CopilotOutcome::Runs(updated),
        }
    }
}

fn event(hint: &str, payload: &Value) -> Event {
    let payload = payload.as_object().unwrap().clone();
    COPILOT.parse(Some(hint), payload).unwrap()
}

fn arguments() -> Value {
    json!({ "path": "/srv/a.txt", "file_text": "x", "mode": "sync" })
}

fn own() -> Event {
    event(
        "preToolUse",
        &json!({ "sessionId": "s", "toolName": "create", "toolArgs": arguments() }),
    )
}

fn like_claudes() -> Event {
    event(
        "preToolUse",
        &json!({ "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": arguments() }),
    )
}

fn named(name: &str) -> Event {
    let payload = json!({ "sessionId": "s", "toolName": "bash", "toolArgs": {}, "prompt": "hi" });
    event(name, &payload)
}

fn printed(rendered: &Rendered) -> Value {
    serde_json::from_str(&rendered.stdout).unwrap_or_else(|e| panic!("{}: {e}", rendered.stdout))
}

#[test]
fn a_rewrite_comes_back_in_copilots_own_keys() {
    let decision = Decision {
        updated_input: Some(json!({ "file_path": "/tmp/a.txt", "content": "y" })),
        ..Decision::default()
    };
    let expected = json!({ "path": "/tmp/a.txt", "file_text": "y", "mode": "sync" });
    for event in [own(), like_claudes()] {
        let rendered = COPILOT.render(&event, &decision);
        assert_eq!(
            CopilotClient::reads(&rendered).pre_tool_use(&arguments()),
            CopilotOutcome::Runs(expected.clone())
        );
    }
}

#[test]
fn arguments_that_are_text_cannot_be_rewritten_and_are_refused() {
    let payload =
        json!({ "sessionId": "s", "toolName": "bash", "toolArgs": "{\"command\":\"rm\"}" });
    let decision = Decision {
        updated_input: Some(json!({ "command": "ls" })),
        ..verdict(Verdict::Allow)
    };
    let rendered = COPILOT.render(&event("preToolUse", &payload), &decision);
    let client = CopilotClient::reads(&rendered);
    assert_eq!(client.pre_tool_use(&json!({})), CopilotOutcome::Refused);
    assert!(rendered.stdout.contains("ls"));
}

#[test]
fn a_rewrite_that_vs_code_might_drop_is_refused_there() {
    let payload = json!({
        "hook_event_name": "PreToolUse", "tool_use_id": "call_5", "tool_name": "run_in_terminal",
        "tool_input": { "command": "rm -rf build", "isBackground": false },
    });
    for (new, runs) in [
        (json!({ "command": "ls" }), true),
        (json!({ "command": 7 }), false),
        (json!({ "command": "ls", "isBackground": null }), false),
        (json!({ "command": "ls", "timeout": 5 }), false),
    ] {
        let decision = Decision {
            updated_input: Some(new.clone()),
            ..Decision::default()
        };
        let rendered = COPILOT.render(&event("PreToolUse", &payload), &decision);
        let outcome = CopilotVsCode::reads(&rendered).pre_tool_use(&payload["tool_input"]);
        assert_eq!(outcome != CopilotOutcome::Refused, runs, "{new}");
    }
}

#[test]
fn a_message_never_costs_a_decision() {
    let decision = Decision {
        system_message: Some("look".into()),
        ..verdict(Verdict::Deny)
    };
    let rendered = COPILOT.render(&own(), &decision);
    assert_eq!(rendered.stdout.lines().count(), 1);
    assert_eq!(rendered.lost.len(), 1);
    let alone = Decision {
        system_message: Some("look".into()),
        ..Decision::default()
    };
    let rendered = COPILOT.render(&own(), &alone);
    assert_eq!(
        printed(&rendered),
        json!({ "type": "progress", "message": "look" })
    );
}

#[test]
fn the_context_of_a_blocked_result_goes_with_its_reason() {
    let decision = Decision {
        reason: Some("holds a secret".into()),
        context: Some("use the vault".into()),
        ..verdict(Verdict::Deny)
    };
    let reply = printed(&COPILOT.render(&named("postToolUse"), &decision));
    assert_eq!(reply["reason"], json!("holds a secret\nuse the vault"));
    assert_eq!(reply.get("additionalContext"), None);
}

#[test]
fn halt_at_stop_lets_the_agent_stop() {
    for name in ["agentStop", "subagentStop"] {
        let rendered = COPILOT.render(&named(name), &verdict(Verdict::Halt));
        assert!(!CopilotClient::reads(&rendered).blocks(), "{name}");
    }
}

#[test]
fn context_that_copilot_will_cut_is_reported() {
    let with = |length: usize| {
        let decision = Decision {
            context: Some("x".repeat(length)),
            ..Decision::default()
        };
        COPILOT.render(&named("sessionStart"), &decision).lost.len()
    };
    assert_eq!((with(10 * 1024), with(10 * 1024 + 1)), (0, 1));
}

#[test]
fn an_unread_payload_is_answered_for_either_shape() {
    let unread = |kind: Option<EventKind>, verdict| {
        COPILOT.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
    };
    let asked = unread(Some(EventKind::PreToolUse), Verdict::Ask);
    let input = json!({});
    assert!(matches!(
        CopilotClient::reads(&asked).pre_tool_use(&input),
        CopilotOutcome::Asked(_)
    ));
    assert!(matches!(
        CopilotVsCode::reads(&asked).pre_tool_use(&input),
        CopilotOutcome::Asked(_)
    ));
    let denied = unread(Some(EventKind::PermissionRequest), Verdict::Deny);
    assert_eq!(CopilotClient::reads(&denied).permits(), Some(false));
    let nameless = unread(None, Verdict::Ask);
    assert_eq!(
        CopilotClient::reads(&nameless).pre_tool_use(&input),
        CopilotOutcome::Refused
    );
    let reason = printed(&nameless)["permissionDecisionReason"].clone();
    assert!(
        reason
            .as_str()
            .unwrap()
            .starts_with("the payload is truncated")
    );
}

#[test]
fn silence_about_an_unread_payload_leaves_the_exit_code_at_0() {
    // With an empty reply the caller would exit with an error code, which denies a tool.
    for kind in [
        Some(EventKind::PreToolUse),
        Some(EventKind::SessionEnd),
        None,
    ] {
        for verdict in [Verdict::NoOpinion, Verdict::Allow] {
            let rendered = COPILOT.render_unparsed(kind.as_ref(), verdict, "no");
            assert_eq!((&*rendered.stdout, rendered.exit), ("{}\n", 0), "{kind:?}");
        }
    }
}

#[test]
fn copilot_is_recognised_by_its_own_shape_and_else_by_its_environment() {
    let recognise = |payload: &Value, env: bool| {
        COPILOT.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|name| env && name == "COPILOT_CLI",
        })
    };
    let own = json!({ "sessionId": "s", "timestamp": 1_794_771_052_009_u64 });
    let like = json!({ "hook_event_name": "Stop", "timestamp": "2026-11-15T19:11:16Z" });
    let inner = json!({ "hook_event_name": "Stop", "session_id": "s" });
    assert_eq!(recognise(&own, false), Recognition::Payload);
    assert_eq!(recognise(&like, true), Recognition::Environment);
    assert_eq!(recognise(&like, false), Recognition::No);
    assert_eq!(recognise(&inner, true), Recognition::No);
}

const KEYS: &[&str] = &[
    "hook_event_name",
    "hookName",
    "sessionId",
    "session_id",
    "cwd",
    "toolName",
    "tool_name",
    "toolArgs",
    "tool_input",
    "toolInput",
    "toolResult",
    "resultType",
    "failure",
    "prompt",
    "agentId",
    "agent_type",
    "error",
    "message",
];

fn any_name() -> impl Strategy<Value = String> {
    let names = |row: &'static EventRow| row.aliases.iter().chain([&row.native]).copied();
    arbitrary::any_name(COPILOT.events.iter().flat_map(names).collect())
}

proptest! {
    /// Any decision on any event gives one line of JSON or nothing, with exit code 0.
    #[test]
    fn every_reply_is_one_line_of_json(
        payload in arbitrary::any_object(KEYS), hint in any_name(), decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"]),
    ) {
        if let Ok(event) = COPILOT.parse(Some(&hint), payload) {
            let rendered = COPILOT.render(&event, &decision);
            prop_assert_eq!((rendered.exit, &*rendered.stderr), (0, ""));
            prop_assert!(rendered.stdout.lines().count() <= 1);
            prop_assert!(rendered.stdout.is_empty() || printed(&rendered).is_object());
        }
    }

    /// A call never gets more than the decision permits, in either shape and host.
    #[test]
    fn no_verdict_is_lost_before_a_tool(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let (own, like) = (COPILOT.render(&own(), &decision), COPILOT.render(&like_claudes(), &decision));
        let fits = decision.updated_input.as_ref().is_none_or(Value::is_object);
        for outcome in [
            CopilotClient::reads(&own).pre_tool_use(&arguments()),
            CopilotClient::reads(&like).pre_tool_use(&arguments()),
            CopilotVsCode::reads(&like).pre_tool_use(&arguments()),
        ] {
            match (decision.verdict, outcome) {
                (Verdict::Halt | Verdict::Deny, outcome) => prop_assert_eq!(outcome, CopilotOutcome::Refused),
                (_, outcome) if !fits => prop_assert_eq!(outcome, CopilotOutcome::Refused),
                (Verdict::Ask, CopilotOutcome::Asked(ran)) | (Verdict::Allow | Verdict::NoOpinion, CopilotOutcome::Runs(ran)) => {
                    let path = match &decision.updated_input {
                        Some(new) => new.get("file_path").filter(|p| !p.is_null()).cloned(),
                        None => Some(json!("/srv/a.txt")),
                    };
                    prop_assert_eq!(ran.get("path").cloned(), path);
                    prop_assert_eq!(ran.get("mode"), Some(&json!("sync")));
                }
                (verdict, outcome) => prop_assert!(false, "{verdict}: {outcome:?}"),
            }
        }
    }

    /// Only an allow answers Copilot's own prompt with yes, and every denial with no.
    #[test]
    fn a_permission_is_given_only_by_an_allow(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let asked = event("permissionRequest", &json!({ "sessionId": "s", "toolName": "bash", "toolInput": {} }));
        let permits = CopilotClient::reads(&COPILOT.render(&asked, &decision)).permits();
        let rewritten = decision.updated_input.as_ref().is_some_and(|input| *input != json!({}));
        let expected = match decision.verdict {
            verdict if verdict.blocks() || rewritten => Some(false),
            Verdict::Allow => Some(true),
            _ => None,
        };
        prop_assert_eq!(permits, expected);
    }

    /// Deny and ask both block a prompt.
    #[test]
    fn a_refused_prompt_never_reaches_the_model(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let rendered = COPILOT.render(&named("userPromptSubmitted"), &decision);
        let wanted = decision.verdict >= Verdict::Ask || decision.updated_input.is_some();
        prop_assert_eq!(CopilotClient::reads(&rendered).blocks(), wanted);
    }
}
