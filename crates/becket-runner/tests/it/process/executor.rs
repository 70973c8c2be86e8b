//! The script executor.

use std::time::Duration;

use becket_runner::process::{ExecutionResult, ScriptExecutor};

fn execute(command: &str) -> ExecutionResult {
    ScriptExecutor::new()
        .timeout(Duration::from_secs(60))
        .execute(command, &[])
}

#[test]
fn exit_code_and_both_streams_come_back() {
    let expected = ExecutionResult {
        exit_code: 3,
        stdout: "out\n".into(),
        stderr: "err\n".into(),
        timed_out: false,
    };
    assert_eq!(execute("echo out; echo err >&2; exit 3"), expected);
}

#[test]
fn scripts_see_the_variables_they_are_given() {
    let env = [
        ("TOOL_NAME".to_owned(), "Bash".to_owned()),
        ("TOOL_INPUT".to_owned(), r#"{"command":"ls"}"#.to_owned()),
    ];
    let result = ScriptExecutor::new().execute("echo \"$TOOL_NAME $TOOL_INPUT\"", &env);
    assert_eq!(result.stdout, "Bash {\"command\":\"ls\"}\n");
}

#[test]
fn a_timeout_is_124_and_says_so() {
    let result = ScriptExecutor::new()
        .timeout(Duration::from_millis(1500))
        .execute("echo started; sleep 600", &[]);
    assert_eq!((result.exit_code, result.timed_out), (124, true));
    assert_eq!(result.stdout, "started\n");
}

#[test]
fn exiting_with_124_is_not_a_timeout() {
    let result = execute("exit 124");
    assert_eq!((result.exit_code, result.timed_out), (124, false));
}

#[test]
fn death_by_signal_is_128_and_the_signal() {
    assert_eq!(execute("kill -9 $$").exit_code, 137);
    assert_eq!(execute("kill -TERM $$").exit_code, 143);
}

#[test]
fn a_command_the_shell_cannot_find_is_127() {
    assert_eq!(execute("becket-no-such-program").exit_code, 127);
}

#[test]
fn a_script_that_cannot_start_is_126_with_the_reason() {
    let result = ScriptExecutor::new()
        .cwd("/no/such/place")
        .execute("exit 0", &[]);
    assert_eq!((result.exit_code, result.timed_out), (126, false));
    assert!(
        result.stderr.contains("/no/such/place"),
        "{}",
        result.stderr
    );
    let huge = [("HUGE".to_owned(), "x".repeat(16 * 1024 * 1024))];
    let result = ScriptExecutor::new().execute("exit 0", &huge);
    assert_eq!(result.exit_code, 126);
    assert!(result.stderr.contains("too large"), "{}", result.stderr);
}

#[test]
fn scripts_run_in_the_given_directory() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let result = ScriptExecutor::new()
        .cwd(dir.path())
        .execute("echo here > note", &[]);
    assert_eq!(result.exit_code, 0);
    let note = std::fs::read_to_string(dir.path().join("note")).expect("written");
    assert_eq!(note, "here\n");
}

#[test]
fn output_that_is_not_utf8_is_made_so() {
    assert_eq!(execute("printf 'a\\377b'").stdout, "a\u{FFFD}b");
}
