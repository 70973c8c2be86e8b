//! Property tests over payloads and decisions; ordinary cases are in `fixtures/cursor/`.
//!
//! [`read`] is a model of how Cursor interprets a reply, written from its source: the tests check what Cursor
//! would do, not the printed text.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::CURSOR;
use super::events::EVENTS;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues, recognise};
use crate::arbitrary::{any_decision, any_name, any_payload, any_verdict, rewrite_of, verdict};

/// Cursor's interpretation of a finished hook.
#[derive(Debug, Default, PartialEq)]
struct CursorReading {
    answer: CursorOutcome,
    input: Option<Map<String, Value>>,
    context: Option<String>,
    follow_up: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum CursorOutcome {
    /// Cursor's own rules decide.
    #[default]
    Left,
    Allowed,
    Asked,
    /// The tool or the subagent is denied.
    Denied,
    /// The prompt or the session is blocked.
    Stopped,
    /// Counted as failed, which blocks only with `failClosed`.
    Failed,
}

const PERMISSION: [&str; 6] = [
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
    "preToolUse",
];
const CONTINUE: [&str; 2] = ["beforeSubmitPrompt", "sessionStart"];
const CONTEXT: [&str; 7] = [
    "sessionStart",
    "beforeSubmitPrompt",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "subagentStart",
    "subagentStop",
];

fn read(event: &str, rendered: &Rendered) -> CursorReading {
    let permission = PERMISSION.contains(&event);
    let only = |answer| CursorReading {
        answer,
        ..CursorReading::default()
    };
    let refused = match event {
        _ if permission => CursorOutcome::Denied,
        _ if CONTINUE.contains(&event) => CursorOutcome::Stopped,
        _ => CursorOutcome::Left,
    };
    let text = rendered.stdout.trim();
    match rendered.exit {
        0 if text.is_empty() => return only(CursorOutcome::Failed),
        0 => {}
        2 => return only(refused),
        _ => return only(CursorOutcome::Failed),
    }
    let reply = match serde_json::from_str(text) {
        Ok(Value::Object(reply)) if valid(event, &reply) => reply,
        _ if permission => return only(CursorOutcome::Denied),
        _ => return only(CursorOutcome::Left),
    };
    let text = |key: &str| reply.get(key).and_then(Value::as_str).map(str::to_owned);
    let answer = match text("permission").as_deref() {
        Some("deny") if permission => CursorOutcome::Denied,
        Some("allow") if permission => CursorOutcome::Allowed,
        Some("ask") if event == "beforeShellExecution" => CursorOutcome::Asked,
        _ if reply.get("continue") == Some(&json!(false)) => refused,
        _ => CursorOutcome::Left,
    };
    let context = text("additional_context").filter(|_| CONTEXT.contains(&event));
    CursorReading {
        answer,
        input: reply
            .get("updated_input")
            .filter(|_| event == "preToolUse")
            .and_then(|input| input.as_object().cloned()),
        context: context.filter(|text| text.trim().encode_utf16().count() <= 10_000),
        follow_up: text("followup_message").filter(|_| matches!(event, "stop" | "subagentStop")),
    }
}

fn valid(event: &str, reply: &Map<String, Value>) -> bool {
    reply.iter().all(|(key, value)| match key.as_str() {
        "permission" => match value.as_str() {
            Some("allow" | "deny") => true,
            Some("ask") => !matches!(event, "beforeReadFile" | "beforeTabFileRead"),
            _ => false,
        },
        "user_message" | "agent_message" | "additional_context" | "followup_message" => {
            value.is_string()
        }
        "updated_input" => value.is_object(),
        "continue" => value.is_boolean(),
        _ => true,
    })
}

/// The input that Cursor runs: the original, with the keys that a hook may change.
fn run(tool: &str, announced: &Map<String, Value>, reading: &CursorReading) -> Map<String, Value> {
    let changeable: Option<&[&str]> = match tool {
        "Shell" => Some(&["command", "cwd", "timeout"]),
        "Write" | "Read" | "Delete" | "List" | "ReadLints" => Some(&["file_path"]),
        "Grep" => Some(&["pattern", "file_path"]),
        "Fetch" => Some(&["url"]),
        "ComputerUse" => Some(&[]),
        _ => None,
    };
    let mut out = announced.clone();
    for (key, value) in reading.input.iter().flatten() {
        if changeable.is_none_or(|keys| keys.contains(&key.as_str())) {
            out.insert(key.clone(), value.clone());
        }
    }
    out
}

fn event(payload: &Value) -> Event {
    let mut payload = payload.as_object().unwrap().clone();
    payload.insert("cursor_version".into(), json!("3.18.2"));
    CURSOR.parse(None, payload).unwrap()
}

/// A payload with all required fields.
fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "tool_name": "Shell", "tool_input": { "command": "ls" },
        "command": "ls", "prompt": "hi", "file_path": "/a", "content": "x",
    }))
}

fn call_of(tool: &str, input: &Value) -> Event {
    event(&json!({ "hook_event_name": "preToolUse", "tool_name": tool, "tool_input": input }))
}

#[test]
fn no_opinion_is_an_empty_object_because_cursor_treats_no_output_as_failure() {
    for native in &EVENTS {
        let rendered = CURSOR.render(&named(native.native), &Decision::default());
        assert_eq!((&*rendered.stdout, rendered.exit), ("{}\n", 0));
        assert!(rendered.lost.is_empty(), "{}", native.native);
    }
    let unread = CURSOR.render_unparsed(Some(&EventKind::Stop), Verdict::NoOpinion, "bad");
    assert_eq!((&*unread.stdout, unread.exit), ("{}\n", 0));
}

#[test]
fn ask_works_for_shell_commands_and_is_denied_elsewhere() {
    for name in PERMISSION {
        let rendered = CURSOR.render(&named(name), &verdict(Verdict::Ask));
        let reading = read(name, &rendered);
        let asks = name == "beforeShellExecution";
        let expected = if asks {
            CursorOutcome::Asked
        } else {
            CursorOutcome::Denied
        };
        assert_eq!(reading.answer, expected, "{name}");
        assert_eq!(rendered.lost.is_empty(), asks, "{name}");
    }
}

#[test]
fn both_reports_of_a_call_give_the_guard_the_same_input() {
    let general = call_of("Shell", &json!({ "command": "rm -rf /", "cwd": "/srv" }));
    let own = event(&json!({
        "hook_event_name": "beforeShellExecution", "command": "rm -rf /", "cwd": "/srv", "sandbox": false,
    }));
    assert_eq!(general.call(), own.call());
    assert_eq!(own.kind(), EventKind::PreToolUse);
}

#[test]
fn only_the_mcp_event_names_the_server() {
    let general = call_of("MCP:create_issue", &json!({ "title": "x" }));
    let own = event(&json!({
        "hook_event_name": "beforeMCPExecution", "tool_name": "create_issue",
        "tool_input": "{\"title\":\"x\"}", "mcp_server_name": "github",
    }));
    assert_eq!(general.call().unwrap().name, "mcp__unknown__create_issue");
    assert_eq!(own.call().unwrap().name, "mcp__github__create_issue");
    assert_eq!(own.call().unwrap().native_name, "MCP:create_issue");
    assert_eq!(own.call().unwrap().input, json!({ "title": "x" }));
}

#[test]
fn where_a_command_runs_does_not_choose_the_project() {
    let event = event(&json!({
        "hook_event_name": "beforeShellExecution", "command": "make", "cwd": "/tmp",
        "workspace_roots": ["/home/ana/shop"],
    }));
    assert_eq!(event.cwd.as_deref(), Some("/home/ana/shop"));
    assert_eq!(event.call().unwrap().input["cwd"], json!("/tmp"));
}

#[test]
fn the_content_of_a_written_file_cannot_be_rewritten_so_the_write_is_refused() {
    let write = call_of("Write", &json!({ "file_path": "/a", "content": "old" }));
    let with = |input: Value| Decision {
        updated_input: Some(input),
        ..Decision::default()
    };
    let moved = CURSOR.render(
        &write,
        &with(json!({ "file_path": "/b", "content": "old" })),
    );
    assert_eq!(
        read("preToolUse", &moved).input,
        json!({ "file_path": "/b", "content": "old" })
            .as_object()
            .cloned()
    );
    let edited = CURSOR.render(
        &write,
        &with(json!({ "file_path": "/a", "content": "new" })),
    );
    assert_eq!(read("preToolUse", &edited).answer, CursorOutcome::Denied);
    assert!(edited.stdout.contains("new"), "{}", edited.stdout);
}

#[test]
fn an_input_that_was_rewritten_on_the_way_is_still_sent_back() {
    let mut event = call_of("Shell", &json!({ "command": "ls", "cwd": "/a" }));
    let after = json!({ "command": "ls -l", "cwd": "/a" });
    event.data.call_mut().unwrap().input = after.clone();
    let decision = Decision {
        updated_input: Some(after),
        ..Decision::default()
    };
    let reading = read("preToolUse", &CURSOR.render(&event, &decision));
    assert_eq!(reading.input.unwrap()["command"], json!("ls -l"));
}

#[test]
fn unchanged_rewrite_is_omitted() {
    let event = call_of("Shell", &json!({ "command": "ls" }));
    let decision = Decision {
        updated_input: Some(json!({ "command": "ls" })),
        ..Decision::default()
    };
    assert_eq!(CURSOR.render(&event, &decision).stdout, "{}\n");
}

#[test]
fn context_that_cursor_would_drop_is_cut() {
    let decision = Decision {
        context: Some("é".repeat(20_000)),
        ..Decision::default()
    };
    let rendered = CURSOR.render(&named("postToolUse"), &decision);
    assert_eq!(rendered.lost.len(), 1);
    let context = read("postToolUse", &rendered).context.unwrap();
    assert_eq!(context.encode_utf16().count(), 10_000);
}

#[test]
fn continuing_beyond_cursors_loop_limit_is_reported() {
    let stop = |extra: Value| {
        let mut payload = json!({ "hook_event_name": "subagentStop", "status": "completed" });
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        let decision = Decision {
            keep_going: Some("test it".into()),
            ..Decision::default()
        };
        CURSOR.render(&event(&payload), &decision)
    };
    assert!(stop(json!({ "loop_count": 4 })).lost.is_empty());
    assert_eq!(stop(json!({ "loop_count": 5 })).lost.len(), 1);
    assert_eq!(stop(json!({ "status": "aborted" })).lost.len(), 1);
}

#[test]
fn a_failed_command_is_a_failure_whatever_cursor_calls_it() {
    let event = event(&json!({
        "hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": { "command": "false" },
        "tool_output": "{\"output\":\"boom\",\"exitCode\":1}", "duration": 12.7,
    }));
    assert_eq!(event.kind(), EventKind::PostToolUseFailure);
    assert_eq!(event.native_name, "postToolUse");
}

#[test]
fn file_contents_about_failure_are_not_a_failure() {
    let event = event(&json!({
        "hook_event_name": "postToolUse", "tool_name": "Read", "tool_input": { "file_path": "/a.json" },
        "tool_output": "{\"success\":false,\"isError\":true}",
    }));
    assert_eq!(event.kind(), EventKind::PostToolUse);
}

#[test]
fn a_required_key_that_is_missing_is_named() {
    for (payload, expected) in [
        (json!({}), "`hook_event_name` is missing"),
        (
            json!({ "hook_event_name": "preToolUse", "tool_name": "Read" }),
            "`tool_input` is missing",
        ),
        (
            json!({ "hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": [] }),
            "`tool_input` is an array, not an object",
        ),
        (
            json!({ "hook_event_name": "preToolUse", "tool_input": {} }),
            "`tool_name` is missing",
        ),
        (
            json!({ "hook_event_name": "beforeShellExecution" }),
            "`command` is missing",
        ),
        (
            json!({ "hook_event_name": "beforeMCPExecution", "tool_name": "" }),
            "`tool_name` is empty",
        ),
        (
            json!({ "hook_event_name": "beforeTabFileRead" }),
            "`file_path` is missing",
        ),
        (
            json!({ "hook_event_name": "beforeSubmitPrompt", "prompt": 1 }),
            "`prompt` is a number, not a string",
        ),
    ] {
        let error = CURSOR.parse(None, payload.as_object().unwrap().clone());
        assert_eq!(error.unwrap_err().message, expected);
    }
}

#[test]
fn a_payload_of_cursors_is_known_under_claudes_name_and_in_claudes_environment() {
    let payload = json!({ "hook_event_name": "preToolUse", "cursor_version": "3.18.2" });
    let clues = SenderClues {
        payload: payload.as_object().unwrap(),
        has_env: &|_| true,
    };
    assert_eq!(CURSOR.recognises(&clues), Recognition::Payload);
    assert_eq!(recognise(&clues).map(Adapter::id), Some("cursor"));
    let payload = json!({ "hook_event_name": "PreToolUse" });
    let clues = SenderClues {
        payload: payload.as_object().unwrap(),
        has_env: &|_| true,
    };
    assert_eq!(CURSOR.recognises(&clues), Recognition::No);
}

#[test]
fn the_command_lines_name_of_the_event_serves_where_the_payload_has_none() {
    for hint in ["preToolUse", "PreToolUse", "pre-tool-use"] {
        let payload = json!({ "tool_name": "Read", "tool_input": {} });
        let event = CURSOR.parse(Some(hint), payload.as_object().unwrap().clone());
        assert_eq!(event.unwrap().native_name, "preToolUse");
    }
}

const KEYS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "conversation_id",
    "workspace_roots",
    "transcript_path",
    "cwd",
    "tool_name",
    "tool_input",
    "tool_output",
    "tool_use_id",
    "command",
    "prompt",
    "file_path",
    "edits",
    "old_string",
    "text",
    "status",
    "loop_count",
    "subagent_id",
    "subagent_type",
    "mcp_server_name",
    "duration",
    "exitCode",
];

fn names() -> Vec<&'static str> {
    EVENTS.iter().map(|row| row.native).collect()
}

/// Tools with inputs as Cursor sends them.
fn any_call() -> impl Strategy<Value = (&'static str, Map<String, Value>)> {
    let calls = [
        (
            "Shell",
            json!({ "command": "cargo test", "cwd": "/a", "timeout": 5 }),
        ),
        ("Write", json!({ "file_path": "/a", "content": "x" })),
        ("Read", json!({ "file_path": "/a" })),
        ("Delete", json!({ "file_path": "/a" })),
        (
            "Grep",
            json!({ "pattern": "x", "file_path": "/a", "glob": "*", "output_mode": "content" }),
        ),
        ("List", json!({ "file_path": "/a", "ignore": [] })),
        ("Fetch", json!({ "url": "about:blank" })),
        ("MCP:create_issue", json!({ "title": "x", "body": "y" })),
        ("ComputerUse", json!({ "action": "click" })),
        ("Task", json!({ "prompt": "look" })),
    ];
    let calls: Vec<_> = calls
        .into_iter()
        .map(|(tool, input)| (tool, input.as_object().unwrap().clone()))
        .collect();
    prop::sample::select(calls)
}

proptest! {
    /// Cursor never treats a reply as failed or misreads it: a denial is always applied, ask is never treated as
    /// approval, and only an approval or a rewrite approves.
    #[test]
    fn every_decision_reaches_cursor(payload in any_payload("hook_event_name", names(), KEYS), decision in any_decision(&["command", "file_path", "content"])) {
        let Ok(event) = CURSOR.parse(None, payload) else { return Ok(()) };
        let name = event.native_name.as_str();
        let reading = read(name, &CURSOR.render(&event, &decision));
        prop_assert_ne!(reading.answer, CursorOutcome::Failed);
        if PERMISSION.contains(&name) {
            if decision.verdict.blocks() {
                prop_assert_eq!(reading.answer, CursorOutcome::Denied);
            }
            if decision.verdict == Verdict::Ask {
                prop_assert!(matches!(reading.answer, CursorOutcome::Denied | CursorOutcome::Asked));
            }
            let wanted = decision.verdict == Verdict::Allow || reading.input.is_some();
            prop_assert!(reading.answer != CursorOutcome::Allowed || wanted);
            prop_assert!(reading.answer != CursorOutcome::Denied || reading.input.is_none());
        }
        if CONTINUE.contains(&name) && decision.verdict >= Verdict::Ask {
            prop_assert_eq!(reading.answer, CursorOutcome::Stopped);
        }
        if decision.verdict == Verdict::Halt {
            prop_assert_eq!(reading.follow_up, None);
        }
    }

    /// After a rewrite, the rewritten input runs, or nothing.
    #[test]
    fn a_rewritten_call_runs_as_rewritten_or_not_at_all(
        (tool, input, after) in any_call().prop_flat_map(|(tool, input)| {
            (Just(tool), Just(input.clone()), rewrite_of(input))
        }),
        verdict in any_verdict(),
    ) {
        let event = call_of(tool, &Value::Object(input.clone()));
        let decision = Decision {
            verdict,
            updated_input: Some(Value::Object(after.clone())),
            ..Decision::default()
        };
        let reading = read("preToolUse", &CURSOR.render(&event, &decision));
        if reading.answer == CursorOutcome::Denied {
            return Ok(());
        }
        let ran = run(tool, &input, &reading);
        for (key, value) in &after {
            prop_assert_eq!(ran.get(key), Some(value), "{}", key);
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_is_answered_as_the_policy_says(name in option::of(any_name(names())), verdict in any_verdict()) {
        let kind = name.as_deref().map(EventKind::parse);
        let rendered = CURSOR.render_unparsed(kind.as_ref(), verdict, "cannot be read");
        for gate in PERMISSION.iter().filter(|gate| name.is_none() || name.as_deref() == Some(gate)) {
            let answer = read(gate, &rendered).answer;
            let safe = answer == CursorOutcome::Denied || (answer == CursorOutcome::Asked && verdict == Verdict::Ask);
            prop_assert_eq!(safe, verdict >= Verdict::Ask, "{}", gate);
            prop_assert!(safe || answer == CursorOutcome::Left);
        }
    }
}
