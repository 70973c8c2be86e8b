//! Property tests over payloads and decisions; ordinary cases are in `fixtures/windsurf/`.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::WINDSURF;
use super::events::EVENTS;
use crate::adapter::{Adapter, Rendered, SenderClues, recognise};
use crate::arbitrary::{any_decision, any_verdict, verdict};

const GATES: [&str; 5] = [
    "pre_user_prompt",
    "pre_run_command",
    "pre_read_code",
    "pre_write_code",
    "pre_mcp_tool_use",
];

/// Cascade's interpretation of a finished hook: exit code 2 blocks a `pre_` event and the agent reads stderr;
/// everything else proceeds.
fn blocked<'r>(event: &str, rendered: &'r Rendered) -> Option<&'r str> {
    (rendered.exit == 2 && GATES.contains(&event)).then_some(rendered.stderr.as_str())
}

fn event(name: &str, info: &Value) -> Event {
    let payload = json!({
        "agent_action_name": name, "trajectory_id": "tr-12", "execution_id": "ex-3", "tool_info": info,
    });
    WINDSURF
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

/// A payload with all required fields.
fn named(name: &str) -> Event {
    let info = json!({
        "user_prompt": "hi", "command_line": "ls", "cwd": "/a", "file_path": "/a/b",
        "mcp_server_name": "s", "mcp_tool_name": "t", "mcp_tool_arguments": {},
    });
    event(name, &info)
}

#[test]
fn everything_stricter_than_allow_is_a_denial() {
    for name in GATES {
        for strict in [Verdict::Ask, Verdict::Deny, Verdict::Halt] {
            let rendered = WINDSURF.render(&named(name), &verdict(strict));
            assert_eq!(blocked(name, &rendered), Some("refused by a hook\n"));
            let said = strict == Verdict::Deny || (strict == Verdict::Halt && name == GATES[0]);
            assert_eq!(rendered.lost.is_empty(), said, "{name} {strict}");
        }
    }
}

#[test]
fn a_rewrite_is_a_refusal_that_shows_it() {
    let event = event(
        "pre_run_command",
        &json!({ "command_line": "ls", "cwd": "/a" }),
    );
    let with = |input: Value| Decision {
        updated_input: Some(input),
        ..verdict(Verdict::Allow)
    };
    let rendered = WINDSURF.render(&event, &with(json!({ "command": "ls -l", "cwd": "/a" })));
    assert!(
        blocked("pre_run_command", &rendered)
            .unwrap()
            .contains("ls -l")
    );
    let same = WINDSURF.render(&event, &with(json!({ "command": "ls", "cwd": "/a" })));
    assert_eq!(same.exit, 0);
}

#[test]
fn context_reaches_the_agent_with_a_refusal_only() {
    let decision = |verdict| Decision {
        verdict,
        reason: Some("frozen".into()),
        context: Some("until Monday".into()),
        ..Decision::default()
    };
    let refused = WINDSURF.render(&named("pre_run_command"), &decision(Verdict::Deny));
    assert_eq!(refused.stderr, "frozen\nuntil Monday\n");
    assert!(refused.lost.is_empty());
    let silent = WINDSURF.render(&named("pre_run_command"), &decision(Verdict::NoOpinion));
    assert_eq!((silent.stderr.as_str(), silent.lost.len()), ("", 1));
}

#[test]
fn event_name_determines_the_tool() {
    for (name, info, tool, input) in [
        (
            "pre_run_command",
            json!({ "command_line": "ls", "cwd": "/a" }),
            "Bash",
            json!({ "command": "ls", "cwd": "/a" }),
        ),
        (
            "pre_read_code",
            json!({ "file_path": "/a" }),
            "Read",
            json!({ "file_path": "/a" }),
        ),
        (
            "pre_mcp_tool_use",
            json!({ "mcp_server_name": "gh", "mcp_tool_name": "new", "mcp_tool_arguments": { "a": 1 } }),
            "mcp__gh__new",
            json!({ "a": 1 }),
        ),
        (
            "pre_mcp_tool_use",
            json!({ "mcp_tool_name": "new" }),
            "mcp__unknown__new",
            json!({}),
        ),
    ] {
        let event = event(name, &info);
        let call = event.call().unwrap();
        assert_eq!((&*call.name, &call.input), (tool, &input));
        assert_eq!(event.kind(), EventKind::PreToolUse);
    }
}

#[test]
fn a_guard_sees_every_edit_of_a_file() {
    let edits = json!([
        { "old_string": "a", "new_string": "one" },
        { "old_string": "", "new_string": "two" },
    ]);
    let edit = event(
        "pre_write_code",
        &json!({ "file_path": "/a", "edits": edits }),
    );
    let call = edit.call().unwrap();
    assert_eq!(call.name, "Edit");
    assert_eq!(call.input["new_string"], json!("one\ntwo"));
    assert_eq!(call.input["old_string"], json!("a\n"));

    let edits = json!([{ "old_string": "", "new_string": "fn main() {}" }]);
    let new = event(
        "pre_write_code",
        &json!({ "file_path": "/a", "edits": edits }),
    );
    let call = new.call().unwrap();
    assert_eq!(call.name, "Write");
    assert_eq!(call.input["content"], json!("fn main() {}"));
}

#[test]
fn where_a_command_runs_does_not_choose_the_project() {
    let command = event(
        "pre_run_command",
        &json!({ "command_line": "ls", "cwd": "/tmp" }),
    );
    assert_eq!(command.cwd, None);
    let worktree = event("post_setup_worktree", &json!({ "worktree_path": "/w/x" }));
    assert_eq!(worktree.cwd.as_deref(), Some("/w/x"));
}

#[test]
fn a_response_stops_once_although_it_is_reported_twice() {
    let stop = event("post_cascade_response", &json!({ "response": "Done." }));
    assert_eq!(
        stop.data,
        EventData::Stop {
            active: false,
            last_message: Some("Done.".into())
        }
    );
    let name = "post_cascade_response_with_transcript";
    let again = event(name, &json!({ "transcript_path": "/t.jsonl" }));
    assert_eq!(again.kind(), EventKind::Other(name.into()));
    assert_eq!(again.transcript.as_deref(), Some("/t.jsonl"));
}

#[test]
fn a_tool_of_a_server_that_reports_failure_has_failed() {
    let info =
        json!({ "mcp_tool_name": "t", "mcp_result": "{\"isError\":true,\"message\":\"no\"}" });
    let event = event("post_mcp_tool_use", &info);
    assert_eq!(event.kind(), EventKind::PostToolUseFailure);
}

#[test]
fn a_required_key_that_is_missing_is_named() {
    for (payload, expected) in [
        (json!({}), "`agent_action_name` is missing"),
        (
            json!({ "agent_action_name": "pre_run_command" }),
            "`tool_info` is missing",
        ),
        (
            json!({ "agent_action_name": "pre_run_command", "tool_info": [] }),
            "`tool_info` is an array, not an object",
        ),
        (
            json!({ "agent_action_name": "pre_run_command", "tool_info": {} }),
            "`command_line` is missing",
        ),
        (
            json!({ "agent_action_name": "pre_write_code", "tool_info": { "file_path": "" } }),
            "`file_path` is empty",
        ),
        (
            json!({ "agent_action_name": "pre_mcp_tool_use", "tool_info": { "mcp_tool_name": "t", "mcp_tool_arguments": "x" } }),
            "`mcp_tool_arguments` is a string, not an object",
        ),
        (
            json!({ "agent_action_name": "pre_user_prompt", "tool_info": {} }),
            "`user_prompt` is missing",
        ),
    ] {
        let error = WINDSURF.parse(None, payload.as_object().unwrap().clone());
        assert_eq!(error.unwrap_err().message, expected);
    }
}

#[test]
fn cascade_is_known_by_its_payload() {
    let payload = json!({ "agent_action_name": "pre_run_command" });
    let clues = SenderClues {
        payload: payload.as_object().unwrap(),
        has_env: &|_| true,
    };
    assert_eq!(recognise(&clues).map(Adapter::id), Some("windsurf"));
}

fn names() -> Vec<&'static str> {
    EVENTS.iter().map(|row| row.native).collect()
}

proptest! {
    /// A `pre_` event is blocked, with a reason for the agent, exactly if the decision is stricter than an approval
    /// or has another input.
    #[test]
    fn every_decision_reaches_cascade(name in prop::sample::select(names()), decision in any_decision(&["command", "file_path", "content"])) {
        let event = named(name);
        let rendered = WINDSURF.render(&event, &decision);
        let sent = event.call().map(|call| &call.input);
        let rewrites = decision.updated_input.as_ref().is_some_and(|input| Some(input) != sent);
        let refuses = decision.verdict >= Verdict::Ask || rewrites;
        let read = blocked(name, &rendered);
        prop_assert_eq!(read.is_some(), refuses && GATES.contains(&name));
        prop_assert!(read.is_none_or(|reason| !reason.trim().is_empty()));
        prop_assert!(matches!(rendered.exit, 0 | 2));
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_is_answered_as_the_policy_says(name in option::of(prop::sample::select(&GATES)), verdict in any_verdict()) {
        let kind = name.map(|name| EventKind::Other(name.into()));
        let rendered = WINDSURF.render_unparsed(kind.as_ref(), verdict, "cannot be read");
        for gate in GATES {
            prop_assert_eq!(blocked(gate, &rendered).is_some(), verdict >= Verdict::Ask);
        }
    }
}
