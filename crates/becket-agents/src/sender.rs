//! Determines which agent sent a payload when several agents read the settings file with our entry.
//!
//! Cursor, Copilot, VS Code and Devin also run the hooks in Claude Code's settings files. They send their own
//! payloads there and understand only their own replies: a reply in Claude's format would be ignored, and a
//! denial lost.

use serde_json::{Map, Value};

use crate::adapter::Adapter;
use crate::claude::CLAUDE;
use crate::copilot::COPILOT;
use crate::cursor::CURSOR;
use crate::devin::DEVIN;

/// The agent that sent a payload to an entry for `named`. Only the payload counts, because an agent inherits
/// the environment of the agent that started it.
pub fn sending_agent<'a>(named: &'a dyn Adapter, payload: &Map<String, Value>) -> &'a dyn Adapter {
    if named.id() != CLAUDE.id {
        return named;
    }
    let has = |key: &str| payload.contains_key(key);
    if has("cursor_version") {
        &CURSOR
    } else if has("timestamp") {
        // Claude Code sends no timestamp; Copilot and VS Code do, in every payload.
        &COPILOT
    } else if has("prompt_id") && !has("cwd") {
        // Claude Code always sends its working directory, Devin never does.
        &DEVIN
    } else {
        named
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::codex::CODEX;

    fn sender_of(named: &dyn Adapter, payload: &Value) -> &'static str {
        sending_agent(named, payload.as_object().unwrap()).id()
    }

    #[test]
    fn claude_entry_detects_the_agent_that_sent_the_payload() {
        for (payload, expected) in [
            (
                json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "transcript_path": "/t" }),
                "claude",
            ),
            (
                json!({ "hook_event_name": "preToolUse", "session_id": "s", "cursor_version": "3.18.2", "cwd": "/w" }),
                "cursor",
            ),
            (
                json!({ "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-15T18:56:07.398Z", "cwd": "/w" }),
                "copilot",
            ),
            (
                json!({ "hookName": "permissionRequest", "sessionId": "s", "timestamp": 1_794_768_967_451_u64, "cwd": "/w" }),
                "copilot",
            ),
            (
                json!({ "hook_event_name": "PreToolUse", "session_id": "s", "prompt_id": "p", "tool_name": "exec" }),
                "devin",
            ),
            (json!({}), "claude"),
        ] {
            assert_eq!(sender_of(&CLAUDE, &payload), expected, "{payload}");
        }
    }

    #[test]
    fn other_entries_keep_their_agent() {
        let cursors = json!({ "hook_event_name": "preToolUse", "cursor_version": "3.18.2" });
        assert_eq!(sender_of(&CODEX, &cursors), "codex");
    }
}
