//! The client library of VS Code's language servers against `becket rpc` and against a daemon.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use becket_lab::harness::{TestCase, TestResult};
use serde_json::{Value, json};

use crate::rig::{Node, PATIENCE, Rig, script};

/// The last part of the method, and the parameters.
fn notification(node: &Node) -> Result<(String, Value), Box<dyn Error>> {
    let mut message = node.json()?;
    let method = message["method"].as_str().ok_or("a notification")?;
    let name = method.rsplit('.').next().unwrap_or_default().to_owned();
    Ok((name, message["params"].take()))
}

pub(crate) fn an_editor_hears_of_a_session_and_asks_about_it(case: &TestCase) -> TestResult {
    let mut rig = Rig::new(case)?;
    rig.first_turn()?;
    let node = rig.node("vscode-jsonrpc", &script("editor.mjs"), &[])?;
    the_first_turn(&node)?;
    the_end(&mut rig, node)
}

pub(crate) fn an_editor_hears_the_same_through_a_daemon(case: &TestCase) -> TestResult {
    let mut rig = Rig::new(case)?;
    rig.first_turn()?;
    let daemon = rig.daemon()?;
    let url = format!("ws://{}/rpc", daemon.address);
    let node = rig.node(
        "vscode-jsonrpc",
        &script("editor.mjs"),
        &[&url, &daemon.token],
    )?;
    the_first_turn(&node)?;
    the_end(&mut rig, node)
}

/// Receives the notifications of the turn and sends requests.
fn the_first_turn(node: &Node) -> TestResult {
    let mut names = Vec::new();
    let mut refused = Value::Null;
    let mut answers = Value::Null;
    let mut subscribed = false;
    // Responses arrive between notifications.
    while names.len() < 9 || !subscribed || answers.is_null() {
        let mut line = node.json()?;
        if line.get("subscription").is_some() {
            assert_eq!(line, json!({ "subscription": 1, "cursor": 0 }));
            subscribed = true;
        } else if line.get("status").is_some() {
            answers = line;
        } else {
            let method = line["method"].as_str().ok_or("a notification")?;
            let name = method
                .strip_prefix("autohand.hook.")
                .ok_or("a documented one")?
                .to_owned();
            if name == "preTool" && refused.is_null() {
                refused = line["params"].take();
            }
            names.push(name);
        }
    }
    let expected = [
        "sessionStart",
        "prePrompt",
        "preTool",
        "preTool",
        "postTool",
        "postTool",
        "fileModified",
        "stop",
        "postResponse",
    ];
    assert_eq!(names, expected);
    assert_eq!(refused["toolName"], "Bash");
    assert_eq!(refused["args"], json!({ "command": "git push --force" }));
    assert_eq!(
        (&refused["verdict"], &refused["verdictReason"]),
        (&json!("deny"), &json!("never with force"))
    );

    assert_eq!(answers["status"]["record"]["agents"][0]["name"], "claude");
    assert_eq!(
        answers["sessions"]["items"][0]["first_prompt"],
        "Fix the parser"
    );
    assert_eq!(answers["found"]["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(answers["refusal"]["code"], -32002);
    assert_eq!(answers["hooks"]["hooks"][0]["name"], "no-force");
    assert_eq!(answers["tried"]["verdict"], "deny");
    let commands = answers["activity"]["items"].as_array().ok_or("a list")?;
    assert_eq!(commands.len(), 1, "{commands:?}");
    assert_eq!(commands[0]["tool"], "Bash");
    let status = |name: &str| answers[name]["hooks"][0]["status"].clone();
    assert_eq!(
        (status("off"), status("on")),
        (json!("disabled"), json!("enabled"))
    );
    assert_eq!(answers["pending"], json!({ "items": [] }));
    // The request id is unknown, or no daemon runs that could know it.
    let refused = answers["decided"]["code"].as_i64();
    assert!(matches!(refused, Some(-32001 | -32002)), "{refused:?}");
    assert_eq!(
        answers["unsubscribed"],
        json!([{ "removed": true }, { "removed": false }])
    );
    Ok(())
}

fn the_end(rig: &mut Rig, node: Node) -> TestResult {
    // Later events arrive without another request.
    rig.fire("SessionEnd", json!({ "reason": "logout" }))?;
    let (name, params) = notification(&node)?;
    assert_eq!(
        (name.as_str(), &params["reason"]),
        ("sessionEnd", &json!("quit"))
    );
    node.ends_well()
}

pub(crate) fn the_example_shows_a_session_and_goes_on_where_it_was(case: &TestCase) -> TestResult {
    let mut rig = Rig::new(case)?;
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ide-client/client.mjs");
    let (app, place) = (rig.app(), case.dir().join("cursor"));
    let arguments = [app.to_str().ok_or("text")?, place.to_str().ok_or("text")?];
    // The first run sees no events; the second must not miss any.
    let first = rig.node("vscode-jsonrpc", &example, &arguments)?;
    let started = Instant::now();
    while !std::fs::read_to_string(&place).is_ok_and(|cursor| cursor == "0") {
        assert!(started.elapsed() < PATIENCE, "no place is noted");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(first);
    rig.first_turn()?;
    let node = rig.node("vscode-jsonrpc", &example, &arguments)?;
    let mut shown = Vec::new();
    for _ in 0..9 {
        shown.push(node.line()?);
    }
    let listed = shown
        .iter()
        .position(|line| line.starts_with("s1 (claude, active): Fix the parser"));
    shown.remove(listed.ok_or("the session is listed")?);
    let expected = [
        "[claude] session started: startup",
        "[claude] prompt: Fix the parser",
        "[claude] Bash blocked: never with force",
        "[claude] running Bash…",
        "[claude] Bash done after",
        "[claude] Write done after",
        "[claude] create:",
        "[claude] turn finished: 2 tool calls",
    ];
    for (line, expected) in shown.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line} is not {expected}");
    }
    drop(node);
    rig.fire("Notification", json!({ "message": "Waiting for you" }))?;
    let again = rig.node("vscode-jsonrpc", &example, &arguments)?;
    let mut lines = [again.line()?, again.line()?];
    lines.sort();
    assert_eq!(lines[0], "[claude] Waiting for you");
    Ok(())
}
