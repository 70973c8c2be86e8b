//! Property tests over payloads and decisions; ordinary cases are in `fixtures/cline/`.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::CLINE;
use crate::adapter::{Adapter, ParseError, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_payload, any_value, any_verdict, verdict};

const KEYS: &[&str] = &[
    "hookName",
    "taskId",
    "workspaceRoots",
    "parent_agent_id",
    "agent_id",
    "tool_call",
    "tool_result",
    "preToolUse",
    "postToolUse",
    "toolName",
    "parameters",
    "userPromptSubmit",
    "prompt",
    "name",
    "input",
    "output",
    "commands",
    "command",
    "args",
    "files",
    "path",
    "run_commands",
    "read_files",
];

const NAMES: &[&str] = &[
    "agent_start",
    "prompt_submit",
    "tool_call",
    "tool_result",
    "agent_end",
    "agent_error",
    "session_shutdown",
    "TaskStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "TaskComplete",
    "TaskCancel",
    "PreCompact",
    "Notification",
    "MoonPhase",
];

fn parsed(payload: &Value) -> Result<Event, ParseError> {
    CLINE.parse(None, payload.as_object().unwrap().clone())
}

fn named(name: &str) -> Event {
    let payload = json!({
        "hookName": name,
        "tool_call": { "name": "run_commands", "input": { "commands": ["rm -rf build"] } },
        "tool_result": { "name": "run_commands", "output": [] },
        "userPromptSubmit": { "prompt": "hi" },
    });
    parsed(&payload).unwrap()
}

/// A call on the command line.
fn cli(tool: &str, input: &Value) -> Event {
    let call = json!({ "id": "1", "name": tool, "input": input });
    parsed(&json!({ "hookName": "tool_call", "tool_call": call })).unwrap()
}

/// A call in VS Code, which sends every parameter as a string.
fn code(tool: &str, parameters: &Value) -> Result<Event, ParseError> {
    let call = json!({ "toolName": tool, "parameters": parameters });
    parsed(&json!({ "hookName": "PreToolUse", "preToolUse": call }))
}

fn rewrite(input: Value) -> Decision {
    Decision {
        updated_input: Some(input),
        ..Decision::default()
    }
}

/// Cline's interpretation of a reply.
#[derive(Debug, Default, PartialEq)]
struct ClineOutcome {
    cancelled: bool,
    reason: String,
    context: String,
    input: Option<Value>,
}

/// As `parseHookControl` and its callers do on the command line, and `validateHookOutput` and the hooks adapter
/// in VS Code. Neither checks the exit code if there is JSON, and the command line never does.
fn heard(name: &str, rendered: &Rendered) -> ClineOutcome {
    let is_code = name.starts_with(char::is_uppercase);
    let listens = match name {
        "tool_call" | "tool_result" => true,
        "PreToolUse" | "PostToolUse" | "TaskStart" | "UserPromptSubmit" => is_code,
        _ => false,
    };
    let Ok(reply) = serde_json::from_str::<Value>(rendered.stdout.trim()) else {
        return ClineOutcome::default();
    };
    if !listens {
        return ClineOutcome::default();
    }
    let text = |key: &str| reply.get(key).map_or("", |v| v.as_str().expect("a text"));
    let cancelled = reply
        .get("cancel")
        .is_some_and(|v| v.as_bool().expect("a flag"));
    let reads_context = matches!(
        name,
        "tool_call" | "tool_result" | "PreToolUse" | "PostToolUse"
    );
    let context = match (text("contextModification"), text("errorMessage")) {
        _ if cancelled || !reads_context => "",
        ("", message) if !is_code => message,
        (context, _) => context,
    };
    ClineOutcome {
        cancelled,
        reason: if cancelled { text("errorMessage") } else { "" }.to_owned(),
        context: context.trim().to_owned(),
        input: match name {
            "tool_call" => reply.get("overrideInput").cloned(),
            _ => None,
        },
    }
}

#[test]
fn no_output_at_events_cline_ignores() {
    for name in [
        "agent_start",
        "prompt_submit",
        "agent_end",
        "TaskComplete",
        "TaskCancel",
    ] {
        for own in [Verdict::Ask, Verdict::Deny] {
            let rendered = CLINE.render(&named(name), &verdict(own));
            assert_eq!((&*rendered.stdout, rendered.exit), ("", 0));
            assert_eq!(rendered.lost.len(), 1, "{name} {own}");
        }
    }
}

#[test]
fn every_spelling_of_a_command_is_seen() {
    for (input, expected) in [
        (json!({ "commands": ["a", "b"] }), "a\nb"),
        (json!({ "commands": "a" }), "a"),
        (
            json!({ "commands": { "command": "rm", "args": ["-rf", "my dir"] } }),
            "rm -rf 'my dir'",
        ),
        (
            json!({ "commands": [{ "command": "echo", "args": ["it's", ""] }] }),
            r"echo 'it'\''s' ''",
        ),
        (json!({ "command": "rm -rf x" }), "rm -rf x"),
        (json!({ "command": "rm", "args": ["-rf", "x"] }), "rm -rf x"),
        (json!({ "cmd": "rm" }), "rm"),
        (json!(["a", "b"]), "a\nb"),
        (json!([{ "command": "a" }]), "a"),
        (json!("rm"), "rm"),
        (
            json!({ "commands": ["ls"], "command": "rm", "cmd": "dd" }),
            "ls\ndd\nrm",
        ),
    ] {
        let event = cli("run_commands", &input);
        let own = event.call().unwrap();
        assert_eq!(
            (&*own.name, own.command()),
            ("Bash", Some(expected)),
            "{input}"
        );
    }
}

#[test]
fn every_spelling_of_a_file_is_seen() {
    for (input, expected) in [
        (
            json!({ "files": [{ "path": "/a", "start_line": 1 }] }),
            &["/a"][..],
        ),
        (
            json!({ "files": ["/a", { "filePath": "/b" }] }),
            &["/a", "/b"],
        ),
        (json!({ "files": "/a" }), &["/a"]),
        (json!({ "file_path": "/a" }), &["/a"]),
        (json!({ "file_paths": ["/a", "/b"] }), &["/a", "/b"]),
        (json!({ "paths": "/a" }), &["/a"]),
        (json!(["/a", "/b"]), &["/a", "/b"]),
        (json!("/a"), &["/a"]),
        (json!({ "path": "/a", "files": ["/b"] }), &["/b", "/a"]),
    ] {
        let event = cli("read_files", &input);
        assert_eq!(event.call().unwrap().paths(), expected, "{input}");
    }
}

#[test]
fn a_parameter_in_a_string_is_read_in_vs_code() {
    let list = code("run_commands", &json!({ "commands": "[\"a\",\"b\"]" })).unwrap();
    assert_eq!(list.call().unwrap().command(), Some("a\nb"));
    let text = code("run_commands", &json!({ "commands": "[ -f x ] && rm x" })).unwrap();
    assert_eq!(text.call().unwrap().command(), Some("[ -f x ] && rm x"));
    let server = json!({ "server_name": "git", "tool_name": "log", "arguments": "{\"n\":1}" });
    let server = code("use_mcp_tool", &server).unwrap();
    let own = server.call().unwrap();
    assert_eq!(
        (&*own.name, &own.input),
        ("mcp__git__log", &json!({ "n": 1 }))
    );
}

#[test]
fn an_input_that_is_not_shown_is_an_error_for_a_tool_that_needs_one() {
    for (payload, expected) in [
        (
            json!({ "hookName": "PreToolUse", "preToolUse": { "toolName": "run_commands" } }),
            "`preToolUse.parameters` is missing",
        ),
        (
            json!({ "hookName": "tool_call", "tool_call": { "name": "editor", "input": null } }),
            "`tool_call.input` is null, not an object",
        ),
        (
            json!({ "hookName": "PreToolUse" }),
            "`preToolUse` is missing",
        ),
        (
            json!({ "hookName": "PreToolUse", "preToolUse": {} }),
            "`preToolUse.toolName` is missing",
        ),
        (
            json!({ "hookName": "prompt_submit", "userPromptSubmit": {} }),
            "`userPromptSubmit.prompt` is missing",
        ),
    ] {
        assert_eq!(parsed(&payload).unwrap_err().message, expected);
    }
    let other =
        json!({ "hookName": "PreToolUse", "preToolUse": { "toolName": "attempt_completion" } });
    assert_eq!(parsed(&other).unwrap().call().unwrap().input, json!({}));
}

#[test]
fn vs_code_leaves_out_what_is_false_so_that_no_success_is_failure() {
    let kind = |result: Value| {
        let payload = json!({ "hookName": "PostToolUse", "postToolUse": result });
        parsed(&payload).unwrap().kind()
    };
    assert_eq!(
        kind(json!({ "toolName": "x", "result": "boom" })),
        EventKind::PostToolUseFailure
    );
    assert_eq!(
        kind(json!({ "toolName": "x", "success": true })),
        EventKind::PostToolUse
    );
}

#[test]
fn a_command_that_failed_has_failed_although_the_call_went_through() {
    let output = json!([
        { "query": "true", "result": "", "success": true },
        { "query": "false", "result": "", "error": "exit code 1", "success": false },
    ]);
    let payload = json!({
        "hookName": "tool_result",
        "tool_result": { "name": "run_commands", "input": { "commands": ["true", "false"] }, "output": output },
        "postToolUse": { "success": true },
    });
    match parsed(&payload).unwrap().data {
        EventData::PostToolUseFailure { error, .. } => assert_eq!(error, "exit code 1"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rewrite_goes_back_as_the_tool_takes_it() {
    for (tool, native, updated, expected) in [
        (
            "run_commands",
            json!({ "commands": ["npm test"] }),
            json!({ "command": "npm test -- --ci" }),
            json!({ "commands": ["npm test -- --ci"] }),
        ),
        (
            "run_commands",
            json!({ "command": "rm", "args": ["-rf", "x"] }),
            json!({ "command": "rm -ri x" }),
            json!({ "commands": ["rm -ri x"] }),
        ),
        (
            "read_files",
            json!({ "files": [{ "path": "/a", "start_line": 5 }] }),
            json!({ "file_path": "/b" }),
            json!({ "files": [{ "path": "/b", "start_line": 5 }] }),
        ),
        (
            "editor",
            json!({ "path": "/a", "old_text": "x", "new_text": "y" }),
            json!({ "file_path": "/a", "old_string": "x", "new_string": "z" }),
            json!({ "path": "/a", "old_text": "x", "new_text": "z" }),
        ),
    ] {
        let event = cli(tool, &native);
        let rendered = CLINE.render(&event, &rewrite(updated));
        assert_eq!(heard("tool_call", &rendered).input, Some(expected));
        let same = event.call().unwrap().input.clone();
        assert_eq!(CLINE.render(&event, &rewrite(same)), Rendered::default());
    }
}

#[test]
fn vs_code_takes_no_rewrite_so_the_run_is_cancelled_with_it_in_the_reason() {
    let event = code("execute_command", &json!({ "command": "rm -rf x" })).unwrap();
    let rendered = CLINE.render(&event, &rewrite(json!({ "command": "rm -ri x" })));
    let heard = heard("PreToolUse", &rendered);
    assert!(heard.cancelled && heard.reason.contains("rm -ri x"));
}

#[test]
fn after_a_tool_a_deny_tells_the_model_and_a_halt_ends_the_run() {
    for name in ["tool_result", "PostToolUse"] {
        let payload = json!({
            "hookName": name, "tool_result": { "name": "editor" },
        });
        let event = parsed(&payload).unwrap();
        let deny = heard(name, &CLINE.render(&event, &verdict(Verdict::Deny)));
        assert_eq!(
            (deny.cancelled, &*deny.context),
            (false, "refused by a hook")
        );
        let halt = heard(name, &CLINE.render(&event, &verdict(Verdict::Halt)));
        assert!(halt.cancelled);
    }
}

#[test]
fn context_with_a_cancelled_start_or_prompt_is_reported() {
    for name in ["TaskStart", "UserPromptSubmit"] {
        let decision = Decision {
            context: Some("use make".into()),
            ..verdict(Verdict::Deny)
        };
        let rendered = CLINE.render(&named(name), &decision);
        let heard = heard(name, &rendered);
        assert_eq!((heard.cancelled, &*heard.context), (true, ""));
        assert_eq!(rendered.lost.len(), 1, "{name}");
    }
}

#[test]
fn context_that_cline_will_cut_is_reported() {
    let lost = |text: String| {
        let decision = Decision {
            context: Some(text),
            ..Decision::default()
        };
        CLINE.render(&named("tool_call"), &decision).lost.len()
    };
    assert_eq!(lost("é".repeat(50_000)), 0);
    assert_eq!(lost("é".repeat(50_001)), 1);
    assert_eq!(lost("😀".repeat(25_001)), 1);
}

#[test]
fn only_an_agent_with_a_parent_is_a_subagent() {
    let subagent = |parent: Value| {
        let payload =
            json!({ "hookName": "agent_end", "agent_id": "a2", "parent_agent_id": parent });
        parsed(&payload).unwrap().subagent
    };
    assert_eq!(subagent(Value::Null), None);
    assert_eq!(subagent(json!("a1")).unwrap().id, "a2");
}

#[test]
fn cline_is_recognised_by_its_version_even_when_that_is_empty() {
    let recognised = |payload: Value| {
        CLINE.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|_| true,
        })
    };
    assert_eq!(
        recognised(json!({ "clineVersion": "" })),
        Recognition::Payload
    );
    assert_eq!(recognised(json!({ "hookName": "x" })), Recognition::No);
}

proptest! {
    /// Any JSON object gives an event that keeps it whole, or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload("hookName", NAMES.to_vec(), KEYS)) {
        match parsed(&Value::Object(payload.clone())) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Ask and deny before a tool always stop the run, in both clients; a rewrite is applied or stops it.
    #[test]
    fn verdict_before_a_tool_is_applied(decision in any_decision(KEYS), in_code in any::<bool>()) {
        let (name, event) = if in_code {
            ("PreToolUse", code("run_commands", &json!({ "commands": "[\"ls\"]" })).unwrap())
        } else {
            ("tool_call", cli("run_commands", &json!({ "commands": ["ls"] })))
        };
        let heard = heard(name, &CLINE.render(&event, &decision));
        prop_assert!(heard.cancelled || decision.verdict < Verdict::Ask);
        prop_assert!(!heard.cancelled || !heard.reason.trim().is_empty());
        prop_assert!(!heard.cancelled || heard.input.is_none());
        if let Some(updated) = &decision.updated_input {
            let sent = json!({ "commands": ["ls"] });
            let runs = heard.input.as_ref().unwrap_or(&sent).get("commands");
            let wanted = match (updated.get("command"), updated.get("commands")) {
                (Some(Value::Null), _) => None,
                (Some(text), _) => Some(json!([text])),
                (None, native) => native.cloned(),
            };
            prop_assert!(heard.cancelled || runs == wanted.as_ref(), "{:?}", heard);
        }
    }

    /// Any decision on any event gives JSON that both clients accept, or no output.
    #[test]
    fn every_reply_is_one_that_cline_accepts(payload in any_payload("hookName", NAMES.to_vec(), KEYS), decision in any_decision(KEYS)) {
        if let Ok(event) = parsed(&Value::Object(payload)) {
            let rendered = CLINE.render(&event, &decision);
            prop_assert!(rendered.exit == 0 && rendered.stderr.is_empty());
            let json = serde_json::from_str::<Value>(&rendered.stdout).is_ok();
            prop_assert!(rendered.stdout.is_empty() || json);
            heard(&event.native_name, &rendered);
        }
    }

    /// Inputs of any shape are translated without a panic, and one that stays as it is needs no rewrite.
    #[test]
    fn an_unchanged_input_is_not_rewritten(input in any_value(KEYS), tool in prop::sample::select(&["run_commands", "read_files", "editor", "search_codebase"])) {
        prop_assume!(!input.is_null());
        let event = cli(tool, &input);
        let same = event.call().unwrap().input.clone();
        let heard = heard("tool_call", &CLINE.render(&event, &rewrite(same)));
        prop_assert!(heard.cancelled || heard.input.is_none());
        prop_assert!(!heard.cancelled || !input.is_object());
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_never_becomes_permission(verdict in any_verdict()) {
        for kind in [Some(EventKind::PreToolUse), None] {
            let rendered = CLINE.render_unparsed(kind.as_ref(), verdict, "no");
            for name in ["PreToolUse", "tool_call"] {
                prop_assert_eq!(heard(name, &rendered).cancelled, verdict > Verdict::Allow);
            }
        }
    }
}
