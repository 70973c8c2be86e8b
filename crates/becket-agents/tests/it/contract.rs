//! The contract between Becket and a hook process, by dialect: standard input, environment, exit codes and
//! replies.

mod codex;
mod copilot;
mod cursor;
mod defects;
mod env;
mod exit_codes;
mod gemini;
mod laws;
mod replies;
mod stdin;

use becket_agents::contract::{EventMetadata, ProcessEnd, ProcessOutput, interpret};
use becket_model::{
    AgentId, Dialect, Event, EventData, EventKind, HookOutcome, HookSource, HookSpec, Level,
    SessionId, ToolCall,
};
use serde_json::{Value, json};

/// The dialects shared by several agents. Those of single agents have a file each.
const DIALECTS: [Dialect; 5] = [
    Dialect::Becket,
    Dialect::Claude,
    Dialect::CodeAgent,
    Dialect::ClaudeAgent,
    Dialect::Autohand,
];

const AROUND: EventMetadata<'static> = EventMetadata {
    event_id: "ev-1",
    timestamp: "2026-08-23T10:11:12.345Z",
    project_dir: Some("/home/ana/shop"),
};

/// The stop event of an agent that a hook has kept working.
fn kept_going(mut event: Event) -> Event {
    if let EventData::Stop { active, .. } | EventData::SubagentStop { active, .. } = &mut event.data
    {
        *active = true;
    }
    event
}

fn hook(dialect: Dialect, event: EventKind) -> HookSpec {
    let source = HookSource {
        level: Level::User,
        file: "hooks".into(),
        line: 1,
        key: "hooks[0]".into(),
    };
    HookSpec::command("guard", dialect, event, "./guard.sh --strict", source)
}

fn event(agent: &str, data: EventData) -> Event {
    let mut event = Event::new(AgentId::new(agent), SessionId::new("s-1"), data);
    event.cwd = Some("/home/ana/shop/api".into());
    event
}

fn call(native: &str, input: Value) -> ToolCall {
    ToolCall::new(native, input).with_id(Some("call-1".into()))
}

fn bash() -> ToolCall {
    call("run_shell_command", json!({ "command": "npm test" }))
}

/// One event of every kind, and one without a canonical name.
fn every_event() -> Vec<Event> {
    let text = || Some("text".to_owned());
    let data = [
        EventData::PreToolUse { call: bash() },
        EventData::PostToolUse {
            call: bash(),
            response: json!({ "stdout": "ok" }),
            duration_ms: Some(7),
        },
        EventData::PostToolUseFailure {
            call: bash(),
            error: "Exit code 3".into(),
            interrupted: false,
            duration_ms: Some(7),
        },
        EventData::PermissionRequest { call: bash() },
        EventData::PermissionDenied {
            call: bash(),
            reason: text(),
        },
        EventData::UserPromptSubmit {
            prompt: "fix it".into(),
        },
        stop(false),
        EventData::StopFailure {
            error: "rate_limit".into(),
            details: text(),
        },
        EventData::SubagentStart {
            id: "a-1".into(),
            kind: "explore".into(),
            description: "look around".into(),
        },
        subagent_stop(),
        EventData::PreCompact {
            trigger: text(),
            instructions: None,
        },
        EventData::PostCompact {
            trigger: text(),
            summary: text(),
        },
        EventData::Setup { trigger: text() },
        EventData::SessionStart {
            source: Some("startup".into()),
        },
        EventData::SessionEnd {
            reason: Some("quit".into()),
        },
        EventData::SessionError {
            error: "429".into(),
            code: Some("rate_limited".into()),
        },
        EventData::Notification {
            kind: Some("idle".into()),
            message: "waiting".into(),
        },
        EventData::FileModified {
            path: "src/a.rs".into(),
            change: Some("modify".into()),
        },
        EventData::AgentThought { text: "hm".into() },
        EventData::AgentResponse {
            text: "done".into(),
        },
        EventData::PreModelRequest,
        EventData::PostModelRequest,
        EventData::TaskCreated {
            id: "t-1".into(),
            subject: "bug".into(),
        },
        EventData::TaskCompleted {
            id: "t-1".into(),
            subject: "bug".into(),
        },
        EventData::Other {
            name: "Worktree-Create".into(),
            subject: None,
        },
    ];
    let events: Vec<_> = data.into_iter().map(|d| event("gemini", d)).collect();
    assert_eq!(events.len(), EventKind::ALL.len() + 1);
    events
}

fn stop(active: bool) -> EventData {
    EventData::Stop {
        active,
        last_message: Some("All done.".into()),
    }
}

fn subagent_stop() -> EventData {
    EventData::SubagentStop {
        id: "a-1".into(),
        kind: "explore".into(),
        active: false,
        success: false,
        error: Some("lost".into()),
        last_message: None,
    }
}

fn of_kind(kind: &EventKind) -> Event {
    let mut all = every_event().into_iter();
    all.find(|event| event.kind() == *kind)
        .expect("a known kind")
}

fn pre_tool() -> Event {
    of_kind(&EventKind::PreToolUse)
}

/// The standard input of a hook of this dialect, bound to the event by this name.
fn reads(dialect: Dialect, native: Option<&str>, event: &Event) -> Value {
    let mut hook = hook(dialect, event.kind());
    hook.native_event = native.map(str::to_owned);
    let bytes = becket_agents::contract::stdin(&hook, event, &AROUND);
    serde_json::from_slice(&bytes).expect("JSON")
}

/// The variables that a dialect sets in addition to the neutral ones.
fn finds(dialect: Dialect, event: &Event) -> std::collections::BTreeMap<String, String> {
    let all = becket_agents::contract::env(&hook(dialect, event.kind()), event, &AROUND);
    let own = all.into_iter();
    own.filter(|(name, _)| !name.starts_with("BECKET_"))
        .collect()
}

/// The outcome of a hook of this dialect that exited with `code` and this output.
fn exits(dialect: Dialect, event: &Event, code: i32, stdout: &str, stderr: &str) -> HookOutcome {
    let ran = ProcessOutput {
        ending: ProcessEnd::Exited(code),
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        truncated: false,
    };
    interpret(&hook(dialect, event.kind()), event, &ran)
}

/// The outcome of a hook of this dialect that exited with 0 and this output.
fn says(dialect: Dialect, event: &Event, stdout: &str) -> HookOutcome {
    exits(dialect, event, 0, stdout, "")
}

fn ends(hook: &HookSpec, event: &Event, ending: ProcessEnd<'_>) -> HookOutcome {
    let ran = ProcessOutput {
        ending,
        stdout: br#"{"decision":"allow","additionalContext":"half a thought"}"#,
        stderr: b"",
        truncated: false,
    };
    interpret(hook, event, &ran)
}
