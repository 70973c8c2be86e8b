//! How much of a context agents take.

/// The most bytes of context that reach an agent's model as they are; `None` if there is no limit. More is put into
/// a file (Claude Code, Codex), cut off (Copilot, Cline, Kiro, Qwen) or dropped (Cursor).
///
/// Some count UTF-16 units. A text never has more of those than bytes, so that whatever fits here fits there.
pub fn cap(agent: &str) -> Option<usize> {
    match agent {
        "claude" | "claude-code" | "codex" | "cursor" | "qwen" => Some(10_000),
        "copilot" | "kiro" => Some(10 * 1024),
        "cline" => Some(50_000),
        // They have no way to be told anything.
        "windsurf" | "goose" => Some(0),
        _ => None,
    }
}
