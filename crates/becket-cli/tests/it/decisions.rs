//! Hook decisions as Claude Code receives them.

use becket_testkit::wait_for;
use serde_json::json;

use crate::context::{Context, quoted};

#[test]
fn event_without_matching_hooks_gets_an_empty_reply() {
    let context = Context::new();
    let answer = context.bash("ls");
    assert_eq!(
        (answer.stdout.as_str(), answer.stderr.as_str(), answer.exit),
        ("", "", 0)
    );
}

#[test]
fn command_hook_denies_and_claude_gets_the_reason() {
    let context = Context::new();
    let script = context.script(
        "guard.sh",
        "grep -q 'rm -rf' && { echo 'never that' >&2; exit 2; }; exit 0",
    );
    context.config(&format!(
        "[[hook]]\nevent = \"pre-tool\"\nmatcher = \"Bash\"\ncommand = {}\n",
        quoted(script)
    ));
    let denied = context.bash("rm -rf /");
    assert_eq!(denied.permission().as_deref(), Some("deny"));
    assert_eq!(denied.reason(), "never that");
    assert_eq!(context.bash("ls").stdout, "");
}

#[test]
fn rewritten_input_reaches_claude_completely() {
    let context = Context::new();
    let reply = json!({ "updatedInput": { "command": "ls -la", "description": "list" } });
    context.config(&format!(
        "[[hook]]\nevent = \"PreToolUse\"\ncommand = \"echo '{}'\"\n",
        reply.to_string().replace('"', "\\\"")
    ));
    let answer = context.bash("ls").json();
    assert_eq!(
        answer["hookSpecificOutput"]["updatedInput"],
        json!({ "command": "ls -la", "description": "list" })
    );
    assert_eq!(
        answer["hookSpecificOutput"].get("permissionDecision"),
        None,
        "a rewrite vouches for nothing"
    );
}

#[test]
fn context_is_added_at_session_start_and_with_a_prompt() {
    let context = Context::new();
    context.config("[[hook]]\nevent = [\"SessionStart\", \"prompt-submit\"]\ncommand = \"echo remember the milk\"\n");
    for (event, more) in [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "hi" })),
    ] {
        let answer = context.fire(event, more).json();
        assert_eq!(
            answer["hookSpecificOutput"]["additionalContext"], "remember the milk",
            "{event}"
        );
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], event);
    }
}

#[test]
fn strictest_verdict_wins_and_a_block_skips_later_stages() {
    let context = Context::new();
    context.config(&format!(
        r#"
[[hook]]
name = "vouches"
event = "PreToolUse"
command = "echo '{{\"decision\":\"allow\"}}'"
priority = 10
[[hook]]
name = "asks"
event = "PreToolUse"
command = "echo '{{\"decision\":\"ask\",\"reason\":\"sure?\"}}'"
priority = 10
[[hook]]
name = "denies"
event = "PreToolUse"
matcher = "Bash"
filter = {{ tool = ["Bash"] }}
if = "Bash(git push *)"
command = "echo 'no pushing' >&2; exit 2"
priority = 5
[[hook]]
name = "late"
event = "PreToolUse"
command = {}
"#,
        quoted(format!("touch {}", context.path("late").display()))
    ));
    let asked = context.bash("ls");
    assert_eq!(
        (asked.permission().as_deref(), asked.reason().as_str()),
        (Some("ask"), "sure?")
    );
    assert!(context.path("late").exists());
    std::fs::remove_file(context.path("late")).expect("removed");
    let denied = context.bash("git push --force");
    assert_eq!(
        (denied.permission().as_deref(), denied.reason().as_str()),
        (Some("deny"), "no pushing")
    );
    assert!(!context.path("late").exists());
}

#[test]
fn stop_hook_keeps_the_agent_going_once() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"Stop\"\ncommand = \"echo 'run the tests' >&2; exit 2\"\n");
    let first = context
        .fire("Stop", json!({ "stop_hook_active": false }))
        .json();
    assert_eq!(
        (&first["decision"], &first["reason"]),
        (&json!("block"), &json!("run the tests"))
    );
    let second = context.fire("Stop", json!({ "stop_hook_active": true }));
    assert_eq!(second.stdout, "");
    let again = context
        .fire("Stop", json!({ "stop_hook_active": false }))
        .json();
    assert_eq!(again["decision"], "block", "a new turn starts a new count");
}

#[test]
fn stop_hook_retries_are_configurable() {
    let context = Context::new();
    context.config("[settings]\nstop_retries = 2\n[[hook]]\nevent = \"Stop\"\ncommand = \"echo more >&2; exit 2\"\n");
    let answers: Vec<bool> = [false, true, true]
        .into_iter()
        .map(|active| {
            context
                .fire("Stop", json!({ "stop_hook_active": active }))
                .stdout
                .is_empty()
        })
        .collect();
    assert_eq!(answers, [false, false, true]);
}

#[test]
fn claude_agent_format_runs_and_claudes_native_format_is_left_to_claude() {
    let context = Context::new();
    context.write(
        "home/.claude/settings.json",
        r#"{"hooks": {
          "PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}],
          "preToolUse": {"check": {"command": "echo '{\"continue_execution\": false, \"stop_reason\": \"by the map\"}'", "matcher": "Write"}}
        }}"#,
    );
    assert_eq!(context.bash("ls").stdout, "");
    let write = context.fire(
        "PreToolUse",
        json!({ "tool_name": "Write", "tool_input": { "file_path": "a", "content": "" } }),
    );
    assert_eq!(write.reason(), "by the map");
}

#[test]
fn code_agent_hooks_block_on_any_non_zero_exit() {
    let context = Context::new();
    context.write(
        "home/.code-agent/hooks/hooks.json",
        r#"{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "[ \"$COMMAND\" = ls ] || { echo \"BLOCKED: $COMMAND\" >&2; exit 1; }"}]}]}"#,
    );
    assert_eq!(context.bash("ls").stdout, "");
    assert_eq!(context.bash("rm").reason(), "BLOCKED: rm");
}

#[test]
fn once_hook_runs_once_per_session() {
    let context = Context::new();
    context.config(
        "[[hook]]\nevent = \"UserPromptSubmit\"\ncommand = \"echo only now\"\nonce = true\n",
    );
    let prompt = || {
        context
            .fire("UserPromptSubmit", json!({ "prompt": "hi" }))
            .stdout
    };
    assert!(prompt().contains("only now"));
    assert_eq!(prompt(), "");
    context.fire("SessionEnd", json!({ "reason": "other" }));
    assert!(
        prompt().contains("only now"),
        "a session that ended is forgotten"
    );
}

#[test]
fn failed_hook_follows_its_on_failure_policy() {
    for (on_failure, expected) in [
        ("allow", None),
        ("ask", Some("ask")),
        ("deny", Some("deny")),
    ] {
        for command in ["exit 7", "/no/such/program", "kill -9 $$", "sleep 60"] {
            let context = Context::new();
            context.config(&format!(
                "[[hook]]\nname = \"shaky\"\nevent = \"PreToolUse\"\ncommand = \"{command}\"\ntimeout = \"300ms\"\non_failure = \"{on_failure}\"\n"
            ));
            let answer = context.bash("ls");
            assert_eq!(
                answer.permission().as_deref(),
                expected,
                "{command} {on_failure}: {}",
                answer.stdout
            );
            if expected.is_some() {
                assert!(answer.reason().contains("shaky"), "{}", answer.reason());
            }
        }
    }
}

#[test]
fn broken_hook_follows_its_on_failure_policy() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"typo\"\nevent = \"PreToolUse\"\nmatcher = \"Bash(\"\ncommand = \"true\"\non_failure = \"deny\"\n");
    let answer = context.bash("ls");
    assert_eq!(answer.permission().as_deref(), Some("deny"));
    assert!(answer.reason().contains("typo"), "{}", answer.reason());
}

#[test]
fn explain_says_why_each_hook_runs_or_not() {
    let context = Context::new();
    context.config(
        "[[hook]]\nname = \"a\"\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ncommand = \"true\"\n[[hook]]\nname = \"b\"\nevent = \"PreToolUse\"\nmatcher = \"Write\"\ncommand = \"true\"\n",
    );
    let output = context
        .run(&["explain", "pre-tool", "--tool", "Bash", "--json"])
        .json();
    let hooks: Vec<_> = output["hooks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|h| (h["name"].clone(), h["runs"].clone()))
        .collect();
    assert_eq!(
        hooks,
        [(json!("a"), json!(true)), (json!("b"), json!(false))]
    );
    let text = context.run(&["explain", "PreToolUse", "--tool", "Bash"]);
    assert!(
        text.stdout.contains("matcher does not match `Bash`")
            && text.stdout.contains("config.toml:6"),
        "{}",
        text.stdout
    );
}

#[test]
fn explain_suggests_the_closest_event_name() {
    let context = Context::new();
    let text = context.run(&["explain", "PreToolUs"]).stdout;
    assert!(
        text.contains("Unknown event `PreToolUs`; did you mean `PreToolUse`?"),
        "{text}"
    );
    let meant = |args: &[&str]| {
        let args = [&["explain", "--json"], args].concat();
        context.run(&args).json()["did_you_mean"].clone()
    };
    assert_eq!(meant(&["PreToolUs"]), "PreToolUse");
    for known in ["PreToolUse", "pre-tool", "Banana"] {
        assert_eq!(meant(&[known]), json!(null), "{known}");
    }
    assert_eq!(meant(&["BeforeModel", "--agent", "gemini"]), json!(null));
}

#[test]
fn explain_includes_file_changes_derived_from_a_tool_call() {
    let context = Context::new();
    context.config(
        "[[hook]]\nname = \"fmt\"\nevent = \"FileModified\"\nfilter = { path = [\"**/*.rs\"] }\ncommand = \"true\"\n",
    );
    let input = r#"{"file_path":"src/a.rs"}"#;
    let other = r#"{"file_path":"README.md"}"#;
    let runs = |args: &[&str]| {
        let args = [&["explain", "--json"], args].concat();
        context.run(&args).json()["hooks"][0]["runs"].clone()
    };
    for agent in ["claude", "codex", "cursor", "autohand"] {
        let at = ["FileModified", "--agent", agent, "--input"];
        assert_eq!(runs(&[&at[..], &[input]].concat()), true, "{agent}");
        assert_eq!(runs(&[&at[..], &[other]].concat()), false, "{agent}");
    }
    let used = ["PostToolUse", "--tool", "Write", "--input"];
    assert_eq!(runs(&[&used[..], &[input]].concat()), true);
    assert_eq!(runs(&[&used[..], &[other]].concat()), false);
    let text = context.run(&[
        "explain",
        "PostToolUse",
        "--tool",
        "Write",
        "--input",
        input,
    ]);
    assert!(
        text.stdout
            .contains("runs in stage 1, for FileModified of `src/a.rs`"),
        "{}",
        text.stdout
    );
}

#[test]
fn explain_says_whether_context_would_be_injected() {
    let mut context = Context::new();
    let recall_note = |context: &Context, args: &[&str]| {
        let args = [&["explain", "--json"], args].concat();
        let recall = context.run(&args).json()["recall"].clone();
        let why = recall["why"].as_str().expect("a reason").to_owned();
        (recall["applies"] == true, why)
    };
    let (_, why) = recall_note(&context, &["SessionStart"]);
    assert!(why.contains("BECKET_DAEMON=off"), "{why}");
    context.set_env("BECKET_DAEMON", "on");
    assert!(recall_note(&context, &["SessionStart"]).0);
    assert!(recall_note(&context, &["UserPromptSubmit", "--agent", "codex"]).0);
    for (args, expected) in [
        (vec!["--", "ls"], "after file tools"),
        (
            vec!["UserPromptSubmit", "--agent", "goose"],
            "goose does not accept context",
        ),
    ] {
        let (applies, why) = recall_note(&context, &args);
        assert!(!applies && why.contains(expected), "{args:?}: {why}");
    }
    context.config("[recall]\nenabled = false\n");
    let (applies, why) = recall_note(&context, &["SessionStart"]);
    assert!(!applies && why.contains("under [recall]"), "{why}");
}

#[test]
fn explain_works_for_every_agent() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"a\"\nevent = \"PreToolUse\"\ncommand = \"true\"\n");
    for agent in becket_agents::adapters() {
        let id = agent.id();
        let output = context.run(&["explain", "--json", "--agent", id, "--", "ls"]);
        assert_eq!(output.exit, 0, "{id}: {}", output.stderr);
        assert_eq!(output.json()["hooks"][0]["runs"], true, "{id}");
        for event in ["PostToolUse", "UserPromptSubmit", "Stop", "SessionEnd"] {
            let output = context.run(&["explain", event, "--agent", id]);
            assert_eq!(output.exit, 0, "{id}, {event}: {}", output.stderr);
        }
    }
}

#[test]
fn explain_reports_an_event_that_the_agent_does_not_send() {
    let context = Context::new();
    let output = context.run(&["explain", "SessionStart", "--agent", "windsurf"]);
    assert!(
        output.stdout.contains("windsurf has no such event"),
        "{}",
        output.stdout
    );
    for agent in ["claude", "cline", "amp"] {
        let output = context.run(&["explain", "SessionStart", "--agent", agent]);
        assert!(
            !output.stdout.contains("no such event"),
            "{}",
            output.stdout
        );
    }
}

/// Fires events until the matcher cache holds the configuration: a file that has just changed is not cached.
fn fill_cache(context: &Context) {
    let cache = context.path("home/.becket/matcher-cache");
    let _ = std::fs::remove_dir_all(&cache);
    wait_for("the cache", || {
        context.bash("ls");
        cache.exists()
    });
}

#[test]
fn added_or_changed_hook_takes_effect_at_the_next_event() {
    let context = Context::new();
    let deny = |matcher: &str| {
        format!("[[hook]]\nevent = \"PreToolUse\"\nmatcher = \"{matcher}\"\ncommand = \"exit 2\"\n")
    };
    fill_cache(&context);
    assert_eq!(context.bash("ls").stdout, "");
    context.config(&deny("Bash"));
    assert_eq!(
        context.bash("ls").permission().as_deref(),
        Some("deny"),
        "a new file is seen"
    );
    context.config(&deny("Read"));
    fill_cache(&context);
    assert_eq!(context.bash("ls").stdout, "");
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": "a" } });
    assert_eq!(
        context.fire("PreToolUse", read).permission().as_deref(),
        Some("deny"),
        "what is remembered matches"
    );
    context.config(&deny("Bash"));
    assert_eq!(
        context.bash("ls").permission().as_deref(),
        Some("deny"),
        "a changed file of the same size is seen"
    );
    fill_cache(&context);
    assert_eq!(context.bash("ls").permission().as_deref(), Some("deny"));
    std::fs::remove_file(context.path("home/.becket/config.toml")).expect("removed");
    assert_eq!(context.bash("ls").stdout, "", "a removed file is seen");
    assert_eq!(
        context
            .records()
            .iter()
            .filter(|record| record["event"] == "PreToolUse")
            .count(),
        context.records().len()
    );
}

#[test]
fn recording_setting_applies_to_events_without_hooks() {
    let context = Context::new();
    context.config("[settings]\nrecord = false\n");
    fill_cache(&context);
    context.bash("ls");
    assert_eq!(context.records().len(), 0);
}

#[test]
fn stop_retries_are_counted_from_the_last_prompt() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"Stop\"\ncommand = \"echo more >&2; exit 2\"\n");
    let goes_on = || !context.fire("Stop", json!({})).stdout.is_empty();
    assert_eq!([goes_on(), goes_on(), goes_on()], [true, false, false]);
    context.fire("UserPromptSubmit", json!({ "prompt": "again" }));
    assert_eq!([goes_on(), goes_on()], [true, false]);
}

#[test]
fn agent_is_detected_from_payload_and_environment() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n");
    let payload = json!({
        "conversation_id": "c", "generation_id": "g", "hook_event_name": "preToolUse", "cursor_version": "2.0",
        "workspace_roots": [context.project()], "tool_name": "Read", "tool_input": { "file_path": "a" },
    });
    let cursor = context.run_with(&["hook", "--agent", "auto"], payload.to_string().as_bytes());
    assert_eq!(
        cursor.json()["permission"],
        "deny",
        "{} {}",
        cursor.stdout,
        cursor.stderr
    );
    assert_eq!(context.records()[0]["agent"], "cursor");
    let undetected = context.run_with(&["hook", "--agent", "auto"], b"{}");
    assert_eq!((undetected.exit, undetected.stdout.as_str()), (65, ""));
    assert!(
        undetected.stderr.contains("--agent"),
        "{}",
        undetected.stderr
    );
}
