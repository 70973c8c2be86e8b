//! One-line descriptions of the events in every agent's fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use becket_agents::adapter;
use becket_model::EventKind;
use serde_json::{Value, json};

/// Prompts and calls in the fixtures without a description, because the agent sends none.
const SILENT: [&str; 7] = [
    "augment/PromptSubmit/withheld",
    "crush/PreToolUse/invalid-arguments",
    "cursor/beforeMCPExecution/http",
    "cursor/beforeMCPExecution/no-server",
    "goose/PreToolUse/no-arguments",
    "kiro/PostTaskExec/plain",
    "kiro/PreTaskExec/plain",
];

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.expect("a name")
}

/// The record that a client makes of an agent's payload, and the kind of its event.
fn recorded(agent: &str, event: &str, input: &Path) -> Option<(EventKind, Value)> {
    let text = fs::read_to_string(input).ok()?;
    let payload: Value = serde_json::from_str(&text).ok()?;
    let read = adapter(agent)?.parse(Some(event), payload.as_object()?.clone());
    let kind = read.ok()?.kind();
    let record = json!({ "agent": agent, "event": kind.name(), "payload": payload });
    Some((kind, record))
}

#[test]
fn every_prompt_and_call_of_every_agent_has_a_description() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let (mut seen, mut blank) = (0, Vec::new());
    for agent in folders(&root) {
        for event in folders(&agent) {
            for case in folders(&event) {
                let found = recorded(name(&agent), name(&event), &case.join("input.json"));
                let Some((kind, record)) = found else {
                    continue;
                };
                if !kind.is_tool() && kind != EventKind::UserPromptSubmit {
                    continue;
                }
                seen += 1;
                if becket_store::describe_record(&record).is_none() {
                    let names = [&agent, &event, &case].map(|path| name(path));
                    blank.push(names.join("/"));
                }
            }
        }
    }
    assert!(seen > 60, "only {seen} were looked at");
    assert_eq!(blank, SILENT);
}
