//! GitHub Copilot's contract, in its two payloads.

use becket_model::Dialect::Copilot;
use becket_model::Verdict::{Allow, Ask, Deny, Halt, NoOpinion};
use becket_model::{EventData, EventKind, FailureKind, OnFailure};
use serde_json::{Value, json};

use super::{
    AROUND, bash, call, ends, event, exits, finds, hook, of_kind, pre_tool, reads, says, stop,
};

const MS: i64 = 1_787_479_872_345;

fn write() -> EventData {
    EventData::PreToolUse {
        call: call(
            "Write",
            json!({ "file_path": "/home/ana/shop/note.txt", "content": "first line" }),
        ),
    }
}

fn after() -> EventData {
    EventData::PostToolUse {
        call: call("Bash", json!({ "command": "cargo test" })),
        response: json!({ "stdout": "ok" }),
        duration_ms: None,
    }
}

#[test]
fn hooks_under_camel_case_keys_read_copilots_own_payload() {
    let base = |more: Value| {
        let mut out = json!({ "sessionId": "s-1", "timestamp": MS, "cwd": "/home/ana/shop/api" });
        let more = more.as_object().expect("an object").clone();
        out.as_object_mut().expect("an object").extend(more);
        out
    };
    for (data, expected) in [
        (
            EventData::SessionStart { source: None },
            json!({ "source": "new" }),
        ),
        (
            EventData::SessionEnd { reason: None },
            json!({ "reason": "complete" }),
        ),
        (
            EventData::UserPromptSubmit {
                prompt: "add health check".into(),
            },
            json!({ "prompt": "add health check" }),
        ),
        (
            EventData::PreToolUse { call: bash() },
            json!({ "toolName": "bash", "toolArgs": { "command": "npm test" } }),
        ),
        (
            write(),
            json!({ "toolName": "create", "toolArgs": { "path": "/home/ana/shop/note.txt", "file_text": "first line" } }),
        ),
        (
            EventData::PreToolUse {
                call: call("Read", json!({ "file_path": "/x" })),
            },
            json!({ "toolName": "view", "toolArgs": { "path": "/x" } }),
        ),
        (
            after(),
            json!({ "toolName": "bash", "toolArgs": { "command": "cargo test" }, "toolResult": { "resultType": "success", "textResultForLlm": "ok" } }),
        ),
        (
            EventData::PostToolUseFailure {
                call: call("Read", json!({ "file_path": "/x" })),
                error: "Path does not exist".into(),
                interrupted: false,
                duration_ms: None,
            },
            json!({ "toolName": "view", "toolArgs": { "path": "/x" }, "error": "Path does not exist" }),
        ),
        (
            EventData::PermissionRequest { call: bash() },
            json!({ "hookName": "permissionRequest", "toolName": "bash", "toolInput": { "command": "npm test" }, "permissionSuggestions": [] }),
        ),
        (
            stop(false),
            json!({ "transcriptPath": "", "stopReason": "end_turn", "stop_hook_active": false }),
        ),
        (
            EventData::SubagentStart {
                id: "4852".into(),
                kind: "general-purpose".into(),
                description: "d".into(),
            },
            json!({ "transcriptPath": "", "agentName": "general-purpose", "agentDescription": "d", "agentId": "4852", "agentType": "general-purpose", "parentAgentId": "s-1" }),
        ),
        (
            EventData::SessionError {
                error: "429".into(),
                code: Some("ApiError".into()),
            },
            json!({ "error": { "message": "429", "name": "ApiError" }, "errorContext": "system", "recoverable": false }),
        ),
        (
            EventData::Notification {
                kind: Some("permission_prompt".into()),
                message: "m".into(),
            },
            json!({ "message": "m", "hook_event_name": "Notification", "notification_type": "permission_prompt" }),
        ),
    ] {
        let event = event("claude", data);
        assert_eq!(
            reads(Copilot, None, &event),
            base(expected),
            "{}",
            event.kind()
        );
    }
    let edit = EventData::PermissionRequest {
        call: call("Write", json!({ "file_path": "/n", "content": "x" })),
    };
    let read = reads(Copilot, None, &event("claude", edit));
    assert_eq!(
        (&read["toolName"], &read["toolInput"]["file_path"]),
        (&json!("edit"), &json!("/n"))
    );
}

#[test]
fn hooks_under_pascal_case_keys_read_claudes_names_with_copilots_arguments() {
    let base = |name: &str, more: Value| {
        let mut out = json!({ "hook_event_name": name, "session_id": "s-1", "timestamp": AROUND.timestamp, "cwd": "/home/ana/shop/api" });
        let more = more.as_object().expect("an object").clone();
        out.as_object_mut().expect("an object").extend(more);
        out
    };
    for (name, data, expected) in [
        (
            "PreToolUse",
            write(),
            json!({ "tool_name": "Write", "tool_input": { "path": "/home/ana/shop/note.txt", "file_text": "first line" } }),
        ),
        (
            "PostToolUse",
            after(),
            json!({ "tool_name": "Bash", "tool_input": { "command": "cargo test" }, "tool_result": { "result_type": "success", "text_result_for_llm": "ok" } }),
        ),
        (
            "Stop",
            stop(true),
            json!({ "transcript_path": "", "stop_reason": "end_turn", "stop_hook_active": true }),
        ),
        (
            "PreCompact",
            EventData::PreCompact {
                trigger: Some("auto".into()),
                instructions: None,
            },
            json!({ "transcript_path": "", "trigger": "auto", "custom_instructions": "" }),
        ),
        (
            "ErrorOccurred",
            EventData::SessionError {
                error: "429".into(),
                code: None,
            },
            json!({ "error": { "message": "429", "name": "Error" }, "error_context": "system", "recoverable": false }),
        ),
    ] {
        let event = event("claude", data);
        assert_eq!(reads(Copilot, Some(name), &event), base(name, expected));
    }
    let stopped = reads(
        Copilot,
        Some("SubagentStop"),
        &of_kind(&EventKind::SubagentStop),
    );
    assert_eq!(stopped["last_assistant_message"], "");
    // These events keep the other body, whatever the case of their key.
    for (name, kind) in [
        ("PermissionRequest", EventKind::PermissionRequest),
        ("Notification", EventKind::Notification),
        ("SubagentStart", EventKind::SubagentStart),
    ] {
        let read = reads(Copilot, Some(name), &of_kind(&kind));
        assert_eq!(read["sessionId"], "s-1", "{name}");
    }
    let task = EventData::PreToolUse {
        call: call("Task", json!({})),
    };
    assert_eq!(
        reads(Copilot, Some("PreToolUse"), &event("claude", task))["tool_name"],
        "Agent"
    );
}

#[test]
fn the_environment_is_copilots() {
    let found = finds(Copilot, &pre_tool());
    assert_eq!(found["COPILOT_CLI"], "1");
    assert_eq!(found["COPILOT_PROJECT_DIR"], "/home/ana/shop");
    assert_eq!(found["CLAUDE_PROJECT_DIR"], "/home/ana/shop");
    assert!(found.contains_key("COPILOT_HOOK_DIR"));
}

#[test]
fn exit_codes_mean_what_they_mean_in_copilot() {
    let exit = Some(FailureKind::Exit);
    for (kind, code, verdict, failed) in [
        (EventKind::PreToolUse, 0, NoOpinion, None),
        (EventKind::PreToolUse, 1, Deny, exit),
        (EventKind::PreToolUse, 2, Deny, None),
        (EventKind::PreToolUse, 3, Deny, exit),
        (EventKind::PreToolUse, 127, Deny, exit),
        (EventKind::PermissionRequest, 2, Deny, None),
        (EventKind::PermissionRequest, 1, NoOpinion, exit),
        (EventKind::UserPromptSubmit, 2, NoOpinion, exit),
        (EventKind::PostToolUse, 2, NoOpinion, exit),
        (EventKind::Stop, 2, NoOpinion, exit),
        (EventKind::PostToolUseFailure, 2, NoOpinion, None),
    ] {
        let outcome = exits(Copilot, &of_kind(&kind), code, "", "words");
        assert_eq!(outcome.verdict, verdict, "{kind} {code}");
        assert_eq!(outcome.keep_going, None, "{kind} {code}");
        assert_eq!(outcome.failure.map(|f| f.kind), failed, "{kind} {code}");
    }
    let warned = exits(
        Copilot,
        &of_kind(&EventKind::UserPromptSubmit),
        2,
        "",
        "words",
    );
    assert_eq!(warned.system_message.as_deref(), Some("words"));
    let told = exits(
        Copilot,
        &of_kind(&EventKind::PostToolUseFailure),
        2,
        "",
        "words",
    );
    assert_eq!(told.context.as_deref(), Some("words"));
    let reason = exits(
        Copilot,
        &pre_tool(),
        2,
        r#"{"permissionDecisionReason":"no"}"#,
        "words",
    );
    assert_eq!(reason.reason.as_deref(), Some("no"));
}

#[test]
fn timed_out_hook_fails_open_and_unstartable_hook_fails_closed() {
    use becket_agents::contract::ProcessEnd;
    let mut own = hook(Copilot, EventKind::PreToolUse);
    assert_eq!(
        ends(&own, &pre_tool(), ProcessEnd::TimedOut).verdict,
        NoOpinion
    );
    assert_eq!(
        ends(&own, &pre_tool(), ProcessEnd::NotStarted("gone")).verdict,
        Deny
    );
    own.on_failure = Some(OnFailure::Allow);
    assert_eq!(
        ends(&own, &pre_tool(), ProcessEnd::NotStarted("gone")).verdict,
        NoOpinion
    );
    own.on_failure = Some(OnFailure::Deny);
    assert_eq!(ends(&own, &pre_tool(), ProcessEnd::TimedOut).verdict, Deny);
}

#[test]
fn answers_are_read_as_copilot_reads_them() {
    for (kind, reply, verdict) in [
        (
            EventKind::PreToolUse,
            r#"{"permissionDecision":"deny","permissionDecisionReason":"r"}"#,
            Deny,
        ),
        (
            EventKind::PreToolUse,
            r#"{"permissionDecision":"ask"}"#,
            Ask,
        ),
        (
            EventKind::PreToolUse,
            r#"{"permissionDecision":"allow"}"#,
            Allow,
        ),
        (
            EventKind::PermissionRequest,
            r#"{"behavior":"deny","message":"r"}"#,
            Deny,
        ),
        (
            EventKind::PermissionRequest,
            r#"{"behavior":"deny","message":"r","interrupt":true}"#,
            Halt,
        ),
        (
            EventKind::PermissionRequest,
            r#"{"interrupt":true,"behavior":"allow"}"#,
            Allow,
        ),
        (
            EventKind::UserPromptSubmit,
            r#"{"decision":"block","reason":"r"}"#,
            Deny,
        ),
        (
            EventKind::PostToolUse,
            r#"{"decision":"block","reason":"r"}"#,
            Deny,
        ),
        (
            EventKind::SessionStart,
            r#"{"decision":"block","reason":"r"}"#,
            NoOpinion,
        ),
        (EventKind::PreToolUse, "plain words", NoOpinion),
    ] {
        let outcome = says(Copilot, &of_kind(&kind), reply);
        assert_eq!(outcome.verdict, verdict, "{kind} {reply}");
        assert_eq!(outcome.failure, None, "{kind} {reply}");
        assert_eq!(outcome.context, None, "{kind} {reply}");
        if verdict >= Deny {
            assert_eq!(outcome.reason.as_deref(), Some("r"), "{kind} {reply}");
        }
    }
    let on = says(
        Copilot,
        &of_kind(&EventKind::Stop),
        r#"{"decision":"block","reason":"test it"}"#,
    );
    assert_eq!(on.keep_going.as_deref(), Some("test it"));
    let context = says(
        Copilot,
        &of_kind(&EventKind::SessionStart),
        r#"{"additionalContext":"c"}"#,
    );
    assert_eq!(context.context.as_deref(), Some("c"));
}

#[test]
fn lines_that_report_progress_do_not_hide_the_answer() {
    let deny = r#"{"permissionDecision":"deny"}"#;
    let progress = r#"{"type":"progress","message":"half way","temporary":true}"#;
    for stdout in [
        format!("{progress}\n{deny}\n"),
        format!("{deny}\n{progress}\n"),
        format!("{progress}\n{{\n \"permissionDecision\": \"deny\"\n}}\n{progress}\n"),
    ] {
        assert_eq!(
            says(Copilot, &pre_tool(), &stdout).verdict,
            Deny,
            "{stdout}"
        );
    }
    assert_eq!(says(Copilot, &pre_tool(), progress).verdict, NoOpinion);
}

#[test]
fn a_rewrite_replaces_the_arguments_and_comes_back_under_our_keys() {
    for key in ["modifiedArgs", "updatedInput"] {
        let reply = json!({ "permissionDecision": "allow", key: { "path": "/tmp/x", "file_text": "second" } });
        let outcome = says(Copilot, &event("claude", write()), &reply.to_string());
        assert_eq!(
            outcome.updated_input,
            Some(json!({ "file_path": "/tmp/x", "content": "second" })),
            "{key}"
        );
    }
}
