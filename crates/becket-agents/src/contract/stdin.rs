//! Builds a hook's standard input: one JSON object on one line, in every dialect.

use becket_model::{Dialect, Event, HookSpec};
use serde_json::Value;

use super::invocation::HookInvocation;
use super::{
    EventMetadata, autohand, becket, claude, claude_agent, code_agent, codex, copilot, cursor,
    gemini,
};

/// The bytes for the hook's stdin: compact JSON and a newline.
///
/// The tool input is the current one, including earlier rewrites; keys and event name follow the hook's
/// dialect.
pub fn stdin(hook: &HookSpec, event: &Event, metadata: &EventMetadata<'_>) -> Vec<u8> {
    let invocation = HookInvocation {
        hook,
        event,
        metadata,
    };
    let payload = match hook.dialect {
        Dialect::Becket => becket::payload(&invocation),
        Dialect::Claude => claude::payload(&invocation),
        Dialect::CodeAgent => code_agent::payload(&invocation),
        Dialect::ClaudeAgent => claude_agent::payload(&invocation),
        Dialect::Autohand => autohand::payload(&invocation),
        Dialect::Cursor => cursor::payload(&invocation),
        Dialect::Gemini => gemini::payload(&invocation),
        Dialect::Codex => codex::payload(&invocation),
        Dialect::Copilot => copilot::payload(&invocation),
    };
    let mut bytes = Value::Object(payload).to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}
