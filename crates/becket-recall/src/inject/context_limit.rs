//! Context limits of agents.

/// Maximum bytes of context that reach an agent's model unchanged; `None` if there is no limit. Longer context is moved to
/// a file (Claude Code, Codex), truncated (Copilot, Cline, Kiro, Qwen) or dropped (Cursor).
///
/// Some agents count UTF-16 units. A text never has more of these than bytes, so the limit holds for both.
pub fn context_limit(agent: &str) -> Option<usize> {
    match agent {
        "claude" | "claude-code" | "codex" | "cursor" | "qwen" => Some(10_000),
        "copilot" | "kiro" => Some(10 * 1024),
        "cline" => Some(50_000),
        // These agents do not accept context.
        "windsurf" | "goose" => Some(0),
        _ => None,
    }
}
