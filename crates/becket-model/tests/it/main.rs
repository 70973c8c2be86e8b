//! The model from outside, as configuration readers, adapters and the pipeline use it.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

mod events;
mod hooks;
mod matching;
mod outcomes;
mod selection;
mod tools;

use becket_model::{
    AgentId, Dialect, Event, EventData, EventKind, HookSource, HookSpec, Level, SessionId, ToolCall,
};
use serde_json::Value;

/// An event of an agent in the directory `/w`.
fn event(data: EventData) -> Event {
    let mut event = Event::new(AgentId::new("claude"), SessionId::new("s1"), data);
    event.cwd = Some("/w".into());
    event
}

fn before(tool: &str, input: Value) -> Event {
    event(EventData::PreToolUse {
        call: ToolCall::new(tool, input),
    })
}

/// A user's hook before tools.
fn hook(name: &str, dialect: Dialect) -> HookSpec {
    let source = HookSource {
        level: Level::User,
        file: "/home/ana/hooks".into(),
        line: 3,
        key: format!("hook[{name}]"),
    };
    HookSpec::command(name, dialect, EventKind::PreToolUse, "check", source)
}
