//! Who really asks, when an entry of ours stands in a file that several agents read.
//!
//! Cursor, Copilot, VS Code and Devin also run the hooks of Claude Code's settings files. They
//! send their own payloads there and understand their own replies only: an answer in Claude's words
//! would be no answer to them, and a refusal would be lost.

use serde_json::{Map, Value};

use crate::adapter::Adapter;
use crate::claude::Claude;
use crate::copilot::Copilot;
use crate::cursor::Cursor;
use crate::devin::Devin;

/// The agent that sent a payload to an entry for `named`. Only the payload counts: the environment
/// of one agent is inherited by another that it starts.
pub fn host<'a>(named: &'a dyn Adapter, payload: &Map<String, Value>) -> &'a dyn Adapter {
    if named.id() != Claude.id() {
        return named;
    }
    let has = |key: &str| payload.contains_key(key);
    if has("cursor_version") {
        &Cursor
    } else if has("timestamp") {
        // Claude Code does not tell the time; Copilot and VS Code do, in every payload.
        &Copilot
    } else if has("prompt_id") && !has("cwd") {
        // Claude Code always says where it works, Devin never does.
        &Devin
    } else {
        named
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::codex::Codex;

    fn host_of(named: &dyn Adapter, payload: &Value) -> &'static str {
        host(named, payload.as_object().unwrap()).id()
    }

    #[test]
    fn an_entry_for_claude_answers_whoever_runs_claudes_file() {
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
            assert_eq!(host_of(&Claude, &payload), expected, "{payload}");
        }
    }

    #[test]
    fn an_entry_for_another_agent_is_that_agents() {
        let cursors = json!({ "hook_event_name": "preToolUse", "cursor_version": "3.18.2" });
        assert_eq!(host_of(&Codex, &cursors), "codex");
    }
}
