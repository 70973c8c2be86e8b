//! Codex's contract.

use becket_model::Dialect::Codex;
use becket_model::Verdict::{Allow, Deny, Halt, NoOpinion};
use becket_model::{EventData, EventKind, FailureKind, Subagent};
use serde_json::{Value, json};

use super::{call, event, exits, finds, of_kind, pre_tool, reads, says, stop, subagent_stop};

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn hooks_read_codexs_payload_from_every_agent() {
    let shell = || call("Bash", json!({ "command": "npm test", "timeout": 5 }));
    for (data, expected) in [
        (
            EventData::SessionStart {
                source: Some("startup".into()),
            },
            json!({ "session_id": "s-1", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "SessionStart", "model": "", "permission_mode": "default", "source": "startup" }),
        ),
        (
            EventData::UserPromptSubmit {
                prompt: "Fix it".into(),
            },
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "UserPromptSubmit", "model": "", "permission_mode": "default", "prompt": "Fix it" }),
        ),
        (
            EventData::PreToolUse { call: shell() },
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "PreToolUse", "model": "", "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": "npm test" }, "tool_use_id": "call-1" }),
        ),
        (
            EventData::PermissionRequest { call: shell() },
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "PermissionRequest", "model": "", "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": "npm test" } }),
        ),
        (
            EventData::PostToolUse {
                call: shell(),
                response: json!({ "stdout": "ok" }),
                duration_ms: None,
            },
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "PostToolUse", "model": "", "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": "npm test" }, "tool_use_id": "call-1", "tool_response": "ok" }),
        ),
        (
            EventData::PreCompact {
                trigger: Some("auto".into()),
                instructions: None,
            },
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "PreCompact", "model": "", "trigger": "auto" }),
        ),
        (
            stop(false),
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "Stop", "model": "", "permission_mode": "default", "stop_hook_active": false, "last_assistant_message": "All done." }),
        ),
        (
            subagent_stop(),
            json!({ "session_id": "s-1", "turn_id": "", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "SubagentStop", "model": "", "permission_mode": "default", "agent_transcript_path": null, "stop_hook_active": false, "agent_id": "a-1", "agent_type": "explore", "last_assistant_message": null }),
        ),
        (
            EventData::SessionEnd { reason: None },
            json!({ "session_id": "s-1", "transcript_path": null, "cwd": "/home/ana/shop/api", "hook_event_name": "SessionEnd", "reason": "other" }),
        ),
    ] {
        let read = reads(Codex, None, &event("claude", data));
        assert_eq!(read, expected, "{}", read["hook_event_name"]);
        assert_eq!(keys(&read)[0], "session_id");
    }
    let mut inside = pre_tool();
    inside.subagent = Some(Subagent {
        id: "a-9".into(),
        kind: Some("default".into()),
    });
    let read = reads(Codex, None, &inside);
    assert_eq!(
        (&read["agent_id"], &read["agent_type"]),
        (&json!("a-9"), &json!("default"))
    );
}

#[test]
fn every_change_of_a_file_is_a_patch() {
    for (tool, input, patch) in [
        (
            "Write",
            json!({ "file_path": "a.txt", "content": "hi\n" }),
            "*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n",
        ),
        (
            "Edit",
            json!({ "file_path": "a.txt", "old_string": "hi", "new_string": "ho" }),
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-hi\n+ho\n*** End Patch\n",
        ),
        (
            "delete_path",
            json!({ "path": "a.txt" }),
            "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n",
        ),
        ("apply_patch", json!({ "patch": "p" }), "p"),
    ] {
        let data = EventData::PreToolUse {
            call: call(tool, input),
        };
        let read = reads(Codex, None, &event("claude", data));
        assert_eq!(read["tool_name"], "apply_patch", "{tool}");
        assert_eq!(read["tool_input"], json!({ "command": patch }), "{tool}");
    }
}

#[test]
fn codex_adds_nothing_to_the_environment() {
    assert_eq!(finds(Codex, &pre_tool()).len(), 0);
}

#[test]
fn exit_code_two_blocks_if_it_says_why() {
    let exit = Some(FailureKind::Exit);
    for (kind, code, stderr, verdict, failed) in [
        (EventKind::PreToolUse, 2, "no", Deny, None),
        (EventKind::PermissionRequest, 2, "no", Deny, None),
        (EventKind::PostToolUse, 2, "no", Deny, None),
        (EventKind::UserPromptSubmit, 2, "no", Deny, None),
        (EventKind::PreToolUse, 2, "", NoOpinion, exit),
        (EventKind::PreToolUse, 1, "no", NoOpinion, exit),
        (EventKind::PreToolUse, 127, "no", NoOpinion, exit),
        (EventKind::SessionStart, 2, "no", NoOpinion, exit),
        (EventKind::PreCompact, 2, "no", NoOpinion, exit),
    ] {
        let outcome = exits(Codex, &of_kind(&kind), code, "", stderr);
        assert_eq!(outcome.verdict, verdict, "{kind} {code} {stderr}");
        assert_eq!(
            outcome.failure.map(|f| f.kind),
            failed,
            "{kind} {code} {stderr}"
        );
    }
    let silent = exits(Codex, &pre_tool(), 2, "", "")
        .failure
        .expect("a failure");
    assert!(
        silent
            .message
            .ends_with("which blocks only with a reason on stderr"),
        "{}",
        silent.message
    );
    let on = exits(Codex, &of_kind(&EventKind::Stop), 2, "", "run the tests");
    assert_eq!(on.keep_going.as_deref(), Some("run the tests"));
}

#[test]
fn good_answers_are_applied() {
    let specific = |fields: Value| json!({ "hookSpecificOutput": fields }).to_string();
    let deny = specific(
        json!({ "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no" }),
    );
    let outcome = says(Codex, &pre_tool(), &deny);
    assert_eq!((outcome.verdict, outcome.failure), (Deny, None));
    assert_eq!(outcome.reason.as_deref(), Some("no"));

    let rewrite = specific(
        json!({ "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": { "command": "npm test -s" } }),
    );
    let outcome = says(Codex, &pre_tool(), &rewrite);
    assert_eq!(
        (outcome.verdict, outcome.failure),
        (NoOpinion, None),
        "it does not approve"
    );
    assert_eq!(
        outcome.updated_input,
        Some(json!({ "command": "npm test -s" }))
    );

    let allow = specific(
        json!({ "hookEventName": "PermissionRequest", "decision": { "behavior": "allow" } }),
    );
    let outcome = says(Codex, &of_kind(&EventKind::PermissionRequest), &allow);
    assert_eq!((outcome.verdict, outcome.failure), (Allow, None));

    for (kind, reply, verdict) in [
        (
            EventKind::PostToolUse,
            r#"{"decision":"block","reason":"r"}"#,
            Deny,
        ),
        // After a tool the turn continues.
        (
            EventKind::PostToolUse,
            r#"{"continue":false,"stopReason":"r"}"#,
            Deny,
        ),
        (EventKind::UserPromptSubmit, r#"{"continue":false}"#, Halt),
        (EventKind::SessionStart, r#"{"continue":false}"#, Halt),
        (EventKind::Stop, r#"{"continue":false}"#, Halt),
        (EventKind::PreCompact, r#"{"continue":false}"#, Halt),
        (EventKind::SubagentStart, r#"{"continue":false}"#, NoOpinion),
    ] {
        let outcome = says(Codex, &of_kind(&kind), reply);
        assert_eq!(
            (outcome.verdict, outcome.failure),
            (verdict, None),
            "{kind} {reply}"
        );
    }
}

#[test]
fn one_unknown_key_drops_everything_but_restrictions() {
    for reply in [
        json!({ "hookSpecificOutput": { "permissionDecision": "allow" } }),
        json!({ "hookSpecificOutput": { "updatedInput": { "command": "x" } } }),
        json!({ "hookSpecificOutput": { "permissionDecision": "allow", "updatedInput": { "command": "x" } }, "suppressOutput": true }),
        json!({ "hookSpecificOutput": { "permissionDecision": "allow", "updatedInput": { "command": "x" } }, "terminalSequence": "x" }),
        json!({ "hookSpecificOutput": { "additionalContext": "c", "sessionTitle": "t" } }),
        json!({ "reason": "r" }),
        json!({ "decision": "approve" }),
        json!({ "permission": "allow" }),
    ] {
        let outcome = says(Codex, &pre_tool(), &reply.to_string());
        assert_eq!(
            outcome.failure.map(|f| f.kind),
            Some(FailureKind::BadReply),
            "{reply}"
        );
        assert_eq!(
            (outcome.verdict, outcome.updated_input, outcome.context),
            (NoOpinion, None, None),
            "{reply}"
        );
    }
    for reply in [
        json!({ "suppressOutput": true, "hookSpecificOutput": { "permissionDecision": "deny", "permissionDecisionReason": "r" } }),
        json!({ "decision": "deny", "reason": "r" }),
        json!({ "continue": false, "stopReason": "r" }),
        json!({ "permission": "deny", "user_message": "r" }),
    ] {
        let outcome = says(Codex, &pre_tool(), &reply.to_string());
        assert!(outcome.verdict >= Deny, "{reply}");
        assert_eq!(outcome.reason.as_deref(), Some("r"), "{reply}");
    }
    let stop = says(
        Codex,
        &of_kind(&EventKind::Stop),
        r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#,
    );
    assert_eq!(stop.failure.map(|f| f.kind), Some(FailureKind::BadReply));
    assert_eq!(stop.context, None);
}

#[test]
fn plain_text_is_context_or_a_failure_at_stop() {
    for (kind, context, failed) in [
        (EventKind::SessionStart, true, false),
        (EventKind::SubagentStart, true, false),
        (EventKind::UserPromptSubmit, true, false),
        (EventKind::PreToolUse, false, false),
        (EventKind::PostToolUse, false, false),
        (EventKind::Stop, false, true),
        (EventKind::SubagentStop, false, true),
    ] {
        let outcome = says(Codex, &of_kind(&kind), "note");
        assert_eq!(outcome.context.is_some(), context, "{kind}");
        assert_eq!(outcome.failure.is_some(), failed, "{kind}");
    }
    for text in ["{broken", "[1]"] {
        let outcome = says(Codex, &of_kind(&EventKind::SessionStart), text);
        assert_eq!(
            outcome.failure.map(|f| f.kind),
            Some(FailureKind::BadReply),
            "{text}"
        );
    }
}

#[test]
fn a_rewritten_patch_that_the_waiting_edit_cannot_become_is_denied() {
    let edit = EventData::PreToolUse {
        call: call(
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
        ),
    };
    let reply = json!({ "hookSpecificOutput": { "permissionDecision": "allow", "updatedInput": { "command": "*** Begin Patch\n*** Add File: b\n*** End Patch\n" } } });
    let outcome = says(Codex, &event("claude", edit), &reply.to_string());
    assert_eq!(outcome.verdict, Deny);
    let reason = outcome.reason.expect("a reason");
    assert!(reason.contains("*** Add File: b"), "{reason}");
    assert_eq!(outcome.updated_input, None);
}
