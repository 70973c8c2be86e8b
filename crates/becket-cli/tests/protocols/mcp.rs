//! The official MCP client against `becket mcp` and against a daemon.

use std::path::Path;

use becket_lab::harness::{TestCase, TestResult};
use serde_json::{Value, json};

use crate::rig::{Rig, script};

fn check(answers: &Value) {
    let text = |name: &str| {
        answers[name]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(answers["server"]["name"], "becket");
    assert_eq!(answers["tools"].as_array().map(Vec::len), Some(6));
    assert_eq!(
        (&answers["resources"], &answers["prompts"]),
        (&json!([]), &json!([]))
    );
    assert!(
        text("search").contains("Fix the parser"),
        "{}",
        text("search")
    );
    assert_eq!(
        answers["search"]["structuredContent"]["items"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    assert!(
        text("sessions").contains("(session s1) Fix the parser"),
        "{}",
        text("sessions")
    );
    assert!(
        text("activity").contains("all green"),
        "{}",
        text("activity")
    );
    assert!(
        text("context").contains("Write (session s1)"),
        "{}",
        text("context")
    );
    assert_ne!(
        answers["remembered"]["isError"], true,
        "{}",
        answers["remembered"]
    );
    assert!(
        text("memories").contains("The parser is generated"),
        "{}",
        text("memories")
    );
    assert_eq!(answers["wrong"]["isError"], true);
    assert_eq!(answers["unknown"]["code"], -32602);
}

pub(crate) fn an_agent_asks_over_stdio(case: &TestCase) -> TestResult {
    let mut rig = Rig::new(case)?;
    rig.first_turn()?;
    let node = rig.node("mcp-sdk", &script("agent.mjs"), &[])?;
    check(&node.json()?);
    node.ends_well()
}

pub(crate) fn an_agent_asks_over_http(case: &TestCase) -> TestResult {
    let mut rig = Rig::new(case)?;
    rig.first_turn()?;
    let daemon = rig.daemon()?;
    let url = format!("http://{}/mcp", daemon.address);
    let app = rig.app();
    let arguments = [&url, &daemon.token, app.to_str().ok_or("text")?];
    let node = rig.node("mcp-sdk", &script("agent.mjs"), &arguments)?;
    check(&node.json()?);
    node.ends_well()
}

/// Agents that list their MCP servers, and how they show a working one. Gemini starts none in an untrusted folder; Codex
/// and Copilot do not try.
pub(crate) const AGENTS: [(&str, &str); 6] = [
    ("claude", "Connected"),
    ("codex", "enabled"),
    ("copilot", "becket (local)"),
    ("gemini", "becket:"),
    ("opencode", "connected"),
    ("qwen", "Connected"),
];

pub(crate) fn an_agent_finds_the_server(
    case: &TestCase,
    agent: &str,
    expected: &str,
) -> TestResult {
    let rig = Rig::new(case)?;
    let program = becket_lab::install::client(agent)?;
    let init = ["init", "--agent", agent, "--yes", "--mcp"];
    let answer = rig.run(Path::new(env!("CARGO_BIN_EXE_becket")), &init, &[])?;
    assert!(answer.contains("mcp"), "{answer}");
    let listed = rig.run(&program.program, &["mcp", "list"], &program.path)?;
    assert!(
        listed.contains("becket") && listed.contains(expected),
        "{listed}"
    );
    Ok(())
}
