//! Bad input: a clear message, the documented exit code, the verdict of the failure policy. No panic, no hang.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::context::Context;

const HOOK: &[&str] = &["hook", "PreToolUse", "--agent", "claude"];

#[test]
fn unreadable_payload_of_a_guarded_event_is_answered_with_ask_and_recorded() {
    let deep = "[".repeat(100_000);
    let nested = format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", vec![]),
        ("truncated", br#"{"session_id": "s", "hook_event_name": "PreToo"#.to_vec()),
        ("not an object", b"[1, 2]".to_vec()),
        ("not UTF-8", b"{\"session_id\": \"\xff\"}".to_vec()),
        ("deep", deep.into_bytes()),
        ("nested", nested.into_bytes()),
        ("duplicate keys", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_name":"Read","tool_input":{}}"#.to_vec()),
        ("garbage behind", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}} x"#.to_vec()),
        ("wrong type", br#"{"hook_event_name":"PreToolUse","tool_name":5,"tool_input":{}}"#.to_vec()),
        ("huge", [br#"{"hook_event_name":"PreToolUse","tool_name":""#.to_vec(), vec![b'x'; 50 << 20], b"\"}".to_vec()].concat()),
    ];
    for (name, payload) in cases {
        let context = Context::new();
        let answer = context.run_with(HOOK, &payload);
        assert_eq!(answer.exit, 0, "{name}: {}", answer.stderr);
        assert_eq!(answer.permission().as_deref(), Some("ask"), "{name}");
        assert!(
            answer.stderr.starts_with("becket: "),
            "{name}: {}",
            answer.stderr
        );
        assert!(
            !answer.stderr.contains("panicked"),
            "{name}: {}",
            answer.stderr
        );
        let records = context.records();
        assert_eq!(records.len(), 1, "{name}");
        assert!(records[0]["error"].is_string(), "{name}: {}", records[0]);
    }
}

#[test]
fn unreadable_payload_of_an_observing_event_gets_no_verdict_and_exit_65() {
    let context = Context::new();
    let answer = context.run_with(&["hook", "PostToolUse", "--agent", "claude"], b"{");
    assert_eq!((answer.stdout.as_str(), answer.exit), ("", 65));
    assert!(
        answer.stderr.contains("could not read the event"),
        "{}",
        answer.stderr
    );
}

#[test]
fn unreadable_payload_policy_is_configurable() {
    for (policy, expected) in [("deny", Some("deny")), ("allow", None)] {
        let context = Context::new();
        context.config(&format!("[settings]\non_bad_payload = \"{policy}\"\n"));
        assert_eq!(
            context.run_with(HOOK, b"{").permission().as_deref(),
            expected,
            "{policy}"
        );
    }
}

#[test]
fn unknown_event_is_recorded_and_gets_no_verdict() {
    let context = Context::new();
    let payload = br#"{"session_id":"s","hook_event_name":"BrandNewEvent","surprise":1}"#;
    let answer = context.run_with(&["hook", "BrandNewEvent", "--agent", "claude"], payload);
    assert_eq!((answer.stdout.as_str(), answer.exit), ("", 0));
    let records = context.records();
    assert_eq!(
        (
            records[0]["event"].as_str(),
            records[0]["payload"]["surprise"].as_i64()
        ),
        (Some("BrandNewEvent"), Some(1))
    );
}

#[test]
fn wrong_usage_exits_64_and_never_2() {
    let context = Context::new();
    for args in [
        &["hook"][..],
        &["hook", "PreToolUse"],
        &["hook", "PreToolUse", "--agent"],
        &["hook", "PreToolUse", "--agent", "no-such-agent"],
        &["hook", "PreToolUse", "--bogus", "--agent", "claude"],
        &["hook", "a", "b", "--agent", "claude"],
        &["nonsense"],
        &["doctor", "--bogus"],
    ] {
        let answer = context.run(args);
        assert_eq!(answer.exit, 64, "{args:?}: {}", answer.stderr);
        assert!(!answer.stderr.is_empty(), "{args:?}");
    }
    let unknown = context.run(&["hook", "--agent", "no-such-agent"]);
    assert!(
        unknown.stderr.contains("`no-such-agent`") && unknown.stderr.contains("claude"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn broken_configuration_is_reported_at_session_start_and_by_doctor() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"SessionStart\"\ncommand = \"echo still here\"\n[[hook]]\nevent = \"Stop\"\n");
    context.write("app/.code-agent/hooks/hooks.json", "{ broken");
    let answer = context
        .fire("SessionStart", serde_json::json!({ "source": "startup" }))
        .json();
    assert_eq!(
        answer["hookSpecificOutput"]["additionalContext"],
        "still here"
    );
    let listed = answer["systemMessage"].as_str().expect("a message");
    assert!(
        listed.contains("2 problems") && listed.contains("becket doctor"),
        "{listed}"
    );
    let doctor = context.run(&["doctor"]);
    assert_eq!(doctor.exit, 1);
    assert!(
        doctor.stdout.contains("config.toml:4") && doctor.stdout.contains("hooks.json:1"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn fifo_as_configuration_does_not_block() {
    let context = Context::new();
    let fifo = context.project().join("becket.toml");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .expect("mkfifo")
            .success()
    );
    let started = Instant::now();
    let answer = context.bash("ls");
    assert_eq!(answer.exit, 0);
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn open_stdin_does_not_delay_the_reply() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n");
    let mut child = context
        .command(HOOK)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#).expect("written");
    stdin.flush().expect("flushed");
    let output = child.wait_with_output().expect("ended");
    drop(stdin);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("\"deny\""),
        "{output:?}"
    );
}

#[test]
fn closed_stdout_is_not_an_error() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"SessionStart\"\ncommand = \"echo hi\"\n");
    let mut child = context
        .command(&["hooks", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert!(
        !String::from_utf8_lossy(&output.stderr).contains("panicked"),
        "{output:?}"
    );
}

#[test]
fn unwritable_state_directory_does_not_change_decisions() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n");
    context.write("home/.becket/spool", "a file where the spool should be");
    let answer = context.bash("ls");
    assert_eq!(answer.permission().as_deref(), Some("deny"));
    assert!(
        answer.stderr.contains("cannot record this event"),
        "{}",
        answer.stderr
    );
}
