//! A hook that records its payload, for each client's configuration.
//!
//! It does not use Becket: it is a shell command, or a module for Kilo, `OpenCode` and Pi, which do not run commands.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use becket_lab::{Agent, ClientSession};
use serde_json::{Map, Value, json};

/// When a hook fires, independent of a client's event names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Start,
    Prompt,
    BeforeTool,
    AfterTool,
    Stop,
}

/// Which configuration file has the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Home,
    Repository,
}

pub(crate) const MOMENTS: [Moment; 5] = [
    Moment::Start,
    Moment::Prompt,
    Moment::BeforeTool,
    Moment::AfterTool,
    Moment::Stop,
];

/// Adds a recording hook for every moment. With a reason it denies every tool call.
pub(crate) fn install(
    session: &ClientSession,
    level: Level,
    deny: Option<&str>,
) -> Result<(), Box<dyn Error>> {
    let records = records(session);
    fs::create_dir_all(&records)?;
    let agent = session.agent();
    let (workspace, path) = (&session.workspace, path(agent, level));
    match (agent, level) {
        (Agent::Cline, _) => {
            let root = match level {
                Level::Home => workspace.home(),
                Level::Repository => workspace.work(),
            };
            scripts(&root.join(path), &records, deny)
        }
        (Agent::Kimi, _) => workspace.write_home(path, tables(&records, deny)),
        (Agent::Kilo | Agent::OpenCode | Agent::Pi, Level::Home) => {
            workspace.write_home(path, module(agent, &records, deny))
        }
        (Agent::Kilo | Agent::OpenCode | Agent::Pi, Level::Repository) => {
            workspace.write_work(path, module(agent, &records, deny))
        }
        (_, Level::Home) => workspace.merge_home(path, settings(agent, &records, deny)),
        (_, Level::Repository) => {
            workspace.write_work(path, settings(agent, &records, deny).to_string())
        }
    }?;
    Ok(())
}

/// The payloads of a moment, in order.
pub(crate) fn payloads(
    session: &ClientSession,
    moment: Moment,
) -> Result<Vec<Value>, Box<dyn Error>> {
    let file = records(session).join(format!("{moment:?}"));
    let text = fs::read_to_string(file).unwrap_or_default();
    let parsed = text.lines().map(serde_json::from_str);
    Ok(parsed.collect::<Result<_, _>>()?)
}

fn records(session: &ClientSession) -> PathBuf {
    session.workspace.root().join("hooks")
}

fn path(agent: Agent, level: Level) -> &'static str {
    match (agent, level) {
        (Agent::Claude, _) => ".claude/settings.json",
        (Agent::Cline, Level::Home) => ".cline/hooks",
        (Agent::Cline, Level::Repository) => ".clinerules/hooks",
        (Agent::Codex, _) => ".codex/hooks.json",
        (Agent::Copilot, Level::Home) => ".copilot/hooks/lab.json",
        (Agent::Copilot, Level::Repository) => ".github/hooks/lab.json",
        (Agent::Gemini, _) => ".gemini/settings.json",
        (Agent::Goose, _) => ".agents/plugins/lab/hooks/hooks.json",
        (Agent::Kilo, Level::Home) => ".config/kilo/plugins/lab.js",
        (Agent::Kilo, Level::Repository) => ".kilo/plugins/lab.js",
        (Agent::Kimi, _) => ".kimi-code/config.toml",
        (Agent::OpenCode, Level::Home) => ".config/opencode/plugins/lab.js",
        (Agent::OpenCode, Level::Repository) => ".opencode/plugins/lab.js",
        (Agent::Pi, Level::Home) => ".pi/agent/extensions/lab.js",
        (Agent::Pi, Level::Repository) => ".pi/extensions/lab.js",
        (Agent::Qwen, _) => ".qwen/settings.json",
    }
}

fn event(agent: Agent, moment: Moment) -> &'static str {
    match (agent, moment) {
        (Agent::Cline, Moment::Start) => "TaskStart",
        (Agent::Cline, Moment::Stop) => "TaskComplete",
        (Agent::Copilot, Moment::Start) => "sessionStart",
        (Agent::Copilot, Moment::Prompt) => "userPromptSubmitted",
        (Agent::Copilot, Moment::BeforeTool) => "preToolUse",
        (Agent::Copilot, Moment::AfterTool) => "postToolUse",
        (Agent::Copilot, Moment::Stop) => "agentStop",
        (Agent::Gemini, Moment::Prompt) => "BeforeAgent",
        (Agent::Gemini, Moment::BeforeTool) => "BeforeTool",
        (Agent::Gemini, Moment::AfterTool) => "AfterTool",
        (Agent::Gemini, Moment::Stop) => "AfterAgent",
        (_, Moment::Start) => "SessionStart",
        (_, Moment::Prompt) => "UserPromptSubmit",
        (_, Moment::BeforeTool) => "PreToolUse",
        (_, Moment::AfterTool) => "PostToolUse",
        (_, Moment::Stop) => "Stop",
    }
}

fn command(records: &Path, moment: Moment, answer: &str) -> String {
    let file = records.join(format!("{moment:?}"));
    let file = file.display();
    format!("payload=$(cat); printf '%s\\n' \"$payload\" >> '{file}'; {answer}")
}

fn settings(agent: Agent, records: &Path, deny: Option<&str>) -> Value {
    let entry = |moment: Moment| {
        let deny = deny.filter(|_| moment == Moment::BeforeTool);
        let entry = match agent {
            Agent::Copilot => copilot_entry(records, moment, deny),
            _ => group(records, moment, deny),
        };
        (event(agent, moment).to_owned(), entry)
    };
    let hooks: Map<String, Value> = MOMENTS.into_iter().map(entry).collect();
    match agent {
        Agent::Copilot => json!({ "version": 1, "hooks": hooks }),
        _ => json!({ "hooks": hooks }),
    }
}

/// The settings format of Claude Code, which others have adopted.
fn group(records: &Path, moment: Moment, deny: Option<&str>) -> Value {
    let command = command_by_exit_code(records, moment, deny);
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

fn command_by_exit_code(records: &Path, moment: Moment, deny: Option<&str>) -> String {
    let answer = match deny {
        Some(reason) => format!("echo {reason} >&2; exit 2"),
        None => "exit 0".to_owned(),
    };
    command(records, moment, &answer)
}

/// Kimi's settings. A JSON string is a valid TOML string.
fn tables(records: &Path, deny: Option<&str>) -> String {
    let table = |moment: Moment| {
        let deny = deny.filter(|_| moment == Moment::BeforeTool);
        let event = event(Agent::Kimi, moment);
        let command = Value::from(command_by_exit_code(records, moment, deny));
        format!("[[hooks]]\nevent = \"{event}\"\ncommand = {command}\n")
    };
    MOMENTS.into_iter().map(table).collect()
}

/// Cline runs files named after the event.
fn scripts(folder: &Path, records: &Path, deny: Option<&str>) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for moment in MOMENTS {
        let answer = match deny.filter(|_| moment == Moment::BeforeTool) {
            Some(reason) => {
                let denial = json!({ "cancel": true, "errorMessage": reason });
                format!("echo '{denial}'")
            }
            None => "exit 0".to_owned(),
        };
        let script = format!("#!/bin/sh\n{}\n", command(records, moment, &answer));
        fs::write(folder.join(event(Agent::Cline, moment)), script)?;
    }
    Ok(folder.to_owned())
}

/// Copilot passes a hook's stdout to the model, not its stderr.
fn copilot_entry(records: &Path, moment: Moment, deny: Option<&str>) -> Value {
    let answer = match deny {
        Some(reason) => {
            let denial = json!({"permissionDecision": "deny", "permissionDecisionReason": reason});
            format!("echo '{denial}'")
        }
        None => "exit 0".to_owned(),
    };
    json!([{"type": "command", "bash": command(records, moment, &answer)}])
}

const RECORD: &str = r#"
import { appendFileSync } from "node:fs"

const record = (moment, payload) =>
  appendFileSync(`${settings.records}/${moment}`, JSON.stringify(payload) + "\n")
"#;

/// A plugin for `OpenCode` and Kilo.
const PLUGIN: &str = r#"
export const Lab = async () => ({
  event: async ({ event }) => {
    if (event.type === "session.created") record("Start", event)
    if (event.type === "session.idle") record("Stop", event)
  },
  "chat.message": async (input, output) => record("Prompt", { input, output }),
  "tool.execute.before": async (input, output) => {
    record("BeforeTool", { input, output })
    if (settings.deny) throw new Error(settings.deny)
  },
  "tool.execute.after": async (input, output) => record("AfterTool", { input, output }),
})
"#;

/// An extension for Pi.
const EXTENSION: &str = r#"
export default function (pi) {
  pi.on("session_start", (event) => record("Start", event))
  pi.on("before_agent_start", ({ prompt }) => record("Prompt", { prompt }))
  pi.on("tool_call", (event) => {
    record("BeforeTool", event)
    if (settings.deny) return { block: true, reason: settings.deny }
  })
  pi.on("tool_result", (event) => record("AfterTool", event))
  pi.on("agent_settled", (event) => record("Stop", event))
}
"#;

fn module(agent: Agent, records: &Path, deny: Option<&str>) -> String {
    let settings = json!({ "records": records, "deny": deny });
    let code = match agent {
        Agent::Pi => EXTENSION,
        _ => PLUGIN,
    };
    format!("const settings = {settings}\n{RECORD}{code}")
}
