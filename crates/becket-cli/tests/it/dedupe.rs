//! Deduplication: agents that report one action twice run hooks once and get every report answered.

use std::io::Write;
use std::process::{Child, Stdio};

use becket_testkit::read_when_there;
use serde_json::{Value, json};

use crate::context::{CommandOutput, Context, quoted};

/// Cursor's payload for an event.
fn cursor(context: &Context, event: &str, more: &Value) -> Value {
    let mut payload = json!({
        "conversation_id": "c-71", "session_id": "c-71", "generation_id": "g-4", "model": "gpt-5.2",
        "hook_event_name": event, "cursor_version": "3.18.2", "workspace_roots": [context.project()],
        "user_email": null, "transcript_path": null,
    });
    let fields = payload.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    payload
}

fn fire(context: &Context, agent: &str, payload: &Value) -> CommandOutput {
    let event = payload["hook_event_name"].as_str().unwrap_or_default();
    context.run_with(
        &["hook", event, "--agent", agent],
        payload.to_string().as_bytes(),
    )
}

fn shell(context: &Context, command: &str, id: &str) -> Value {
    let input = json!({ "command": command, "cwd": context.project() });
    cursor(
        context,
        "preToolUse",
        &json!({ "tool_name": "Shell", "tool_input": input, "tool_use_id": id }),
    )
}

fn before_shell(context: &Context, command: &str) -> Value {
    cursor(
        context,
        "beforeShellExecution",
        &json!({ "command": command, "cwd": "", "sandbox": false }),
    )
}

/// A hook that counts its runs and then runs a command.
fn counting(context: &Context, event: &str, then: &str) {
    let log = context.path("runs");
    let script = context.script(
        "count.sh",
        &format!("echo x >> '{}'\n{then}", log.display()),
    );
    context.config(&format!(
        "[[hook]]\nname = \"counting\"\nevent = \"{event}\"\ncommand = {}\n",
        quoted(script)
    ));
}

fn runs(context: &Context) -> usize {
    context.read("runs").lines().count()
}

fn events(context: &Context) -> Vec<String> {
    let records = context.records();
    let names = records.iter().map(|record| {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("agent"), text("event"))
    });
    names.collect()
}

#[test]
fn cursor_gets_one_decision_through_both_of_its_files_each_in_its_format() {
    let context = Context::new();
    counting(&context, "PreToolUse", "echo 'not that file' >&2; exit 2");
    let read = |id: &str| {
        cursor(
            &context,
            "preToolUse",
            &json!({ "tool_name": "Read", "tool_input": { "file_path": "/etc/passwd" }, "tool_use_id": id }),
        )
    };
    let own = fire(&context, "cursor", &read("t1"));
    let claudes = fire(&context, "claude", &read("t1"));
    assert_eq!(own.json()["permission"], "deny");
    assert_eq!(own.json(), claudes.json());
    assert_eq!((own.exit, claudes.exit), (0, 0));
    assert_eq!(runs(&context), 1);
    assert_eq!(events(&context), ["cursor PreToolUse"]);

    fire(&context, "cursor", &read("t2"));
    assert_eq!(runs(&context), 2, "another call is another call");
}

#[test]
fn cursor_gets_context_through_only_one_of_its_files() {
    let context = Context::new();
    let says = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"FROM_A_HOOK"}}'"#;
    counting(&context, "PreToolUse", says);
    let read = cursor(
        &context,
        "preToolUse",
        &json!({ "tool_name": "Read", "tool_input": { "file_path": "/w/a.rs" }, "tool_use_id": "t1" }),
    );
    let answers = ["cursor", "claude"].map(|agent| fire(&context, agent, &read));
    let listed = answers.map(|answer| answer.stdout.contains("FROM_A_HOOK"));
    assert_eq!((listed, runs(&context)), ([true, false], 1));
}

#[test]
fn general_and_shell_event_of_one_command_run_hooks_once() {
    let context = Context::new();
    counting(
        &context,
        "PreToolUse",
        "echo '{\"additionalContext\": \"mind the gap\"}'",
    );
    let general = fire(&context, "claude", &shell(&context, "ls", "t1"));
    let special = fire(&context, "cursor", &before_shell(&context, "ls"));
    assert_eq!(general.json()["additional_context"], "mind the gap");
    assert_eq!(special.exit, 0);
    assert_ne!(special.json()["permission"], "deny");
    assert_eq!(runs(&context), 1);

    fire(&context, "cursor", &before_shell(&context, "ls"));
    assert_eq!(runs(&context), 2, "what was left counts once");
    fire(&context, "claude", &shell(&context, "ls", "t2"));
    fire(&context, "cursor", &before_shell(&context, "ls -a"));
    assert_eq!(runs(&context), 4, "another command is another command");
}

#[test]
fn hook_for_only_the_second_event_still_runs() {
    let context = Context::new();
    context.config(
        r#"
[[hook]]
name = "github-only"
event = "PreToolUse"
matcher = "mcp__github__create_issue"
command = "echo 'no issues today' >&2; exit 2"
"#,
    );
    let general = cursor(
        &context,
        "preToolUse",
        &json!({ "tool_name": "MCP:create_issue", "tool_input": { "title": "x" }, "tool_use_id": "t1" }),
    );
    let special = cursor(
        &context,
        "beforeMCPExecution",
        &json!({ "tool_name": "create_issue", "tool_input": "{\"title\":\"x\"}", "mcp_server_name": "github" }),
    );
    assert_ne!(
        fire(&context, "claude", &general).json()["permission"],
        "deny"
    );
    assert_eq!(
        fire(&context, "cursor", &special).json()["permission"],
        "deny"
    );
}

/// Starts a report without waiting for the reply.
fn start(context: &Context, agent: &str, payload: &Value) -> Child {
    let event = payload["hook_event_name"].as_str().unwrap_or_default();
    let mut child = context
        .command(&["hook", event, "--agent", agent])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(payload.to_string().as_bytes())
        .expect("written");
    child
}

fn reply(child: Child) -> Value {
    let output = child.wait_with_output().expect("ended");
    serde_json::from_slice(&output.stdout).expect("a reply")
}

#[test]
fn simultaneous_reports_share_one_decision() {
    let context = Context::new();
    let go = context.path("go");
    counting(
        &context,
        "PreToolUse",
        &format!(
            "while [ ! -e '{}' ]; do sleep 0.01; done; echo 'no' >&2; exit 2",
            go.display()
        ),
    );
    let payload = cursor(
        &context,
        "preToolUse",
        &json!({ "tool_name": "Read", "tool_input": { "file_path": "a" }, "tool_use_id": "t1" }),
    );
    let first = start(&context, "cursor", &payload);
    read_when_there(&context.path("runs"));
    let others: Vec<Child> = (0..3)
        .map(|_| start(&context, "claude", &payload))
        .collect();
    context.write("go", "");
    assert_eq!(reply(first)["permission"], "deny");
    for other in others {
        assert_eq!(reply(other)["permission"], "deny");
    }
    assert_eq!(runs(&context), 1);
    assert_eq!(events(&context), ["cursor PreToolUse"]);
}

#[test]
fn second_report_decides_if_the_first_dies() {
    let context = Context::new();
    counting(
        &context,
        "PreToolUse",
        "[ $(wc -l < \"$0.log\" 2>/dev/null || echo 0) -gt 0 ] && { echo no >&2; exit 2; }; echo >> \"$0.log\"; sleep 600",
    );
    let payload = cursor(
        &context,
        "preToolUse",
        &json!({ "tool_name": "Read", "tool_input": { "file_path": "a" }, "tool_use_id": "t1" }),
    );
    let mut first = start(&context, "cursor", &payload);
    read_when_there(&context.path("count.sh.log"));
    let second = start(&context, "claude", &payload);
    first.kill().expect("killed");
    first.wait().expect("ended");
    assert_eq!(reply(second)["permission"], "deny");
    assert_eq!(events(&context), ["cursor PreToolUse"]);
}

#[test]
fn decision_with_a_secret_is_not_written_to_disk() {
    let context = Context::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    counting(
        &context,
        "PreToolUse",
        &format!("echo '{{\"additionalContext\": \"token {secret}\"}}'"),
    );
    let payload = shell(&context, "ls", "t1");
    let answer = fire(&context, "cursor", &payload);
    assert!(answer.stdout.contains(secret));
    for entry in std::fs::read_dir(context.path("home/.becket/repeats")).expect("a directory") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
        assert!(!text.contains(secret), "{text}");
    }
    fire(&context, "claude", &payload);
    assert_eq!(runs(&context), 2, "the second report decides for itself");
}

#[test]
fn agents_that_report_once_write_no_dedupe_state() {
    let context = Context::new();
    counting(&context, "PreToolUse", "exit 0");
    context.bash("ls");
    context.bash("ls");
    assert_eq!(runs(&context), 2);
    assert!(!context.path("home/.becket/repeats").exists());
}

#[test]
fn copilot_gets_its_own_format_through_claudes_file() {
    let context = Context::new();
    counting(&context, "PreToolUse", "echo 'not that' >&2; exit 2");
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "9f0c", "timestamp": "2026-11-15T18:56:07.398Z",
        "cwd": context.project(), "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let answer = fire(&context, "claude", &payload);
    assert_eq!(answer.json()["permissionDecision"], "deny");
    assert_eq!(events(&context), ["copilot PreToolUse"]);
}

#[test]
fn once_hook_skipped_by_an_earlier_stage_runs_later() {
    let context = Context::new();
    let gate = context.path("gate");
    context.config(&format!(
        r#"
[[hook]]
name = "gate"
event = "PreToolUse"
priority = 10
command = "test -e {} || {{ echo closed >&2; exit 2; }}"

[[hook]]
name = "greeting"
event = "PreToolUse"
once = true
command = "echo '{{\"additionalContext\": \"welcome\"}}'"
"#,
        gate.display()
    ));
    assert_eq!(context.bash("ls").permission().as_deref(), Some("deny"));
    context.write("gate", "");
    assert_eq!(context.bash("ls").reason(), "welcome");
    assert_eq!(context.bash("ls").stdout, "");
}

#[test]
fn stop_hook_active_is_set_if_the_agent_does_not_report_it() {
    let context = Context::new();
    let log = context.path("told");
    let script = context.script(
        "stop.sh",
        &format!(
            "tee -a '{}' | grep -q '\"stop_hook_active\":false' && {{ echo again >&2; exit 2; }}; exit 0",
            log.display()
        ),
    );
    context.config(&format!(
        "[[hook]]\nevent = \"Stop\"\ncommand = {}\n",
        quoted(script)
    ));
    let stop = json!({ "agent_action_name": "post_cascade_response", "trajectory_id": "tr-1", "tool_info": { "response": "Done." } });
    for _ in 0..2 {
        context.run_with(
            &["hook", "post_cascade_response", "--agent", "windsurf"],
            stop.to_string().as_bytes(),
        );
    }
    let listed = context.read("told");
    assert_eq!(
        listed.matches("\"stop_hook_active\":false").count(),
        1,
        "{listed}"
    );
    assert_eq!(
        listed.matches("\"stop_hook_active\":true").count(),
        1,
        "{listed}"
    );
}
