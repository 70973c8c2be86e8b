//! What a hook reads: one JSON object in one line, whatever the dialect.

use becket_model::{Dialect, Event, HookSpec};
use serde_json::Value;

use super::scene::Scene;
use super::{
    Surroundings, autohand, becket, claude, claude_agent, code_agent, codex, copilot, cursor,
    gemini,
};

/// The bytes for the hook's stdin: compact JSON and a newline.
///
/// The tool input is the one the call has now, rewritten or not; the keys and the spelling of the event
/// are the hook's dialect's.
pub fn stdin(hook: &HookSpec, event: &Event, around: &Surroundings<'_>) -> Vec<u8> {
    let scene = Scene {
        hook,
        event,
        around,
    };
    let payload = match hook.dialect {
        Dialect::Becket => becket::payload(&scene),
        Dialect::Claude => claude::payload(&scene),
        Dialect::CodeAgent => code_agent::payload(&scene),
        Dialect::ClaudeAgent => claude_agent::payload(&scene),
        Dialect::Autohand => autohand::payload(&scene),
        Dialect::Cursor => cursor::payload(&scene),
        Dialect::Gemini => gemini::payload(&scene),
        Dialect::Codex => codex::payload(&scene),
        Dialect::Copilot => copilot::payload(&scene),
    };
    let mut bytes = Value::Object(payload).to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}
