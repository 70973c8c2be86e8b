//! The hook client executes the full binary for hooks that it cannot run, with the same replies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::context::{CommandOutput, Context};
use crate::hook_servers::decision_server;

const REASON: &str = "NOT_TODAY_4711";

/// A pre-tool payload of every agent, with the event's name.
fn payloads() -> Vec<(String, String, Vec<u8>)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let listed = Context::new().run(&["agents", "--json"]).json();
    let agents = listed["agents"].as_array().expect("a list");
    let found = agents.iter().map(|agent| {
        let id = agent["id"].as_str().expect("an id");
        let found = before_a_tool(&fixtures.join(id));
        let (event, payload) = found.unwrap_or_else(|| panic!("{id} has no event before a tool"));
        (id.to_owned(), event, payload)
    });
    found.collect()
}

fn before_a_tool(agent: &Path) -> Option<(String, Vec<u8>)> {
    folders(agent).into_iter().find_map(|event| {
        let name = event.file_name()?.to_str()?.to_owned();
        folders(&event).into_iter().find_map(|case| {
            let read: Value =
                serde_json::from_slice(&fs::read(case.join("event.json")).ok()?).ok()?;
            let is_it = read["event"] == "PreToolUse" && read["tool_name"].is_string();
            let input = fs::read(case.join("input.json")).ok()?;
            is_it.then_some((name.clone(), input))
        })
    })
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|it| it.path())
        .filter(|it| it.is_dir())
        .collect();
    found.sort();
    found
}

fn said(context: &Context, agent: &str, event: &str, payload: &[u8]) -> (String, String, i32) {
    let CommandOutput {
        stdout,
        stderr,
        exit,
    } = context.run_with(&["hook", event, "--agent", agent], payload);
    (stdout, stderr, exit)
}

#[test]
fn full_binary_and_hook_client_give_the_same_replies() {
    let server = decision_server("deny", REASON);
    let url = server.url("/");
    for (number, (agent, event, payload)) in payloads().into_iter().enumerate() {
        let small = Context::new();
        let decision = json!({ "decision": "deny", "reason": REASON });
        small.config(&format!(
            "[[hook]]\nname = 'x'\nevent = 'PreToolUse'\ncommand = '''echo '{decision}' '''\n"
        ));
        let mut large = Context::new();
        large.set_env("TOKEN", format!("from-the-environment-{number}"));
        large.config(&format!(
            "[http]\nallow_private = true\n[[hook]]\nname = 'x'\nevent = 'PreToolUse'\nurl = '{url}'\n\
             headers = {{ X-Token = '$TOKEN' }}\nallowed_env = ['TOKEN']\n"
        ));
        let expected = said(&small, &agent, &event, &payload);
        let shown = format!("{}{}", expected.0, expected.1);
        assert!(shown.contains(REASON), "{agent}: {expected:?}");
        assert_eq!(said(&large, &agent, &event, &payload), expected, "{agent}");
        let asked = server.requests();
        assert_eq!(asked.len(), number + 1, "{agent} asks once");
        let token = asked[number].header("x-token");
        let expected = format!("from-the-environment-{number}");
        assert_eq!(token, Some(expected.as_str()), "{agent}");
        let records = large.records();
        assert_eq!(records.len(), 1, "{agent} is recorded once");
        assert_eq!(records[0]["agent"], agent.as_str());
    }
}

/// The hook client alone in a directory. A link, because a copy that was just written may still be open in a child that
/// another test starts, and then it cannot be executed.
fn alone() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let program = dir.path().join("becket");
    fs::hard_link(env!("CARGO_BIN_EXE_becket"), &program).expect("linked");
    (dir, program)
}

fn run_alone(context: &Context, args: &[&str], stdin: &Value) -> CommandOutput {
    context.write("stdin", stdin.to_string());
    let stdin = fs::File::open(context.path("stdin")).expect("opened");
    let (_dir, program) = alone();
    let output = Command::new(program)
        .args(args)
        .env_clear()
        .env("HOME", context.path("home"))
        .env("BECKET_HOME", context.path("home/.becket"))
        .env("BECKET_DAEMON", "off")
        .current_dir(context.project())
        .stdin(Stdio::from(stdin))
        .output()
        .expect("ended");
    CommandOutput {
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        exit: output.status.code().unwrap_or(-1),
    }
}

#[test]
fn missing_full_binary_asks_and_names_the_missing_program() {
    let context = Context::new();
    context.config("[[hook]]\nevent = ['PreToolUse', 'Stop']\nurl = 'https://example.org'\n");
    let payload = json!({
        "session_id": "s", "cwd": context.project(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let hook = ["hook", "PreToolUse", "--agent", "claude"];
    let answer = run_alone(&context, &hook, &payload);
    assert_eq!(answer.permission().as_deref(), Some("ask"));
    let reason = answer.reason();
    assert!(
        reason.contains("becketd") && reason.contains("install both again"),
        "{reason}"
    );
    let record = &context.records()[0];
    assert_eq!(record["decision"]["verdict"], "ask");

    // An event that nothing can block is answered without a verdict.
    let stop = json!({ "session_id": "s", "cwd": context.project(), "hook_event_name": "Stop" });
    let answer = run_alone(&context, &["hook", "Stop", "--agent", "claude"], &stop);
    assert_eq!(answer.stdout, "");
    assert_ne!(answer.exit, 2, "that would block");
    assert!(answer.stderr.contains("becketd"), "{}", answer.stderr);

    // Hooks that the hook client can run still run.
    context.config("[[hook]]\nuse = 'security-guard'\n");
    let mut payload = payload;
    payload["tool_input"]["command"] = json!("rm -rf ~");
    payload["session_id"] = json!("t");
    let answer = run_alone(&context, &hook, &payload);
    assert_eq!(answer.permission().as_deref(), Some("deny"));

    let answer = run_alone(&context, &["hooks", "list"], &json!({}));
    assert_eq!((answer.stdout.as_str(), answer.exit), ("", 1));
    assert!(
        answer.stderr.contains("install both again"),
        "{}",
        answer.stderr
    );
}
