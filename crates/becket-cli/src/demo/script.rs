//! The sessions of the demo: payloads in each agent's format, from `crates/becket-cli/demo`.

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

macro_rules! sessions {
    ($($agent:literal),* $(,)?) => {
        &[$(($agent, include_str!(concat!("../../demo/", $agent, ".jsonl")))),*]
    };
}

/// The agents in playing order, with their session files.
pub(super) const SESSIONS: &[(&str, &str)] = sessions![
    "claude", "codex", "gemini", "copilot", "cursor", "opencode", "qwen", "windsurf", "droid",
    "cline", "goose", "autohand", "kiro", "augment", "devin", "crush", "amp",
];

/// A recorded session of one agent.
pub(super) struct DemoSession {
    pub(super) agent: &'static str,
    pub(super) lines: Vec<DemoStep>,
}

/// One event, with the text and the command that precede it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DemoStep {
    pub(super) say: Option<String>,
    /// A Becket command to run first.
    pub(super) run: Option<Vec<String>>,
    pub(super) event: String,
    pub(super) payload: Value,
}

impl DemoSession {
    /// The agent's session id.
    pub(super) fn id(&self) -> String {
        let id = |line: &DemoStep| Some(line.payload.get("session_id")?.as_str()?.to_owned());
        self.lines.iter().find_map(id).unwrap_or_default()
    }
}

pub(super) fn read(agent: &'static str, text: &str) -> anyhow::Result<DemoSession> {
    let lines = text.lines().enumerate().map(|(number, line)| {
        serde_json::from_str(line).with_context(|| format!("demo/{agent}.jsonl:{}", number + 1))
    });
    Ok(DemoSession {
        agent,
        lines: lines.collect::<anyhow::Result<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_demo_session_that_its_adapter_parses() {
        for adapter in becket_agents::adapters() {
            let id = adapter.id();
            let found = SESSIONS.iter().find(|(agent, _)| *agent == id);
            let (agent, text) = found.unwrap_or_else(|| panic!("{id} has no demo session"));
            let session = read(agent, text).expect("readable");
            for line in &session.lines {
                let payload = line.payload.as_object().expect("an object").clone();
                let event = adapter.parse(Some(&line.event), payload);
                let kind = event.expect("understood").kind();
                let is_known = becket::model::EventKind::ALL.contains(&kind);
                assert!(is_known, "{id}: {} is {kind:?}", line.event);
            }
        }
    }

    #[test]
    fn call_id_belongs_to_one_command() {
        for (agent, text) in SESSIONS {
            let mut calls: Vec<(Value, Value)> = Vec::new();
            for line in read(agent, text).expect("readable").lines {
                let id = &line.payload["tool_use_id"];
                let command = &line.payload["tool_input"]["command"];
                if id.is_null() || command.is_null() {
                    continue;
                }
                match calls.iter().find(|(known, _)| known == id) {
                    None => calls.push((id.clone(), command.clone())),
                    // A hook rewrites the npm command.
                    Some((_, before)) if before == "npm test" => {}
                    Some((_, before)) => assert_eq!(before, command, "{agent}: {id}"),
                }
            }
        }
    }
}
