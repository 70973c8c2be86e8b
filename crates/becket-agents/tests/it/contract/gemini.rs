//! Gemini CLI's contract.

use becket_model::Dialect::Gemini;
use becket_model::Verdict::{Ask, Deny, Halt, NoOpinion};
use becket_model::{EventData, EventKind, FailureKind};
use serde_json::{Value, json};

use super::{AROUND, call, event, exits, finds, of_kind, pre_tool, reads, says, stop};

fn payload(name: &str, more: Value) -> Value {
    let mut out = json!({
        "session_id": "s-1",
        "transcript_path": "",
        "cwd": "/home/ana/shop/api",
        "hook_event_name": name,
        "timestamp": AROUND.timestamp,
    });
    let more = more.as_object().expect("an object").clone();
    out.as_object_mut().expect("an object").extend(more);
    out
}

#[test]
fn hooks_read_geminis_payload_from_every_agent() {
    let shell = || {
        call(
            "Bash",
            json!({ "command": "npm test", "description": "run tests" }),
        )
    };
    let input = || json!({ "command": "npm test", "description": "run tests" });
    for (data, expected) in [
        (
            EventData::SessionStart {
                source: Some("startup".into()),
            },
            payload("SessionStart", json!({ "source": "startup" })),
        ),
        (
            EventData::SessionEnd { reason: None },
            payload("SessionEnd", json!({ "reason": "exit" })),
        ),
        (
            EventData::UserPromptSubmit {
                prompt: "Fix the login test".into(),
            },
            payload("BeforeAgent", json!({ "prompt": "Fix the login test" })),
        ),
        (
            stop(false),
            payload(
                "AfterAgent",
                json!({ "prompt": "", "prompt_response": "All done.", "stop_hook_active": false }),
            ),
        ),
        (
            EventData::PreToolUse { call: shell() },
            payload(
                "BeforeTool",
                json!({ "tool_name": "run_shell_command", "tool_input": input() }),
            ),
        ),
        (
            EventData::PostToolUse {
                call: shell(),
                response: json!({ "stdout": "ok", "stderr": "" }),
                duration_ms: None,
            },
            payload(
                "AfterTool",
                json!({
                    "tool_name": "run_shell_command", "tool_input": input(),
                    "tool_response": { "llmContent": "ok", "returnDisplay": "ok" },
                }),
            ),
        ),
        (
            EventData::PostToolUseFailure {
                call: shell(),
                error: "boom".into(),
                interrupted: false,
                duration_ms: None,
            },
            payload(
                "AfterTool",
                json!({
                    "tool_name": "run_shell_command", "tool_input": input(),
                    "tool_response": { "llmContent": "boom", "returnDisplay": "boom", "error": { "message": "boom" } },
                }),
            ),
        ),
        (
            EventData::PreToolUse {
                call: call("mcp__github__search", json!({ "q": 1 })),
            },
            payload(
                "BeforeTool",
                json!({
                    "tool_name": "mcp_github_search", "tool_input": { "q": 1 },
                    "mcp_context": { "server_name": "github", "tool_name": "search" },
                }),
            ),
        ),
        (
            EventData::PreModelRequest,
            payload(
                "BeforeModel",
                json!({ "llm_request": { "model": "", "messages": [], "config": {} } }),
            ),
        ),
        (
            EventData::Notification {
                kind: Some("ToolPermission".into()),
                message: "m".into(),
            },
            payload(
                "Notification",
                json!({ "notification_type": "ToolPermission", "message": "m", "details": {} }),
            ),
        ),
        (
            EventData::PreCompact {
                trigger: Some("auto".into()),
                instructions: None,
            },
            payload("PreCompress", json!({ "trigger": "auto" })),
        ),
    ] {
        assert_eq!(reads(Gemini, None, &event("claude", data)), expected);
    }
}

#[test]
fn tools_have_geminis_names_and_keys() {
    for (tool, input, name, expected) in [
        (
            "Write",
            json!({ "file_path": "a", "content": "x" }),
            "write_file",
            json!({ "file_path": "a", "content": "x" }),
        ),
        (
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "replace_all": true }),
            "replace",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "allow_multiple": true }),
        ),
        (
            "Grep",
            json!({ "pattern": "x", "path": "src" }),
            "grep_search",
            json!({ "pattern": "x", "dir_path": "src" }),
        ),
        (
            "WebSearch",
            json!({ "query": "x" }),
            "google_web_search",
            json!({ "query": "x" }),
        ),
        (
            "apply_patch",
            json!({ "command": "*** Update File: b\n" }),
            "replace",
            json!({ "command": "*** Update File: b\n", "file_path": "b" }),
        ),
    ] {
        let data = EventData::PreToolUse {
            call: call(tool, input),
        };
        let read = reads(Gemini, None, &event("claude", data));
        assert_eq!(read["tool_name"], name);
        assert_eq!(read["tool_input"], expected, "{name}");
    }
}

#[test]
fn the_environment_is_geminis() {
    let found: Vec<_> = finds(Gemini, &pre_tool()).into_iter().collect();
    let expected = [
        ("CLAUDE_PROJECT_DIR", "/home/ana/shop/api"),
        ("GEMINI_CWD", "/home/ana/shop/api"),
        ("GEMINI_PROJECT_DIR", "/home/ana/shop/api"),
        ("GEMINI_SESSION_ID", "s-1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn exit_codes_mean_what_they_mean_in_gemini() {
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    let allow = r#"{"decision":"allow"}"#;
    let exit = Some(FailureKind::Exit);
    for (code, stdout, stderr, verdict, failed) in [
        (0, "", "", NoOpinion, None),
        (1, "", "", NoOpinion, exit),
        (2, "", "", NoOpinion, exit),
        (3, "", "", NoOpinion, exit),
        (0, "words", "", NoOpinion, None),
        (1, "words", "", NoOpinion, exit),
        (2, "words", "", Deny, None),
        (2, "", "words", Deny, None),
        (3, "words", "", Deny, None),
        (127, "", "not found", Deny, exit),
        (0, deny, "", Deny, None),
        (1, deny, "", Deny, None),
        (2, deny, "ignored", Deny, None),
        // Stderr is parsed as the reply if stdout is empty.
        (0, "", deny, Deny, None),
        (2, allow, "ignored", NoOpinion, exit),
        (2, "{}", "ignored", NoOpinion, exit),
        // Quoted as a JSON string.
        (0, "\"{\\\"decision\\\":\\\"deny\\\"}\"", "", Deny, None),
        // JSON that is not an object is ignored.
        (0, "42", "", NoOpinion, None),
        (2, "true", "", NoOpinion, exit),
    ] {
        let outcome = exits(Gemini, &pre_tool(), code, stdout, stderr);
        let shown = format!("{code} {stdout:?} {stderr:?}");
        assert_eq!(outcome.verdict, verdict, "{shown}");
        assert_eq!(outcome.failure.map(|f| f.kind), failed, "{shown}");
    }
    let said = exits(Gemini, &pre_tool(), 3, "touches production", "");
    assert_eq!(said.reason.as_deref(), Some("touches production"));
}

#[test]
fn plain_text_is_a_message_for_the_user() {
    for (code, expected) in [(0, "note"), (1, "Warning: note")] {
        let outcome = exits(Gemini, &of_kind(&EventKind::SessionStart), code, "note", "");
        assert_eq!(outcome.system_message.as_deref(), Some(expected));
        assert_eq!(outcome.context, None);
    }
}

#[test]
fn answers_are_read_as_gemini_reads_them_and_claudes_denials_too() {
    for (reply, verdict) in [
        (r#"{"decision":"block","reason":"r"}"#, Deny),
        (r#"{"decision":"ask"}"#, Ask),
        // `allow` never approves in Gemini.
        (r#"{"decision":"allow"}"#, NoOpinion),
        (r#"{"continue":false,"stopReason":"enough"}"#, Halt),
        (
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
            Deny,
        ),
        (
            r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#,
            NoOpinion,
        ),
    ] {
        let outcome = says(Gemini, &pre_tool(), reply);
        assert_eq!(outcome.verdict, verdict, "{reply}");
        assert_eq!(outcome.failure, None, "{reply}");
    }
    let context = r#"{"hookSpecificOutput":{"additionalContext":"c"},"systemMessage":"m"}"#;
    let outcome = says(Gemini, &of_kind(&EventKind::PostToolUse), context);
    assert_eq!(outcome.context.as_deref(), Some("c"));
    assert_eq!(outcome.system_message.as_deref(), Some("m"));
}

#[test]
fn denials_apply_only_where_gemini_supports_them() {
    let deny = r#"{"decision":"deny","reason":"r"}"#;
    for (kind, verdict) in [
        (EventKind::PreToolUse, Deny),
        (EventKind::PostToolUse, Deny),
        (EventKind::UserPromptSubmit, Deny),
        (EventKind::PreModelRequest, Deny),
        (EventKind::SessionStart, NoOpinion),
        (EventKind::SessionEnd, NoOpinion),
        (EventKind::Notification, NoOpinion),
        (EventKind::PreCompact, NoOpinion),
    ] {
        assert_eq!(
            says(Gemini, &of_kind(&kind), deny).verdict,
            verdict,
            "{kind}"
        );
        let halted = says(Gemini, &of_kind(&kind), r#"{"continue":false}"#).verdict;
        let expected = if verdict == Deny { Halt } else { NoOpinion };
        assert_eq!(halted, expected, "{kind}");
    }
    let again = says(Gemini, &of_kind(&EventKind::Stop), deny);
    assert_eq!(
        (again.verdict, again.keep_going.as_deref()),
        (NoOpinion, Some("r"))
    );
}

#[test]
fn a_rewrite_replaces_the_whole_input() {
    let data = EventData::PreToolUse {
        call: call(
            "Grep",
            json!({ "pattern": "x", "path": "src", "type": "rust" }),
        ),
    };
    let reply = r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"pattern":"y","dir_path":"lib"}}}"#;
    let outcome = says(Gemini, &event("claude", data), reply);
    assert_eq!(
        outcome.updated_input,
        Some(json!({ "pattern": "y", "path": "lib" }))
    );
}
