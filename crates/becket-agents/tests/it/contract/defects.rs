//! Where the programs behind these dialects violate their own documentation, Becket follows the documentation.

use becket_agents::contract::{MAX_ENTRY_BYTES, ProcessEnd, env, stdin};
use becket_model::Dialect::{Autohand, ClaudeAgent, CodeAgent};
use becket_model::Verdict::{Allow, Deny, Halt, NoOpinion};
use becket_model::{Dialect, Event, EventData, EventKind};
use serde_json::{Value, json};

use super::{AROUND, bash, ends, event, exits, hook, of_kind, pre_tool, says};

fn read(dialect: Dialect, kind: &EventKind) -> Value {
    let bytes = stdin(&hook(dialect, kind.clone()), &of_kind(kind), &AROUND);
    serde_json::from_slice(&bytes).expect("JSON")
}

fn var(dialect: Dialect, event: &Event, name: &str) -> Option<String> {
    let vars = env(&hook(dialect, event.kind()), event, &AROUND);
    let found = vars.into_iter().find(|(given, _)| given == name);
    found.map(|(_, value)| value)
}

#[test]
fn autohand_exit_one_does_not_reject_the_tool() {
    assert_eq!(
        exits(Autohand, &pre_tool(), 1, "", "oops").verdict,
        NoOpinion
    );
}

#[test]
fn autohand_death_by_signal_is_not_success() {
    let hook = hook(Autohand, EventKind::PreToolUse);
    let outcome = ends(&hook, &pre_tool(), ProcessEnd::Signaled(9));
    assert!(outcome.failure.is_some());
}

#[test]
fn autohand_a_timed_out_hook_does_not_allow() {
    let hook = hook(Autohand, EventKind::PreToolUse);
    let outcome = ends(&hook, &pre_tool(), ProcessEnd::TimedOut);
    assert_ne!(outcome.verdict, Allow);
}

#[test]
fn autohand_text_before_a_reply_does_not_hide_it() {
    let outcome = says(Autohand, &pre_tool(), "checking…\n{\"decision\":\"deny\"}");
    assert_eq!(outcome.verdict, Deny);
}

#[test]
fn autohand_a_large_output_cannot_make_the_hook_unstartable() {
    let data = EventData::PostToolUse {
        call: bash(),
        response: json!("x".repeat(200 * 1024)),
        duration_ms: None,
    };
    let event = event("autohand", data);
    let vars = env(&hook(Autohand, EventKind::PostToolUse), &event, &AROUND);
    for (name, value) in vars {
        assert!(name.len() + value.len() + 2 <= MAX_ENTRY_BYTES, "{name}");
    }
    let whole = stdin(&hook(Autohand, EventKind::PostToolUse), &event, &AROUND);
    assert!(whole.len() > 200 * 1024, "stdin has all of it");
}

#[test]
fn autohand_the_documented_subagent_variables_are_set() {
    let event = of_kind(&EventKind::SubagentStop);
    for name in ["NAME", "SUCCESS", "ERROR", "ID", "TYPE"] {
        let name = format!("HOOK_SUBAGENT_{name}");
        assert!(var(Autohand, &event, &name).is_some(), "{name}");
    }
}

#[test]
fn autohand_absent_facts_are_null_and_not_missing() {
    let read = read(Autohand, &EventKind::PreToolUse);
    assert_eq!(read.get("tool_response"), Some(&Value::Null));
}

#[test]
fn autohand_prompts_can_be_blocked() {
    let event = of_kind(&EventKind::UserPromptSubmit);
    assert_eq!(exits(Autohand, &event, 2, "", "no secrets").verdict, Deny);
    assert_eq!(
        says(Autohand, &event, r#"{"continue":false}"#).verdict,
        Halt
    );
}

#[test]
fn code_agent_the_documented_variables_are_set() {
    for name in ["TOOL_NAME", "TOOL_INPUT", "SESSION_ID", "COMMAND"] {
        let value = var(CodeAgent, &pre_tool(), name);
        assert!(value.is_some_and(|value| !value.is_empty()), "{name}");
    }
}

#[test]
fn code_agent_hooks_get_something_to_read() {
    assert_eq!(
        read(CodeAgent, &EventKind::PreToolUse)["payload"]["toolName"],
        "Bash"
    );
}

#[test]
fn code_agent_every_exit_code_but_zero_blocks_with_stderr_as_the_reason() {
    for code in [1, 2, 3, 42, 126, 127, 255] {
        let outcome = exits(
            CodeAgent,
            &pre_tool(),
            code,
            "ignored",
            "BLOCKED: Dangerous command",
        );
        assert_eq!(outcome.verdict, Deny, "{code}");
        let reason = outcome.reason.expect("a reason");
        assert!(
            reason.contains("BLOCKED: Dangerous command"),
            "{code}: {reason}"
        );
    }
}

#[test]
fn code_agent_a_command_that_does_not_exist_blocks() {
    let hook = hook(CodeAgent, EventKind::PreToolUse);
    let outcome = ends(&hook, &pre_tool(), ProcessEnd::NotStarted("not found"));
    assert_eq!(outcome.verdict, Deny);
    assert!(
        outcome
            .reason
            .is_some_and(|reason| reason.starts_with("hook could not run"))
    );
}

#[test]
fn code_agent_denials_in_other_words_count() {
    for (reply, verdict) in [
        (r#"{"permissionDecision":"deny"}"#, Deny),
        (
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
            Deny,
        ),
        (r#"{"decision":"deny"}"#, Deny),
        (r#"{"continue":false}"#, Halt),
    ] {
        assert_eq!(
            says(CodeAgent, &pre_tool(), reply).verdict,
            verdict,
            "{reply}"
        );
    }
}

#[test]
fn claude_agent_denials_in_other_words_count() {
    for (reply, verdict) in [
        (r#"{"continue":false}"#, Halt),
        (r#"{"decision":"block"}"#, Deny),
    ] {
        assert_eq!(
            says(ClaudeAgent, &pre_tool(), reply).verdict,
            verdict,
            "{reply}"
        );
    }
}

#[test]
fn claude_agent_replies_may_use_all_six_fields() {
    let outcome = says(
        ClaudeAgent,
        &pre_tool(),
        r#"{"continue_execution":true,"stop_reason":null,"suppress_logging":true,"system_message":"m","updated_input":{"command":"ls"},"additional_context":"c"}"#,
    );
    assert_eq!(outcome.verdict, NoOpinion);
    assert!(outcome.suppress_logging);
    assert_eq!(outcome.system_message.as_deref(), Some("m"));
    assert_eq!(outcome.context.as_deref(), Some("c"));
    assert_eq!(outcome.updated_input, Some(json!({ "command": "ls" })));
}

#[test]
fn claude_agent_a_block_names_stderr_and_not_only_a_number() {
    let outcome = exits(ClaudeAgent, &pre_tool(), 1, "", "touches production");
    assert_eq!(outcome.reason.as_deref(), Some("touches production"));
}

#[test]
fn claude_agent_events_that_cannot_be_blocked_are_not() {
    for kind in EventKind::ALL.iter().filter(|kind| !kind.can_block()) {
        let outcome = exits(ClaudeAgent, &of_kind(kind), 1, "", "no");
        assert_eq!(outcome.verdict, NoOpinion, "{kind}");
        assert_eq!(outcome.keep_going, None, "{kind}");
    }
}

#[test]
fn claude_agent_sessions_and_subagents_can_be_blocked() {
    for kind in [EventKind::SessionStart, EventKind::SubagentStart] {
        let reply = r#"{"continue_execution":false,"stop_reason":"closed"}"#;
        assert_eq!(
            says(ClaudeAgent, &of_kind(&kind), reply).verdict,
            Deny,
            "{kind}"
        );
    }
}

#[test]
fn claude_agent_hooks_read_result_error_prompt_and_subagent() {
    for (kind, key, value) in [
        (
            EventKind::PostToolUse,
            "tool_result",
            json!({ "stdout": "ok" }),
        ),
        (EventKind::PostToolUseFailure, "error", json!("Exit code 3")),
        (EventKind::UserPromptSubmit, "prompt", json!("fix it")),
        (EventKind::SubagentStart, "subagent_id", json!("a-1")),
        (EventKind::SubagentStart, "subagent_type", json!("explore")),
        (
            EventKind::SubagentStart,
            "description",
            json!("look around"),
        ),
        (EventKind::SubagentStop, "subagent_id", json!("a-1")),
        (EventKind::SubagentStop, "success", json!(false)),
        (EventKind::SubagentStop, "error", json!("lost")),
        (EventKind::Stop, "cwd", json!("/home/ana/shop/api")),
        (EventKind::Stop, "timestamp", json!(AROUND.timestamp)),
    ] {
        assert_eq!(read(ClaudeAgent, &kind)[key], value, "{kind} {key}");
    }
}
