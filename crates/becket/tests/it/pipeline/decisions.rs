//! Selecting, running and merging the user's hooks.

use std::sync::atomic::Ordering;

use becket::{CoreHooks, NeedsFullBinary};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::client_world::{ClientWorld, context, ran, reason, verdict};

#[test]
fn blocking_hook_denies_with_its_reason() {
    let world = ClientWorld::with_config(
        "[[hook]]\nname = \"guard\"\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ncommand = \"echo 'never that' >&2; exit 2\"\n",
    );
    let denied = world.bash("rm -rf /");
    assert_eq!((verdict(&denied), reason(&denied)), ("deny", "never that"));
    let reply: Value = serde_json::from_str(&denied.rendered.stdout).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": "a" } });
    let other = world.fire("PreToolUse", &read);
    assert_eq!(
        (verdict(&other), other.rendered.stdout.as_str()),
        ("none", "")
    );
}

#[test]
fn record_describes_the_event_and_the_decision() {
    let world = ClientWorld::with_config(
        "[[hook]]\nname = \"a\"\nevent = \"PreToolUse\"\ncommand = \"true\"\n",
    );
    let before = Utc::now();
    let record = world.bash("ls").record;
    let time: DateTime<Utc> = record["ts"].as_str().unwrap().parse().unwrap();
    assert!(
        (before.timestamp_millis()..=Utc::now().timestamp_millis())
            .contains(&time.timestamp_millis())
    );
    assert_eq!(
        record["ts"].as_str().unwrap().len(),
        "2026-01-01T00:00:00.000Z".len()
    );
    assert_eq!(record["v"], 1);
    assert_eq!(record["agent"], "claude");
    assert_eq!(record["event"], "PreToolUse");
    assert_eq!(record["session"], "s1");
    assert_eq!(record["project"], json!(world.project()));
    assert_eq!(record["payload"]["tool_input"]["command"], "ls");
    assert_eq!(record["decision"]["hooks"][0]["hook"], "a");
    for absent in ["lost", "skipped"] {
        assert_eq!(record.get(absent), None, "{absent}");
    }
    assert_ne!(record["id"], world.bash("ls").record["id"]);
}

#[test]
fn project_is_the_repository_of_the_reported_directory() {
    let world = ClientWorld::new();
    std::fs::create_dir_all(world.path("app/src/deep")).unwrap();
    let project = |cwd: Value| {
        let response = world.fire("Stop", &json!({ "cwd": cwd }));
        response.record["project"].clone()
    };
    assert_eq!(
        project(json!(world.path("app/src/deep"))),
        json!(world.project())
    );
    // The client's own directory takes the place of a relative or missing one.
    assert_eq!(project(json!("src/deep")), "/");
    assert_eq!(project(Value::Null), "/");
}

#[test]
fn parts_that_the_agent_cannot_express_are_on_record() {
    let world = ClientWorld::with_config(
        "[[hook]]\nevent = \"PreToolUse\"\ncommand = \"echo '{\\\"decision\\\":\\\"ask\\\",\\\"reason\\\":\\\"sure?\\\"}'\"\n",
    );
    let payload = json!({
        "agent_action_name": "pre_run_command", "trajectory_id": "tr-1",
        "tool_info": { "command_line": "ls", "cwd": world.project() },
    });
    let bytes = payload.to_string();
    let asked = world
        .send(
            "windsurf",
            Some("pre_run_command"),
            bytes.as_bytes(),
            &CoreHooks,
        )
        .expect("the factory builds every hook");
    assert_eq!(verdict(&asked), "ask");
    assert_eq!(asked.record["lost"], json!(asked.rendered.lost));
    assert!(!asked.rendered.lost.is_empty());
}

#[test]
fn strictest_verdict_wins_and_contexts_are_joined() {
    let world = ClientWorld::with_config(
        r#"
[[hook]]
name = "a"
event = "PreToolUse"
command = "echo '{\"decision\":\"allow\",\"additionalContext\":\"one\"}'"
[[hook]]
name = "b"
event = "PreToolUse"
command = "echo '{\"decision\":\"ask\",\"reason\":\"sure?\",\"additionalContext\":\"two\"}'"
"#,
    );
    let asked = world.bash("ls");
    assert_eq!((verdict(&asked), reason(&asked)), ("ask", "sure?"));
    assert_eq!(
        (context(&asked), ran(&asked)),
        (json!("one\ntwo"), vec!["a", "b"])
    );
}

#[test]
fn callers_connect_signals_only_for_hooks_that_may_wait() {
    let world = ClientWorld::new();
    world.bash("ls");
    assert!(!world.announced.load(Ordering::Relaxed), "no hook");
    let guard = "[[hook]]\nuse = \"security-guard\"\n";
    world.config(guard);
    assert_eq!(ran(&world.bash("ls")), ["security-guard"]);
    assert!(
        !world.announced.load(Ordering::Relaxed),
        "the guard never waits"
    );
    world.config(&format!(
        "{guard}[[hook]]\nevent = \"PreToolUse\"\ncommand = \"true\"\n"
    ));
    world.bash("ls");
    assert!(world.announced.load(Ordering::Relaxed));
}

#[test]
fn interrupted_hooks_ask_where_the_event_can_be_blocked() {
    let world = ClientWorld::with_config(
        "[[hook]]\nname = \"slow\"\nevent = [\"PreToolUse\", \"PostToolUse\"]\ncommand = \"sleep 600\"\n",
    );
    world.is_impatient.store(true, Ordering::Relaxed);
    let asked = world.bash("ls");
    assert_eq!(verdict(&asked), "ask");
    assert!(reason(&asked).contains("interrupted"), "{}", reason(&asked));
    assert_eq!(ran(&asked), ["becket"]);
    let call =
        json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_response": {} });
    assert_eq!(verdict(&world.fire("PostToolUse", &call)), "none");
}

#[test]
fn hook_that_did_not_load_follows_its_policy_on_its_own_event() {
    for (policy, expected) in [("allow", "none"), ("ask", "ask"), ("deny", "deny")] {
        let world = ClientWorld::with_config(&format!(
            "[[hook]]\nname = \"bad\"\nevent = \"PreToolUse\"\nmatcher = \"a(\"\ncommand = \"true\"\non_failure = \"{policy}\"\n"
        ));
        let answer = world.bash("ls");
        assert_eq!(verdict(&answer), expected);
        if expected != "none" {
            assert!(
                reason(&answer).contains("`bad` did not load"),
                "{}",
                reason(&answer)
            );
            assert_eq!(ran(&answer), ["bad"]);
        }
        assert_eq!(
            verdict(&world.fire("UserPromptSubmit", &json!({ "prompt": "hi" }))),
            "none"
        );
    }
}

#[test]
fn hook_that_did_not_load_is_merged_with_those_that_run() {
    let world = ClientWorld::with_config(
        r#"
[[hook]]
name = "bad"
event = "PreToolUse"
matcher = "a("
command = "true"
on_failure = "deny"
[[hook]]
name = "good"
event = "PreToolUse"
command = "echo '{\"decision\":\"allow\"}'"
"#,
    );
    let answer = world.bash("ls");
    assert_eq!(
        (verdict(&answer), ran(&answer)),
        ("deny", vec!["good", "bad"])
    );
}

#[test]
fn broken_entry_of_a_project_decides_nothing() {
    let world = ClientWorld::new();
    world.write(
        "app/becket.toml",
        "[[hook]]\nname = \"bad\"\nevent = \"PreToolUse\"\nmatcher = \"a(\"\ncommand = \"true\"\non_failure = \"deny\"\n",
    );
    assert_eq!(verdict(&world.bash("ls")), "none");
}

#[test]
fn conflicting_rewrites_are_on_record() {
    let rewrite = |name: &str, to: &str| {
        format!(
            "[[hook]]\nname = \"{name}\"\nevent = \"PreToolUse\"\ncommand = '''echo '{{\"updatedInput\": {{\"command\": \"{to}\"}}}}' '''\n"
        )
    };
    let world = ClientWorld::with_config(&(rewrite("a", "ls -a") + &rewrite("b", "ls -b")));
    let answer = world.bash("ls");
    let conflicts = &answer.record["decision"]["conflicts"];
    assert!(
        conflicts[0].as_str().unwrap().contains("b wins"),
        "{conflicts}"
    );
    assert_eq!(
        answer.record["decision"]["updated_input"],
        json!({ "command": "ls -b" })
    );
}

#[test]
fn hooks_that_this_program_cannot_build_need_the_full_binary() {
    let world = ClientWorld::with_config(
        "[[hook]]\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ntype = \"prompt\"\nprompt = \"Is it safe?\"\n[[hook]]\nevent = \"FileModified\"\ntype = \"prompt\"\nprompt = \"Is it good?\"\n",
    );
    let needs_more = |event: &str, tool: &str| {
        let payload = world.event(
            event,
            &json!({ "tool_name": tool, "tool_input": { "command": "ls", "file_path": "a" }, "tool_response": {} }),
        );
        let bytes = payload.to_string();
        let sent = world.send("claude", Some(event), bytes.as_bytes(), &CoreHooks);
        matches!(sent, Err(NeedsFullBinary))
    };
    assert!(needs_more("PreToolUse", "Bash"));
    assert!(!needs_more("PreToolUse", "Read"));
    assert!(needs_more("PostToolUse", "Write"), "for the derived change");
    assert!(!needs_more("PostToolUse", "Bash"));
}

#[test]
fn recording_redaction_and_recall_follow_the_settings() {
    for is_cached in [false, true] {
        let world = ClientWorld::new();
        let policy = |text: &str| {
            world.config(text);
            if is_cached {
                super::matcher_cache::wait_for_a_hit(&world);
            }
            let response = world.fire("UserPromptSubmit", &json!({ "prompt": "hi" }));
            (
                response.should_record,
                response.injection_point.is_some(),
                response.redact,
            )
        };
        assert_eq!(policy(""), (true, true, vec![]));
        assert_eq!(
            policy("[settings]\nrecord = false\nredact = ['ACME-\\d{6}', \"a\\tb\"]\n"),
            (
                false,
                true,
                vec!["ACME-\\d{6}".to_owned(), "a\tb".to_owned()]
            )
        );
        assert_eq!(policy("[recall]\nenabled = false\n"), (true, false, vec![]));
    }
}
