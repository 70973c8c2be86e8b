//! Cursor's contract.

use becket_agents::contract::ProcessEnd;
use becket_model::Dialect::Cursor;
use becket_model::Verdict::{Deny, Halt, NoOpinion};
use becket_model::{EventData, EventKind, FailureKind, HookOutcome, OnFailure, ToolCall};
use serde_json::{Value, json};

use super::{
    bash, call, ends, event, every_event, exits, finds, hook, of_kind, pre_tool, reads, says, stop,
    subagent_stop,
};

/// The common fields of every event.
fn envelope(name: &str) -> Value {
    json!({
        "conversation_id": "s-1",
        "generation_id": "",
        "model": "unknown",
        "session_id": "s-1",
        "hook_event_name": name,
        "cursor_version": "0.0.0",
        "workspace_roots": ["/home/ana/shop"],
        "user_email": null,
        "transcript_path": null,
    })
}

fn with(mut envelope: Value, more: Value) -> Value {
    let more = more.as_object().expect("an object").clone();
    envelope.as_object_mut().expect("an object").extend(more);
    envelope
}

fn before(tool: &str, input: Value) -> EventData {
    EventData::PreToolUse {
        call: call(tool, input),
    }
}

fn after(tool: &str, input: Value, response: Value) -> EventData {
    EventData::PostToolUse {
        call: call(tool, input),
        response,
        duration_ms: Some(5120),
    }
}

#[test]
fn hooks_read_cursors_payload_from_every_agent() {
    let shell = || json!({ "command": "cargo test" });
    for (native, data, more) in [
        (
            None,
            EventData::SessionStart {
                source: Some("startup".into()),
            },
            json!({ "is_background_agent": false }),
        ),
        (
            None,
            EventData::UserPromptSubmit {
                prompt: "add a health endpoint".into(),
            },
            json!({ "prompt": "add a health endpoint", "attachments": [] }),
        ),
        (
            None,
            before("Bash", shell()),
            json!({
                "tool_name": "Shell",
                "tool_input": { "command": "cargo test", "cwd": "/home/ana/shop/api" },
                "tool_use_id": "call-1",
                "cwd": "/home/ana/shop/api",
            }),
        ),
        (
            Some("beforeShellExecution"),
            before("Bash", shell()),
            json!({ "command": "cargo test", "cwd": "/home/ana/shop/api", "sandbox": false }),
        ),
        (
            Some("afterShellExecution"),
            after("Bash", shell(), json!({ "stdout": "test result: ok" })),
            json!({ "command": "cargo test", "output": "test result: ok", "duration": 5120, "sandbox": false }),
        ),
        (
            None,
            after(
                "Read",
                json!({ "file_path": "/a" }),
                json!({ "content": "x" }),
            ),
            json!({
                "tool_name": "Read",
                "tool_input": { "file_path": "/a" },
                "tool_use_id": "call-1",
                "tool_output": "{\"content\":\"x\"}",
                "duration": 5120,
            }),
        ),
        (
            None,
            EventData::PostToolUseFailure {
                call: call("Read", json!({ "file_path": "/.env" })),
                error: "File not found".into(),
                interrupted: false,
                duration_ms: None,
            },
            json!({
                "tool_name": "Read",
                "tool_input": { "file_path": "/.env" },
                "tool_use_id": "call-1",
                "error_message": "File not found",
                "failure_type": "error",
                "duration": 0,
                "is_interrupt": false,
            }),
        ),
        (
            Some("beforeMCPExecution"),
            before("mcp__github__create_issue", json!({ "title": "x" })),
            json!({
                "tool_name": "create_issue",
                "tool_input": "{\"title\":\"x\"}",
                "mcp_server_name": "github",
            }),
        ),
        (
            Some("beforeReadFile"),
            before("Read", json!({ "file_path": "/a" })),
            json!({ "file_path": "/a", "content": "", "attachments": [] }),
        ),
        (
            None,
            EventData::FileModified {
                path: "/home/ana/shop/src/app.rs".into(),
                change: Some("modify".into()),
            },
            json!({ "file_path": "/home/ana/shop/src/app.rs", "edits": [] }),
        ),
        (
            None,
            EventData::SubagentStart {
                id: "s-2".into(),
                kind: "explore".into(),
                description: "map the auth code".into(),
            },
            json!({
                "subagent_id": "s-2",
                "subagent_type": "explore",
                "task": "map the auth code",
                "parent_conversation_id": "s-1",
                "tool_call_id": "",
                "is_parallel_worker": false,
            }),
        ),
        (
            None,
            stop(true),
            json!({ "status": "completed", "loop_count": 1 }),
        ),
        (
            None,
            EventData::AgentThought {
                text: "I should check the router first".into(),
            },
            json!({ "text": "I should check the router first" }),
        ),
        (
            None,
            EventData::SessionEnd {
                reason: Some("completed".into()),
            },
            json!({ "reason": "completed", "duration_ms": 0, "is_background_agent": false, "final_status": "completed" }),
        ),
    ] {
        let event = event("claude", data);
        let name = match native {
            Some(name) => name.to_owned(),
            None => reads(Cursor, None, &event)["hook_event_name"]
                .as_str()
                .expect("a name")
                .to_owned(),
        };
        assert_eq!(
            reads(Cursor, native, &event),
            with(envelope(&name), more),
            "{name}"
        );
    }
    let stopped = reads(Cursor, None, &event("claude", subagent_stop()));
    assert_eq!(stopped["status"], "error");
    assert_eq!(stopped["error_message"], "lost");
    assert_eq!(
        reads(Cursor, None, &of_kind(&EventKind::Setup)),
        json!({ "hook_event_name": "workspaceOpen", "cursor_version": "0.0.0", "workspace_roots": ["/home/ana/shop"], "user_email": null })
    );
}

#[test]
fn events_have_cursors_names() {
    for (kind, name) in [
        (EventKind::PreToolUse, "preToolUse"),
        (EventKind::PostToolUseFailure, "postToolUseFailure"),
        (EventKind::UserPromptSubmit, "beforeSubmitPrompt"),
        (EventKind::FileModified, "afterFileEdit"),
        (EventKind::AgentResponse, "afterAgentResponse"),
        (EventKind::Stop, "stop"),
        (EventKind::PreCompact, "preCompact"),
        // Cursor does not fire these; the spelling is still its own.
        (EventKind::Notification, "notification"),
        (EventKind::PermissionRequest, "permissionRequest"),
    ] {
        assert_eq!(
            reads(Cursor, None, &of_kind(&kind))["hook_event_name"],
            name
        );
    }
}

#[test]
fn every_change_of_a_file_is_a_write() {
    for (tool, input, expected) in [
        (
            "Write",
            json!({ "file_path": "a", "content": "x" }),
            json!({ "file_path": "a", "content": "x" }),
        ),
        (
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "content": "y" }),
        ),
        (
            "apply_patch",
            json!({ "command": "*** Add File: b\n+z\n" }),
            json!({ "file_path": "b", "content": "*** Add File: b\n+z\n" }),
        ),
    ] {
        let read = reads(Cursor, None, &event("claude", before(tool, input)));
        assert_eq!(read["tool_name"], "Write", "{tool}");
        assert_eq!(read["tool_input"], expected, "{tool}");
    }
    let read = reads(
        Cursor,
        None,
        &event("claude", before("mcp__github__search", json!({}))),
    );
    assert_eq!(read["tool_name"], "MCP:search");
}

#[test]
fn cursors_own_payload_is_passed_on_whole_with_the_current_input() {
    let mut event = event("cursor", before("Shell", json!({ "command": "ls -l" })));
    event.raw = json!({
        "conversation_id": "c-71", "generation_id": "g-4", "model": "gpt-5.2", "tool_name": "Shell",
        "tool_input": { "command": "ls", "cwd": "/w" }, "tool_use_id": "tu-9", "session_id": "c-71",
        "hook_event_name": "preToolUse", "cursor_version": "3.18.2", "workspace_roots": ["/w"],
        "user_email": "ana@example.org", "transcript_path": null, "extra": 1,
    })
    .as_object()
    .cloned()
    .expect("an object");
    let read = reads(Cursor, None, &event);
    assert_eq!(read["tool_input"]["command"], "ls -l");
    for key in ["generation_id", "cursor_version", "user_email", "extra"] {
        assert_eq!(read[key], event.raw[key], "{key}");
    }
    let narrow = reads(Cursor, Some("beforeShellExecution"), &event);
    assert_eq!(narrow["hook_event_name"], "beforeShellExecution");
    assert_eq!(narrow["command"], "ls -l");
    assert_eq!(
        narrow.get("tool_input"),
        None,
        "nothing says the old command"
    );
    assert_eq!(finds(Cursor, &event)["CURSOR_VERSION"], "3.18.2");
    assert_eq!(
        finds(Cursor, &event)["CURSOR_USER_EMAIL"],
        "ana@example.org"
    );
}

#[test]
fn the_environment_is_cursors() {
    let mut event = pre_tool();
    event.transcript = Some("/t.jsonl".into());
    let found: Vec<_> = finds(Cursor, &event).into_iter().collect();
    let expected = [
        ("CLAUDE_PROJECT_DIR", "/home/ana/shop"),
        ("CURSOR_PROJECT_DIR", "/home/ana/shop"),
        ("CURSOR_TRANSCRIPT_PATH", "/t.jsonl"),
        ("CURSOR_VERSION", "0.0.0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(found, expected);
}

fn failure(outcome: &HookOutcome) -> Option<FailureKind> {
    outcome.failure.as_ref().map(|failure| failure.kind)
}

#[test]
fn exit_codes_mean_what_they_mean_in_cursor() {
    let exit = Some(FailureKind::Exit);
    for (code, stdout, stderr, verdict, reason, failed) in [
        (0, "{}", "", NoOpinion, None, None),
        (0, "", "", NoOpinion, None, None),
        // Before a tool, an invalid reply denies.
        (
            0,
            "fine",
            "",
            Deny,
            Some("it is not JSON"),
            Some(FailureKind::BadReply),
        ),
        (
            2,
            "",
            "no force pushes",
            Deny,
            Some("no force pushes"),
            None,
        ),
        (2, "printed", "and said", Deny, Some("printed"), None),
        (
            2,
            r#"{"permission":"allow"}"#,
            "",
            Deny,
            Some("blocked by hook"),
            None,
        ),
        (1, r#"{"permission":"deny"}"#, "oops", NoOpinion, None, exit),
        (127, "", "not found", NoOpinion, None, exit),
    ] {
        let outcome = exits(Cursor, &pre_tool(), code, stdout, stderr);
        assert_eq!(outcome.verdict, verdict, "{code} {stdout}");
        assert_eq!(failure(&outcome), failed, "{code} {stdout}");
        if let Some(reason) = reason {
            let said = outcome.reason.unwrap_or_default();
            assert!(said.contains(reason), "{code} {stdout}: {said}");
        }
    }
    let prompt = of_kind(&EventKind::UserPromptSubmit);
    assert_eq!(exits(Cursor, &prompt, 2, "", "no").verdict, Deny);
    for kind in [
        EventKind::PostToolUse,
        EventKind::Stop,
        EventKind::SessionEnd,
    ] {
        let outcome = exits(Cursor, &of_kind(&kind), 2, "", "no");
        assert_eq!(
            (outcome.verdict, outcome.keep_going),
            (NoOpinion, None),
            "{kind}"
        );
    }
    let text = says(Cursor, &of_kind(&EventKind::PostToolUse), "formatted");
    assert_eq!(text.verdict, NoOpinion);
}

#[test]
fn fail_closed_hook_blocks_on_every_failure_and_without_output() {
    let mut closed = hook(Cursor, EventKind::PreToolUse);
    closed.on_failure = Some(OnFailure::Deny);
    for ending in [
        ProcessEnd::TimedOut,
        ProcessEnd::Signaled(9),
        ProcessEnd::NotStarted("x"),
    ] {
        let outcome = ends(&closed, &pre_tool(), ending);
        assert_eq!(outcome.verdict, Deny, "{ending:?}");
    }
    for (code, stdout) in [(1, ""), (0, ""), (0, " \n")] {
        let ran = becket_agents::contract::ProcessOutput {
            ending: ProcessEnd::Exited(code),
            stdout: stdout.as_bytes(),
            stderr: b"",
            truncated: false,
        };
        let outcome = becket_agents::contract::interpret(&closed, &pre_tool(), &ran);
        assert_eq!(outcome.verdict, Deny, "{code}");
        assert!(outcome.failure.is_some());
    }
    let open = hook(Cursor, EventKind::PreToolUse);
    let killed = ends(&open, &pre_tool(), ProcessEnd::Signaled(9));
    assert_eq!(killed.verdict, NoOpinion);
    assert!(killed.failure.is_some(), "a killed hook has not succeeded");
}

#[test]
fn answers_are_read_as_cursor_reads_them() {
    let deny = r#"{"permission":"deny","user_message":"for you","agent_message":"for the agent"}"#;
    let outcome = says(Cursor, &pre_tool(), deny);
    assert_eq!(outcome.verdict, Deny);
    assert_eq!(outcome.reason.as_deref(), Some("for the agent"));
    assert_eq!(outcome.system_message.as_deref(), Some("for you"));

    let alone = says(
        Cursor,
        &pre_tool(),
        r#"{"permission":"deny","user_message":"no"}"#,
    );
    assert_eq!(alone.reason.as_deref(), Some("no"));
    assert_eq!(alone.system_message, None, "it is said once");

    // Output before the reply is ignored, even on the same line.
    let noisy = format!("loading {{x}} profile… {deny}");
    assert_eq!(says(Cursor, &pre_tool(), &noisy).verdict, Deny);

    // Hooks without an objection print `allow`.
    let allow = says(Cursor, &pre_tool(), r#"{"permission":"allow"}"#);
    assert_eq!((allow.verdict, allow.failure), (NoOpinion, None));
    let ask = says(Cursor, &pre_tool(), r#"{"permission":"ask"}"#);
    assert_eq!(ask.verdict, becket_model::Verdict::Ask);

    let context = says(
        Cursor,
        &of_kind(&EventKind::SessionStart),
        r#"{"additional_context":"branch is frozen","env":{"A":"b"}}"#,
    );
    assert_eq!(context.context.as_deref(), Some("branch is frozen"));

    let prompt = of_kind(&EventKind::UserPromptSubmit);
    let held = says(
        Cursor,
        &prompt,
        r#"{"continue":false,"user_message":"no secrets"}"#,
    );
    assert_eq!(held.verdict, Deny);
    assert_eq!(held.reason.as_deref(), Some("no secrets"));
    let aborted = says(
        Cursor,
        &of_kind(&EventKind::SessionStart),
        r#"{"continue":false}"#,
    );
    assert_eq!(aborted.verdict, Halt);
}

#[test]
fn a_follow_up_keeps_the_agent_going() {
    for kind in [EventKind::Stop, EventKind::SubagentStop] {
        let outcome = says(
            Cursor,
            &of_kind(&kind),
            r#"{"followup_message":"run the tests"}"#,
        );
        assert_eq!(
            outcome.keep_going.as_deref(),
            Some("run the tests"),
            "{kind}"
        );
        let claude = says(
            Cursor,
            &of_kind(&kind),
            r#"{"decision":"block","reason":"run the tests"}"#,
        );
        assert_eq!(
            claude.keep_going.as_deref(),
            Some("run the tests"),
            "{kind}"
        );
    }
    for event in every_event() {
        let outcome = says(Cursor, &event, r#"{"followup_message":"more"}"#);
        let stops = matches!(event.kind(), EventKind::Stop | EventKind::SubagentStop);
        assert_eq!(outcome.keep_going.is_some(), stops, "{}", event.kind());
    }
}

#[test]
fn a_rewrite_changes_what_it_names_and_nothing_else() {
    let data = EventData::PreToolUse {
        call: ToolCall::new("Bash", json!({ "command": "cargo test", "timeout": 5 })),
    };
    let outcome = says(
        Cursor,
        &event("claude", data),
        r#"{"permission":"allow","updated_input":{"command":"cargo test -q"}}"#,
    );
    assert_eq!(
        outcome.updated_input,
        Some(json!({ "command": "cargo test -q", "timeout": 5 }))
    );
    let echoed = EventData::PreToolUse { call: bash() };
    let outcome = says(
        Cursor,
        &event("claude", echoed),
        r#"{"updated_input":{"command":"npm test","cwd":"/home/ana/shop/api"}}"#,
    );
    assert_eq!(outcome.updated_input, None, "an echo is no rewrite");
}
