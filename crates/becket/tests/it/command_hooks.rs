//! Command hooks through the library: the documented wire format, and cases that the documented programs got wrong.

use std::time::{Duration, Instant};

use becket::model::{Dialect, Verdict};
use becket::{CommandHook, Error, HookContext, HookEvent, HookInput, HookManager, HookOutput};
use regex::Regex;
use serde_json::{Value, json};

fn bash(command: &str) -> HookInput {
    HookInput::pre_tool_use("abc-123", "Bash", json!({ "command": command }))
}

async fn run(hook: CommandHook, event: HookEvent, input: HookInput) -> HookOutput {
    let mut manager = HookManager::new();
    manager.register(hook);
    let dir = tempfile::tempdir().unwrap();
    manager
        .execute(
            event,
            input,
            &HookContext::new("abc-123").with_cwd(dir.path()),
        )
        .await
        .unwrap()
}

async fn pre(command: &str) -> HookOutput {
    run(
        CommandHook::new("hook", command, [HookEvent::PreToolUse]),
        HookEvent::PreToolUse,
        bash("rm -rf /"),
    )
    .await
}

#[tokio::test]
async fn stdin_is_the_documented_json() {
    let dir = tempfile::tempdir().unwrap();
    let seen = dir.path().join("seen.json");
    let hook = CommandHook::new(
        "tee",
        format!("cat > '{}'", seen.display()),
        [HookEvent::PreToolUse],
    );
    run(hook, HookEvent::PreToolUse, bash("rm -rf /")).await;
    let seen: Value = serde_json::from_str(&std::fs::read_to_string(seen).unwrap()).unwrap();
    assert_eq!(seen["event"], "pre_tool_use");
    assert_eq!(seen["session_id"], "abc-123");
    assert_eq!(seen["tool_name"], "Bash");
    assert_eq!(seen["tool_input"], json!({ "command": "rm -rf /" }));
}

#[tokio::test]
async fn stdin_carries_results_errors_prompts_and_subagents_too() {
    let dir = tempfile::tempdir().unwrap();
    for (event, input, needle) in [
        (
            HookEvent::PostToolUse,
            HookInput::post_tool_use("s", "Bash", "RESULT_1"),
            "RESULT_1",
        ),
        (
            HookEvent::PostToolUseFailure,
            HookInput::post_tool_use_failure("s", "Bash", "ERROR_2"),
            "ERROR_2",
        ),
        (
            HookEvent::UserPromptSubmit,
            HookInput::user_prompt_submit("s", "PROMPT_3"),
            "PROMPT_3",
        ),
        (
            HookEvent::SubagentStart,
            HookInput::subagent_start("s", "AGENT_4", "t", "d"),
            "AGENT_4",
        ),
    ] {
        let seen = dir.path().join(needle);
        let hook = CommandHook::new(
            "tee",
            format!("cat > '{}'", seen.display()),
            [event.clone()],
        );
        run(hook, event, input).await;
        assert!(
            std::fs::read_to_string(&seen).unwrap().contains(needle),
            "{needle}"
        );
    }
}

#[tokio::test]
async fn replies_of_the_documented_shape_and_of_other_shapes_are_understood() {
    for (reply, blocks) in [
        (
            r#"{"continue_execution": false, "stop_reason": "Dangerous command blocked", "updated_input": null}"#,
            true,
        ),
        (r#"{"decision": "block", "reason": "no"}"#, true),
        (r#"{"continue": false, "stopReason": "no"}"#, true),
        (
            r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#,
            true,
        ),
        ("{}", false),
        ("", false),
        ("just text", false),
    ] {
        let output = pre(&format!("cat >/dev/null; echo '{reply}'")).await;
        assert_eq!(!output.continue_execution, blocks, "{reply}");
    }
}

#[tokio::test]
async fn all_six_output_fields_come_through_the_wire() {
    let reply = json!({
        "continue_execution": true, "suppress_logging": true, "system_message": "note",
        "updated_input": { "command": "ls" }, "additional_context": "more"
    });
    let output = pre(&format!("echo '{reply}'")).await;
    assert!(output.continue_execution && output.suppress_logging);
    assert_eq!(output.system_message.as_deref(), Some("note"));
    assert_eq!(output.updated_input, Some(json!({ "command": "ls" })));
    assert_eq!(output.additional_context.as_deref(), Some("more"));
}

#[tokio::test]
async fn any_non_zero_exit_blocks_with_what_the_hook_wrote_to_stderr() {
    for code in [1, 2, 127] {
        let output = pre(&format!("echo 'because of {code}' >&2; exit {code}")).await;
        assert!(!output.continue_execution, "{code}");
        let reason = output.stop_reason.unwrap();
        assert!(reason.contains(&format!("because of {code}")), "{reason}");
    }
    assert!(
        !pre("kill -9 $$").await.continue_execution,
        "death by signal is no success"
    );
}

#[tokio::test]
async fn a_block_on_an_event_that_cannot_be_blocked_is_not_applied() {
    let hook = CommandHook::new("late", "exit 1", [HookEvent::PostToolUse]);
    let output = run(
        hook,
        HookEvent::PostToolUse,
        HookInput::post_tool_use("s", "Bash", "ok"),
    )
    .await;
    assert!(output.continue_execution);
}

#[tokio::test]
async fn a_hook_that_never_reads_its_input_does_no_harm() {
    let huge = "x".repeat(300_000);
    for _ in 0..20 {
        let hook = CommandHook::new("deaf", "true", [HookEvent::PreToolUse]);
        assert!(
            run(hook, HookEvent::PreToolUse, bash(&huge))
                .await
                .continue_execution
        );
    }
}

#[tokio::test]
async fn a_hook_that_prints_much_before_it_reads_much_does_not_deadlock() {
    let huge = "x".repeat(300_000);
    let noisy = "head -c 300000 /dev/zero | tr '\\0' 'a'; cat >/dev/null";
    let hook = CommandHook::new("noisy", noisy, [HookEvent::PreToolUse]).timeout(60);
    assert!(
        run(hook, HookEvent::PreToolUse, bash(&huge))
            .await
            .continue_execution
    );
}

#[tokio::test]
async fn a_hanging_hook_fails_closed_at_its_deadline_and_leaves_no_child() {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let script = format!(
        "echo $$ > '{0}'; sleep 300 & echo $! >> '{0}'; wait",
        pids.display()
    );
    let started = Instant::now();
    let hook = CommandHook::new("hangs", script, [HookEvent::PreToolUse]).timeout(1);
    let output = run(hook, HookEvent::PreToolUse, bash("ls")).await;
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(!output.continue_execution);
    assert!(output.stop_reason.unwrap().contains("hangs"));
    let alive = |pid: &str| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z "))
    };
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        assert!(!alive(pid), "process {pid} outlived its hook");
    }
}

#[tokio::test]
async fn cancelling_ends_the_child() {
    let mut manager = HookManager::new();
    manager
        .register(CommandHook::new("sleeper", "sleep 300", [HookEvent::PreToolUse]).timeout(300));
    let ctx = HookContext::new("s");
    let token = ctx.cancellation_token.clone();
    let started = Instant::now();
    let (result, ()) = tokio::join!(
        manager.execute(HookEvent::PreToolUse, bash("ls"), &ctx),
        async { token.cancel() }
    );
    assert!(matches!(result, Err(Error::Cancelled)));
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn matcher_environment_and_working_directory_are_honoured() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"printf '{"additional_context":"%s %s %s %s"}' "$(pwd -P)" "$EXTRA" "$FROM_CTX" "$EVENT""#;
    let hook = CommandHook::new("env", script, [HookEvent::PreToolUse])
        .matcher(&Regex::new("Bash|Write").unwrap())
        .env("EXTRA", "one");
    let mut manager = HookManager::new();
    manager.register(hook);
    let ctx = HookContext::new("s")
        .with_cwd(dir.path())
        .with_env("FROM_CTX", "two");
    let output = manager
        .execute(HookEvent::PreToolUse, bash("ls"), &ctx)
        .await
        .unwrap();
    let here = dir.path().canonicalize().unwrap();
    assert_eq!(
        output.additional_context,
        Some(format!("{} one two pre_tool_use", here.display()))
    );
    let read = HookInput::pre_tool_use("s", "Read", json!({}));
    assert_eq!(
        manager
            .execute(HookEvent::PreToolUse, read, &ctx)
            .await
            .unwrap(),
        HookOutput::allow()
    );
}

/// Runs one hook of a dialect.
async fn in_dialect(dialect: Dialect, script: &str) -> becket::model::Decision {
    let source = becket::model::HookSource {
        level: becket::model::Level::User,
        file: "test".into(),
        line: 1,
        key: "hook".into(),
    };
    let spec =
        becket::model::HookSpec::command("hook", dialect, HookEvent::PreToolUse, script, source);
    let mut manager = HookManager::new();
    manager.register_specs([spec]);
    manager
        .decide(
            HookEvent::PreToolUse,
            bash("npm test"),
            &HookContext::new("sess_abc123"),
        )
        .await
        .unwrap()
}

#[tokio::test]
async fn exit_codes_mean_what_the_dialect_says() {
    use Dialect::{Autohand, Becket, Claude, ClaudeAgent, CodeAgent};
    use Verdict::{Deny, NoOpinion};
    for (dialect, code, expected) in [
        (Becket, 0, NoOpinion),
        (Becket, 1, NoOpinion),
        (Becket, 2, Deny),
        (Claude, 1, NoOpinion),
        (Claude, 2, Deny),
        (CodeAgent, 0, NoOpinion),
        (CodeAgent, 1, Deny),
        (CodeAgent, 2, Deny),
        (CodeAgent, 127, Deny),
        (ClaudeAgent, 1, Deny),
        (Autohand, 1, NoOpinion),
        (Autohand, 2, Deny),
    ] {
        let decision = in_dialect(dialect, &format!("echo why >&2; exit {code}")).await;
        assert_eq!(decision.verdict, expected, "{} exit {code}", dialect.name());
        if expected == Deny {
            assert!(
                decision.reason.as_ref().unwrap().contains("why"),
                "{decision:?}"
            );
        }
    }
}

#[tokio::test]
async fn code_agent_hooks_get_their_documented_variables() {
    let script =
        r#"printf '%s|%s|%s|%s' "$TOOL_NAME" "$TOOL_INPUT" "$SESSION_ID" "$COMMAND" >&2; exit 1"#;
    let decision = in_dialect(Dialect::CodeAgent, script).await;
    assert_eq!(
        decision.reason.as_deref(),
        Some(r#"Bash|{"command":"npm test"}|abc-123|npm test"#)
    );
}

#[tokio::test]
async fn claude_style_scripts_that_read_stdin_work_in_every_dialect() {
    let script =
        r#"case "$(cat)" in *"npm test"*) echo '{"decision":"block","reason":"seen"}';; esac"#;
    for dialect in [
        Dialect::Becket,
        Dialect::Claude,
        Dialect::CodeAgent,
        Dialect::ClaudeAgent,
        Dialect::Autohand,
    ] {
        let decision = in_dialect(dialect, script).await;
        assert_eq!(
            (decision.verdict, decision.reason.as_deref()),
            (Verdict::Deny, Some("seen")),
            "{}",
            dialect.name()
        );
    }
}

#[tokio::test]
async fn a_huge_environment_does_not_keep_a_hook_from_starting() {
    let source = becket::model::HookSource {
        level: becket::model::Level::User,
        file: "t".into(),
        line: 1,
        key: "h".into(),
    };
    for dialect in [Dialect::Becket, Dialect::CodeAgent, Dialect::Autohand] {
        let spec = becket::model::HookSpec::command(
            "hook",
            dialect,
            HookEvent::PreToolUse,
            "echo ran >&2; exit 2",
            source.clone(),
        );
        let mut manager = HookManager::new();
        manager.register_specs([spec]);
        let decision = manager
            .decide(
                HookEvent::PreToolUse,
                bash(&"é".repeat(400_000)),
                &HookContext::new("s"),
            )
            .await
            .unwrap();
        assert_eq!(
            decision.verdict,
            Verdict::Deny,
            "{}: {decision:?}",
            dialect.name()
        );
    }
}
